"""What a failed test or a broken file says, made short: its begin and its end, and the line that names the error."""

from __future__ import annotations

import re

from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression

CUT = "\n[...]\n"
LINE = 300  # characters of an error in a sentence
_MARK = expression(r"^E\s+", re.MULTILINE)  # before lines of errors in pytest's tracebacks
_ERROR = expression(
    r"^(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Exit|Interrupt|Failure)\b(?:[:(\s].*)?$", re.MULTILINE
)


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters: the begin and the end, as errors stand at the one or at the other."""
    if len(text) <= limit:
        return text
    half = (limit - len(CUT)) // 2
    return f"{text[:half]}{CUT}{text[-half:]}"


def error_line(text: str) -> str:
    """The last line that names an error, else the last line; empty for no text."""
    return named_error(text) or one_line(text.strip().rpartition("\n")[2], LINE)


def named_error(text: str) -> str:
    """The last line that names an error; empty where none does."""
    found = _ERROR.findall(_MARK.sub("", text))
    return one_line(found[-1], LINE) if found else ""
