"""A span as a plain value: what is sent of it, and nothing of any library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression
from orchestrator.domain.trace_ids import SpanContext

Attributes: TypeAlias = Mapping[str, str | int | float | bool]
_NAME = expression(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}")


@dataclass(frozen=True, slots=True)
class Span:
    """Something that has ended; times in microseconds, UTC. `fault`: the word for how it failed."""

    name: str
    at: SpanContext
    parent: SpanContext | None
    begun: int
    ended: int
    attributes: Attributes
    fault: str = ""
    answers: bool = False  # it is a request from elsewhere
    links: tuple[SpanContext, ...] = ()
    events: tuple[tuple[str, int], ...] = field(default=())


def named(text: str) -> str:
    """A name that comes from a host or an agent, as part of a span's own; `?` for what is none."""
    return text if _NAME.fullmatch(text) else "?"


def told(**given: str | float | bool | None) -> Attributes:
    """Attributes by the names of our own things; what is not there is left out, and so is text that is no name.

    An agent says which model answered, and could say anything.
    """
    return {
        f"lifecycle.{name}": value
        for name, value in given.items()
        if value is not None and (not isinstance(value, str) or _NAME.fullmatch(value))
    }
