"""Each pause that can be reached now, and how `resume` leads on from it."""

from __future__ import annotations

import hashlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.court import JUDGE, Court, court

DISCOVERY = {"title": "Links", "problem_statement": "Links are long.", "domain": "web"}
BRIEF = {
    "title": "Links",
    "vision": {"text": "Short links for everybody."},
    "situation": "Links are long.",
    "goals": [{"text": "Links are short.", "metric": "characters"}],
}

# A checkpoint with an installed role behind it: the roles of the implementation are not built yet.
GATED = """
pipelines:
  gated:
    title: a specification, your approval, then a second look at the request
    tasks:
      - {key: RESEARCH-001}
      - {key: DRAFT-001, blocked_by: [RESEARCH-001]}
      - {key: DRAFT-002, blocked_by: [DRAFT-001]}
      - {key: DRAFT-003, blocked_by: [DRAFT-002]}
      - {key: DRAFT-004, blocked_by: [DRAFT-003]}
      - {key: QUALITY-001, round: DISCUSS-006, blocked_by: [DRAFT-004], checkpoint_after: true}
      - {key: RESEARCH-002, blocked_by: [QUALITY-001], phase: impl}
  thin:
    title: next to nothing, and your approval of it
    tasks:
      - {key: RESEARCH-001}
      - {key: QUALITY-001, blocked_by: [RESEARCH-001], checkpoint_after: true}
      - {key: RESEARCH-002, blocked_by: [QUALITY-001], phase: impl}
"""


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Court]:
    with court(tmp_path_factory.mktemp("ways")) as made:
        yield made


def test_a_task_that_fails_three_times_pauses_and_can_be_tried_again_or_skipped(tmp_path: Path) -> None:
    with court(tmp_path, roles={"writer": ["judge"]}) as alone:
        session, gave = alone.start({}, "--discuss", "off")
        assert (gave.code, alone.project.status(session)) == (3, ("paused", "task_failed"))
        assert alone.project.tasks(session)["DRAFT-001"] == "failed"
        assert alone.project.story("DRAFT-001", session) == ["failed"] * 3
        assert "not in the mood" in alone.project.run("runs", "DRAFT-001", "--session", session, "--json").out

        wrong = alone.project.run("resume", session, "--retry", "DRAFT-002")
        assert (wrong.code, alone.project.status(session)) == (2, ("paused", "task_failed"))

        again = alone.project.run("resume", session, "--retry", "DRAFT-001")
        assert (again.code, alone.project.status(session)) == (3, ("paused", "task_failed"))
        assert alone.attempts(session, "DRAFT-001") == 6  # the count never goes down

        alone.plan({"DRAFT-001/brief": BRIEF})
        resumed = alone.project.run("resume", session)  # what it means here: retry
        assert (resumed.code, alone.project.status(session)) == (3, ("paused", "task_failed"))
        assert alone.project.story("DRAFT-001", session) == ["failed"] * 6 + ["completed"]
        assert "Short links for everybody." in alone.file(session, "spec/product-brief.md")
        for key in ("DRAFT-002", "DRAFT-003", "DRAFT-004"):
            assert alone.project.tasks(session)[key] == "failed"
            skipped = alone.project.run("resume", session, "--skip", key)
            assert alone.project.tasks(session)[key] == "skipped"

        assert skipped.code == 0, skipped.err  # a gate FAIL in spec-only is shown, and is no failure
        assert "FAIL" in skipped.out
        assert alone.project.status(session) == ("completed", None)
        assert [subject for subject, *_ in alone.decisions(session) if subject.startswith("skip")] == [
            "skip DRAFT-002",
            "skip DRAFT-003",
            "skip DRAFT-004",
        ]


@pytest.mark.long
def test_a_role_without_an_agent_waits_until_one_is_installed(tmp_path: Path) -> None:
    program = tmp_path / "claude-like"
    more = f'\n[agents.absent]\ncommand = ["{program}"]\n'
    with court(tmp_path, roles={"analyst": ["absent"]}, more=more) as project:
        session, gave = project.start({"RESEARCH-001/discovery": DISCOVERY})
        assert (gave.code, project.project.status(session)) == (4, ("paused", "agent_unavailable"))
        assert "claude-like" in gave.err
        assert "agent_unavailable" in project.project.run("check", session).out
        assert project.project.run("resume", session).code == 4
        assert project.project.story("RESEARCH-001", session) == ["released", "released"]
        assert project.attempts(session, "RESEARCH-001") == 0

        judge = [sys.executable, "-I", "-S", JUDGE, project.project.folder / "plan.json", project.prompts]
        program.write_text(f"#!/bin/sh\nexec {shlex.join(map(str, judge))}\n")
        program.chmod(0o755)
        resumed = project.project.run("resume", session)

        assert resumed.code == 0, resumed.err
        assert project.project.status(session) == ("completed", None)
        assert project.project.story("RESEARCH-001", session)[-1] == "completed"


def test_a_person_pauses_what_runs_is_finished_and_nothing_begins(judged: Court) -> None:
    wait, gate = judged.hold("gate")
    session, _ = judged.start({"DRAFT-002/requirements": wait}, "--detach")
    judged.wait_asked(session, "DRAFT-002", "requirements")

    paused = judged.project.run("pause", session, "--words", "lunch")
    twice = judged.project.run("pause", session)
    gate.touch()
    judged.project.wait(lambda: judged.project.tasks(session)["DRAFT-002"] == "completed", "it is finished")

    assert (paused.code, twice.code) == (0, 2)
    assert judged.project.status(session) == ("paused", "user")
    assert judged.project.tasks(session)["DRAFT-003"] == "pending"
    assert judged.project.run("resume", session).code == 0
    assert judged.project.status(session) == ("completed", None)


def test_a_checkpoint_is_approved_by_a_person_for_what_was_scored(judged: Court) -> None:
    with judged.pack(GATED):
        session, gave = judged.start({}, "--mode", "gated")
    assert gave.code == 3, gave.err
    assert judged.project.status(session) == ("paused", "checkpoint")
    assert judged.project.tasks(session)["RESEARCH-002"] == "pending"
    check = judged.project.run("check", session).out
    assert all(word in check for word in ("PASS", "checkpoint", "lifecycle resume"))
    scored = spec_digest(judged, session)

    resumed = judged.project.run("resume", session, "-m", "go ahead")

    assert resumed.code == 0, resumed.err
    assert judged.project.status(session) == ("completed", None)
    assert judged.decisions(session) == [("approve_checkpoint QUALITY-001", "go ahead", scored, False)]
    assert judged.project.tasks(session)["RESEARCH-002"] == "completed"


def test_a_blocked_sign_off_stands_for_the_checkpoint_too(judged: Court) -> None:
    with judged.pack(GATED):
        session, gave = judged.start({"QUALITY-001": {"rating": 2}}, "--mode", "gated")
    assert (gave.code, judged.project.status(session)) == (3, ("paused", "signoff_blocked"))
    scored = spec_digest(judged, session)

    resumed = judged.project.run("resume", session)

    assert resumed.code == 0, resumed.err
    assert judged.pauses(session) == 1
    assert judged.decisions(session) == [("accept_signoff QUALITY-001", "", scored, False)]
    assert judged.project.tasks(session)["RESEARCH-002"] == "completed"


def test_a_failed_gate_is_passed_by_force_alone(judged: Court) -> None:
    with judged.pack(GATED):
        session, gave = judged.start({}, "--mode", "thin")
    assert (gave.code, judged.project.status(session)) == (3, ("paused", "checkpoint"))

    refused = judged.project.run("resume", session)
    assert (refused.code, judged.project.status(session)) == (2, ("paused", "checkpoint"))
    assert "FAIL" in refused.err and "--force" in refused.err
    assert judged.decisions(session) == []
    scored = spec_digest(judged, session)

    forced = judged.project.run("resume", session, "--force", "-m", "a sketch will do")

    assert forced.code == 0, forced.err
    assert judged.decisions(session) == [("approve_checkpoint QUALITY-001", "a sketch will do", scored, True)]
    assert judged.project.status(session) == ("completed", None)


@pytest.mark.long
def test_rework_answers_a_checkpoint_and_is_followed_by_the_next_one(judged: Court) -> None:
    with judged.pack(GATED):
        session, _ = judged.start({}, "--mode", "gated")

    improved = judged.project.run("improve", "depth", "--session", session)

    tasks = judged.project.tasks(session)
    assert improved.code == 3, improved.err  # it waits for approval of the new score
    assert judged.project.status(session) == ("paused", "checkpoint")
    assert tasks["IMPROVE-depth-001"] == tasks["QUALITY-001-R1"] == "completed"
    assert tasks["RESEARCH-002"] == "pending"
    assert judged.project.run("resume", session).code == 0
    assert judged.order(session)[-3:] == ["IMPROVE-depth-001", "QUALITY-001-R1", "RESEARCH-002"]
    assert judged.decisions(session)[-1][0] == "approve_checkpoint QUALITY-001-R1"


def spec_digest(project: Court, session: str) -> str:
    """What an approval is bound to, worked out here once more from the artifacts."""
    shown = sorted(
        (path, digest) for path, digest in project.digests(session).items() if path.startswith("spec/")
    )
    return hashlib.sha256("\n".join(f"{path} {digest}" for path, digest in shown).encode()).hexdigest()
