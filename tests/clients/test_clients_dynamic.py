"""A request of dynamic mode whose developer is a real client, the stand-in thinking for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.support import CLIENTS, MISSING, environment, server, settings_of
from tests.clients.test_clients_build import FIXTURE, RUN_TESTS, Step, rule
from tests.e2e.test_dynamic import CODES, assert_coded
from tests.git_world import as_left
from tests.work.building import assert_nothing_lost, building, trailers
from tests.work.scenarios import Scenario, Turn, whole

pytestmark = [
    pytest.mark.clients,
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; run `make clients`"),
]

GAP = {"capability": "writing", "task": "Write down for cooks how amounts with fractions are given."}
ANSWER = {"summary": "Amounts have fractions.", "criteria": [], "capability_gaps": [GAP]}
TEXT = {
    "title": "Amounts",
    "summary": "How a cook gives half a spoon.",
    "sections": [{"heading": "Fractions"}],
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_is_the_developer_of_a_request_and_names_a_gap(tmp_path: Path, name: str) -> None:
    steps: list[Step] = []
    files = {path: text for key in FIXTURE.order() for path, text in whole(FIXTURE, key).items()}
    for path, text in files.items():
        steps += [{"read": {"path": path}}] if path in FIXTURE.files else []
        steps.append({"write": {"path": path, "content": text}})
    rules = [
        rule("Your task: IMPL-001", [*steps, RUN_TESTS, {"json": ANSWER}]),
        rule("Your task: DRAFT-001", [{"json": TEXT}]),
        {
            "match": "Your task: DRAFT-001",
            "steps": [{"json": TEXT}],
        },  # of a client that shows no tools when asked
    ]
    with server(rules) as models:
        given = "".join(
            f"{key} = {json.dumps(value)}\n" for key, value in settings_of(name, models.url).items()
        )
        settings = {"agents_off": [each for each in CLIENTS if each != name]}
        others = Scenario({"tester": [Turn(answer={})]})
        agents = f"[agents.{name}]\n{given}"
        with building(
            tmp_path, FIXTURE, others, settings, roles={"dynamic": name, "tester": "scripted"}, agents=agents
        ) as project:
            before = as_left(project.folder)

            done = project.run(
                "start", "--mode", "dynamic", CODES, env=environment(tmp_path / "home"), timeout=500
            )

            assert done.code == 0, done.out + done.err
            assert project.tasks() == dict.fromkeys(["IMPL-001", "TEST-001", "DRAFT-001"], "completed")
            assert_coded(project)
            assert trailers(project, "Agent") == [name]
            assert_nothing_lost(project, before)
