"""Changes of state and ways out of a pause (docs/domain.md, section 4)."""

import itertools

import pytest

from orchestrator.domain import states
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.model import PauseReason, RunOutcome, SessionStatus, TaskStatus

TASK = {
    ("pending", "in_progress"),
    ("in_progress", "completed"),
    ("in_progress", "failed"),
    ("in_progress", "pending"),
    ("in_progress", "cancelled"),
    ("failed", "pending"),
    ("pending", "skipped"),
    ("pending", "cancelled"),
    ("failed", "skipped"),
    ("failed", "cancelled"),
}
SESSION = {
    ("active", "paused"),
    ("paused", "active"),
    ("active", "completed"),
    ("completed", "active"),
    ("active", "cancelled"),
    ("paused", "cancelled"),
    ("completed", "cancelled"),
}
PAUSES = [  # reason, resume means, decision, other ways on, option needed
    ("checkpoint", "approve", "approve_checkpoint", "improve revise recheck feedback", None),
    ("signoff_blocked", "accept as is", "accept_signoff", "improve revise recheck feedback", None),
    ("revision_exhausted", "accept the revision as is", "accept_revision", "revise feedback", None),
    ("task_failed", "retry", "retry", "resume --skip TASK", None),
    ("discussion_blocked", "take an option", "decide_discussion", "revise", "--decide"),
    ("plan_approval", "approve the plan", "approve_plan", "feedback", None),
    ("supervision_blocked", "go on as is", "accept_supervision", "revise", None),
    ("discussion_feedback", "text given", "discussion_feedback", "", "--decide"),
    ("agent_unavailable", "check again", None, "doctor repair resume --skip TASK", None),
    ("disk", "check again", None, "doctor repair resume --skip TASK", None),
    ("stalled", "check again", None, "doctor repair resume --skip TASK", None),
    ("budget", "new budget", "raise_budget", "", "--max-usd"),
    ("user", "go on", None, "", None),
]


@pytest.mark.parametrize(("old", "new"), list(itertools.product(TaskStatus, TaskStatus)))
def test_a_task_changes_only_as_the_drawing_says(old: TaskStatus, new: TaskStatus) -> None:
    if (old, new) in TASK:
        states.check(old, new)
    else:
        with pytest.raises(NotAllowedNow, match=f"from {old} to {new}"):
            states.check(old, new)


@pytest.mark.parametrize(("old", "new"), list(itertools.product(SessionStatus, SessionStatus)))
def test_a_session_changes_only_as_the_drawing_says(old: SessionStatus, new: SessionStatus) -> None:
    if (old, new) in SESSION:
        states.check_session(old, new)
    else:
        with pytest.raises(NotAllowedNow, match=f"from {old} to {new}"):
            states.check_session(old, new)


@pytest.mark.parametrize(("reason", "resume", "decision", "others", "needs"), PAUSES)
def test_each_pause_says_what_resume_means_and_what_else_leads_on(
    reason: str, resume: str, decision: str | None, others: str, needs: str | None
) -> None:
    pause = states.PAUSES[PauseReason(reason)]

    assert resume in pause.resume
    assert pause.decision == decision
    assert pause.needs == needs
    assert pause.actions[0].startswith("resume")
    assert " ".join(pause.actions[1:]) == others


def test_every_pause_reason_has_a_way_on() -> None:
    assert set(states.PAUSES) == set(PauseReason) == {row[0] for row in PAUSES}
    assert all(pause.actions for pause in states.PAUSES.values())


@pytest.mark.parametrize("reason", PauseReason)
def test_a_paused_session_exits_3_and_without_an_agent_4(reason: PauseReason) -> None:
    expected = 4 if reason is PauseReason.AGENT_UNAVAILABLE else 3

    assert states.exit_code(SessionStatus.PAUSED, reason) == expected


@pytest.mark.parametrize(("status", "code"), [("completed", 0), ("cancelled", 1), ("active", 130)])
def test_a_session_that_is_not_paused_exits_by_its_status(status: str, code: int) -> None:
    assert states.exit_code(SessionStatus(status)) == code


def test_only_failed_and_lost_runs_are_charged() -> None:
    assert {RunOutcome.FAILED, RunOutcome.LOST} == states.CHARGED
