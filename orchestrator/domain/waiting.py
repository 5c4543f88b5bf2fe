"""What waits for a person over all sessions of a project, and in which order it is shown."""

from __future__ import annotations

from enum import StrEnum

from orchestrator.domain.pauses import PauseReason


class Held(StrEnum):
    """What keeps work from going on though no session is paused for it."""

    DISK_SPACE = "disk_space"  # little is free
    EDIT_CONFLICT = "edit_conflict"  # a person's edit came after a newer version
    LOST_RUN = "lost_run"  # nobody recovers a run whose worker has gone
    NO_COORDINATOR = "no_coordinator"
    NO_HOST = "no_host"
    RATE_LIMIT = "rate_limit"  # an account is not asked before its limit ends


# A full disk stops every session, and a stalled one does not go on by an answer: both come before decisions.
_FIRST: tuple[tuple[str, ...], ...] = (
    (Held.DISK_SPACE, PauseReason.DISK),
    (Held.LOST_RUN, Held.NO_COORDINATOR, Held.NO_HOST, PauseReason.STALLED),
    (Held.RATE_LIMIT, PauseReason.AGENT_UNAVAILABLE),
)
RANKS: dict[str, int] = {kind: rank for rank, kinds in enumerate(_FIRST) for kind in kinds}
LAST = len(_FIRST)  # decisions, the longest waiting first


def urgency(kind: str, since: int | None, name: str) -> tuple[int, int, str]:
    """Sorts what waits: disk, stalled, agent, then the longest waiting; `since` in microseconds, None: from the start."""
    return RANKS.get(kind, LAST), since or 0, name
