"""Why a session pauses, and for each reason what `resume` means and which commands continue (docs/domain.md, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.model import SessionStatus, State

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_WAITING = 3  # it waits for a person
EXIT_AGENT = 4  # no agent can be used
EXIT_DETACHED = 130  # the session continues in the background

REOPENING = ("revise", "feedback", "recheck", "improve")  # commands that make a completed session active


class PauseReason(State):
    CHECKPOINT = "checkpoint"
    SIGNOFF_BLOCKED = "signoff_blocked"
    REVISION_EXHAUSTED = "revision_exhausted"
    TASK_FAILED = "task_failed"
    DISCUSSION_BLOCKED = "discussion_blocked"
    WORK_QUESTION = "work_question"
    PLAN_APPROVAL = "plan_approval"
    SUPERVISION_BLOCKED = "supervision_blocked"
    DISCUSSION_FEEDBACK = "discussion_feedback"
    AGENT_UNAVAILABLE = "agent_unavailable"
    DISK = "disk"
    STALLED = "stalled"
    BUDGET = "budget"
    USER = "user"


@dataclass(frozen=True, slots=True)
class Pause:
    """One pause reason: what `resume` does, the decision it records, and the other commands that continue."""

    reason: PauseReason
    resume: str  # what `resume` means
    decision: str | None  # kind of the decision row that `resume` records; None when nothing is approved
    actions: tuple[str, ...]  # offered to the user, `resume` first; `cancel` is always possible
    needs: str | None = None  # the option without which `resume` is refused
    approves: tuple[
        str, ...
    ] = ()  # folders of the artifacts that `resume` approves; none: it approves nothing
    exit_code: int = EXIT_WAITING


_SPECIFICATION, _PLAN = "spec/", "plan/"
_REWORK = ("improve", "revise", "recheck", "feedback")
_CHECKS = ("doctor", "repair", "resume --skip TASK")

PAUSES: Mapping[PauseReason, Pause] = MappingProxyType(
    {
        pause.reason: pause
        for pause in (
            Pause(
                PauseReason.CHECKPOINT,
                "approve what was shown",
                "approve_checkpoint",
                ("resume", *_REWORK),
                approves=(_SPECIFICATION,),
            ),
            Pause(
                PauseReason.SIGNOFF_BLOCKED,
                "accept it as it is, which also approves the checkpoint",
                "accept_signoff",
                ("resume", *_REWORK),
                approves=(_SPECIFICATION,),
            ),
            Pause(
                PauseReason.REVISION_EXHAUSTED,
                "accept the revision as it is",
                "accept_revision",
                ("resume", "revise", "feedback"),
                approves=(_SPECIFICATION,),
            ),
            Pause(
                PauseReason.TASK_FAILED,
                "retry the task",
                "retry",
                ("resume", "resume --retry TASK --agent NAME", "resume --skip TASK"),
            ),
            Pause(
                PauseReason.DISCUSSION_BLOCKED,
                "take one of the options",
                "decide_discussion",
                ("resume --decide TEXT", "revise"),
                needs="--decide",
                approves=(_SPECIFICATION,),
            ),
            Pause(
                PauseReason.WORK_QUESTION,
                "answer the question",
                "answer",
                ("resume --decide TEXT", "resume --skip TASK"),
                needs="--decide",
            ),
            Pause(
                PauseReason.PLAN_APPROVAL,
                "approve the plan",
                "approve_plan",
                ("resume", "feedback"),
                approves=(_PLAN,),
            ),
            Pause(
                PauseReason.SUPERVISION_BLOCKED,
                "continue as it is",
                "accept_supervision",
                ("resume", "revise"),
                approves=(_SPECIFICATION, _PLAN),
            ),
            Pause(
                PauseReason.DISCUSSION_FEEDBACK,
                "continue with the given text",
                "discussion_feedback",
                ("resume --decide TEXT",),
                needs="--decide",
            ),
            Pause(
                PauseReason.AGENT_UNAVAILABLE,
                "check again",
                None,
                ("resume", *_CHECKS),
                exit_code=EXIT_AGENT,
            ),
            Pause(PauseReason.DISK, "check again", None, ("resume", *_CHECKS)),
            Pause(PauseReason.STALLED, "check again", None, ("resume", *_CHECKS)),
            Pause(
                PauseReason.BUDGET,
                "continue with a new budget",
                "raise_budget",
                ("resume --max-usd AMOUNT",),
                needs="--max-usd",
            ),
            Pause(PauseReason.USER, "continue", None, ("resume",)),
        )
    }
)


ADVISED = (  # while a person decides about content, an architect may still read it for them
    PauseReason.CHECKPOINT,
    PauseReason.SIGNOFF_BLOCKED,
    PauseReason.REVISION_EXHAUSTED,
    PauseReason.DISCUSSION_BLOCKED,
    PauseReason.WORK_QUESTION,
    PauseReason.PLAN_APPROVAL,
    PauseReason.SUPERVISION_BLOCKED,
    PauseReason.DISCUSSION_FEEDBACK,
)


# they ask about no document
_UNBOUND = (PauseReason.USER, PauseReason.TASK_FAILED, PauseReason.AGENT_UNAVAILABLE)


def may_rework(command: str, reason: PauseReason) -> bool:
    """Whether a rework command is possible while a session is paused for that reason."""
    return command in PAUSES[reason].actions or reason in _UNBOUND


def exit_code(status: SessionStatus, reason: PauseReason | None = None) -> int:
    """The exit code of a command that followed a session until it ended or paused."""
    if status is SessionStatus.PAUSED and reason is not None:
        return PAUSES[reason].exit_code
    return _EXIT[status]


_EXIT = {
    SessionStatus.COMPLETED: EXIT_DONE,
    SessionStatus.CANCELLED: EXIT_FAILED,
    SessionStatus.PAUSED: EXIT_WAITING,
    SessionStatus.ACTIVE: EXIT_DETACHED,
}
