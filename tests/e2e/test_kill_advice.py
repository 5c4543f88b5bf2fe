"""kill -9 while a supervision and a piece of advice are made: each is made once, and nothing is decided twice."""

from __future__ import annotations

import pytest

from tests import invariants
from tests.e2e.support import Lifecycle
from tests.e2e.test_advice import AGREEING, CONTRADICTING
from tests.e2e.test_kill import check_story, stop_at

START = ("start", "--mode", "spec-only", "--supervise", "--discuss", "off")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "nth"),
    [
        ("produced.registered", 4),
        ("report.before_commit", 4),
        ("report.after_commit", 4),
    ],
)
def test_kill_in_a_supervision_that_blocks_and_the_person_is_asked_once(
    project: Lifecycle, name: str, nth: int
) -> None:
    stop_at(project, f"{name}@{nth}", *START, CONTRADICTING)
    project.kill_everything()
    invariants.check(project.database)

    if project.status()[0] != "paused":
        project.run("resume")

    assert project.status() == ("paused", "supervision_blocked")
    assert project.story("SUPERVISE-001")[-1] == "completed"
    reports = project.rows("SELECT summary FROM messages WHERE type = 'supervision_report'")
    pauses = project.rows("SELECT summary FROM messages WHERE type = 'paused'")
    assert (len(reports), len(pauses)) == (1, 1)
    project.run("resume")
    assert project.run("resume").code == 0
    check_story(project, project.session())
    invariants.check(project.database)


@pytest.mark.parametrize(
    "name",
    [
        "report.before_commit",
        pytest.param("claim.after", marks=pytest.mark.long),
        pytest.param("produced.registered", marks=pytest.mark.long),
        pytest.param("report.after_commit", marks=pytest.mark.long),
    ],
)
def test_kill_while_advice_is_given_and_it_is_given_once(project: Lifecycle, name: str) -> None:
    assert project.run(*START, AGREEING).code == 0
    project.run("daemon", "stop")
    stop_at(project, name, "advise", "How long is a parcel kept?")
    project.kill_everything()
    invariants.check(project.database)

    if project.status()[0] != "completed":
        assert project.run("resume").code == 0

    session = project.session()
    assert project.status(session) == ("completed", None)
    assert project.story("ARCH-CONSULT-001")[-1] == "completed"
    assert len(project.rows("SELECT 1 FROM messages WHERE type IN ('arch_ready', 'arch_concern')")) == 1
    assert len(project.rows("SELECT 1 FROM artifacts WHERE path = 'architecture/arch-consult-001.json'")) == 1
    check_story(project, session)
    invariants.check(project.database)
