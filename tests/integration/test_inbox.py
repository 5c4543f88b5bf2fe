"""The inbox: what waits for a person over all sessions of a project, in one read."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.commands import manage
from orchestrator.dispatch.coming_up import NOTE, OUTPUT, START_SECONDS, note_start
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import leases, messages, rate_limits, sessions
from orchestrator.store.clock import process_start
from orchestrator.store.store import Store
from orchestrator.views.disk_space import FREE_BYTES, Room
from orchestrator.views.inbox import Inbox, inbox, opened, waiting_count
from orchestrator.views.stalls import NO_COORDINATOR
from tests import factories
from tests.factories import lead

ROOM = Room(10 * FREE_BYTES, 20 * FREE_BYTES)
FULL = Room(FREE_BYTES - 1, 20 * FREE_BYTES)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = factories.make_store(tmp_path)
    yield made
    made.close()


def paused(store: Store, reason: PauseReason, **detail: str) -> str:
    session = factories.make_session(store, f"Some work that ends in {reason}")
    assert store.write(lambda tx: sessions.pause(tx, session, reason, dict(detail)))
    return session


def listed(store: Store, room: Room = ROOM) -> Inbox:
    found, waiting = store.read(lambda tx: (inbox(tx, room), waiting_count(tx, room)))
    assert waiting == found["waiting"]
    return found


def says(store: Store) -> list[str]:
    return [str(each["says"]) for each in listed(store)["entries"]]


def kinds(store: Store, room: Room = ROOM) -> list[str]:
    return [each["kind"] for each in listed(store, room)["entries"]]


def test_disk_comes_first_then_stalled_then_agents_then_what_waits_longest(store: Store) -> None:
    longest = paused(store, PauseReason.CHECKPOINT)
    shorter = paused(store, PauseReason.TASK_FAILED, task="DRAFT-001", error="it broke")
    paused(store, PauseReason.AGENT_UNAVAILABLE)
    paused(store, PauseReason.STALLED)
    paused(store, PauseReason.DISK)
    store.write(lambda tx: rate_limits.limit(tx, "team", "claude", began=tx.now, told=None, why="too many"))

    found = listed(store, FULL)["entries"]

    assert [each["kind"] for each in found] == [
        "disk_space",
        "disk",
        "stalled",
        "agent_unavailable",
        "rate_limit",
        "checkpoint",
        "task_failed",
    ]
    assert [each["session"] for each in found[-2:]] == [longest, shorter]
    assert [each["number"] for each in found] == list(range(1, 8))
    assert found[-1]["says"] == "DRAFT-001: it broke"


def test_an_entry_says_since_when_it_waits_though_messages_came_later(store: Store) -> None:
    session = paused(store, PauseReason.CHECKPOINT)
    since = listed(store)["entries"][0]["since"]
    store.write(lambda tx: messages.say(tx, session, "user", "note", "later"))

    entry = listed(store)["entries"][0]
    assert (entry["since"], entry["blocks"], entry["means"]) == (
        since,
        {"sessions": 1, "tasks": len(factories.keys(store, session))},
        "approve what was shown, then start RESEARCH-001",
    )


def test_active_sessions_without_a_coordinator_wait_for_one(store: Store) -> None:
    factories.make_session(store)
    factories.let_time_pass(store, 60)

    assert kinds(store) == ["no_coordinator"]

    lead = factories.lead(store)
    assert kinds(store) == []
    session = listed(store)["running"][0]["session"]
    factories.one_beat(store, session, lead)
    assert kinds(store) == []  # it has begun to lead just now, and starts a host
    factories.let_time_pass(store, 60)
    assert kinds(store) == ["no_host"]

    factories.make_host(store)
    assert kinds(store) == []


def test_a_coordinator_that_is_coming_up_is_not_missed(store: Store) -> None:
    factories.make_session(store)
    at_once = kinds(store)  # the command has committed, and is about to start one
    factories.let_time_pass(store, 60)
    child = subprocess.Popen(["sleep", "60"])  # stands for a coordinator that does not lead yet
    try:
        note_start(store.workflow, child.pid, store.clock.wall())
        coming_up = kinds(store)
        note_start(store.workflow, child.pid, store.clock.wall() - int(START_SECONDS * 1e6))
        too_late = kinds(store)
        note_start(store.workflow, child.pid, store.clock.wall())
    finally:
        child.kill()
        child.wait()

    assert (at_once, coming_up) == ([], [])
    assert too_late == ["no_coordinator"]
    assert kinds(store) == ["no_coordinator"]  # it has ended before it led


def test_what_the_note_of_a_start_cannot_hide(store: Store, tmp_path: Path) -> None:
    factories.make_session(store)
    factories.let_time_pass(store, 60)
    note = store.workflow / NOTE
    child = subprocess.Popen(["true"])
    child.wait()
    note_start(store.workflow, child.pid, store.clock.wall())  # it had ended before anything was known of it
    ended = kinds(store)
    note.write_text(json.dumps(json.loads(note.read_text()) | {"at": float("inf")}))
    senseless = kinds(store)
    other = tmp_path / "other"
    other.write_text("mine")
    note.unlink()
    for name in (note, note.with_name(f"{NOTE}.{os.getpid()}")):
        name.symlink_to(other)
    note_start(store.workflow, os.getpid(), store.clock.wall())

    assert (ended, senseless) == (["no_coordinator"], ["no_coordinator"])
    assert other.read_text() == "mine"  # though a link of that name came with a checkout


def test_why_a_start_failed_is_told_until_another_coordinator_has_led(store: Store) -> None:
    factories.make_session(store)
    factories.let_time_pass(store, 60)
    child = subprocess.Popen(["true"])
    child.wait()
    note_start(store.workflow, child.pid, store.clock.wall() - 50_000_000)
    (store.workflow / "logs").mkdir(exist_ok=True)
    (store.workflow / "logs" / OUTPUT).write_text("Error: the disk is full\n  try: free some\n")
    failed = says(store)
    lead(store, seconds=-1)

    assert failed == [
        "the coordinator has ended: the disk is full; free some; `lifecycle daemon start` starts it again"
    ]
    assert says(store) == [NO_COORDINATOR]


def test_a_coordinator_that_was_killed_is_missed_at_once(store: Store) -> None:
    factories.make_session(store)
    child = subprocess.Popen(["sleep", "60"])
    started = process_start(child.pid) or 0
    store.write(lambda tx: leases.take_lead(tx, "d-1", pid=child.pid, started=started, lease_seconds=60))
    while_it_leads = kinds(store)

    child.kill()
    child.wait()

    assert while_it_leads == []
    assert kinds(store) == ["no_coordinator"]  # though the session has changed within the last two seconds


def test_when_nothing_waits_it_names_what_runs_and_the_next_checkpoint(store: Store) -> None:
    lead = factories.lead(store)
    host = factories.make_host(store)
    session = factories.make_session(store, mode="full-lifecycle")
    factories.one_beat(store, session, lead)
    factories.claim(store, host)

    found = listed(store)

    assert (found["waiting"], found["active"], found["entries"]) == (0, 1, [])
    (running,) = found["running"]
    assert (running["session"], running["running"], running["checkpoint"]) == (session, 1, "QUALITY-001")


def test_an_ended_session_is_in_no_inbox(store: Store) -> None:
    manage.cancel(store, factories.make_session(store), who="tester")

    assert listed(store) == {"waiting": 0, "active": 0, "entries": [], "running": []}


def test_an_entry_opens_by_number_and_by_name_with_the_commands_that_answer_it(store: Store) -> None:
    session = paused(store, PauseReason.TASK_FAILED, task="DRAFT-001", error="it broke")
    store.write(lambda tx: rate_limits.limit(tx, "team", "claude", began=tx.now, told=None, why="too many"))

    by_number, by_name, account = (
        store.read(lambda tx, name=name: opened(tx, ROOM, name)) for name in ("2", session, "account:team")
    )

    assert by_number["entry"]["name"] == by_name["entry"]["name"] == session
    assert by_name["pause"]["actions"][0]["command"] == "lifecycle resume"
    assert account["entry"]["command"] == "lifecycle agents --release team"
    assert account["pause"] is None
    with pytest.raises(UnknownName):
        store.read(lambda tx: opened(tx, ROOM, "3"))


def test_entries_beyond_the_limit_are_counted_and_open_by_name(store: Store) -> None:
    every = [paused(store, PauseReason.CHECKPOINT) for _ in range(3)]

    found = store.read(lambda tx: inbox(tx, ROOM, limit=2))

    assert (found["waiting"], [each["session"] for each in found["entries"]]) == (3, every[:2])
