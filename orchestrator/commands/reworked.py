"""What the commands of rework return."""

from __future__ import annotations

from typing import cast

from orchestrator.domain.dataclass import dataclass, fields
from orchestrator.domain.feedback import Action, FeedbackTarget


@dataclass(frozen=True, slots=True)
class Reworked:
    """The result of a rework command; `released` are runs whose agents must stop now."""

    session: str
    made: tuple[str, ...]
    released: tuple[str, ...]
    why: str
    state: str = ""  # whether the session goes on with it, where it did not before
    repeated: bool = False  # it was applied before, under the same key


@dataclass(frozen=True, slots=True)
class FeedbackApplied(Reworked):
    """What feedback led to, and what it was taken to be about."""

    action: str = ""
    task: str | None = None
    because: str = ""

    @property
    def target(self) -> FeedbackTarget:
        return FeedbackTarget(cast(Action, self.action), self.task, self.because)


def applied(done: Reworked, target: FeedbackTarget) -> FeedbackApplied:
    given = {field.name: getattr(done, field.name) for field in fields(done)}
    return FeedbackApplied(**given, action=target.action, task=target.task, because=target.why)
