"""How much an entry of a session's log matters, by its type; and which entries somebody wants to see."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Protocol

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.past import DEFERRED, Entry, about


class Level(StrEnum):
    INFO = "info"
    WARNING = "warning"  # somebody should look at it: a pause, what was blocked, left out or is to be mended
    ERROR = "error"  # something failed


LEVELS = tuple(Level)  # in the order of their weight
_ERRORS = frozenset(["error"])
_WARNINGS = frozenset(
    [
        "arch_concern",
        "budget",
        "cancelled",
        "capability_gap",
        DEFERRED,
        "discussion_blocked",
        "fix_required",
        "fix_round",
        "lost",
        "paused",
        "skipped",
    ]
)


class Logged(Entry, Protocol):
    """What of an entry the filter looks at."""

    @property
    def sender(self) -> str: ...
    @property
    def summary(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries are wanted; what is empty is no condition."""

    kind: str = ""  # message, event
    task: str = ""  # that it tells of
    level: str = ""  # this one and what matters more
    sender: str = ""
    text: str = ""  # in its words, its type or its sender, whatever the case

    @property
    def is_all(self) -> bool:
        return self == Wanted()

    def takes(self, entry: Logged) -> bool:
        return (
            self.kind in ("", entry.kind)
            and self.sender in ("", entry.sender)
            and (not self.level or LEVELS.index(level_of(entry.type)) >= LEVELS.index(Level(self.level)))
            and (not self.task or _tells_of(entry, self.task))
            and (not self.text or self.text.lower() in f"{entry.sender} {entry.type} {entry.summary}".lower())
        )


def level_of(type: str) -> Level:
    """The level of an entry of this type."""
    if type in _ERRORS:
        return Level.ERROR
    return Level.WARNING if type in _WARNINGS else Level.INFO


def _tells_of(entry: Logged, task: str) -> bool:
    """Whether it names the task, in its data or in its words."""
    key = task.upper()
    return about(entry, key) or re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", entry.summary) is not None
