"""A point of a session's past that a user names: a time, or a message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import NotAllowedNow, UnknownName, UsageError
from orchestrator.domain.ids import shown
from orchestrator.domain.patterns import expression
from orchestrator.store.rows import Message, Session
from orchestrator.store.store import Tx

MICROS = 1_000_000
_NUMBER = expression(r"(?:MSG-)?([0-9]{1,15})", re.IGNORECASE)
_CLOCK = expression(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")
EXAMPLES = "for example 2026-11-22T14:05:00Z, 14:05:00 (of this machine's clock) or MSG-012"


def point_of(tx: Tx, session: Session, log: Sequence[Message], given: str) -> tuple[int, int]:
    """The time, and the number of the last entry of then. Raises UsageError, UnknownName, NotAllowedNow."""
    found = _NUMBER.fullmatch(given.strip())
    if found is not None:
        number = int(found[1])
        if not 1 <= number <= len(log):
            raise UnknownName(
                "message",
                given,
                [f"MSG-001 to MSG-{len(log):03d}"],
                fix=f"`lifecycle log {session.id}` shows them",
            )
        at = log[number - 1].at
        return at, max(each.number for each in log[number - 1 :] if each.at == at)
    at = _time(given, log, tx.now)
    if at // MICROS > tx.now // MICROS:
        raise NotAllowedNow(
            f"{shown(given)} is in the future",
            why=f"it is {stamp(tx.now)}",
            fix="leave --at out: then the state of now is shown",
        )
    earlier = [each.number for each in log if each.at <= at]
    if not earlier:
        raise NotAllowedNow(
            f"{session.id} did not exist at {shown(given)}",
            why=f"it began at {stamp(log[0].at)}" if log else "it has no log",
            fix="name a later time, or a message: --at MSG-001",
        )
    return min(at, tx.now), max(earlier)


def _time(given: str, log: Sequence[Message], now: int) -> int:
    """A time in microseconds; to the second, it is the end of that second. Raises UsageError."""
    text = given.strip()
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        return _on_a_day(clock, log, now)
    try:
        read = datetime.fromisoformat(text)
    except ValueError as error:
        raise _unreadable(given) from error
    try:
        moment = read if read.tzinfo is not None else read.astimezone()  # as `log` shows it
        whole = int(moment.timestamp()) * MICROS + moment.microsecond
    except (OverflowError, ValueError) as error:
        raise _unreadable(given) from error
    return whole if moment.microsecond else whole + MICROS - 1


def _on_a_day(clock: re.Match[str], log: Sequence[Message], now: int) -> int:
    """That time on the last day of the session on which it had begun and is not in the future, else of today."""
    hour, minute, second = int(clock[1]), int(clock[2]), clock[3]
    today = (
        datetime.fromtimestamp(now // MICROS, UTC)
        .astimezone()
        .replace(hour=hour, minute=minute, second=int(second or 0))
    )
    length = MICROS if second else 60 * MICROS
    first = log[0].at if log else now
    day = today
    while True:
        at = int(day.timestamp()) * MICROS + length - 1
        if at - length < now:
            return min(at, now) if at >= first else int(today.timestamp()) * MICROS + length - 1
        if at < first:
            return int(today.timestamp()) * MICROS + length - 1
        day -= timedelta(days=1)


def _unreadable(given: str) -> UsageError:
    return UsageError(
        f"{shown(given)} is no time and no message", why=EXAMPLES, fix="`lifecycle log` shows both"
    )
