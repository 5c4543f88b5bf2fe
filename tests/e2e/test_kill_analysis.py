"""kill -9 at the reports of an analysis whose rounds are directed: no round is lost, and none is held twice."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests import invariants
from tests.e2e.support import Lifecycle
from tests.e2e.test_kill import check_story, stop_at
from tests.git_world import repository

FILES = {
    ".gitignore": ".workflow/\n",
    "README.md": "# Parcels\n\nA lost parcel is looked for after three days.\n",
    "depot.py": "def find_lost_parcel(parcels):\n    return [each for each in parcels if each.lost]\n",
}
START = (
    "start",
    "--mode",
    "analyze-deep",
    "How is a lost parcel found?",
    "--perspectives",
    "security,concept",
)
TURN = ("resume", "--decide", "instead look at the depot")
TASKS = ["EXPLORE-001", "EXPLORE-002", "ANALYZE-001", "ANALYZE-002", "DISCUSS-001", "SYNTH-001"]
NEXT = ["ANALYZE-fix-001", "DISCUSS-002"]


@pytest.fixture
def parcels(project: Lifecycle, tmp_path: Path) -> Lifecycle:
    repository(tmp_path / "r", FILES)
    for path in (tmp_path / "r").iterdir():
        path.rename(project.folder / path.name)
    return project


def assert_pause(project: Lifecycle, rounds: int) -> None:
    """The session asks once behind the last round, and each round was logged once."""
    session = project.session()
    assert project.status(session) == ("paused", "discussion_feedback")
    said = project.rows(
        "SELECT summary FROM messages WHERE session_id = ? AND type = 'discussion_round'", session
    )
    assert len(said) == rounds, said


def assert_ends(project: Lifecycle, tasks: list[str], rounds: int) -> None:
    done = project.run("resume", "--decide", "done")
    session = project.session()
    assert done.code == 0, done.err
    assert project.tasks(session) == dict.fromkeys(tasks, "completed")
    check_story(project, session)
    invariants.check(project.database)
    folder = project.directory(session)
    found = sorted(json.loads(path.read_text())["round"] for path in folder.glob("discussions/*.json"))
    assert found == list(range(1, rounds + 1))
    assert (folder / "report.md").is_file()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "nth"),
    [(name, nth) for name in ("report.before_commit", "report.after_commit") for nth in (1, 5)],
)
def test_kill_at_a_report_before_the_first_question(parcels: Lifecycle, name: str, nth: int) -> None:
    stop_at(parcels, f"{name}@{nth}", *START)
    parcels.kill_everything()
    invariants.check(parcels.database)

    if parcels.status(parcels.session())[0] != "paused":
        parcels.run("resume")

    assert_pause(parcels, 1)
    assert_ends(parcels, TASKS, 1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "nth"),
    [
        ("beat.before_commit", 1),
        ("report.before_commit", 1),
        ("report.before_commit", 2),
        ("report.after_commit", 1),
        ("report.after_commit", 2),
    ],
)
def test_kill_in_a_round_that_a_person_directed(parcels: Lifecycle, name: str, nth: int) -> None:
    parcels.run(*START)
    parcels.run("daemon", "stop")
    stop_at(parcels, f"{name}@{nth}", *TURN)
    parcels.kill_everything()
    invariants.check(parcels.database)

    if parcels.status(parcels.session())[0] != "paused":
        parcels.run("resume")

    assert_pause(parcels, 2)
    assert_ends(parcels, [*TASKS, *NEXT], 2)


@pytest.mark.long
@pytest.mark.parametrize("name", ["command.before_commit", "command.after_commit"])
def test_kill_in_the_answer_then_a_direction_is_taken_whole_or_not_at_all_and_never_twice(
    parcels: Lifecycle, name: str
) -> None:
    parcels.run(*START)
    parcels.run("daemon", "stop")
    killed = parcels.run(*TURN, env={"LIFECYCLE_FAILPOINT": f"{name}=kill"})
    parcels.kill_everything()
    invariants.check(parcels.database)
    is_taken = name == "command.after_commit"
    assert killed.code == -signal.SIGKILL
    assert set(parcels.tasks(parcels.session())) == {*TASKS, *(NEXT if is_taken else ())}
    if not is_taken:
        assert_pause(parcels, 1)

    again = parcels.run(*TURN)
    if is_taken:
        assert again.code == 2, "it asks nothing: the direction was taken"
        parcels.run("resume")

    assert_pause(parcels, 2)
    given = parcels.rows("SELECT count(*) FROM decisions WHERE words LIKE '%look at the depot%'")
    assert given == [(1,)]
    assert_ends(parcels, [*TASKS, *NEXT], 2)
