"""Which runners a tree has: told from its manifests and configuration, then from its scripts; nothing is run.

In a tree of several projects a test belongs to the nearest folder that configures a runner, and the folders nearest to
the changed files come first.
"""

from __future__ import annotations

import json
import posixpath
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from orchestrator.config.settings import WorkSettings
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression
from workers.evidence.compiled_runners import COMMON_TEST_NAME, Cargo, Go, Gradle, Maven, OwnCommand
from workers.evidence.javascript_runners import RUNNERS, ScriptCall, script_calls
from workers.evidence.python_runners import Pytest, Unittest
from workers.evidence.python_settings import PytestSettings, pytest_settings, source_folders
from workers.evidence.repository_files import RepositoryFiles, nearest, outermost
from workers.evidence.runner import Runner

MAX_RUNNERS = 20
_PYTHON_ROOT = frozenset(
    {"pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", ".pytest.ini", "pytest.toml"}
)
_JS_CONFIG = (
    ("vitest", expression(r"vitest\.(config|workspace)\.[cm]?[jt]s(on)?$")),
    ("jest", expression(r"jest\.config\.([cm]?[jt]s|json)$")),
    ("mocha", expression(r"\.mocharc\.(js|cjs|ya?ml|jsonc?)$")),
)
_NO_TEST = expression(r"^\s*$|no test specified")  # as npm writes it
_UNIT_FIRST = ("vitest", "jest", "mocha", "node:test")


@dataclass(frozen=True, slots=True)
class Found:
    """The runners of a tree, the most important first, and how they were found or why there are none."""

    runners: list[Runner] = field(default_factory=list)
    why: str = ""
    left_out: int = 0  # more than `MAX_RUNNERS`


def find_runners(
    tree: Path, work: WorkSettings, environ: Mapping[str, str], changed: Sequence[str] = ()
) -> Found:
    """The runners of the tree's tests; those nearest to the files `changed` (below the tree) come first."""
    return nearest_first(all_runners(tree, work, environ), changed)


def all_runners(tree: Path, work: WorkSettings, environ: Mapping[str, str]) -> Found:
    """The same in no order, however many there are."""
    if work.test_command:
        own = OwnCommand(tree, command=tuple(work.test_command), reports=work.test_report)
        return Found([own], "the setting `work.test_command` names the command")
    files = RepositoryFiles(tree)
    found: list[Runner] = []
    for family in (_python, _javascript, _go, _cargo, _jvm):
        found += family(files, environ)
    return Found(found, "" if found else _why_none(files))


def nearest_first(known: Found, changed: Sequence[str]) -> Found:
    """What `all_runners` gave, those nearest to the files `changed` first, and no more than are run."""
    if known.why:
        return known
    found = sorted(known.runners, key=lambda runner: _distance(runner, changed))
    names = ", ".join(f"{runner.name} in {runner.root or 'the project'}" for runner in found[:MAX_RUNNERS])
    left = len(found) - MAX_RUNNERS
    why = f"found {names}" + (f"; {left} more are left out" if left > 0 else "")
    return Found(found[:MAX_RUNNERS], why, max(0, left))


def _why_none(files: RepositoryFiles) -> str:
    if files.named(("manage.py",)):
        return "Django's own test command writes no report: configure pytest, or set `work.test_command`"
    tests = [path for path in files.paths if COMMON_TEST_NAME.search(path)]
    if tests:
        return f"tests as {tests[0]} belong to no runner known here: set `work.test_command`"
    for path in files.named(("package.json",)):
        scripts = _table(_object(files.text(path)).get("scripts"))
        script = scripts.get("test")
        if isinstance(script, str) and not _NO_TEST.search(script) and not script_calls(script, scripts):
            return (
                f"the test script in {path} ({one_line(script, 60)}) belongs to no runner known here: "
                "set `work.test_command`"
            )
    return "the project has no tests"


def _distance(runner: Runner, changed: Sequence[str]) -> tuple[int, int, str]:
    """Runners that own the changed files first, the deepest of them first; the others from the top down."""
    depth = runner.root.count("/") + 1 if runner.root else 0
    owns = any(runner.owns(path) for path in changed)
    return (0, -depth, runner.root) if owns else (1, depth, runner.root)


def _python(files: RepositoryFiles, environ: Mapping[str, str]) -> list[Runner]:
    manifests = files.named(_PYTHON_ROOT)
    folders = {"", *(posixpath.dirname(manifest) for manifest in manifests)}
    settings = {folder: pytest_settings(folder, files.text) for folder in folders}
    configured = frozenset(folder for folder, known in settings.items() if known.is_configured)
    roots = frozenset(settings)
    django = frozenset(posixpath.dirname(path) for path in files.named(("manage.py",)))
    tests: dict[str, list[str]] = {}
    for path in files.paths:
        if not path.endswith(".py"):
            continue
        root = nearest(path, configured)
        if root is None:
            root = nearest(path, roots) or ""
            if nearest(path, django) is not None:
                continue  # without its settings each of them would fail
        patterns = settings[root].file_patterns
        name = posixpath.basename(path)
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            tests.setdefault(root, []).append(path)
    program = next(
        (p for p in ("python3", "python") if shutil.which(p, path=environ.get("PATH", ""))), "python3"
    )
    return [_python_runner(files, root, settings[root], program, paths) for root, paths in tests.items()]


def _python_runner(
    files: RepositoryFiles, root: str, known: PytestSettings, program: str, tests: Sequence[str]
) -> Runner:
    sources = source_folders(root, files.paths, files.text)
    if known.is_configured or known.is_required or _needs_pytest(files, root, tests):
        return Pytest(
            files.tree,
            root,
            program=program,
            sources=sources,
            file_patterns=known.file_patterns,
            has_coverage=known.has_coverage,
        )
    return Unittest(files.tree, root, program=program, sources=sources)


_PYTEST_CODE = expression(r"^(?:import pytest|from pytest\b|(?:async )?def test_)", re.MULTILINE)


def _needs_pytest(files: RepositoryFiles, root: str, tests: Sequence[str]) -> bool:
    """Whether a test uses what unittest has not: functions, fixtures, conftest.py."""
    below = f"{root}/" if root else ""
    if any(path.startswith(below) for path in files.named(("conftest.py",))):
        return True
    return any(_PYTEST_CODE.search(files.text(path)) for path in tests)


def _javascript(files: RepositoryFiles, environ: Mapping[str, str]) -> list[Runner]:
    found: dict[str, ScriptCall] = {}
    for path in files.named(("package.json",)):
        folder = posixpath.dirname(path)
        if call := _javascript_call(files, folder, _object(files.text(path))):
            found[folder] = call
    runners: list[Runner] = []
    for folder, call in found.items():
        runner = RUNNERS[call.runner](files.tree, folder, extra=call.arguments, extra_env=call.env)
        own = [p for p in files.paths if nearest(p, frozenset(found)) == folder and runner.is_test_file(p)]
        if own:
            runners.append(runner)
    return runners


def _javascript_call(files: RepositoryFiles, folder: str, package: JsonObject) -> ScriptCall | None:
    """The runner of one package: by its script where that names one, else by its configuration and dependencies."""
    scripts = _table(package.get("scripts"))
    script = scripts.get("test")
    calls = script_calls(script, scripts) if isinstance(script, str) else []
    configured = [name for name, pattern in _JS_CONFIG if _has_file(files, folder, pattern)]
    configured += [name for name in ("jest", "mocha") if isinstance(package.get(name), dict)]
    declared = [
        name
        for name in ("vitest", "jest", "mocha")
        if any(name in _table(package.get(key)) for key in ("devDependencies", "dependencies"))
    ]
    for candidates in (configured, declared):
        if len(set(candidates)) == 1:
            name = candidates[0]
            return next((call for call in calls if call.runner == name), ScriptCall(name))
    if calls:
        return calls[0]
    several = configured or declared
    return ScriptCall(min(several, key=_UNIT_FIRST.index)) if several else None


def _has_file(files: RepositoryFiles, folder: str, pattern: re.Pattern[str]) -> bool:
    return any(posixpath.dirname(p) == folder and pattern.match(posixpath.basename(p)) for p in files.paths)


def _go(files: RepositoryFiles, environ: Mapping[str, str]) -> list[Runner]:
    folders = frozenset(posixpath.dirname(path) for path in files.named(("go.mod",)))
    tested = {nearest(path, folders) for path in files.paths if path.endswith("_test.go")}
    found: list[Runner] = []
    for folder in sorted(folder for folder in tested if folder is not None):
        module = re.search(
            r"^module\s+\"?([^\s\"]+)", files.text(posixpath.join(folder, "go.mod")), re.MULTILINE
        )
        found.append(Go(files.tree, folder, module=module[1] if module else ""))
    return found


def _cargo(files: RepositoryFiles, environ: Mapping[str, str]) -> list[Runner]:
    folders = outermost(posixpath.dirname(path) for path in files.named(("Cargo.toml",)))
    return [Cargo(files.tree, folder) for folder in folders if _has_rust_tests(files, folder)]


def _has_rust_tests(files: RepositoryFiles, folder: str) -> bool:
    below = f"{folder}/" if folder else ""
    mine = [path for path in files.paths if path.endswith(".rs") and path.startswith(below)]
    return any(
        "/tests/" in f"/{path}" or "#[test]" in files.text(path) or "::test]" in files.text(path)
        for path in mine
    )


def _jvm(files: RepositoryFiles, environ: Mapping[str, str]) -> list[Runner]:
    found: list[Runner] = []
    kinds: tuple[tuple[tuple[str, ...], Callable[[Path, str], Runner]], ...] = (
        (("pom.xml",), Maven),
        (("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"), Gradle),
    )
    taken: set[str] = set()
    for names, kind in kinds:
        for folder in outermost(posixpath.dirname(path) for path in files.named(names)):
            runner = kind(files.tree, folder)
            if folder not in taken and any(runner.is_test_file(path) for path in files.paths):
                taken.add(folder)
                found.append(runner)
    return found


def _object(text: str) -> JsonObject:
    try:
        return _table(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _table(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


PLAIN = {  # what a person types to run the tests
    "pytest": "python3 -m pytest",
    "unittest": "python3 -m unittest",
    "vitest": "npx vitest run",
    "jest": "npx jest",
    "mocha": "npx mocha",
    "node:test": "node --test",
    "go": "go test ./...",
    "cargo": "cargo test",
    "maven": "mvn test",
    "gradle": "gradle test",
}


def plain_commands(found: Found) -> list[str]:
    """The commands of the runners as a person types them, with the folder where it is not the top."""
    return [
        PLAIN[runner.name] + (f" (in {runner.root})" if runner.root else "")
        for runner in found.runners
        if runner.name in PLAIN
    ]
