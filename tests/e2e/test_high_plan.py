"""A plan of high complexity: the architect reads it before it is carried out, and never stops it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import invariants
from tests.e2e.support import Lifecycle
from tests.e2e.test_kill import check_story
from tests.git_world import as_left
from tests.work.building import assert_built, building
from tests.work.lanes import lanes
from tests.work.scenarios import Scenario, Turn, calls, honest

TWO = lanes(2)
CONCERN = "the parts know each other's names"
SAYS = {
    "dimensions": [{"name": "modularity", "rating": "weak", "text": "names are shared"}],
    "concerns": [
        {
            "severity": "high",
            "text": CONCERN,
            "evidence": [{"path": "tests/test_base.py", "line": 1, "quote": "import unittest"}],
            "options": ["a table of parts"],
        },
        {
            "severity": "high",
            "text": "invented",
            "evidence": [{"path": "parts/gone.py", "line": 1, "quote": "no such words"}],
        },
    ],
    "recommendations": ["begin with the table"],
}
STEPS = ("claim.after", "produced.registered", "report.before_commit", "report.after_commit")
SET_UP = 'setup = ["true"]\n'
SCENARIO = Scenario({**honest(TWO).turns, "advice": [Turn(answer=SAYS)]})


def start(project: Lifecycle, *options: str) -> tuple[str, ...]:
    spec = str(project.folder.parent / "spec.md")
    request = "Refactor the parts across multiple modules"
    return ("start", request, "--mode", "impl-only", "--spec", spec, *options)


def stop_at(project: Lifecycle, name: str, announce: Path, *command: str) -> None:
    """Run a command whose processes stop at the failpoint; the user's folder stays as it is."""
    project.spawn(*command, env={"LIFECYCLE_FAILPOINT": f"{name}=wait:{announce}"})
    project.wait(lambda: announce.exists() and announce.read_text().endswith("\n"), f"{name} is reached")


def edges(project: Lifecycle, key: str) -> set[str]:
    found = project.rows(
        "SELECT b.key FROM edges e JOIN tasks t ON t.id = e.task_id JOIN tasks b ON b.id = e.blocker_id WHERE t.key = ?",
        key,
    )
    return {row[0] for row in found}


@pytest.mark.long
def test_a_plan_is_read_while_it_waits_for_approval_and_its_concerns_reach_those_who_build(
    tmp_path: Path,
) -> None:
    with building(
        tmp_path,
        TWO,
        SCENARIO,
        roles={"architect": "scripted", "reviewer": "scripted"},
        work=SET_UP,
    ) as project:
        before = as_left(project.folder)
        begun = project.run(*start(project, "--approve-plan"))
        assert begun.code == 3, begun.err
        token = project.run("check", "--json").json()["pause"]["approval"]["token"]
        project.wait(
            lambda: project.tasks().get("ARCH-001") == "completed", "the architect has read the plan"
        )

        shown = project.run("check", "--json").json()
        assert shown["pause"]["approval"]["token"] == token
        (advice,) = shown["advice"]
        assert (advice["verdict"], [each["text"] for each in advice["concerns"]]) == ("CONCERN", [CONCERN])
        assert CONCERN in project.run("check").out

        done = project.run("resume", timeout=300)

        assert done.code == 0, done.err
        assert "ARCH-001" in edges(project, "IMPL-001") & edges(project, "IMPL-002")
        prompts = {call["task"]: call["prompt"] for call in calls(tmp_path / "agent")}
        assert CONCERN in prompts["IMPL-001"] and CONCERN in prompts["REVIEW-001"]
        record = json.loads((project.directory() / "architecture" / "arch-001.json").read_text())
        assert (record["unverified"], record["concerns"][0]["options"]) == (
            ["invented"],
            ["a table of parts"],
        )
        assert_built(project, TWO, before)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["claim.after@2", "produced.registered@2", "report.before_commit@2", "report.after_commit@2"]
)
def test_kill_while_the_architect_reads_the_plan_and_it_is_carried_out_once(
    tmp_path: Path, name: str
) -> None:
    with building(tmp_path, TWO, SCENARIO, roles={"architect": "scripted"}, work=SET_UP) as project:
        before = as_left(project.folder)
        stop_at(project, name, tmp_path / "announced", *start(project))
        project.kill_everything()
        invariants.check(project.database)

        done = project.run("resume", project.session(), timeout=300)

        assert done.code in (0, 2), done.err
        assert set(project.tasks().values()) == {"completed"}
        assert project.story("ARCH-001")[-1] == "completed"
        check_story(project, project.session())
        assert_built(project, TWO, before)


@pytest.mark.long
def test_an_architect_whose_agent_fails_leaves_it_to_the_rules(tmp_path: Path) -> None:
    broken = Scenario({**honest(TWO).turns, "advice": [Turn(exit=3)]})
    with building(tmp_path, TWO, broken, roles={"architect": "scripted"}, work=SET_UP) as project:
        done = project.run(*start(project), timeout=300)

        assert done.code == 0, done.err
        record = json.loads((project.directory() / "architecture" / "arch-001.json").read_text())
        assert (record["agent"], record["verdict"]) == ("rules", "APPROVE")
        assert project.tasks()["ARCH-001"] == "completed"
