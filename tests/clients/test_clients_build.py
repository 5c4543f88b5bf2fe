"""Plan tasks carried out by the real clients in their private trees, the stand-in thinking for them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import invariants
from tests.clients.support import CLIENTS, MISSING, environment, server, settings_of
from tests.git_world import as_left, git
from tests.work.building import begin, building, subjects, trailers
from tests.work.repositories import COMMON, Edit, Fixture
from tests.work.scenarios import Scenario, honest, whole

pytestmark = [
    pytest.mark.clients,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; run `make clients`"),
]

FIXTURE = COMMON["python-unittest"]
FIRST, SECOND = FIXTURE.order()
BAD = "breaks_a_test"
TESTS = "python3 -m unittest 2>&1 | tail -n 1"
Step = dict[str, Any]


def rules(outside: Path) -> list[dict[str, Any]]:
    """What the model does: a change that breaks a test, its repair, and the second task as it should be."""
    attempts = {"shell": {"command": f"echo planted > {outside}/planted.txt; git status --short; {TESTS}"}}
    broken = [attempts, *edits(FIXTURE, FIRST, BAD), said(FIRST)]
    repair = [*writes(FIRST), {"shell": {"command": TESTS}}, said(FIRST)]
    then = [*writes(SECOND), {"shell": {"command": TESTS}}, said(SECOND)]
    return [
        {"match": "(?=.*cannot land yet).*Your task: IMPL-001", "steps": repair},
        {"match": "Your task: IMPL-001", "steps": broken},
        {"match": "Your task: IMPL-002", "steps": then},
    ]


def edits(fixture: Fixture, task: str, name: str) -> list[Step]:
    """The wrong patch, by the client's tool for replacements."""
    steps: list[Step] = []
    for path, change in fixture.bad[task, name].items():
        assert isinstance(change, Edit)
        steps.append({"read": {"path": path}})
        steps += [{"edit": {"path": path, "old": old, "new": new}} for old, new in change.blocks]
    return steps


def writes(task: str) -> list[Step]:
    """The right patch as whole files, by the client's tool for that; what is there already it reads first."""
    steps: list[Step] = []
    for path, text in whole(FIXTURE, task).items():
        if path in FIXTURE.files:
            steps.append({"read": {"path": path}})
        steps.append({"write": {"path": path, "content": text}})
    return steps


def said(task: str) -> Step:
    return {"json": FIXTURE.answer(task)}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_carries_out_the_plan_and_mends_what_a_test_found(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    thinks = Scenario(
        {key: turns for key, turns in honest(FIXTURE).turns.items() if not key.startswith("TASK-")}
    )
    off = {"agents_off": [each for each in CLIENTS if each != name]}
    with server(rules(tmp_path / "project")) as models:
        given = settings_of(name, models.url)
        table = f"[agents.{name}]\n" + "".join(
            f"{key} = {json.dumps(value)}\n" for key, value in given.items()
        )
        roles = {"executor": name, "reviewer": "scripted"}
        with building(tmp_path, FIXTURE, thinks, off, roles=roles, agents=table) as project:
            before = as_left(project.folder)

            done = project.run(*begin(project), env=environment(home), timeout=500)

            for each in models.log:
                print(name, each["rounds"], each["step"], each["last_result"][:300], sep=" | ")
            print(done.out, done.err, project.rows("SELECT agent, outcome, purpose FROM agent_calls"))
            print(project.rows("SELECT * FROM agent_calls"))
            assert done.code == 0, done.err
            assert project.status() == ("completed", None)
            assert subjects(project) == [str(task["title"]) for task in FIXTURE.tasks]
            assert as_left(project.folder) == before
            assert trailers(project, "Agent") == [name, name]
            invariants.check(project.database)
            git(tmp_path, "clone", "-q", "--branch", f"lifecycle/{project.session()}", "project", "clone")
            tests = subprocess.run(
                FIXTURE.command, cwd=tmp_path / "clone", capture_output=True, text=True, check=False
            )
            assert tests.returncode == 0, tests.stdout + tests.stderr
            project.wait(lambda: not project.marked(), "no process of a run lives on", 15)
