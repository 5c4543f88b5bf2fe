"""What a session was at an earlier time, as far as its log tells: where a state ends, and what it waited for then.

The log is the only record that is never changed, so whatever asks about the past replays it. A message or event is numbered
in the transaction that it belongs to; those of one transaction have one time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.pauses import PAUSES, PauseReason

DEFERRED = "deferred"  # the event of an approval that could not be asked for at once
FORKED = "forked"  # the event that ends the part of a log that a fork took over
PAID = (
    "calls",
    "unpriced",
    "usd",
    "tokens_in",
    "tokens_out",
    "seconds",
)  # told of work that a fork took over
NEXT = ("advance", "fast_advance")  # what comes after a report in its transaction: the next run
_ANSWERS = ("resumed", "rework")  # events that end a pause


class Entry(Protocol):
    """A message or event of a log."""

    @property
    def number(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def at(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def data(self) -> Json: ...


@dataclass(frozen=True, slots=True)
class Paused:
    """A pause at some time: its reason, what it said, and the number of its event."""

    reason: PauseReason
    detail: JsonObject
    number: int

    @property
    def asks(self) -> bool:
        """Whether a person is asked about what was made; the other pauses are of the attempt, not of the work."""
        pause = PAUSES[self.reason]
        return bool(pause.approves) or self.reason is PauseReason.DISCUSSION_FEEDBACK


def last_of_report(log: Sequence[Entry], task: str, finished_at: int) -> int | None:
    """The number of the last entry that belongs to the completion of `task`, the start of the next task left out.

    None where the log does not have the report.
    """
    report = next(
        (
            place
            for place, each in enumerate(log)
            if each.kind == "message" and each.at == finished_at and _task(each) == task
        ),
        None,
    )
    if report is None:
        return None
    last = log[report].number
    for each in log[report + 1 :]:
        if each.at != finished_at or each.type in NEXT:
            break
        last = each.number
    return last


def pause_after(log: Iterable[Entry]) -> tuple[Paused | None, tuple[Paused, ...]]:
    """The pause that the log ends in, None where the session ran, and the approvals that were deferred until then."""
    now: Paused | None = None
    deferred: list[Paused] = []
    for each in log:
        if each.kind != "event":
            continue
        if each.type == "paused":
            now = _pause(each)
            deferred = [waiting for waiting in deferred if waiting.reason is not now.reason]
        elif each.type == DEFERRED:
            deferred.append(_pause(each))
        elif each.type in _ANSWERS:
            now = None
    return now, tuple(deferred)


def asked_after(log: Sequence[Entry]) -> tuple[Paused, ...]:
    """What a person had to answer about the work when the log ended, whatever else kept the session from going on."""
    now, deferred = pause_after(log)
    return tuple(each for each in ((now,) if now else ()) + deferred if each.asks)


def _pause(each: Entry) -> Paused:
    said = dict(each.data) if isinstance(each.data, Mapping) else {}
    return Paused(PauseReason(str(said.pop("reason", ""))), said, each.number)


def _task(each: Entry) -> str | None:
    return each.data.get("task") if isinstance(each.data, Mapping) else None
