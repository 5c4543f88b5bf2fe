"""Whether each changed file can still be read by its language; languages that need a build are left to it."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from orchestrator.domain.evidence import CRITICAL, HIGH, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.code_only import code_of
from workers.evidence.execution import Execute
from workers.evidence.path_kinds import is_test_path
from workers.host.python_syntax import parse_python

CHECK = "compile"
_AT_ONCE = 200  # files that one program gets
_WITH_COMMENTS = expression(  # files called .json that their programs read with comments
    r"(?:^|/)(?:[tj]sconfig[\w.-]*\.json|\.vscode/.*|\.devcontainer/.*|devcontainer\.json|\.?eslintrc\.json|api-extractor\.json"
    r"|\.?babelrc(?:\.json)?|\.swcrc|wrangler\.json|turbo\.json|nx\.json|deno\.json|renovate\.json)$"
)
_SAMPLES = frozenset(
    {"data", "fixtures", "testdata", "samples", "cases"}
)  # of tests: may be broken on purpose
_TEMPLATE = expression(r"\{\{|\{%|<%|\$\{\{")
_PYTHON = """
import ast, json, sys
for path in sys.argv[1:]:
    try:
        with open(path, "rb") as file:
            ast.parse(file.read(), path)
    except SyntaxError as error:
        print(json.dumps([path, error.lineno or 0, error.msg]))
    except (ValueError, RecursionError, MemoryError) as error:
        print(json.dumps([path, 0, str(error) or type(error).__name__]))
print(json.dumps(["", sys.version_info[0], "end"]))
"""
Faults = Iterator[tuple[ChangedFile, int, str]]


def syntax_faults(
    changes: Changes,
    execute: Execute | None = None,
    tree: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Findings for changed files that cannot be read. Files that could not be read before either do not block.

    With `execute` and `tree`, a folder with the candidate's files, Python is read by the `python3` and JavaScript by the
    `node` on the PATH of `environ`; without, Python by the version that runs this, and JavaScript not at all.
    """
    files = [file for file in changes.files if not (file.is_deleted or file.is_binary or file.is_link)]
    files = [file for file in files if file.after is not None and not _TEMPLATE.search(file.path)]
    found = [*_data(files)]
    python = [file for file in files if file.path.endswith((".py", ".pyi"))]
    scripts = [file for file in files if file.path.endswith((".js", ".mjs", ".cjs"))]
    if execute is None or tree is None:
        found += _own_python(python)
    else:
        found += _by_python(python, execute, tree, environ or {})
        found += _by_node(scripts, execute, tree, environ or {})
    return [_finding(file, line, why) for file, line, why in found]


def _finding(file: ChangedFile, line: int, why: str) -> Finding:
    was_broken = (not file.is_new and any(_data([_as_before(file)]))) or _was_broken_python(file)
    is_code = file.path.endswith((".py", ".js", ".mjs", ".cjs"))
    folders = set(file.path.lower().split("/")[:-1])
    is_sample = is_test_path(file.path) and not (is_code and _SAMPLES.isdisjoint(folders))
    is_bad = not was_broken and not is_sample and not file.path.endswith((".yml", ".yaml"))
    return Finding(
        CHECK,
        CRITICAL if is_bad else HIGH,
        "syntax",
        one_line(f"{file.path} cannot be read: {why}", 400),
        file.path,
        line,
        one_line(file.line(line).strip(), 200),
        blocks=is_bad,
    )


def _as_before(file: ChangedFile) -> ChangedFile:
    return ChangedFile(file.path, "M", after=file.before)


def _was_broken_python(file: ChangedFile) -> bool:
    return file.path.endswith(".py") and not file.is_new and any(_own_python([_as_before(file)]))


def _data(files: Sequence[ChangedFile]) -> Faults:
    for file in files:
        try:
            if file.path.endswith(".json") and not _WITH_COMMENTS.search(file.path):
                json.loads(file.text)
            elif file.path.endswith(".toml"):
                tomllib.loads(file.text)
            elif file.path.endswith((".yml", ".yaml")) and _is_plain_yaml(file.text):
                for _ in YAML(typ="safe", pure=True).parse(file.text):
                    pass
        except json.JSONDecodeError as error:
            yield file, error.lineno, error.msg
        except tomllib.TOMLDecodeError as error:
            place = re.search(r"line (\d+)", str(error))
            yield file, int(place[1]) if place else 0, str(error)
        except YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            yield (
                file,
                mark.line + 1 if mark else 0,
                str(getattr(error, "problem", "") or type(error).__name__),
            )
        except (ValueError, RecursionError) as error:
            yield file, 0, str(error) or type(error).__name__


def _is_plain_yaml(text: str) -> bool:
    """Whether the text is no template, and can be read in a moment: the reader takes the square of the depth."""
    depth = deepest = 0
    for found in re.finditer(r"[\[{\]}]", text):
        depth += 1 if found[0] in "[{" else -1
        deepest = max(deepest, depth)
    return not _TEMPLATE.search(text) and deepest < 100 and len(text) < 500_000


def _own_python(files: Sequence[ChangedFile]) -> Faults:
    for file in files:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of invalid escapes, which are no fault of syntax
                parse_python(file.after or b"")
        except SyntaxError as error:
            yield file, error.lineno or 0, error.msg
        except (ValueError, RecursionError, MemoryError) as error:
            yield file, 0, str(error) or type(error).__name__


def _by_python(
    files: Sequence[ChangedFile], execute: Execute, tree: Path, environ: Mapping[str, str]
) -> Faults:
    program = _program("python3", environ) or _program("python", environ)
    if program is None:
        yield from _own_python(files)
        return
    for at in range(0, len(files), _AT_ONCE):
        given = {f"./{file.path}": file for file in files[at : at + _AT_ONCE]}
        done = execute([program, "-I", "-S", "-W", "ignore", "-c", _PYTHON, *given], tree, environ)
        told = list(_told(done.out))
        if not any(name == "" and line >= 3 for name, line, _ in told):
            yield from _own_python(list(given.values()))  # it did not get to the end
            continue
        for name, line, why in told:
            if name in given:
                yield given[name], line, why


def _told(out: str) -> Iterator[tuple[str, int, str]]:
    for line in out.splitlines():
        try:
            name, number, why = json.loads(line)
        except (ValueError, TypeError):
            continue
        if isinstance(name, str) and isinstance(number, int):
            yield name, number, str(why)


def _by_node(
    files: Sequence[ChangedFile], execute: Execute, tree: Path, environ: Mapping[str, str]
) -> Faults:
    """Files that both node and the grammar refuse: node alone takes a module or JSX in a `.js` for a fault."""
    program = _program("node", environ)
    if program is None:
        return
    for file in files:
        code = code_of(file.path, file.text)
        if code is None or not code.has_errors:
            continue
        done = execute([program, "--check", f"./{file.path}"], tree, environ)
        why = re.search(r"^SyntaxError: (.+)$", done.err, re.M)
        if done.exit not in (0, None) and why:
            place = re.search(r":(\d+)$", done.err.split("\n", 1)[0])
            yield file, int(place[1]) if place else 0, why[1]


def _program(name: str, environ: Mapping[str, str]) -> str | None:
    return shutil.which(name, path=environ.get("PATH", ""))
