"""Source that treats tests specially: it asks whether it is tested, ends the process, or stands in for a test runner."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from orchestrator.domain.evidence import CRITICAL, HIGH, Finding
from orchestrator.domain.inert import one_line
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.code_only import LARGEST_TEXT, code_of, language_of
from workers.evidence.path_kinds import is_test_path, is_test_support

CHECK = "tampering"
_RUNNERS = frozenset({"pytest", "_pytest", "unittest", "nose", "nose2", "doctest", "xdist"})
_SHADOWS = re.compile(
    r"(?:^|/)(?:sitecustomize|usercustomize)\.py$|\.pth$"
    r"|^(?:src/|lib/|tests?/)?(?:pytest|_pytest|unittest|pluggy|xdist|doctest|coverage)(?:\.py|/__init__\.py)$"
    r"|(?:^|/)node_modules/"
)
_SCRIPTS = re.compile(
    r"(?:^|/)(?:__main__\.py|setup\.py|noxfile\.py|manage\.py|(?:bin|scripts?|tools?)/[^/]+)$"
)
_VARIABLES = re.compile(r"PYTEST_(?:CURRENT_TEST|VERSION|XDIST_[A-Z_]+|RUN_[A-Z_]+)")
_PROBES = re.compile(r"^_?pytest\b|^unittest$|^py\.test$")
_TEST_WORD = re.compile(r"(?:^|[/_.])(?:test_|_?pytest\b|unittest\b|tests?/)")
_COOKIE = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_PLAIN_CODEC = re.compile(
    r"(?i)utf-?_?8(?:-sig)?|(?:us-)?ascii|latin-?_?1|iso-?_?8859-?_?\d+|cp125\d|gbk|gb2312|big5|euc[-_]\w+|shift_?jis"
)
_BIDIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069]")
Found = Iterator[tuple[int, str, str, bool]]  # line, rule, what it does, whether it blocks

_LINE_RULES: dict[str, tuple[tuple[str, re.Pattern[str], str, bool], ...]] = {
    "javascript": (
        (
            "test_probe",
            re.compile(
                r"(?:\b|\[\s*['\"])(?:JEST_WORKER_ID|VITEST(?:_WORKER_ID|_POOL_ID)?|NODE_TEST_CONTEXT)\b"
            ),
            "asks whether a test runs it",
            True,
        ),
        (
            "test_probe",
            re.compile(r"\btypeof\s+(?:globalThis\.)?(?:jest|vi|describe|it|expect|mocha)\b"),
            "asks whether a test runs it",
            True,
        ),
        (
            "test_probe",
            re.compile(r"\bNODE_ENV\s*(?:===?|!==?)\s*['\"]test['\"]"),
            "behaves differently in tests",
            False,
        ),
        ("test_probe", re.compile(r"\bimport\.meta\.vitest\b"), "holds tests of its own", False),
        (
            "runner_import",
            re.compile(
                r"(?:\bfrom\s*|\brequire\s*\(\s*|^\s*import\s+|\bimport\s*\(\s*)['\"](?:vitest|jest|@jest/[\w-]+|mocha|chai|node:test|@playwright/test|ava)['\"]"
            ),
            "imports a test runner",
            True,
        ),
    ),
    "go": (
        (
            "test_probe",
            re.compile(
                r"\btesting\.Testing\(\)|\bflag\.Lookup\(\s*\"test\.|HasSuffix\(\s*os\.Args\[0\],\s*\"\.test"
            ),
            "asks whether a test runs it",
            True,
        ),
        (
            "runner_import",
            re.compile(r"^\s*(?:import\s+)?(?:\w+\s+)?\"testing\"\s*$"),
            "imports a test runner",
            True,
        ),
    ),
    "rust": (
        ("test_probe", re.compile(r"\bcfg!\s*\(\s*test\s*\)"), "asks whether a test runs it", True),
        (
            "test_probe",
            re.compile(r"#\[\s*cfg(?:_attr)?\s*\(\s*(?:not\s*\(\s*test\s*\)|any\([^)]*\btest\b)"),
            "behaves differently in tests",
            False,
        ),
    ),
    "java": (
        (
            "runner_import",
            re.compile(r"^\s*import\s+(?:static\s+)?(?:org\.junit|junit\.|org\.testng|org\.mockito)"),
            "imports a test runner",
            True,
        ),
        (
            "test_probe",
            re.compile(r"\"(?:org\.junit|junit\.|org\.testng|surefire)[^\"]*\""),
            "asks whether a test runs it",
            True,
        ),
        (
            "process_end",
            re.compile(r"\bRuntime\s*\.\s*getRuntime\s*\(\s*\)\s*\.\s*halt\s*\("),
            "ends the process at once",
            True,
        ),
    ),
}


def tampering(changes: Changes, is_test: Callable[[str], bool] = is_test_path) -> list[Finding]:
    """Findings about added lines of source; tests (`is_test`) and tools for tests that were there before are left out."""
    found = []
    for file in changes.files:
        if not file.is_deleted and (file.is_new or file.status == "R") and _SHADOWS.search(file.path):
            text = f"{file.path} would be loaded instead of, or before, the test runner"
            found.append(
                Finding(CHECK, CRITICAL, "runner_shadowed", text, file.path, fix="remove it", blocks=True)
            )
        if file.is_deleted or not file.text:
            continue
        found += _hidden(file)
        if is_test(file.path):
            continue
        is_support = is_test_support(file.path) and not file.is_new
        try:
            told = list(_of_source(file))
        except RecursionError:
            told = [(1, "too_deep", "is nested too deeply to be checked", True)]
        for line, rule, what, blocks in told:
            if line in file.added_numbers or rule == "too_deep":
                blocking = blocks and not is_support
                quote = one_line(file.line(line).strip(), 200)
                text = f"{file.path} {what}"
                severity = CRITICAL if blocking else HIGH
                found.append(Finding(CHECK, severity, rule, text, file.path, line, quote, blocks=blocking))
        if language_of(file.path) != "python" and len(file.text) > LARGEST_TEXT and language_of(file.path):
            text = f"{file.path} is too large to be checked for what treats tests specially"
            found.append(Finding(CHECK, HIGH, "too_large", text, file.path))
    return list(dict.fromkeys(found))


def _hidden(file: ChangedFile) -> Iterator[Finding]:
    """Text that a person, or a check, reads differently from the machine."""
    for number, line in file.added:
        cookie = _COOKIE.match(line) if number <= 2 and file.path.endswith((".py", ".pth")) else None
        if cookie and not _PLAIN_CODEC.fullmatch(cookie[1]):
            text = f"{file.path} is written in the encoding {cookie[1]}, which hides what it does"
            yield Finding(CHECK, CRITICAL, "hidden_encoding", text, file.path, number, blocks=True)
        if _BIDIRECTIONAL.search(line):
            text = f"{file.path} has characters that change the order in which a line is shown"
            quote = one_line(line.strip(), 200)
            yield Finding(
                CHECK, CRITICAL, "hidden_order", text, file.path, number, quote, "remove them", blocks=True
            )


def _of_source(file: ChangedFile) -> Found:
    language = language_of(file.path)
    if language == "python":
        yield from _python(file)
        return
    code = code_of(file.path, file.text)
    if code is None:
        return
    lines = code.code.split("\n")
    for number, line in enumerate(code.text.split("\n"), 1):
        if not lines[number - 1].strip():
            continue  # a comment, or the inside of a long string
        for rule, pattern, what, blocks in _LINE_RULES.get(language, ()):
            if (hit := pattern.search(line)) and lines[number - 1][hit.start()].strip():
                yield number, rule, what, blocks
    if language == "javascript" and not _SCRIPTS.search(file.path) and not file.text.startswith("#!"):
        for hit in re.finditer(r"^process\s*\.\s*exit\s*\(\s*0?\s*\)", code.code, re.M):
            yield (
                code.line_at(hit.start()),
                "exit_at_import",
                "ends the process with success when it is loaded",
                True,
            )
    if language == "go":
        for hit in re.finditer(r"^func\s+init\s*\(\s*\)\s*(?=\{)", code.code, re.M):
            body = code.code[hit.end() : code.end_of(hit.end())]
            if end := re.search(r"\bos\s*\.\s*Exit\s*\(\s*0\s*\)", body):
                at = code.line_at(hit.end() + end.start())
                yield at, "exit_at_import", "ends the process with success when it is loaded", True


def _python(file: ChangedFile) -> Found:
    try:
        module = ast.parse(file.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    yield from _anywhere(module)
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _in_function(function)
    if not _SCRIPTS.search(file.path) and not file.text.startswith("#!"):
        yield from _at_import(module.body)


def _anywhere(module: ast.Module) -> Found:
    forks = any(isinstance(node, ast.Call) and _dotted(node.func) == "os.fork" for node in ast.walk(module))
    ends = ("os._exit", "posix._exit", *(("_exit",) if _imports_exit(module) else ()))
    for node in ast.walk(module):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [each.name for each in node.names]
            )
            if any(name.split(".")[0] in _RUNNERS for name in names) and not getattr(node, "level", 0):
                yield node.lineno, "runner_import", "imports a test runner", "doctest" not in names
        elif isinstance(node, ast.Call) and _dotted(node.func) in ends:
            is_success = not node.args or (isinstance(node.args[0], ast.Constant) and not node.args[0].value)
            what = "ends the process at once, before a test can report"
            yield node.lineno, "process_end", what, is_success and not forks
        elif isinstance(node, ast.Subscript | ast.Compare | ast.Call | ast.GeneratorExp | ast.ListComp):
            if _is_probe(node):
                yield node.lineno, "test_probe", "asks whether a test runs it", True
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and _dotted(target).split(".")[0] in (
                    *_RUNNERS,
                    "builtins",
                ):
                    yield node.lineno, "runner_patched", f"replaces {one_line(_dotted(target), 100)}", True


def _imports_exit(module: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module in ("os", "posix")
        and any(each.name == "_exit" for each in node.names)
        for node in ast.walk(module)
    )


def _is_probe(node: ast.Subscript | ast.Compare | ast.Call | ast.GeneratorExp | ast.ListComp) -> bool:
    """Whether this looks for a test runner: in the environment, among modules, or on the command line."""
    if isinstance(node, ast.Compare):
        places = [_dotted(each) for each in (node.left, *node.comparators)]
        words = _words([node.left, *node.comparators])
    elif isinstance(node, ast.Subscript):
        places, words = [_dotted(node.value)], _words([node.slice])
    elif isinstance(node, ast.Call):
        places, words = [_dotted(node.func)], _words(node.args)
    else:
        places = [_dotted(each.iter) for each in node.generators]
        words = _words([each for each in ast.walk(node) if isinstance(each, ast.expr)])
    if any(_VARIABLES.fullmatch(word) for word in words):
        return True
    if "_called_from_test" in (*places, *words):
        return True
    at_runner = any(
        place.startswith(("sys.modules", "sys.argv", "modules", "argv", "sys.orig_argv")) for place in places
    )
    asks = any(place.endswith(("find_spec", "import_module", "__import__")) for place in places)
    return (at_runner or asks) and any(_PROBES.search(word) for word in words)


def _words(nodes: list[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _in_function(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Found:
    body = [
        each
        for each in function.body
        if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    only = body[0] if len(body) == 1 else None
    if (
        function.name == "__eq__"
        and isinstance(only, ast.Return)
        and isinstance(only.value, ast.Constant)
        and only.value.value is True
    ):
        yield function.lineno, "always_equal", "equals everything, so that any comparison passes", True
    calls = {_dotted(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
    frames = {"inspect.stack", "inspect.currentframe", "sys._getframe", "traceback.extract_stack"} & calls
    if frames:
        for node in ast.walk(function):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if _TEST_WORD.search(node.value):
                yield node.lineno, "test_probe", "looks for a test among its callers", True


def _at_import(body: list[ast.stmt]) -> Found:
    """Successful ends of the process that importing the module reaches."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(statement, ast.If) and "__main__" in ast.dump(statement.test):
            continue
        for node in ast.walk(statement):
            ends = isinstance(node, ast.Call) and _dotted(node.func) in (
                "sys.exit",
                "exit",
                "quit",
                "SystemExit",
            )
            if (
                ends
                and isinstance(node, ast.Call)
                and all(isinstance(each, ast.Constant) and each.value in (0, None) for each in node.args)
            ):
                yield node.lineno, "exit_at_import", "ends the process with success when it is imported", True


def _dotted(node: ast.expr) -> str:
    """`a.b.c` of names and attributes, of what is called, or of what is indexed; empty for others."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return ".".join([node.id, *parts]) if isinstance(node, ast.Name) else ".".join(parts)
