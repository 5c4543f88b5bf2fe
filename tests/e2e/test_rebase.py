"""Your branch has moved on while a session worked: `apply` refuses, `rebase` has the team merge it, `apply` goes through."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import invariants
from tests.e2e.support import Lifecycle
from tests.git_world import GIT, assert_whole, git, same_world, write
from tests.work.building import begin, building
from tests.work.lanes import lanes
from tests.work.scenarios import Scenario, Turn, calls, honest

FIXTURE = lanes(1)
PART = "parts/part_1.py"
MINE = 'def say():\n    """What I say."""\n    return 1\n\n\ndef name():\n    return "one of mine"\n'
THEIRS = str(FIXTURE.gold["TASK-001"][PART])
BOTH = THEIRS + '\n\ndef name():\n    """What I say."""\n    return "one of mine"\n'
TEST = (
    "import unittest\n\nfrom parts.part_1 import name\n\n\nclass Name(unittest.TestCase):\n"
    '    def test_it_has_a_name(self):\n        self.assertEqual(name(), "one of mine")\n'
)
ANSWER = {"summary": "Both stay.", "criteria": [], "no_change": None, "needs": None}


def merging(*texts: str) -> Scenario:
    """One that writes these texts, a turn each, when it is to merge."""
    turns = [Turn({PART: text}, answer=ANSWER) for text in texts]
    return Scenario({**honest(FIXTURE).turns, "IMPL-rebase-001": turns})


@pytest.fixture
def built(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Lifecycle]:
    """A finished session, and a branch that has moved on since, in conflict with it."""
    with building(tmp_path, FIXTURE, request.param) as project:
        project.environment |= {name: value for name, value in GIT.items() if name != "PATH"}
        done = project.run(*begin(project), timeout=300)
        assert done.code == 0, done.err
        write(project.folder, {PART: MINE, "tests/test_name.py": TEST})
        git(project.folder, "add", ".")
        git(project.folder, "commit", "-qm", "Mine")
        yield project


def whole(project: Lifecycle) -> None:
    invariants.check(project.database)
    assert_whole(same_world(project.folder.parent, project.folder))


@pytest.mark.long
@pytest.mark.parametrize("built", [merging(MINE, THEIRS, BOTH)], indirect=True)
def test_a_conflict_is_merged_by_the_team_without_losing_either_side(
    built: Lifecycle, tmp_path: Path
) -> None:
    session, mine = built.session(), git(built.folder, "rev-parse", "HEAD")
    refused = built.run("apply")
    before = git(built.folder, "status", "--porcelain")

    done = built.run("rebase", session, "--key", "k-rebase", timeout=300)

    assert refused.code == 2 and f"lifecycle rebase {session}" in refused.err and PART in refused.err
    assert done.code == 0, done.err
    assert f"conflicts in {PART}" in done.err
    assert git(built.folder, "rev-parse", "HEAD") == mine
    assert git(built.folder, "status", "--porcelain") == before
    whole(built)
    made = [key for (key,) in built.rows("SELECT key FROM tasks ORDER BY seq")]
    assert made[-3:] == ["IMPL-rebase-001", "TEST-001-R1", "REVIEW-001-R1"]
    turns = [call for call in calls(tmp_path / "agent") if call["task"] == "IMPL-rebase-001"]
    assert len(turns) == 3  # each of the first two kept one side only
    assert PART in turns[0]["prompt"] and "lines_lost" in turns[1]["prompt"]
    head = git(built.folder, "rev-parse", f"lifecycle/{session}")
    assert git(built.folder, "log", "-1", "--format=%P", head).split()[1] == mine
    for spelled in ("IMPL-rebase-001", "impl-rebase-001"):
        shown = built.run("diff", spelled, "--json").json()
        assert shown["task"] == "IMPL-rebase-001" and len(shown["commits"]) == 1

    review = json.loads((built.directory() / "qa/review-REVIEW-001-R1.json").read_text())
    tested = json.loads((built.directory() / "qa/test-TEST-001-R1.json").read_text())

    assert review["subject"]["base"] == mine == tested["subject"]["base"]
    assert {each["path"] for each in review["files"]} == {PART, "tests/test_part_1.py"}
    assert tested["verdict"] == "PASS" and tested["baseline"] == 2

    applied = built.run("apply", "--json").json()

    assert applied["what"] == "merged"
    assert git(built.folder, "log", "-1", "--format=%P").split() == [mine, head]
    assert (built.folder / PART).read_text() == BOTH
    tests = subprocess.run(FIXTURE.command, cwd=built.folder, capture_output=True, text=True, check=False)
    assert tests.returncode == 0, tests.stderr
    again = built.run("rebase", session)
    assert again.code == 2 and "your branch has everything" in again.err

    decided = built.rows("SELECT count(*) FROM decisions WHERE subject = 'rebase'")
    repeated = built.run("rebase", session, "--key", "k-rebase", "--json")
    other = built.run("revise", "IMPL-001", "other words", "--session", session, "--key", "k-rebase")

    assert repeated.code == 0, repeated.err  # though it would be refused now: it was applied before
    assert "applied before under this key" in repeated.err
    assert repeated.json()["session"] == session
    assert [key for (key,) in built.rows("SELECT key FROM tasks ORDER BY seq")] == made
    assert built.rows("SELECT count(*) FROM decisions WHERE subject = 'rebase'") == decided == [(1,)]
    assert other.code == 2 and "k-rebase" in other.err


@pytest.mark.long
@pytest.mark.parametrize("built", [merging(MINE)], indirect=True)
def test_one_side_alone_never_lands(built: Lifecycle) -> None:
    before = git(built.folder, "rev-parse", f"lifecycle/{built.session()}")

    done = built.run("rebase", timeout=300)

    assert done.code == 3 and "task_failed" in done.err
    assert git(built.folder, "rev-parse", f"lifecycle/{built.session()}") == before
    whole(built)
    assert built.run("rebase").code == 2  # one is on its way


OLD = "parts/old.py"
OLDER = lanes(1, files={OLD: "OLD = 1\n"})
FOLLOWS = Scenario(
    {
        **honest(OLDER).turns,
        "TASK-001": [
            Turn({**OLDER.gold["TASK-001"], OLD: "OLD = 2\n"}, answer=OLDER.answer("TASK-001")),
        ],
        "IMPL-rebase-001": [Turn({OLD: None}, answer=ANSWER)],
    }
)


@pytest.mark.long
def test_a_file_that_the_user_deleted_may_go_with_what_the_session_changed_in_it(tmp_path: Path) -> None:
    with building(tmp_path, OLDER, FOLLOWS) as project:
        project.environment |= {name: value for name, value in GIT.items() if name != "PATH"}
        done = project.run(*begin(project), timeout=300)
        assert done.code == 0, done.err
        git(project.folder, "rm", "-q", OLD)
        git(project.folder, "commit", "-qm", "Without the old part")

        done = project.run("rebase", timeout=300)

        assert done.code == 0, done.err
        assert f"conflicts in {OLD}" in done.err
        names = git(project.folder, "ls-tree", "-r", "--name-only", f"lifecycle/{project.session()}")
        assert PART in names.split() and OLD not in names.split()
        whole(project)


HANGS = Scenario(
    {
        **honest(FIXTURE).turns,
        "IMPL-rebase-001": [
            Turn({PART: MINE}, answer=ANSWER),
            Turn(never_ends=True),
            Turn({PART: BOTH}, answer=ANSWER),
        ],
    }
)


@pytest.mark.long
@pytest.mark.parametrize("built", [HANGS], indirect=True)
def test_a_refused_resolution_that_a_killed_run_left_is_refused_again(
    built: Lifecycle, tmp_path: Path
) -> None:
    """It kept one side alone, and everything died in the turn that was to repair it."""

    def turns() -> list[str]:
        return [call["prompt"] for call in calls(tmp_path / "agent") if call["task"] == "IMPL-rebase-001"]

    built.spawn("rebase", built.session())
    built.wait(lambda: len(turns()) == 2, "the second turn has begun", 120)
    assert built.kill_everything()

    done = built.run("resume", built.session(), timeout=300)

    assert done.code == 0, done.err
    assert built.story("IMPL-rebase-001") == ["lost", "completed"]
    assert len(turns()) == 3 and "lines_lost" in turns()[2] and PART in turns()[2]
    assert git(built.folder, "show", f"lifecycle/{built.session()}:{PART}") == BOTH.strip()
    whole(built)
