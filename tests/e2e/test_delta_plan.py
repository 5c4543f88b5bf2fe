"""One requirement changes after the build: exactly what follows from it runs again, by the real command."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import invariants
from tests.e2e.support import Lifecycle
from tests.git_world import as_left
from tests.work.building import assert_nothing_lost, begin, build_from_request, building, subjects
from tests.work.lanes import lanes
from tests.work.repositories import Fixture
from tests.work.scenarios import Scenario, Turn, honest

pytestmark = pytest.mark.long

FIXTURE = lanes(4)
SPEC = "# Parts\n\n" + "".join(
    f"- **REQ-00{n}** (Must): The package must have a part {n} that says {n}.\n" for n in range(1, 5)
)
NOW = {
    "parts/part_2.py": 'def say():\n    return "two"\n',
    "tests/test_part_2.py": (
        "import unittest\n\nfrom parts.part_2 import say\n\n\nclass Part(unittest.TestCase):\n"
        '    def test_it_says_two(self):\n        self.assertEqual(say(), "two")\n'
    ),
}


def planned_again(*tasks: Mapping[str, Any]) -> Turn:
    return Turn(answer={**FIXTURE.plan_answer(), "tasks": list(tasks)})


def task_of(number: int, **more: Any) -> dict[str, Any]:
    """A task of the fixture's plan, as an agent gives it."""
    return {**FIXTURE.plan_answer()["tasks"][number - 1], **more}


def followed() -> Scenario:
    """Builds as the fixture does; of the plan that follows only TASK-002 is given."""
    return Scenario(
        {
            **honest(FIXTURE).turns,
            "PLAN-001-R1": [planned_again(task_of(2, title="Part 2 in words"))],
            "IMPL-002-R1": [Turn(NOW, answer=FIXTURE.answer("TASK-002"))],
        }
    )


@dataclass(frozen=True)
class Built:
    project: Lifecycle
    before: Mapping[str, str]  # the user's repository

    def edit(self, old: str, new: str, pattern: str = "spec/specification.md") -> None:
        """A person's edit of the specification."""
        page = next(self.project.directory().glob(pattern))
        text = page.read_text(encoding="utf-8")
        assert old in text
        page.write_text(text.replace(old, new), encoding="utf-8")

    def impact(self, *name: str) -> dict[str, Any]:
        told = self.project.run("impact", *name, "--json")
        assert told.code == 0, told.err
        found: dict[str, Any] = json.loads(told.out)
        return found

    def commits(self) -> dict[str, str]:
        """Task -> the commit that it landed."""
        return dict(
            self.project.rows(
                "SELECT t.key, c.commit_id FROM commits c JOIN runs r ON r.id = c.run_id JOIN tasks t ON t.id = r.task_id"
            )
        )

    def planned(self) -> dict[str, str]:
        """File of a plan task -> its digest."""
        return dict(
            self.project.rows(
                "SELECT path, sha256 FROM artifacts a WHERE path LIKE 'plan/.task/%' AND version = "
                "(SELECT max(version) FROM artifacts b WHERE b.session_id = a.session_id AND b.path = a.path)"
            )
        )

    def calls(self) -> int:
        return int(self.project.rows("SELECT count(*) FROM agent_calls")[0][0])

    def check(self) -> None:
        assert_nothing_lost(self.project, self.before)


@contextmanager
def with_specification(folder: Path, scenario: Scenario, fixture: Fixture = FIXTURE) -> Iterator[Built]:
    """A project with a specification that names its requirements."""
    with building(folder, fixture, scenario, work='setup = ["true"]\n') as project:
        (folder / "spec.md").write_text(SPEC, encoding="utf-8")
        yield Built(project, as_left(project.folder))


@contextmanager
def built(folder: Path, scenario: Scenario) -> Iterator[Built]:
    """The same, built."""
    with with_specification(folder, scenario) as found:
        done = found.project.run(*begin(found.project), timeout=300)
        assert done.code == 0, done.out + done.err
        yield found


def test_a_changed_requirement_runs_exactly_what_impact_named(tmp_path: Path) -> None:
    with building(tmp_path, FIXTURE, followed()) as project:
        world = Built(project, as_left(project.folder))
        build_from_request(project, FIXTURE)
        commits, planned, calls = world.commits(), world.planned(), world.calls()
        world.edit("a part 2 that says 2", "a part 2 that says two", "spec/requirements/REQ-002*")

        ahead = world.impact()
        scored = project.run("recheck", timeout=120)
        refused = project.run("revise", "IMPL-001", "again")
        shown = project.run("check", "--json")
        tasks = set(project.tasks())
        done = project.run("resume", timeout=300)

        assert [each["task"] for each in ahead["runs"]] == [
            "QUALITY-001-R1",
            "PLAN-001-R1",
            "IMPL-002-R1",
            "TEST-001-R1",
            "REVIEW-001-R1",
        ]
        assert ahead["changed"] == ["REQ-002"] and ahead["stale"]["plan_task"] == ["TASK-002"]
        assert (scored.code, project.story("QUALITY-001-R1")) == (3, ["completed"]), scored.out + scored.err
        assert json.loads(shown.out)["pause"]["detail"]["changed"]["changed"] == ["REQ-002"]
        assert refused.code == 2 and "lifecycle resume" in refused.err
        assert done.code == 0, done.out + done.err
        assert set(project.tasks()) - tasks == {each["task"] for each in ahead["runs"]} - {"QUALITY-001-R1"}
        assert set(project.tasks().values()) == {"completed"}
        assert {key: commit for key, commit in world.commits().items() if key in commits} == commits
        assert {path for path, digest in world.planned().items() if planned[path] != digest} == {
            "plan/.task/TASK-002.json"
        }
        assert subjects(project)[-1] == "Part 2 in words" and len(subjects(project)) == 5
        again = world.calls() - calls
        assert again < calls / 3, (again, calls)  # of a whole new session
        assert world.impact()["changed"] == []
        world.check()


def test_revise_runs_exactly_what_impact_named_and_a_revision_without_a_change_runs_nothing(
    tmp_path: Path,
) -> None:
    with building(tmp_path, FIXTURE, followed()) as project:
        world = Built(project, as_left(project.folder))
        build_from_request(project, FIXTURE)
        commits, before = world.commits(), set(project.tasks())
        file = project.directory() / "spec" / ".content" / "requirements.json"
        held = json.loads(file.read_text(encoding="utf-8"))["content"]
        changed = json.loads(json.dumps(held).replace("part 2 that says 2", "part 2 that says two"))
        turns = dict(followed().turns)
        Scenario({**turns, "DRAFT-002-R1": [Turn(answer=held)]}).write(tmp_path / "agent")

        same = project.run("revise", "DRAFT-002", "look at it again", timeout=200)
        unchanged = set(project.tasks())
        Scenario({**turns, "DRAFT-002-R2": [Turn(answer=changed)]}).write(tmp_path / "agent")
        ahead = world.impact("REQ-002")
        planned = project.run("revise", "DRAFT-002", "--plan", "--json").json()
        revised = project.run("revise", "DRAFT-002", "part 2 says two", timeout=200)
        done = project.run("resume", timeout=300)

        assert same.code == 0, same.out + same.err
        assert unchanged - before == {
            f"{key}-R1" for key in ("DRAFT-002", "DRAFT-003", "DRAFT-004", "QUALITY-001")
        }
        assert revised.code == 3 and "REQ-002" in revised.out, revised.out + revised.err
        assert done.code == 0, done.out + done.err
        assert set(project.tasks()) - unchanged == {each["task"] for each in ahead["runs"]}
        assert {each["task"] for each in ahead["runs"]} < {each["task"] for each in planned["runs"]}
        assert [each["task"] for each in ahead["kept"]] == ["IMPL-001", "IMPL-003", "IMPL-004"]
        assert {key: commit for key, commit in world.commits().items() if key in commits} == commits
        world.check()


def test_an_edit_in_the_middle_of_a_build_stops_only_what_is_affected(tmp_path: Path) -> None:
    go, reached = tmp_path / "go", tmp_path / "reached"
    turns = dict(followed().turns)
    turns["IMPL-001"] = [
        Turn(FIXTURE.gold["TASK-001"], mark=reached, until=go, answer=FIXTURE.answer("TASK-001"))
    ]
    with with_specification(tmp_path, Scenario(turns)) as world:
        project = world.project
        command = (*begin(project), "--execution", "sequential")
        project.spawn(*command)
        project.wait(reached.exists, "the first task is at work")
        world.edit("a part 2 that says 2", "a part 2 that says two")

        ahead = world.impact()
        go.touch()
        project.wait(lambda: project.status() == ("paused", "checkpoint"), "the edit is seen", 60)
        token = json.loads(project.run("check", "--json").out)["pause"]["approval"]["token"]
        done = project.run("resume", "--expect", token, timeout=300)

        assert done.code == 0, done.out + done.err
        assert ahead["stale"]["plan_task"] == ["TASK-002"]
        states = project.tasks()
        assert states["IMPL-002"] == "skipped" and states["IMPL-002-R1"] == "completed"
        assert {states[f"IMPL-00{n}"] for n in (1, 3, 4)} == {"completed"}
        assert {"TEST-001-R1", "REVIEW-001-R1", "IMPL-001-R1"}.isdisjoint(states)  # they had not looked yet
        assert project.story("IMPL-001") == ["completed"]
        assert sorted(subjects(project)) == ["Part 1", "Part 2 in words", "Part 3", "Part 4"]
        world.check()


def test_withdrawn_and_new_requirements_and_words_of_a_person(tmp_path: Path) -> None:
    removal = task_of(
        2,
        id="TASK-005",
        title="Take part 2 out",
        kind="remove",
        depends_on=[],
        files=[{"path": path, "action": "delete"} for path in FIXTURE.gold["TASK-002"]],
    )
    fifth = task_of(
        1,
        id="TASK-006",
        title="Part 5",
        refs=["REQ-005"],
        criteria=[{"text": "say() gives 5", "refs": ["REQ-005"]}],
        files=[{"path": path.replace("1", "5"), "action": "create"} for path in FIXTURE.gold["TASK-001"]],
    )
    five = {
        path.replace("1", "5"): str(text).replace("1", "5") for path, text in FIXTURE.gold["TASK-001"].items()
    }
    gone = dict.fromkeys(FIXTURE.gold["TASK-002"])

    def said(key: str, *shown: str) -> dict[str, Any]:
        claimed = [{"id": f"{key}-C1", "files": list(shown[:1]), "tests": list(shown[1:])}]
        return {**FIXTURE.answer("TASK-001"), "criteria": claimed}

    turns = {
        **honest(FIXTURE).turns,
        "PLAN-001-R1": [planned_again(fifth), planned_again(removal, fifth)],
        "IMPL-005": [Turn(gone, answer=said("TASK-005", "parts/part_2.py"))],
        "IMPL-006": [Turn(five, answer=said("TASK-006", *five))],
        "PLAN-001-R2": [planned_again(task_of(4, title="Part 4, louder", kind="refactor"))],
        "IMPL-004-R1": [
            Turn({"parts/part_4.py": "def say():\n    return 2 + 2\n"}, answer=FIXTURE.answer("TASK-004"))
        ],
    }
    with built(tmp_path, Scenario(turns)) as world:
        project = world.project
        world.edit(
            SPEC.splitlines(keepends=True)[3],
            "- REQ-005 (Must): The package must have a part 5 that says 5.\n",
        )

        refused = project.run("resume", project.session())
        followed_up = project.run("revise", "PLAN-001", timeout=300)
        worded = project.run("feedback", "four should be computed", timeout=300)

        assert refused.code == 2 and "lifecycle revise PLAN-001" in refused.err
        assert followed_up.code == 0, followed_up.out + followed_up.err
        assert worded.code == 0, worded.out + worded.err
        assert "Review APPROVE" in followed_up.out, followed_up.out
        plan = json.loads((project.directory() / "plan" / "plan.json").read_text(encoding="utf-8"))
        assert plan["task_ids"] == ["TASK-001", "TASK-003", "TASK-004", "TASK-005", "TASK-006"]
        made = {"PLAN-001-R1", "IMPL-005", "IMPL-006", "TEST-001-R1", "REVIEW-001-R1"}
        made |= {"PLAN-001-R2", "IMPL-004-R1", "TEST-001-R2", "REVIEW-001-R2"}
        assert set(project.tasks()) == {
            *(f"IMPL-00{n}" for n in range(1, 5)),
            "PLAN-001",
            "TEST-001",
            "REVIEW-001",
            *made,
        }
        assert subjects(project)[4:] == ["Take part 2 out", "Part 5", "Part 4, louder"]  # nothing is reset
        world.check()


KILLED = ["claim.after", "produced.registered", "report.before_commit", "report.after_commit", "head.stored"]
LATER = ["claim.after@2", "produced.registered@2", "report.before_commit@2"]


@pytest.mark.parametrize("point", [*KILLED, *LATER])
def test_kill_everything_while_a_plan_follows_then_resume_runs_it_once(tmp_path: Path, point: str) -> None:
    with built(tmp_path, followed()) as world:
        project, announce = world.project, tmp_path / "announced"
        before = world.commits()
        assert project.run("daemon", "stop").code == 0  # the next one gets the failpoint
        world.edit("a part 2 that says 2", "a part 2 that says two")

        project.spawn("revise", "PLAN-001", env={"LIFECYCLE_FAILPOINT": f"{point}=wait:{announce}"})
        project.wait(
            lambda: announce.exists() and announce.read_text().endswith("\n"), f"{point} is reached", 60
        )
        assert project.kill_everything()
        invariants.check(project.database)
        done = project.run("resume", project.session(), timeout=180)

        assert done.code in (0, 2), done.out + done.err
        project.wait(lambda: project.status() == ("completed", None), "the session is completed")
        new = {"PLAN-001-R1", "IMPL-002-R1", "TEST-001-R1", "REVIEW-001-R1"}
        assert {key for key in project.tasks() if key.endswith("-R1")} == new
        assert {key: commit for key, commit in world.commits().items() if key in before} == before
        assert subjects(project)[4:] == ["Part 2 in words"]
        for key in new:
            assert project.story(key)[-1] == "completed" and set(project.story(key)[:-1]) <= {"lost"}
        assert _links(project.database) == {("REQ-002", "TASK-002"): 2, ("REQ-001", "TASK-001"): 1}
        world.check()


def _links(database: Path) -> dict[tuple[str, str], int]:
    """How many digests of an item the plans noted for a task."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "SELECT from_id, to_id, count(DISTINCT from_digest) FROM links WHERE to_kind = 'plan_task' "
            "AND to_id < 'TASK-003' GROUP BY 1, 2"
        ).fetchall()
    return {(item, task): count for item, task, count in rows}
