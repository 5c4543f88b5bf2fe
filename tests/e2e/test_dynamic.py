"""Dynamic mode as a user runs it: roles made for a request, documents by rule, code and tests by evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import invariants
from tests.e2e.support import Lifecycle, lifecycle
from tests.e2e.test_analyze import FILES, assert_places_exist
from tests.e2e.test_kill import check_story, stop_at
from tests.e2e.test_kill_build import Building
from tests.git_world import as_left, repository
from tests.work.building import assert_nothing_lost, building, subjects, trailers
from tests.work.repositories import COMMON
from tests.work.scenarios import Scenario, Turn, calls, whole

WRITES = "Investigate how lost parcels are found and write a report about it"
CODES = "Implement amounts with fractions in the recipes and test them"
FIXTURE = COMMON["python-unittest"]
SOURCE = "recipes/amounts.py"


def read(project: Lifecycle, path: str) -> Any:
    return json.loads((project.directory() / path).read_text(encoding="utf-8"))


def messages(project: Lifecycle, kind: str) -> list[Any]:
    rows = project.rows("SELECT data FROM messages WHERE kind = 'message' AND type = ? ORDER BY number", kind)
    return [json.loads(data) for (data,) in rows]


def test_a_request_for_a_report_is_done_by_rule_with_lines_that_are_there(tmp_path: Path) -> None:
    with lifecycle(repository(tmp_path / "p", FILES)) as project:
        before = as_left(project.folder)

        done = project.run("start", "--mode", "dynamic", WRITES)

        assert done.code == 0, done.err
        session = project.session()
        assert session.startswith("TC-")
        assert project.tasks() == {"RESEARCH-001": "completed", "DRAFT-001": "completed"}
        analysis = read(project, "task-analysis.json")
        assert [role["name"] for role in analysis["roles"]] == ["researcher"]
        assert analysis["dependency_graph"] == {"research": [], "writing": ["research"]}
        found = read(project, "artifacts/RESEARCH-001.json")
        assert assert_places_exist(project.folder, found) > 0
        text = (project.directory() / "artifacts/DRAFT-001.md").read_text(encoding="utf-8")
        assert found["key_insights"][0]["evidence"][0]["path"] in text
        assert "role: researcher" in (project.directory() / "roles/researcher.md").read_text()
        rounds = project.rows("SELECT round, consensus FROM verdicts WHERE kind = 'discuss' ORDER BY id")
        assert [row[0] for row in rounds] == ["DISCUSS-001", "DISCUSS-002"]
        invariants.check(project.database)
        assert as_left(project.folder) == before


GAP = {"capability": "writing", "task": "Write down for cooks how amounts with fractions are given."}
TEXT = {
    "title": "Amounts with fractions",
    "summary": "How a cook gives half a spoon.",
    "sections": [
        {
            "heading": "Fractions",
            "points": [{"text": "They are read.", "evidence": [{"path": SOURCE, "line": 1}]}],
        },
        {
            "heading": "Nothing",
            "points": [{"text": "It flies.", "evidence": [{"path": "gone.py", "line": 1}]}],
        },
    ],
}


@contextmanager
def coding(folder: Path, *turns: Turn, **answer: Any) -> Iterator[Lifecycle]:
    """A project whose developer and writer are a scripted agent: the first does all of the fixture's tasks in one."""
    patch = whole(FIXTURE, FIXTURE.order()[-1])
    for key in FIXTURE.order():
        patch = {**whole(FIXTURE, key), **patch}
    done = Turn(patch, answer={"summary": "Amounts have fractions.", "criteria": [], **answer})
    scenario = Scenario({"IMPL-001": [*turns, done], "team_document": [Turn(answer=TEXT)]})
    with building(folder, FIXTURE, scenario) as project:
        yield project


def assert_coded(project: Lifecycle) -> None:
    assert subjects(project) == [CODES]
    assert trailers(project, "Plan-Task") == ["REQUEST-001"]
    verdicts = [json.loads(row[0]) for row in project.rows("SELECT data FROM verdicts WHERE kind = 'test'")]
    assert [each["verdict"] for each in verdicts] == ["PASS"]
    check_story(project, project.session())


def test_a_request_for_code_lands_with_evidence_and_a_gap_makes_a_role(tmp_path: Path) -> None:
    with coding(tmp_path, capability_gaps=[GAP]) as project:
        before = as_left(project.folder)

        done = project.run("start", "--mode", "dynamic", CODES, timeout=200)

        assert done.code == 0, done.out + done.err
        assert project.tasks() == dict.fromkeys(["IMPL-001", "TEST-001", "DRAFT-001"], "completed")
        assert_coded(project)
        assert_nothing_lost(project, before)
        [gap] = messages(project, "capability_gap")
        assert (gap["decision"], gap["role"], gap["made"]) == ("role", "writer", "DRAFT-001")
        order = project.rows(
            "SELECT tasks.key FROM runs JOIN tasks ON tasks.id = runs.task_id ORDER BY runs.opened_at"
        )
        assert [key for (key,) in order] == ["IMPL-001", "DRAFT-001", "TEST-001"], (
            "testing is of a higher tier"
        )
        written = read(project, "artifacts/DRAFT-001.json")
        assert written["sections"][0]["points"][0]["evidence"][0]["path"] == SOURCE
        assert written["unverified"] == ["It flies."]
        assert "role: writer" in (project.directory() / "roles/writer.md").read_text()
        prompt = calls(tmp_path / "agent")[0]["prompt"]
        assert "You are the developer of the team" in prompt and "capability_gaps" in prompt


KILLS = [
    "start.after_commit",
    "beat.before_commit",
    "agent.called",
    "land.ticket",
    "report.before_commit",
    "report.after_commit",
]


@pytest.mark.long
@pytest.mark.parametrize("name", KILLS)
def test_kill_a_request_for_code_then_resume_finishes_each_task_once(tmp_path: Path, name: str) -> None:
    with coding(tmp_path, capability_gaps=[GAP]) as project:
        before = as_left(project.folder)
        command = ("start", "--mode", "dynamic", CODES, "--key", "k")
        build = Building(project, FIXTURE, before)
        build.stop_at(name, *command)
        build.kill_everything()

        done = project.run(*command, timeout=200)
        if project.status() != ("completed", None):
            done = project.run("resume", timeout=200)

        assert project.status() == ("completed", None), done.err
        assert project.tasks() == dict.fromkeys(["IMPL-001", "TEST-001", "DRAFT-001"], "completed")
        assert_coded(project)
        assert len(messages(project, "capability_gap")) == 1
        assert_nothing_lost(project, before)


@pytest.mark.long
@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("name", ["report.before_commit", "report.after_commit", "discuss.reply_stored"])
def test_kill_a_request_for_a_report_then_resume_finishes_each_task_once(
    tmp_path: Path, name: str, nth: int
) -> None:
    with lifecycle(repository(tmp_path / "p", FILES)) as project:
        stop_at(project, f"{name}@{nth}", "start", "--mode", "dynamic", WRITES)
        project.kill_everything()
        invariants.check(project.database)

        if project.status() != ("completed", None):
            project.run("resume")

        assert project.tasks() == {"RESEARCH-001": "completed", "DRAFT-001": "completed"}
        check_story(project, project.session())
        invariants.check(project.database)


def test_a_role_file_that_was_edited_to_nonsense_is_passed_over(tmp_path: Path) -> None:
    with lifecycle(repository(tmp_path / "p", FILES)) as project:
        project.run("start", "--mode", "dynamic", "Investigate how lost parcels are found")
        file = project.directory() / "roles/researcher.md"
        good = file.read_text(encoding="utf-8")
        file.write_bytes(b"---\nrole: root\nmay: [everything]\n---\n\xff\x00")

        revised = project.run("revise", "RESEARCH-001", "say who looks for them")

        assert revised.code == 0, revised.err
        [notes] = [
            json.loads(data)["notes"]
            for (data,) in project.rows(
                "SELECT data FROM messages WHERE type = 'analysis_ready' AND summary LIKE '%RESEARCH-001-R1%'"
            )
        ]
        assert any("roles/researcher.md was edited" in note for note in notes)
        assert good.startswith("---\nrole: researcher")
        invariants.check(project.database)


def test_a_vague_request_is_refused_with_questions_and_yes_starts_it(project: Lifecycle) -> None:
    refused = project.run("start", "--mode", "dynamic", "nicer colours on the login page")

    assert refused.code == 2 and not project.database.exists()
    assert all(f"{n}. " in refused.err for n in (1, 2, 3)) and "--yes" in refused.err
    started = project.run("start", "--mode", "dynamic", "nicer colours on the login page", "--yes")
    assert started.code == 0, started.err
    assert project.tasks() == {"TASK-001": "completed"}
    told = project.run("feedback", "name the colours")
    assert told.code == 0 and project.tasks()["TASK-001-R1"] == "completed", told.err
    assert "name the colours" in (project.directory() / "artifacts/TASK-001.md").read_text()
    invariants.check(project.database)
