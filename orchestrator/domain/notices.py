"""Which events of a session a person is told of, and in which words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json
from orchestrator.domain.pauses import PAUSES, PauseReason

TITLE = 100  # characters of a session's title


class NoticeKind(StrEnum):
    WAITS = "waits"
    FAILED = "failed"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person is told: `number` is that of the event in the session's log."""

    kind: NoticeKind
    session: str
    number: int
    title: str
    says: str


def notice_of(session: str, title: str, number: int, type: str, data: Json) -> Notice | None:
    """None for an event that nobody has to be told of: a pause that the user made needs no word to them."""
    name = one_line(title, TITLE)
    if type == "completed":
        return Notice(NoticeKind.FINISHED, session, number, name, "it is completed")
    if type != "paused" or not isinstance(data, Mapping):
        return None
    reason = next((each for each in PauseReason if each == data.get("reason")), None)
    if reason is None or reason is PauseReason.USER:  # an imported session's events may say anything
        return None
    if reason is PauseReason.TASK_FAILED:
        return Notice(
            NoticeKind.FAILED, session, number, name, f"{one_line(str(data.get('task')), 100)} failed"
        )
    says = f"it waits for you ({reason}): resume would {PAUSES[reason].resume}"
    return Notice(NoticeKind.WAITS, session, number, name, says)
