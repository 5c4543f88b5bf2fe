"""The ids under which a run is traced, as W3C Trace Context has them: they follow from the run's own id.

So nothing of a trace is stored, and whoever knows the run goes on with its trace: its host, the server that answers it,
the coordinator that ends it, and their successors after a crash.
"""

from __future__ import annotations

import hashlib

from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.patterns import expression

HEADER = "traceparent"
_TRACE, _SPAN = 32, 16  # hexadecimal digits
_PARENT = expression(r"((?!ff)[0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_LONGEST = 512  # characters of a header that is read at all


class SpanContext(NamedTuple):
    """A span as others refer to it, in hexadecimal digits."""

    trace: str
    span: str


def of_run(run: str) -> SpanContext:
    """The span of a run: the root of its trace."""
    return SpanContext(_digest(f"trace {run}", _TRACE), part_of(run, "run"))


def part_of(run: str, part: str) -> str:
    """The id of the span of a part of the run, the same whenever it is asked for."""
    return _digest(f"span {run} {part}", _SPAN)


def session_digest(session: str) -> str:
    """A session in what leaves the project: its own id has words of the request."""
    return hashlib.sha256(session.encode()).hexdigest()[:16]


def traceparent(run: str) -> str:
    """The header of a request that is made for a run."""
    trace, span = of_run(run)
    return f"00-{trace}-{span}-01"


def parent_in(header: str | None) -> SpanContext | None:
    """The span that a request names as its parent; None without one, for one that is not sampled, and for anything else."""
    match = _PARENT.fullmatch(header) if header is not None and len(header) <= _LONGEST else None
    if match is None:
        return None
    version, trace, span, flags, more = match.groups()
    is_sampled = int(flags, 16) & 1
    is_usable = is_sampled and int(trace, 16) and int(span, 16) and not (more and version == "00")
    return SpanContext(trace, span) if is_usable else None


def _digest(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:digits]
