"""Pauses and the ways out of them (docs/domain.md, section 4)."""

import pytest

from orchestrator.domain import pauses
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.pauses import PauseReason

PAUSES = [  # reason, resume means, decision, other ways on, option needed
    ("checkpoint", "approve", "approve_checkpoint", "improve revise recheck feedback", None),
    ("signoff_blocked", "accept it as it is", "accept_signoff", "improve revise recheck feedback", None),
    ("revision_exhausted", "accept the revision as it is", "accept_revision", "revise feedback", None),
    ("task_failed", "retry", "retry", "resume --retry TASK --agent NAME resume --skip TASK", None),
    ("discussion_blocked", "take one of the options", "decide_discussion", "revise", "--decide"),
    ("work_question", "answer the question", "answer", "resume --skip TASK", "--decide"),
    ("plan_approval", "approve the plan", "approve_plan", "feedback", None),
    ("supervision_blocked", "continue as it is", "accept_supervision", "revise", None),
    ("discussion_feedback", "given text", "discussion_feedback", "", "--decide"),
    ("agent_unavailable", "check again", None, "doctor repair resume --skip TASK", None),
    ("disk", "check again", None, "doctor repair resume --skip TASK", None),
    ("stalled", "check again", None, "doctor repair resume --skip TASK", None),
    ("budget", "new budget", "raise_budget", "", "--max-usd"),
    ("user", "continue", None, "", None),
]


@pytest.mark.parametrize(("reason", "resume", "decision", "others", "needs"), PAUSES)
def test_each_pause_says_what_resume_means_and_what_else_leads_on(
    reason: str, resume: str, decision: str | None, others: str, needs: str | None
) -> None:
    pause = pauses.PAUSES[PauseReason(reason)]

    assert resume in pause.resume
    assert pause.decision == decision
    assert pause.needs == needs
    assert pause.actions[0].startswith("resume")
    assert " ".join(pause.actions[1:]) == others


def test_every_pause_reason_has_a_way_on() -> None:
    assert set(pauses.PAUSES) == set(PauseReason) == {row[0] for row in PAUSES}
    assert all(pause.actions for pause in pauses.PAUSES.values())


@pytest.mark.parametrize("reason", PauseReason)
def test_a_paused_session_exits_3_and_without_an_agent_4(reason: PauseReason) -> None:
    expected = 4 if reason is PauseReason.AGENT_UNAVAILABLE else 3

    assert pauses.exit_code(SessionStatus.PAUSED, reason) == expected


@pytest.mark.parametrize(("status", "code"), [("completed", 0), ("cancelled", 1), ("active", 130)])
def test_a_session_that_is_not_paused_exits_by_its_status(status: str, code: int) -> None:
    assert pauses.exit_code(SessionStatus(status)) == code
