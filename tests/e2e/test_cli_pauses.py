"""Every pause says what waits and names the commands that move it on; why a task is not running, rule by rule."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from orchestrator.cli.building import build
from orchestrator.domain.pauses import PAUSES, PauseReason
from orchestrator.store import sessions
from tests import factories
from tests.e2e.cli_world import World, dimensions, make_world, work_off
from tests.e2e.support import lifecycle
from tests.e2e.terminal import on_a_terminal


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


def paused(world: World, reason: PauseReason, **detail: object) -> str:
    session = factories.make_session(world.store, "Some work")
    world.store.write(lambda tx: sessions.pause(tx, session, reason, dict(detail)))
    return session


@pytest.mark.parametrize("reason", PauseReason)
def test_check_names_commands_that_exist_for_each_pause(world: World, reason: PauseReason) -> None:
    paused(world, reason, task="DRAFT-001", options=[{"label": "one way"}])

    shown, found = world.life.run("check").out, world.life.run("check", "--json").json()

    assert f"Waiting for you: {reason}" in shown
    commands = [each["command"] for each in found["pause"]["actions"]]
    assert len(commands) >= 2  # a way on, and cancel
    assert all(command in shown for command in commands)
    known = get_command(build()).commands  # type: ignore[attr-defined]
    for command in commands:
        _, name, *rest = command.split()
        options = {option for parameter in known[name].params for option in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= options, command


@pytest.mark.parametrize("reason", [reason for reason in PauseReason if PAUSES[reason].needs == "--decide"])
def test_a_pause_that_asks_something_is_not_passed_without_an_answer(
    world: World, reason: PauseReason
) -> None:
    paused(world, reason, options=[{"label": "one way"}])

    without = world.life.run("resume", "--detach")

    assert without.code == 2
    assert "--decide" in without.err
    assert world.life.status() == ("paused", reason)


def at_checkpoint(world: World, gate: str) -> str:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session)
    connection = sqlite3.connect(world.life.database)
    connection.execute("UPDATE verdicts SET gate = ? WHERE kind = 'gate'", (gate,))
    connection.execute(
        "UPDATE sessions SET gate = ?, status = 'paused', pause_reason = 'checkpoint', pause_detail = '{}', "
        "finished_at = NULL",
        (gate,),
    )
    connection.commit()
    connection.close()
    return session


def test_a_checkpoint_shows_the_gate_five_bars_and_the_actions(world: World) -> None:
    at_checkpoint(world, "REVIEW")

    shown = world.life.run("check").out

    assert "Quality REVIEW" in shown
    assert len(re.findall(r"^  \w+ +[#-]{20} +\d+\.\d %$", shown, re.M)) == len(dimensions()) == 5
    for command in ("resume", "improve", "revise DRAFT-004", "recheck", "feedback", "cancel"):
        assert f"lifecycle {command}" in shown


def test_a_failed_gate_is_not_passed_but_by_force(world: World) -> None:
    at_checkpoint(world, "FAIL")

    shown = world.life.run("check").out
    refused = world.life.run("resume", "--detach")
    forced = world.life.run("resume", "--force", "--words", "I know better")

    assert "lifecycle resume --force" in shown
    assert "lifecycle resume  " not in shown
    assert refused.code == 2
    assert "--force" in refused.err
    assert forced.code == 0, forced.err
    assert world.life.rows(
        "SELECT forced, words FROM decisions WHERE subject LIKE 'approve_checkpoint%'"
    ) == [(1, "I know better")]


def test_a_blocked_sign_off_says_the_gravest_faults_who_holds_them_and_where_all_of_it_is(
    world: World,
) -> None:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, low=("QUALITY-001",))

    shown = world.life.run("check").out
    pause = world.life.run("check", "--json").json()["pause"]
    all_of_it = world.life.run(*pause["discuss"].split()[1:])

    assert "  MEDIUM: rated 2 of 5 [product]\n  MEDIUM: rated 2 of 5 [quality]\n" in shown
    assert "lifecycle discuss 6" in shown
    assert pause["faults"] == [
        {"severity": "MEDIUM", "perspectives": [view], "text": "rated 2 of 5"}
        for view in ("product", "quality")
    ]
    assert "DISCUSS-006 after QUALITY-001: blocked HIGH" in all_of_it.out


def test_a_cancelled_session_is_not_done(world: World) -> None:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, until="DRAFT-002")
    world.life.run("cancel")

    shown = {name: world.life.run(name, session).out for name in ("check", "show")}
    listed = world.life.run("list").out
    progress = world.life.run("check", session, "--json").json()["progress"]

    assert progress == {"done": 2, "total": 6, "percent": 33, "skipped": 0, "cancelled": 4}
    assert "33 %   4 cancelled" in shown["check"]
    assert "2/6, 4 cancelled" in shown["show"]
    assert "  2/6  " in listed
    assert "100 %" not in shown["check"]


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        (PauseReason.CHECKPOINT, "it was paused: checkpoint and is active again"),
        (PauseReason.USER, "it stays paused: user"),
        (None, "it was completed and is active again"),
    ],
)
def test_rework_says_whether_the_session_goes_on_with_it(
    world: World, reason: PauseReason | None, says: str
) -> None:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, until="DRAFT-002" if reason else None)
    if reason is not None:
        world.store.write(lambda tx: sessions.pause(tx, session, reason, {}))

    gave = world.life.run("feedback", "the vision should name a first customer", "--detach")

    assert gave.code == 0, gave.err
    assert says in gave.err
    assert ("continues in the background" in gave.err) is (reason is not PauseReason.USER)


def why(world: World, task: str) -> tuple[str, str]:
    found = world.life.run("why", task, "--json").json()
    return found["state"], " ".join(found["because"])


def test_why_follows_the_task_through_its_life(world: World) -> None:
    store = world.store
    session = factories.make_session(store, "Some work")

    assert why(world, "DRAFT-001") == ("blocked", "waits for RESEARCH-001, which is pending")
    assert why(world, "RESEARCH-001")[0] == "ready"
    factories.let_time_pass(store, 60)
    assert "no coordinator is running" in why(world, "RESEARCH-001")[1]
    leads = factories.lead(store)
    factories.one_beat(store, session, leads)
    assert why(world, "RESEARCH-001")[0] == "offered"
    assert "no worker host is running" in why(world, "RESEARCH-001")[1]
    factories.make_host(store, "h-other", roles=("writer",))
    assert "no worker host serves the role analyst" in why(world, "RESEARCH-001")[1]
    host = factories.make_host(store, "h-mine", slots=1)
    assert "1 of 1 slots are free" in why(world, "RESEARCH-001")[1]
    row = factories.claim(store, host)
    assert row is not None
    assert why(world, "RESEARCH-001")[0] == "running"
    assert why(world, "DRAFT-001")[1] == "waits for RESEARCH-001, which is in_progress"
    second = factories.make_session(store, "More work")
    factories.one_beat(store, second, leads)
    found = world.life.run("why", "RESEARCH-001", "--session", second).out
    assert "no slot is free: 1 of 1 are in use" in found


def test_why_says_when_a_failed_attempt_is_repeated(world: World) -> None:
    from orchestrator.lifecycle import report

    session = factories.make_session(world.store, "Some work")
    factories.one_beat(world.store, session, factories.lead(world.store))
    row = factories.claim(world.store, factories.make_host(world.store))
    assert row is not None
    world.store.write(
        lambda tx: report.fail(tx, row, "the agent said nothing", counted=True, backoff=[600], timings={})
    )

    state, because = why(world, "RESEARCH-001")

    assert state == "delayed"
    assert "will be retried at 2" in because
    assert "attempt 1 of 3 failed: the agent said nothing" in because


def test_sequential_work_waits_for_what_comes_first(world: World) -> None:
    session = factories.make_session(world.store, "Some work", execution="sequential")
    connection = sqlite3.connect(world.life.database)
    connection.execute("UPDATE tasks SET unmet = 0 WHERE key = 'DRAFT-001'")
    connection.execute("DELETE FROM edges WHERE task_id = (SELECT id FROM tasks WHERE key = 'DRAFT-001')")
    connection.commit()
    connection.close()
    factories.one_beat(world.store, session, factories.lead(world.store))

    state, because = why(world, "DRAFT-001")

    assert state == "waiting"
    assert "RESEARCH-001 comes first" in because


def test_check_says_what_stalls(world: World) -> None:
    session = factories.make_session(world.store, "Some work")

    factories.let_time_pass(world.store, 60)
    without = world.life.run("check", "--json").json()["stalled"]
    factories.one_beat(world.store, session, factories.lead(world.store))
    factories.let_time_pass(world.store, 60)
    offered = world.life.run("check", "--json").json()["stalled"]

    assert "no coordinator is running" in without[0]
    assert "no worker host is running" in offered[0]
    assert "where own_host is off, `lifecycle worker` or `lifecycle host join` runs one" in offered[0]


def test_check_shows_who_works_since_when_and_how_far(world: World) -> None:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, until="DRAFT-002")

    found = world.life.run("check", "--json").json()

    (worker,) = found["workers"]
    assert worker["task"] == "DRAFT-002"
    assert worker["running"]["loop"] == [2, 4]
    assert "(inner loop 2/4)" in world.life.run("check").out


def test_a_reader_does_not_wait_for_a_writer_and_a_writer_says_whom_it_waits_for(world: World) -> None:
    factories.make_session(world.store, "Some work")
    holder = sqlite3.connect(world.life.database, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    begun = time.monotonic()
    reading = world.life.run("check")
    took = time.monotonic() - begun
    writing = world.life.spawn("pause")
    assert writing.stderr is not None
    said = writing.stderr.readline()
    holder.execute("ROLLBACK")
    holder.close()

    assert reading.code == 0
    assert took < 4  # SQLite itself would give up after 5 s
    assert f"pid {os.getpid()}" in said
    assert writing.wait(30) == 0


def test_resume_asks_on_a_terminal_which_of_several_sessions_is_meant(world: World) -> None:
    both = [factories.make_session(world.store, words) for words in ("First work", "Second work")]
    for session in both:
        world.store.write(lambda tx, session=session: sessions.pause(tx, session, PauseReason.USER, {}))  # type: ignore[misc]

    shown, code = on_a_terminal(world.life, "resume", "--detach", dialogue=[(b"Which one", b"2\n")])

    assert code == 0, shown
    assert all(session in shown for session in both)
    assert world.life.status(both[0]) == ("paused", "user")
    assert world.life.status(both[1])[0] != "paused"


def test_feedback_that_names_no_document_is_refused_and_says_how_to_name_one(world: World) -> None:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session)
    before = world.content()

    refused = world.life.run("feedback", "I do not like it", "--detach")
    unchanged = world.content() == before
    other = world.life.run("feedback", "I do not like it", "--task", "QUALITY-001", "--detach")
    unknown = world.life.run("feedback", "I do not like it", "--task", "DRAFT-009", "--detach")
    given = world.life.run("feedback", "I do not like it", "--task", "draft-003", "--detach")

    assert refused.code == 2 and unchanged
    assert "not clear which document" in refused.err and "DRAFT-003 (Architecture)" in refused.err
    assert 'lifecycle feedback "..." --task DRAFT-002' in refused.err  # most wishes are requirements
    assert (other.code, unknown.code) == (2, 2)
    assert "QUALITY-001 takes no feedback" in other.err and "unknown task 'DRAFT-009'" in unknown.err
    assert given.code == 0, given.err
    assert "revise DRAFT-003: you named it" in given.err


def test_feedback_that_names_no_document_asks_which_on_a_terminal(world: World) -> None:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session)

    shown, code = on_a_terminal(
        world.life, "feedback", "I do not like it", "--detach", dialogue=[(b"Which one", b"3\n")]
    )

    assert code == 0, shown
    assert "5  DRAFT-004  Epics" in shown
    assert "made DRAFT-002-R1" in shown


def test_resume_of_a_completed_session_names_what_was_edited_since(world: World) -> None:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session)
    file = world.life.directory(session) / "spec" / "DRAFT-001.md"
    file.write_text("# Mine\n")

    refused = world.life.run("resume", session, "--detach")
    rechecked = world.life.run("recheck", "--detach")

    assert refused.code == 2
    assert "spec/DRAFT-001.md edited by hand since" in refused.err and "lifecycle recheck" in refused.err
    assert rechecked.code == 0, rechecked.err
