"""Source that treats tests specially: it asks whether it is tested, ends the process, or stands in for a test runner."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

from orchestrator.domain.evidence import CRITICAL, HIGH, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.code_only import LARGEST_TEXT, code_of, language_of
from workers.evidence.path_kinds import guarded_kind, is_test_path, is_test_support
from workers.evidence.python_tampering import SCRIPTS, Found, python_tampering

CHECK = "tampering"
_SHADOWS = expression(
    r"(?:^|/)(?:sitecustomize|usercustomize)\.py$|\.pth$"
    r"|^(?:src/|lib/|tests?/)?(?:pytest|_pytest|unittest|pluggy|xdist|doctest|coverage)(?:\.py|/__init__\.py)$"
    r"|(?:^|/)node_modules/"
)
_TOP_MODULE = expression(r"(\w+)(?:\.py|/__init__\.py)$")  # found before everything that is installed
_NEEDED = frozenset(
    {"iniconfig", "packaging", "exceptiongroup", "pygments", "py", "colorama", "tomli"}
)  # by pytest
_COMPILED = expression(r"\.py[co]$")
_COOKIE = expression(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_PLAIN_CODEC = expression(
    r"(?i)utf-?_?8(?:-sig)?|(?:us-)?ascii|latin-?_?1|iso-?_?8859-?_?\d+|cp125\d|gbk|gb2312|big5|euc[-_]\w+|shift_?jis"
)
_BIDIRECTIONAL = expression("[\u202a-\u202e\u2066-\u2069]")
_LINE_RULES: dict[str, tuple[tuple[str, re.Pattern[str], str, bool], ...]] = {
    "javascript": (
        (
            "test_probe",
            expression(
                r"\bprocess\s*\.\s*(?:argv|execArgv)\b.*['\"`/](?:[^'\"`]*\W)?(?:jest|vitest|mocha|ava|--test)\b"
                r"|(?:\.|\[\s*['\"])npm_lifecycle_event\b"
                r"|\.stack\b.*['\"`/][^'\"`]*(?:\.(?:test|spec)\b|__tests__|node:test|mocha|jest|vitest)"
                r"|['\"](?:describe|jest|vi|it|expect|mocha)['\"]\s+in\s+(?:globalThis|global|window)\b"
                r"|\b(?:globalThis|global)\s*\.\s*(?:describe|jest|mocha|__vitest\w*)\b"
            ),
            "asks whether a test runs it",
            True,
        ),
        (
            "runner_patched",
            expression(
                r"^\s*assert(?:\s*\.\s*strict)?\s*\.\s*\w+\s*=(?![=>])"
                r"|\bModule\s*\.\s*(?:_load|_resolveFilename|_extensions|prototype\s*\.\s*(?:require|_compile))[^=]*=(?!=)"
            ),
            "replaces what tests are run with",
            True,
        ),
        (
            "test_probe",
            expression(
                r"(?:\b|\[\s*['\"])(?:JEST_WORKER_ID|VITEST(?:_WORKER_ID|_POOL_ID)?|NODE_TEST_CONTEXT)\b"
            ),
            "asks whether a test runs it",
            True,
        ),
        (
            "test_probe",
            expression(r"\btypeof\s+(?:globalThis\.)?(?:jest|vi|describe|it|expect|mocha)\b"),
            "asks whether a test runs it",
            True,
        ),
        (
            "test_probe",
            expression(r"\bNODE_ENV\s*(?:===?|!==?)\s*['\"]test['\"]"),
            "behaves differently in tests",
            False,
        ),
        ("test_probe", expression(r"\bimport\.meta\.vitest\b"), "holds tests of its own", False),
        (
            "runner_import",
            expression(
                r"(?:\bfrom\s*|\brequire\s*\(\s*|^\s*import\s+|\bimport\s*\(\s*)['\"](?:vitest|jest|@jest/[\w-]+|mocha|chai|node:test|@playwright/test|ava)['\"]"
            ),
            "imports a test runner",
            True,
        ),
    ),
    "go": (
        (
            "test_probe",
            expression(r"\bos\.Args\[0\].*\"[^\"]*\btest|\bruntime\.Callers?\(.*\"[^\"]*_test"),
            "asks whether a test runs it",
            True,
        ),
        (
            "test_probe",
            expression(
                r"\btesting\.Testing\(\)|\bflag\.Lookup\(\s*\"test\.|HasSuffix\(\s*os\.Args\[0\],\s*\"\.test"
            ),
            "asks whether a test runs it",
            True,
        ),
        (
            "runner_import",
            expression(r"^\s*(?:import\s+)?(?:\w+\s+)?\"testing\"\s*$"),
            "imports a test runner",
            True,
        ),
    ),
    "rust": (
        (
            "test_probe",
            expression(
                r"\bcurrent\(\)\s*\.\s*name\(\).*\"[^\"]*\btests?\b|\bcurrent_exe\(\).*\"(?:deps|/deps/)"
            ),
            "asks whether a test runs it",
            True,
        ),
        ("test_probe", expression(r"\bcfg!\s*\(\s*test\s*\)"), "asks whether a test runs it", True),
        (
            "test_probe",
            expression(r"#\[\s*cfg(?:_attr)?\s*\(\s*(?:not\s*\(\s*test\s*\)|any\([^)]*\btest\b)"),
            "behaves differently in tests",
            False,
        ),
    ),
    "java": (
        (
            "test_probe",
            expression(r"\bgetStackTrace\(\).*\"[^\"]*Test"),
            "looks for a test among its callers",
            True,
        ),
        (
            "runner_import",
            expression(r"^\s*import\s+(?:static\s+)?(?:org\.junit|junit\.|org\.testng|org\.mockito)"),
            "imports a test runner",
            True,
        ),
        (
            "test_probe",
            expression(r"\"(?:org\.junit|junit\.|org\.testng|surefire)[^\"]*\""),
            "asks whether a test runs it",
            True,
        ),
        (
            "process_end",
            expression(r"\bRuntime\s*\.\s*getRuntime\s*\(\s*\)\s*\.\s*halt\s*\("),
            "ends the process at once",
            True,
        ),
    ),
}


def tampering(changes: Changes, is_test: Callable[[str], bool] = is_test_path) -> list[Finding]:
    """Findings about added lines of source; tests (`is_test`) and tools for tests that were there before are left out."""
    found = []
    for file in changes.files:
        if not file.is_deleted and (file.is_new or file.status == "R") and _shadows(file.path):
            text = f"{file.path} would be loaded instead of, or before, the test runner"
            found.append(
                Finding(CHECK, CRITICAL, "runner_shadowed", text, file.path, fix="remove it", blocks=True)
            )
        if not file.is_deleted and _COMPILED.search(file.path):
            text = f"{file.path} is compiled code, which Python may load instead of the source"
            found.append(
                Finding(CHECK, CRITICAL, "compiled_code", text, file.path, fix="remove it", blocks=True)
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
        known = {line.strip() for line in file.lines_before}
        for line, rule, what, blocks in told:
            if rule == "too_deep" or (line in file.added_numbers and file.line(line).strip() not in known):
                blocking = blocks and not is_support
                quote = one_line(file.line(line).strip(), 200)
                text = f"{file.path} {what}"
                severity = CRITICAL if blocking else HIGH
                found.append(Finding(CHECK, severity, rule, text, file.path, line, quote, blocks=blocking))
        if language_of(file.path) != "python" and len(file.text) > LARGEST_TEXT and language_of(file.path):
            text = f"{file.path} is too large to be checked for what treats tests specially"
            found.append(Finding(CHECK, HIGH, "too_large", text, file.path))
    return list(dict.fromkeys(found))


def _shadows(path: str) -> bool:
    """Whether Python would take a new file of this name for a part of itself or of the test runner."""
    if _SHADOWS.search(path):
        return True
    top = _TOP_MODULE.match(path)
    return top is not None and (top[1] in _NEEDED or top[1] in sys.stdlib_module_names - {"test"})


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
        yield from python_tampering(file)
        return
    code = code_of(file.path, file.text)
    if code is None:
        return
    lines = code.code.split("\n")
    for number, line in enumerate(code.text.split("\n"), 1):
        if not lines[number - 1].strip():
            continue  # a comment, or the inside of a long string
        for rule, pattern, what, blocks in _LINE_RULES.get(language, ()):
            if rule == "runner_import" and guarded_kind(file.path) == "runner_config":
                continue  # jest.config.ts names the type of what it configures
            if (hit := pattern.search(line)) and lines[number - 1][hit.start()].strip():
                yield number, rule, what, blocks
    if language == "javascript" and not SCRIPTS.search(file.path) and not file.text.startswith("#!"):
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
