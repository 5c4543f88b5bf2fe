"""What code can tell at once of an agent's claim: a name said to be missing is there, a file said to be broken is not."""

from __future__ import annotations

import re

from orchestrator.domain.evidence import Finding
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import ChangedFile
from workers.evidence.code_only import language_of
from workers.host.python_syntax import parse_python

_NAME = r"[`'\"]?(?<!\w)(?P<{}>[A-Za-z_]\w*)(?:\(\))?[`'\"]?"
_MISSING = expression(
    rf"{_NAME.format('a')} (?:is|was) (?:not|never) (?:defined|declared|imported)\b"
    rf"|(?:undefined|undeclared|unimported) (?:name|variable|function|symbol) {_NAME.format('b')}"
    rf"|missing import (?:of|for) {_NAME.format('c')}",
    re.IGNORECASE,
)
_UNREADABLE = expression(
    r"\b(?:syntax error|(?:does not|doesn't|will not|cannot) (?:parse|compile))\b", re.IGNORECASE
)
_DEFINES = (  # for the whole file: what is defined further in may be out of sight where it is missed
    r"^(?:export\s+)?(?:pub\s+)?(?:async\s+)?(?:def|class|function|func|fn|const|let|var|type|struct|enum|interface)\s+{0}\b"
    r"|^(?:from\s.+)?import\b.*\b{0}\b|^{0}\s*(?::[^=]+)?=(?!=)"
)


def refuted(claim: Finding, file: ChangedFile) -> str:
    """Why the claim about the file is not true; empty where code cannot tell."""
    if file.is_deleted:
        return ""
    if missing := _MISSING.search(claim.text):
        name = next(each for each in missing.groups() if each)
        defines = re.compile(_DEFINES.format(re.escape(name)))
        at = next((number for number, line in enumerate(file.lines, 1) if defines.search(line)), 0)
        return f"{name} is defined in line {at}" if at else ""
    if _UNREADABLE.search(claim.text) and language_of(file.path) == "python" and _parses(file.text):
        return "Python can read the file"
    return ""


def _parses(text: str) -> bool:
    try:
        parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
