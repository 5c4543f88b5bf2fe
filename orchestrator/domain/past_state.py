"""The state of a session and of its tasks at an earlier message, from rows alone (docs/domain.md, section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.model import SessionStatus, TaskStatus
from orchestrator.domain.past import FORKED, Entry
from orchestrator.domain.pauses import PauseReason

ENDED = (TaskStatus.COMPLETED, TaskStatus.SKIPPED, TaskStatus.CANCELLED, TaskStatus.FAILED)


@dataclass(frozen=True, slots=True)
class Lived:
    """What the rows tell of a task for all times: when it was made and ended, and when its runs were open."""

    key: str
    created_at: int
    status: TaskStatus  # now
    finished_at: int | None
    runs: tuple[tuple[int, int | None], ...] = ()  # opened, closed


def status_then(task: Lived, at: int) -> TaskStatus | None:
    """The task's status at `at`, None before it was made. A failure that was retried since is pending: no row keeps it."""
    if task.created_at > at:
        return None
    if task.status in ENDED and task.finished_at is not None and task.finished_at <= at:
        return task.status
    is_open = any(opened <= at and (closed is None or closed > at) for opened, closed in task.runs)
    return TaskStatus.IN_PROGRESS if is_open else TaskStatus.PENDING


@dataclass(frozen=True, slots=True)
class SessionThen:
    status: SessionStatus
    reason: PauseReason | None = None
    number: int | None = None  # of the event that paused it


def session_then(log: Iterable[Entry]) -> SessionThen:
    """The session's status behind the last of these entries: pauses and ends are events."""
    now = SessionThen(SessionStatus.ACTIVE)
    for each in log:
        if each.kind == "event":
            now = _after(now, each)
    return now


def _after(now: SessionThen, each: Entry) -> SessionThen:
    if each.type == "paused":
        data = each.data if isinstance(each.data, Mapping) else {}
        return SessionThen(SessionStatus.PAUSED, PauseReason(str(data.get("reason"))), each.number)
    if each.type == "completed":
        return SessionThen(SessionStatus.COMPLETED)
    if each.type == "cancelled":
        return SessionThen(SessionStatus.CANCELLED)
    if each.type == "imported" and now.status is SessionStatus.ACTIVE:
        return SessionThen(SessionStatus.PAUSED, PauseReason.USER, each.number)
    by_rework = (
        each.type == "rework" and now.reason is not PauseReason.USER
    )  # it leaves that pause to the user
    by_advice = each.type == "advise" and now.status is SessionStatus.COMPLETED
    return (
        SessionThen(SessionStatus.ACTIVE)
        if each.type in ("resumed", FORKED) or by_rework or by_advice
        else now
    )
