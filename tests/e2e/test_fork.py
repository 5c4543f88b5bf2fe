"""A second session from the state after a task, with another agent; both side by side; nothing half after a kill."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import factories, invariants
from tests.e2e.cli_world import World, cancelled, make_world, work_off
from tests.e2e.support import Lifecycle, agent_toml, lifecycle

SCRIPT = Path(__file__).parent / "agents" / "author.py"
REQUEST = "The catalogue must show where an object lies"
ROLES = '[roles]\nanalyst = ["builtin"]\nwriter = ["builtin"]\n'
VIEWS = "[perspectives]\n" + "".join(
    f'{name} = ["builtin"]\n' for name in ("product", "technical", "quality", "risk", "coverage")
)
OF_SESSION = (
    "tasks",
    "runs",
    "messages",
    "artifacts",
    "verdicts",
    "decisions",
    "memory",
    "agent_calls",
    "edges",
)


def own_rows(project: Lifecycle, session: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the session: what a fork must leave as it is."""
    found = {name: project.rows(f"SELECT * FROM {name} WHERE session_id = ?", session) for name in OF_SESSION}
    return found | {"sessions": project.rows("SELECT * FROM sessions WHERE id = ?", session)}


def forks(project: Lifecycle) -> list[str]:
    found = project.rows("SELECT id FROM sessions WHERE json_extract(options, '$.forked_from') IS NOT NULL")
    return [session for (session,) in found]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A session whose third document is written, and nothing more."""
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        session = factories.make_session(made.store, mode="full-lifecycle")
        work_off(made.store, session, until="DRAFT-004")
        yield made
        made.store.close()


@pytest.mark.long
def test_a_fork_with_another_agent_and_a_table_to_decide_from(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    extra = ROLES + VIEWS + agent_toml("author", [sys.executable, str(SCRIPT), str(notes)])
    with lifecycle(tmp_path / "p", extra=extra) as project:
        assert project.run("start", REQUEST, "--mode", "spec-only").code == 0
        source = project.session()
        before = own_rows(project, source)

        planned = project.run(
            "fork", source, "--at", "draft-002", "--agent", "author", "--plan", "--json"
        ).json()
        made = project.run("fork", source, "--at", "DRAFT-002", "--agent", "author", "--json")
        again = project.run("fork", source, "--at", "DRAFT-002", "--agent", "author")

        (fork,) = forks(project)
        assert (made.code, again.code) == (0, 0), made.err + again.err
        assert made.json()["session"] == fork
        assert fork in again.err and "--again makes another" in again.err
        assert planned["copied"] == ["RESEARCH-001", "DRAFT-001", "DRAFT-002"]
        assert planned["tasks"] == ["DRAFT-003", "DRAFT-004", "QUALITY-001"]
        assert own_rows(project, source) == before
        asked = project.rows("SELECT DISTINCT purpose, agent FROM agent_calls WHERE session_id = ?", fork)
        assert {pair for pair in asked if pair[0] in ("architecture", "epics")} == {
            ("architecture", "author"),
            ("epics", "author"),
        }
        assert {agent for purpose, agent in asked if purpose == "critique"} == {"builtin"}
        shared = ("spec/product-brief.md", "spec/requirements/_index.md")
        for path in shared:
            assert (project.directory(fork) / path).read_text() == (
                project.directory(source) / path
            ).read_text()

        found = project.run("compare", source, fork, "--json").json()
        table = project.run("compare", source, fork).out
        differs = project.run("compare", fork, source, "--diff").out
        paid = project.run("cost", "-s", fork, "--json").json()

        rows = {each["name"]: each for each in found["rows"]}
        assert found["related"] == {"source": source, "task": "DRAFT-002", "how": "fork"}
        assert (rows["agents"]["a"], rows["agents"]["b"]) == ("builtin", "author, builtin")
        assert rows["spec/product-brief.md"]["b"] == "the same"
        assert rows["spec/architecture/_index.md"]["b"] != "the same"
        assert rows["score"]["better"] == ("a" if rows["score"]["a"] > rows["score"]["b"] else "b")
        assert rows["mode"]["better"] is None
        assert "DISCUSS-004 rating" in table and " *" in table
        assert "+++ b/spec/architecture/_index.md" in differs
        assert "+++ b/spec/product-brief.md" not in differs
        taken = [each["task"] for each in paid["inherited"]["by_task"]]
        assert taken == ["RESEARCH-001", "DRAFT-001", "DRAFT-002"]
        assert {each["task"] for each in paid["by_task"]} == {"DRAFT-003", "DRAFT-004", "QUALITY-001"}
        assert project.run("cost", "-s", source, "--json").json()["inherited"] is None


@pytest.mark.long
def test_a_fork_of_a_fork_goes_out_and_in_and_outlives_its_source(tmp_path: Path) -> None:
    with lifecycle(tmp_path / "p") as project, lifecycle(tmp_path / "q") as other:
        assert project.run("start", REQUEST, "--mode", "spec-only").code == 0
        source = project.session()
        assert project.run("fork", source, "--at", "DRAFT-003").code == 0
        first = project.session()
        second = project.run("fork", first, "--at", "DRAFT-002", "--key", "k", "--json").json()["session"]
        same = project.run("fork", first, "--at", "DRAFT-002", "--key", "k", "--json").json()["session"]
        differing = project.run("fork", first, "--at", "DRAFT-001", "--key", "k")
        nobody = project.run("fork", first, "--at", "DRAFT-001", "--agent", "nobody")

        assert f"lifecycle compare {source} {first}" in project.run("check", first).out
        assert project.run("delete", source, "--yes").code == 0
        assert "lifecycle compare" not in project.run("check", first).out
        written = project.run("export", second, "-o", str(tmp_path / "s.zip"))
        brought = other.run("import", str(tmp_path / "s.zip"))

        assert (same, differing.code, nobody.code) == (second, 2, 2)
        assert "unknown agent 'nobody'" in nobody.err
        assert (written.code, brought.code) == (0, 0), written.err + brought.err
        assert "spec/product-brief.md" in project.run("artifacts", "-s", second).out
        revised = project.run("revise", "DRAFT-001", "Say more.", "-s", second)
        assert revised.code == 0, revised.err
        assert project.tasks(second)["DRAFT-001-R1"] == "completed"


@pytest.mark.long
def test_a_fork_waits_for_the_approval_that_its_source_got_later(world: World) -> None:
    life, store = world.life, world.store
    source = factories.make_session(store, "Something else", mode="full-lifecycle")
    work_off(store, source)
    assert life.status(source) == ("paused", "checkpoint")
    assert life.run("resume", source, "--detach").code in (0, 130)
    life.run("daemon", "stop")

    early = life.run("fork", source, "--at", "DRAFT-003", "--plan", "--json").json()
    waits = life.run("fork", source, "--at", "QUALITY-001", "--json")

    fork = forks(life)[0]
    assert (early["waits_for"], waits.code) == (None, 3)
    assert life.status(fork) == ("paused", "checkpoint")
    approved = life.rows("SELECT subject FROM decisions WHERE session_id = ? AND digest IS NOT NULL", fork)
    assert approved == []
    assert life.tasks(fork)["PLAN-001"] == "pending"
    life.run("daemon", "stop")


@pytest.mark.long
def test_work_that_was_not_done_begins_anew_without_attempts_and_pauses(world: World) -> None:
    life = world.life
    source = life.session()
    assert life.tasks(source)["DRAFT-004"] == "in_progress"
    assert life.run("pause", source).code == 0

    made = life.run("fork", source, "--at", "DRAFT-001", "--again", "--plan", "--json").json()
    forked = life.run("fork", source, "--at", "DRAFT-001", "--detach", "--json")

    assert made["tasks"][:3] == ["DRAFT-002", "DRAFT-003", "DRAFT-004"]
    assert forked.code in (0, 130), forked.err
    fork = forks(life)[0]
    life.run("pause", fork)
    life.run("daemon", "stop")
    assert life.rows("SELECT count(*) FROM runs WHERE session_id = ? AND outcome IS NULL", source) == [(1,)]
    done = [key for key, status in life.tasks(fork).items() if status == "completed"]
    assert done[:2] == ["RESEARCH-001", "DRAFT-001"]
    said = [kind for (kind,) in life.rows("SELECT type FROM messages WHERE session_id = ?", fork)]
    assert "forked" in said


def test_new_caps_of_a_fork_leave_the_others_as_they_are(world: World) -> None:
    life = world.life
    source = life.session()
    caps = json.dumps({"session": {"turns": 500, "usd": 9}, "task": {"tokens": 7}, "warned": ["session:usd"]})
    with sqlite3.connect(life.database) as connection:
        connection.execute("UPDATE sessions SET budget = ? WHERE id = ?", (caps, source))

    for extra in ((), ("--mode", "spec-only")):
        forked = life.run("fork", source, "--at", "DRAFT-003", "--max-usd", "5", *extra, "--detach")
        assert forked.code in (0, 130), forked.err
    life.run("daemon", "stop")

    kept = [
        json.loads(budget)
        for (budget,) in life.rows("SELECT budget FROM sessions WHERE id != ? ORDER BY id", source)
    ]
    assert [each["session"] for each in kept] == [{"turns": 500, "usd": 5_000_000}] * 2
    assert [each["task"] for each in kept] == [{"tokens": 7}] * 2
    assert all("warned" not in each for each in kept)


def test_another_mode_begins_with_what_is_there_or_is_refused(world: World) -> None:
    life = world.life
    source = life.session()

    fits = life.run("fork", source, "--at", "DRAFT-003", "--mode", "spec-only", "--plan", "--json").json()
    refused = life.run("fork", source, "--at", "DRAFT-003", "--mode", "analyze-quick")
    unknown = life.run("fork", source, "--at", "DRAFT-003", "--mode", "spec")

    assert (fits["mode"], fits["tasks"]) == ("spec-only", ["DRAFT-004", "QUALITY-001"])
    assert (refused.code, unknown.code) == (2, 2)
    assert "mode analyze-quick does not fit what is there" in refused.err
    assert "unknown mode 'spec'" in unknown.err
    assert forks(life) == []


def test_what_cannot_be_forked_is_refused_and_nothing_changes(world: World) -> None:
    life = world.life
    source = life.session()
    ended = cancelled(world.store, "Something else")
    before = world.content()

    for given, words in (
        ((source, "--at", "DRAFT-004"), "DRAFT-004 is in_progress: there is no state after it yet"),
        ((source, "--at", "QUALITY-001"), "QUALITY-001 is pending"),
        ((source, "--at", "DRAFT-009"), "unknown task 'DRAFT-009'"),
        ((source, "--at", "ANALYZE-001"), "unknown task 'ANALYZE-001'"),
        ((source, "--at", "../x"), "unknown task '../x'"),
        ((ended, "--at", "RESEARCH-001"), "RESEARCH-001 is cancelled"),
        (("nobody", "--at", "DRAFT-001"), "unknown session 'nobody'"),
        ((source, "--at", "DRAFT-001", "--key", " "), "the key is not valid"),
        ((source, "--at", "DRAFT-001", "--key", "a", "--again"), "exclude each other"),
        ((source, "--at", "DRAFT-001", "--plan", "--detach"), "exclude each other"),
        ((source, "--at", "DRAFT-001", "--max-usd", "0"), "greater than 0"),
        ((source,), "--at"),
    ):
        refused = life.run("fork", *given)
        assert (refused.code, words in refused.err) == (2, True), (given, refused.err)
    assert world.content() == before


def test_two_sessions_that_cannot_be_compared(world: World) -> None:
    source = world.life.session()
    other = cancelled(world.store, "Something else")

    same = world.life.run("compare", source, source[:12])
    nobody = world.life.run("compare", source, "nobody")
    differing = world.life.run("compare", source, other, "--json")

    assert (same.code, nobody.code, differing.code) == (2, 2, 0), differing.err
    assert "is named twice" in same.err and "unknown session 'nobody'" in nobody.err
    found = differing.json()
    assert set(found) == {"a", "b", "related", "rows"} and found["related"] is None
    assert set(found["rows"][0]) == {"group", "name", "a", "b", "better", "kind"}
    assert {each["better"] for each in found["rows"] if each["group"] == "cost"} == {None}


@pytest.mark.parametrize("name", ["fork.before_commit", "fork.after_commit"])
def test_kill_a_fork_at_a_step_then_the_same_command_makes_one(world: World, name: str) -> None:
    life = world.life
    source = life.session()
    before = own_rows(life, source)
    given = ("fork", source, "--at", "DRAFT-002")

    killed = life.run(*given, env={"LIFECYCLE_FAILPOINT": f"{name}=kill"})
    left = forks(life)
    invariants.check(life.database)
    again = life.run(*given, "--detach")

    assert killed.code == -signal.SIGKILL
    assert len(left) == (name == "fork.after_commit")
    assert again.code in (0, 130), again.err
    assert len(forks(life)) == 1 and forks(life)[:1] == (left or forks(life))
    assert own_rows(life, source) == before
    life.run("daemon", "stop")
    invariants.check(life.database)


def test_a_task_is_explained_as_of_a_message_and_a_time(world: World) -> None:
    life = world.life
    source = life.session()
    ((begun,),) = life.rows("SELECT created_at FROM sessions WHERE id = ?", source)
    ((report,),) = life.rows(
        "SELECT number FROM messages WHERE session_id = ? AND json_extract(data, '$.task') = 'DRAFT-001'"
        " AND type = 'draft_ready'",
        source,
    )

    blocked = life.run("why", "DRAFT-002", "--at", "MSG-001", "--json").json()
    running = life.run("why", "DRAFT-002", "--at", str(report), "--json").json()
    now = life.run("why", "DRAFT-004", "--at", f"@{begun}", "--json")
    shown = life.run("why", "DRAFT-002", "--at", "1").out

    assert (blocked["state"], blocked["because"]) == ("blocked", ["waited for DRAFT-001, which was blocked"])
    assert blocked["knew"]["ready"] == ["RESEARCH-001"] and blocked["knew"]["would_offer"] == ["RESEARCH-001"]
    assert blocked["decided"]["next"]["type"] in ("advance", "beat")
    assert running["state"] == "running" and "DRAFT-001" in running["knew"]["done"]
    assert "DRAFT-002 was blocked" in shown and "The scheduler knew" in shown
    assert now.code == 2
    for given, words in (
        ("MSG-999", "unknown message 'MSG-999'"),
        ("0", "unknown message '0'"),
        ("2999-01-01T00:00:00Z", "is in the future"),
        ("1999-01-01", "did not exist at"),
        ("yesterday", "is no time and no message"),
        ("", "is no time and no message"),
    ):
        refused = life.run("why", "DRAFT-002", "--at", given)
        assert (refused.code, words in refused.err) == (2, True), (given, refused.err)
