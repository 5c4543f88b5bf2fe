"""How an attempt that ended by an error is recorded: whether it counts, how long to wait, and whether the session stops."""

from __future__ import annotations

import errno
import time

from orchestrator.domain import account_pause
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.errors import (
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentUnavailable,
    AnsweredByProxy,
    ApprovalOutdated,
    BudgetReached,
    DatabaseUnusable,
    DiskFull,
    GitDiskFull,
    LifecycleError,
    NoRoomForTree,
    PersonAsked,
    ServerAway,
    TestsNotRunnable,
    WorkRefused,
)
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from orchestrator.domain.pauses import PauseReason
from workers.context.run_context import ProgramReplaced, RunReleased, storable
from workers.host.live_runs import LiveRun

OVERLOADED_WAIT = 60.0  # seconds
AWAY_WAIT = 5.0
BY_PROGRAMS = (
    PauseReason.AGENT_UNAVAILABLE,
    PauseReason.STALLED,
)  # what a program that cannot be started looks like


@dataclass(frozen=True, slots=True)
class Ending:
    text: str
    counted: bool  # whether it counts as an attempt
    pause: PauseReason | None = None
    wait: float | None = None  # seconds before the next attempt, where the backoff does not say it
    detail: tuple[tuple[str, Json], ...] = ()  # of the pause
    limited_by: str | None = None  # the account whose limit has to end until then


def ending_of(live: LiveRun, error: Exception) -> Ending:
    """How an attempt that ended by `error` is recorded: whether it counts, and whether the session stops for it."""
    if isinstance(error, ProgramReplaced):
        return of_replaced(Ending(storable(str(error)), counted=False))
    if isinstance(error, RunReleased) or live.why == "drained":
        return Ending("the worker host was drained", counted=False)
    if isinstance(error, BudgetReached):  # the session was paused as it was refused
        return Ending(_words(error, live.row.key), counted=False)
    if isinstance(error, PersonAsked):
        asked = (("question", error.what), ("options", [{"label": each} for each in error.options]))
        return Ending(
            _words(error, live.row.key), counted=False, pause=PauseReason.WORK_QUESTION, detail=asked
        )
    if isinstance(error, ApprovalOutdated):
        shown = tuple(error.detail.items())
        return Ending(_words(error, live.row.key), counted=False, pause=PauseReason.CHECKPOINT, detail=shown)
    if isinstance(error, AgentUnavailable):
        return Ending(_words(error, live.row.key), counted=False, pause=PauseReason.AGENT_UNAVAILABLE)
    if isinstance(error, TestsNotRunnable):
        return Ending(_words(error, live.row.key), counted=False, pause=PauseReason.STALLED)
    if isinstance(error, (DiskFull, GitDiskFull, NoRoomForTree)):
        return Ending(_words(error, live.row.key), counted=False, pause=PauseReason.DISK)
    if isinstance(error, AnsweredByProxy):  # and would answer the next attempt like this
        return Ending(_words(error, live.row.key), counted=True)
    if isinstance(error, (DatabaseUnusable, ServerAway)):  # and is back, since it takes the end
        return Ending(_words(error, live.row.key), counted=False, wait=AWAY_WAIT)
    if isinstance(error, AgentLimited):
        longest = account_pause.LONGEST if error.account else account_pause.LONGEST_GUESS
        wait = min(max((error.until or 0.0) - time.time(), 1.0), longest / account_pause.SECOND)
        return Ending(_words(error, live.row.key), counted=False, wait=wait, limited_by=error.account)
    if isinstance(error, AgentOverloaded):
        return Ending(_words(error, live.row.key), counted=False, wait=OVERLOADED_WAIT)
    if isinstance(error, AgentError):
        return Ending(_words(error, live.row.key), counted=error.counted)
    if isinstance(error, OSError) and error.errno in _DISK_ERRORS:
        return Ending(storable(f"the disk cannot be written: {error}"), counted=False, pause=PauseReason.DISK)
    if isinstance(error, WorkRefused):  # the same a minute later
        return Ending(_words(error, live.row.key), counted=True, wait=0.0)
    if isinstance(error, LifecycleError):
        return Ending(_words(error, live.row.key), counted=True)
    return Ending(storable(f"{type(error).__name__}: {error}"), counted=True)


def of_replaced(ending: Ending) -> Ending:
    """The same of an attempt under which the program was replaced: it says nothing of either, and does not count."""
    return replace(
        ending,
        text=f"the program was replaced under the worker host: {ending.text}",
        counted=False,
        pause=None,
        detail=(),
    )


def _words(error: LifecycleError, task: str) -> str:
    words = "; ".join(line.removesuffix(".") for line in error.lines())
    return storable(_PLACE.sub(lambda found: f"{found[1]}{task}", words))


_PLACE = expression(r"(`lifecycle [^`]*?)\bTASK\b")  # of the id in a command
_DISK_ERRORS = frozenset({errno.EIO, errno.ENOSPC, errno.EROFS, errno.EDQUOT})
