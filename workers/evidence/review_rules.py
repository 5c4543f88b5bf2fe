"""Our own rules for a review without a model: few, over added lines only, each about what is almost always wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.code_only import code_of, language_of
from workers.evidence.path_kinds import is_test_path
from workers.evidence.python_review import Noted, review_python

QUALITY, SECURITY, ARCHITECTURE = "quality", "security", "architecture"
_TODO = expression(r"(?:#|//|/\*|--|<!--)\s*(TODO|FIXME|XXX|HACK)\b(?P<rest>.*)")
_REFERENCE = expression(r"#\d+|(?<![A-Z0-9])[A-Z][A-Z0-9]+-\d+|https?://")
_SILENCED_FILE = expression(
    r"^\s*(?:#\s*(?:ruff|flake8):\s*noqa\s*$|#\s*mypy:\s*ignore-errors|#\s*type:\s*ignore\s*$|#\s*pylint:\s*skip-file"
    r"|/\*\s*eslint-disable\s*\*/|//\s*@ts-nocheck|#!\[allow\()"
)
_SILENCED = expression(
    r"#\s*(?:noqa\b(?!:)|nosec\b|type:\s*ignore\b(?!\[)|pylint:\s*disable)|//\s*(?:eslint-disable(?:-next)?-line\s*$|@ts-ignore|nolint\b(?!:))"
)
_MERGE = expression(r"^(?:<{7}|>{7}|\|{7})(?:\s|$)")


@dataclass(frozen=True, slots=True)
class _Rule:
    """One rule for lines of code of one language."""

    rule: str
    dimension: str
    severity: str
    pattern: re.Pattern[str]
    text: str
    fix: str
    in_tests: bool = False


_JAVASCRIPT = (
    _Rule(
        "eval",
        SECURITY,
        CRITICAL,
        expression(r"(?<![\w.$])eval\s*\((?!\s*\))|\bnew\s+Function\s*\("),
        "runs text as code",
        "parse the text, or choose by a table",
    ),
    _Rule(
        "shell",
        SECURITY,
        CRITICAL,
        expression(r"\b(?:exec|execSync)\s*\(\s*(?:`[^`]*\$\{|[\"'][^\"']*[\"']\s*\+)"),
        "builds a shell command out of text",
        "use execFile or spawn with a list",
    ),
    _Rule(
        "html",
        SECURITY,
        HIGH,
        expression(
            r"\.(?:inner|outer)HTML\s*\+?=(?!=)(?!\s*[\"'`][^$\"'`]*[\"'`]\s*;?\s*$)|\bdangerouslySetInnerHTML\b|\bdocument\.write(?:ln)?\s*\("
        ),
        "puts text into a page as markup",
        "use textContent, or sanitize",
    ),
    _Rule(
        "sql",
        SECURITY,
        CRITICAL,
        expression(
            r"(?i)(?:query|execute|raw)\s*\(\s*(?:`\s*(?:select|insert|update|delete)\b[^`]*\$\{|[\"']\s*(?:select|insert|update|delete)\b[^\"']*[\"']\s*\+)"
        ),
        "builds SQL out of text",
        "use parameters",
    ),
    _Rule(
        "tls",
        SECURITY,
        CRITICAL,
        expression(r"\brejectUnauthorized\s*:\s*false\b|NODE_TLS_REJECT_UNAUTHORIZED[\"'\]]*\s*=\s*[\"']?0"),
        "accepts any certificate",
        "trust the right authority",
    ),
    _Rule(
        "swallowed",
        QUALITY,
        HIGH,
        expression(r"\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\s*\(\s*\(\s*\w*\s*\)\s*=>\s*\{\s*\}\s*\)"),
        "ignores every error",
        "handle it, or let it go up",
    ),
    _Rule(
        "debugger",
        QUALITY,
        MEDIUM,
        expression(r"^\s*debugger\s*;?\s*$"),
        "stops in a debugger",
        "remove it",
        in_tests=True,
    ),
    _Rule(
        "debug_output",
        QUALITY,
        LOW,
        expression(r"(?<![\w.])console\.(?:log|debug|trace)\s*\("),
        "prints for debugging",
        "remove it, or use the project's log",
    ),
)
_GO = (
    _Rule(
        "tls",
        SECURITY,
        CRITICAL,
        expression(r"\bInsecureSkipVerify\s*:\s*true\b"),
        "accepts any certificate",
        "trust the right authority",
    ),
    _Rule(
        "sql",
        SECURITY,
        CRITICAL,
        expression(
            r"(?i)\.(?:Query|QueryRow|Exec)(?:Context)?\s*\([^\n]*(?:fmt\.Sprintf\s*\(\s*[\"`]\s*(?:select|insert|update|delete)\b|[\"`]\s*(?:select|insert|update|delete)\b[^\"`]*[\"`]\s*\+)"
        ),
        "builds SQL out of text",
        "use parameters",
    ),
    _Rule(
        "shell",
        SECURITY,
        HIGH,
        expression(r"\bexec\.Command(?:Context)?\s*\([^\n]*\"(?:ba|z)?sh\"\s*,\s*\"-c\"\s*,(?!\s*\")"),
        "runs text in a shell",
        "run the program with a list",
    ),
)
_RUST = (
    _Rule(
        "tls",
        SECURITY,
        CRITICAL,
        expression(r"\bdanger_accept_invalid_(?:certs|hostnames)\s*\(\s*true"),
        "accepts any certificate",
        "trust the right authority",
    ),
    _Rule("debug_output", QUALITY, LOW, expression(r"\bdbg!\s*\("), "prints for debugging", "remove it"),
    _Rule(
        "unfinished",
        QUALITY,
        HIGH,
        expression(r"\b(?:todo|unimplemented)!\s*\("),
        "is not finished: it panics",
        "write it",
    ),
)
_JAVA = (
    _Rule(
        "sql",
        SECURITY,
        CRITICAL,
        expression(
            r"(?i)\b(?:executeQuery|executeUpdate|execute|prepareStatement|createQuery|createNativeQuery)\s*\(\s*\"\s*(?:select|insert|update|delete)\b[^\"]*\"\s*\+"
        ),
        "builds SQL out of text",
        "use parameters",
    ),
    _Rule(
        "deserialize",
        SECURITY,
        HIGH,
        expression(r"\bnew\s+ObjectInputStream\s*\("),
        "reads objects from bytes, which can run code",
        "use a data format",
    ),
    _Rule(
        "swallowed",
        QUALITY,
        HIGH,
        expression(r"\bcatch\s*\([^)]*\)\s*\{\s*\}"),
        "ignores an error",
        "handle it, or let it go up",
    ),
    _Rule(
        "debug_output",
        QUALITY,
        LOW,
        expression(r"\.printStackTrace\s*\(\s*\)"),
        "prints a stack for debugging",
        "use the project's log",
    ),
)
_RULES = {"javascript": _JAVASCRIPT, "go": _GO, "rust": _RUST, "java": _JAVA}


def review_changes(changes: Changes) -> list[Finding]:
    """Findings of the rules about the added lines; `check` is the dimension: quality, security or architecture."""
    found = []
    for file in changes.files:
        if not file.is_deleted and file.text:
            for noted in (*_any_language(file), *_by_lines(file), *review_python(file)):
                if noted.line in file.added_numbers:
                    found.append(_finding(file, noted))
    return found


def _finding(file: ChangedFile, noted: Noted) -> Finding:
    quote = one_line(file.line(noted.line).strip(), 200)
    text = f"{file.path} {noted.text}"
    return Finding(noted.dimension, noted.severity, noted.rule, text, file.path, noted.line, quote, noted.fix)


def _any_language(file: ChangedFile) -> Iterator[Noted]:
    """Rules for lines of every kind of file."""
    is_prose = file.path.endswith((".md", ".rst", ".txt", ".adoc"))
    code_lines = _code_lines(file)
    for number, line in file.added:
        if len(line) > 2000:
            continue
        if _MERGE.match(line):
            yield Noted(
                number,
                "conflict_marker",
                QUALITY,
                CRITICAL,
                "still has a marker of a merge conflict",
                "resolve it",
            )
        if is_prose:
            continue
        todo = _TODO.search(line)
        if todo and todo[1] not in code_lines.get(number, "") and not _REFERENCE.search(todo["rest"]):
            yield Noted(
                number,
                "todo",
                QUALITY,
                LOW,
                f"leaves a {todo[1]} without a reference",
                "do it, or name its issue",
            )
        if _SILENCED_FILE.search(line):
            yield Noted(
                number,
                "lint_silenced",
                QUALITY,
                HIGH,
                "turns a checker off for the whole file",
                "mend what it finds",
            )
        elif _SILENCED.search(line):
            yield Noted(
                number,
                "lint_silenced",
                QUALITY,
                LOW,
                "turns a checker off without naming the rule",
                "name the rule and the reason",
            )


def _code_lines(file: ChangedFile) -> dict[int, str]:
    code = code_of(file.path, file.text)
    return dict(enumerate(code.code.split("\n"), 1)) if code else {}


def _by_lines(file: ChangedFile) -> Iterator[Noted]:
    """The rules of the file's language; a hit has to begin in code, not in a comment or string."""
    rules = _RULES.get(language_of(file.path), ())
    code = code_of(file.path, file.text) if rules else None
    if code is None:
        return
    is_test = is_test_path(file.path)
    plain = code.code.split("\n")
    lines = code.text.split("\n")
    for number in sorted(file.added_numbers):
        if number > len(lines) or len(lines[number - 1]) > 2000:
            continue
        for rule in rules:
            hit = rule.pattern.search(lines[number - 1])
            if (
                hit
                and plain[number - 1][hit.start() : hit.start() + 1].strip()
                and (rule.in_tests or not is_test)
            ):
                yield Noted(number, rule.rule, rule.dimension, rule.severity, rule.text, rule.fix)
