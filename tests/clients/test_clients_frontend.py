"""Frontend work by real clients, the stand-in thinking for them: each of its modes once to its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.support import CLIENTS, MISSING, environment, server, settings_of
from tests.clients.test_clients_build import rule
from tests.git_world import as_left
from tests.work.building import assert_nothing_lost, building, trailers
from tests.work.frontend import BOTH_SIDES, MENDED, PAGE, UNSERVED, begin_frontend
from tests.work.repositories import Fixture, apply
from tests.work.scenarios import Scenario, plan_and_review, whole

pytestmark = [
    pytest.mark.clients,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING}; run `make clients`"),
]
AUDITED = {"findings": []}


@pytest.mark.parametrize(
    ("name", "mode"),
    [*((name, "fe-only") for name in CLIENTS), ("claude", "fullstack"), ("claude", "full-lifecycle-fe")],
)
def test_a_client_builds_a_page_and_mends_what_the_audit_found(tmp_path: Path, name: str, mode: str) -> None:
    fixture = PAGE if mode == "fe-only" else BOTH_SIDES
    rules = [
        rule(
            "Your task: IMPL-001", [*written(fixture, whole(fixture, "TASK-002")), said(fixture, "TASK-002")]
        )
        for _ in fixture.tasks[1:]
    ]
    rules += [
        rule("Your task: DEV-FE-001", [*written(fixture, faulty(tmp_path)), said(fixture, "TASK-001")]),
        rule("Your task: DEV-FE-002", [*written(fixture, mended(fixture)), {"json": MENDED}]),
        {"match": "Your task: QA-FE-00", "steps": [{"json": AUDITED}]},
    ]
    with server(rules) as models:
        given = settings_of(name, models.url)
        table = "".join(f"{key} = {json.dumps(value)}\n" for key, value in given.items())
        with building(
            tmp_path,
            fixture,
            Scenario(plan_and_review(fixture)),
            {"agents_off": [each for each in CLIENTS if each != name]},
            roles={**dict.fromkeys(("executor", "fe-developer", "fe-qa"), name), "reviewer": "scripted"},
            agents=f"[agents.{name}]\n{table}",
            work=UNSERVED,
        ) as project:
            before = as_left(project.folder)
            env = environment(tmp_path / "home")
            if mode == "full-lifecycle-fe":
                begun = project.run("start", fixture.request, "--mode", mode, env=env, timeout=300)
                assert begun.code == 3, begun.out + begun.err
                done = project.run("resume", env=env, timeout=600)
            else:
                done = project.run(*begin_frontend(project, mode), env=env, timeout=600)

            assert done.code == 0, done.out + done.err
            assert project.status() == ("completed", None)
            record = project.directory() / "qa" / "audit-fe-QA-FE-002-r2.json"
            told = json.loads(record.read_text())
            assert told["verdict"] == "PASS" and told["agents"] == [name]
            assert trailers(project, "Agent") == [name] * (2 if mode == "fe-only" else 3)
            assert_nothing_lost(project, before)
            project.wait(lambda: not project.marked(), "no process of a run lives on", 15)


def faulty(folder: Path) -> dict[str, str]:
    """The page with its faults, as whole files."""
    tree = folder / "faulty"
    for path, text in PAGE.files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")
    patch = PAGE.bad["TASK-001", "inaccessible"]
    apply(patch, tree)
    return {path: (tree / path).read_text(encoding="utf-8") for path in patch}


def mended(fixture: Fixture) -> dict[str, str | None]:
    files = whole(fixture, "TASK-001")
    return {path: files[path] for path in ("index.html", "site.css")}


def written(fixture: Fixture, files: Any) -> list[dict[str, Any]]:
    """Whole files by the client's own tool; what is there already it reads first."""
    steps: list[dict[str, Any]] = []
    for path, text in files.items():
        steps += [{"read": {"path": path}}] if path in fixture.files else []
        steps.append({"write": {"path": path, "content": text}})
    return steps


def said(fixture: Fixture, task: str) -> dict[str, Any]:
    return {"json": fixture.answer(task)}
