"""Stack traces in a request: evidence of a defect, kept as one piece of code and cited by its error and the places it names.

Python, JavaScript, Java, .NET, Go and Ruby each print one in a shape of its own; what runs on below it (a caret, a line of
a log) belongs to it. Its words ask for nothing.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.domain.patterns import expression

_FENCE = expression(r"^\s*(?:```|~~~)")
_FRAME = expression(  # a place of the code that was running
    r'^\s*(?:File "(?P<py>[^"\n]{1,300})", line (?P<pyline>\d+)'  # Python
    r"|at (?:.{0,200}?[( ])?(?P<js>[^\s()]{0,200}[./<][^\s()]{1,100}?):(?P<jsline>\d+)(?::\d+)?\)?\s*$"  # JavaScript, Java
    r"|at [\w.$<>`\[\], ]{1,200}\(.{0,300}?\) in (?P<net>.{1,300}?):line (?P<netline>\d+)\s*$"  # .NET
    r"|at [\w$<>`/]{1,100}\.[\w.$<>`/]{1,200}\(.{0,200}\)\s*$"
    r"|(?:from )?(?P<rb>[^\s:]{1,300}\.rb):(?P<rbline>\d+):in\b"  # Ruby
    r"|(?P<go>\S{1,300}\.go):(?P<goline>\d+)(?: \+0x[0-9a-f]+)?\s*$)"  # Go
)
_PLACES = (("py", "pyline"), ("net", "netline"), ("js", "jsline"), ("rb", "rbline"), ("go", "goline"))
_OPENING = expression(
    r"^\s*(?:Traceback \(most recent call last\)|goroutine \d+ \[|panic: |fatal error: |Exception in thread |Unhandled exception|Uncaught )"
)
_ERROR = expression(  # the error itself: `TypeError: ...`, `java.lang.NullPointerException`
    r"^\s*(?:(?:Uncaught|Caused by:|Unhandled exception[.:]|Exception in thread \"[^\"]{1,80}\")(?: \(in promise\))?\s+)?(?P<said>(?:[\w$]+[.:]{1,2})*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Fault)\b(?:[: (].{0,500})?|panic: .{1,500})$"
)
_ERROR_RUBY = expression(r"\.rb:\d+:in [`'].{1,100}?': (?P<said>.{1,300}?\([A-Z]\w*(?:::\w+)*\))\s*$")
_BETWEEN = expression(  # what stands between the frames, or right behind the last one
    r"^(?:\s*(?:\^|~)[\^~ ]*$|\s*(?:Caused by:|During handling of the above|The above exception was|\.{3} \d+ (?:more|common frames)|--- End of |exit status \d|created by |\[signal ))"
    r"|^[\w./*()$]{1,200}\([^)]{0,200}\)\s*$"  # the function of a Go frame
)
_LOGGED = expression(r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*\]?\s")
_CITED = 3  # places that are cited: where it broke, and what called it


def with_fences(text: str) -> str:
    """The text with each stack trace that stands in it as it was printed made a block of code."""
    if not any(_FRAME.match(line) for line in text.split("\n")):
        return text
    return "\n".join(_fenced(text.split("\n")))


def _fenced(lines: Sequence[str]) -> Iterator[str]:
    at, code = 0, False
    while at < len(lines):
        code ^= _FENCE.match(lines[at]) is not None
        end = at if code else _end(lines, at)
        if end > at:
            yield from ("", "```", *lines[at:end], "```", "")
            at = end
        else:
            yield lines[at]
            at += 1


def _end(lines: Sequence[str], start: int) -> int:
    """Behind the last line of the trace that begins there; the start itself where none does."""
    first = lines[start]
    if not (_FRAME.match(first) or _OPENING.match(first) or _ERROR.match(first)):
        return start
    at, end, frames = start, start, 0
    while at < len(lines) and not _FENCE.match(lines[at]):
        line = lines[at]
        framed = _FRAME.match(line)
        frames += framed is not None
        if (
            framed
            or _OPENING.match(line)
            or _ERROR.match(line)
            or _BETWEEN.match(line)
            or (
                line.strip()
                and end == at
                and (line[:1] in " \t" or _LOGGED.match(line) or _source(lines, at))
            )
        ):
            end = at + 1
        elif line.strip():
            break
        at += 1
    return end if frames else start


def _source(lines: Sequence[str], at: int) -> bool:
    """Whether a line is the code of the Python frame above it, whose indentation was lost."""
    above = _FRAME.match(lines[at - 1]) if at else None
    return above is not None and bool(above["py"])


def cited(code: str) -> str:
    """The error of a stack trace and the places that it names, innermost first; empty for other code."""
    places = _places(code)
    if not places:
        return ""
    error, named = error_of(code), ", ".join(places[:_CITED])
    return f"{error} ({named})" if error else named


def error_of(code: str) -> str:
    """The error that a stack trace ends in, or begins with; empty for other code."""
    if not _places(code):
        return ""
    found = [_ERROR.match(line) or _ERROR_RUBY.search(line) for line in code.split("\n")]
    errors = [match["said"].strip() for match in found if match]
    return (errors[-1] if _is_python(code) else errors[0]) if errors else ""


def _places(code: str) -> list[str]:
    frames = [found for line in code.split("\n") if (found := _FRAME.match(line))]
    named = [f"{frame[path]}:{frame[line]}" for frame in frames for path, line in _PLACES if frame[path]]
    return [*dict.fromkeys(reversed(named) if _is_python(code) else named)]


def _is_python(code: str) -> bool:
    """Whether the trace names where it broke last."""
    return any((found := _FRAME.match(line)) and found["py"] for line in code.split("\n"))
