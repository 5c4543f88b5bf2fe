"""A session's files when no coordinator runs: a command that starts none writes them; a coordinator that leads does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator import wakeup
from orchestrator.commands import manage
from orchestrator.commands.by_name import run
from orchestrator.commands.caller import Caller
from orchestrator.commands.command_arguments import PersonCommand
from orchestrator.coordinator import projections
from orchestrator.mcp_server.scope import Person
from orchestrator.mcp_server.tool_context import ToolContext
from orchestrator.project import Project
from orchestrator.store import edits, messages, sessions
from orchestrator.store.edits import session_directory
from orchestrator.store.store import Store
from tests import factories as make
from tests import invariants

pytestmark = pytest.mark.usefixtures("named_sessions")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = make.make_store(tmp_path)
    yield found
    found.close()
    invariants.check(found.path)


def order(store: Store, command: str, session: str) -> list[str]:
    """Give the command in the dashboard's way; its warnings."""
    caller = Caller(Project(store.workflow.parent), "ann")
    return list(run(caller, PersonCommand(command=command, session=session))["warnings"])


def status_in_files(store: Store, session: str) -> str | None:
    file = session_directory(store.workflow, session) / "team-session.json"
    return str(json.loads(file.read_bytes())["status"]) if file.exists() else None


def test_without_a_coordinator_a_command_writes_what_every_session_lacks(store: Store) -> None:
    first, second = make.make_session(store, "One"), make.make_session(store, "Two")

    warnings = order(store, "cancel", first)

    assert warnings == []
    assert [status_in_files(store, each) for each in (first, second)] == ["cancelled", "active"]
    assert list(projections.unprojected(store)) == []


def test_where_a_coordinator_leads_the_files_are_left_to_it(store: Store) -> None:
    session = make.make_session(store)
    make.lead(store)
    waker = wakeup.Waker(store.project_id, "daemon")
    try:
        warnings = order(store, "cancel", session)
    finally:
        waker.close()

    assert warnings == []
    assert status_in_files(store, session) is None


def test_an_agents_message_is_in_the_mirror_without_a_coordinator(store: Store, tmp_path: Path) -> None:
    session = make.make_session(store)

    ToolContext(Project(tmp_path), Person()).write(
        lambda tx: messages.say(tx, session, "writer", "state_update", "for the record")
    )

    mirror = session_directory(store.workflow, session) / ".msg" / "messages.jsonl"
    assert json.loads(mirror.read_text().splitlines()[-1])["summary"] == "[writer] for the record"


def test_files_that_cannot_be_written_are_a_warning_and_keep_no_other_session_waiting(store: Store) -> None:
    first, second = make.make_session(store, "One"), make.make_session(store, "Two")
    (store.workflow / ".team").mkdir()
    session_directory(store.workflow, first).write_text("mine")

    warnings = order(store, "pause", first)

    assert [first in warning and "lifecycle repair" in warning for warning in warnings] == [True]
    assert status_in_files(store, second) == "active"
    assert list(projections.unprojected(store)) == [first]


def test_what_stands_in_the_place_of_many_other_sessions_is_no_warning_and_keeps_none_waiting(
    store: Store,
) -> None:
    blocked = [make.make_session(store, f"A{number:03d}") for number in range(101)]
    last = make.make_session(store, "Z")
    (store.workflow / ".team").mkdir()
    for each in blocked:
        session_directory(store.workflow, each).write_text("mine")

    assert projections.write_all(store, last) == []
    order(store, "pause", blocked[0])
    store.write(lambda tx: messages.event(tx, last, "note", "once more"))
    warnings = order(store, "pause", blocked[1])

    assert [blocked[1] in each for each in warnings] == [True]
    assert last not in list(projections.unprojected(store))


def test_the_directory_of_a_deleted_session_goes_when_nobody_writes_it_any_more(store: Store) -> None:
    session = make.make_session(store)
    order(store, "cancel", session)
    deleting = threading.Thread(target=manage.delete, args=(store, session), kwargs={"who": "ann"})

    with edits.alone(store.workflow, session):  # as a coordinator that is writing its files
        deleting.start()
        while store.read(lambda tx: sessions.get(tx, session)) is not None:
            assert deleting.is_alive()
        deleting.join(0.5)
        kept = deleting.is_alive() and session_directory(store.workflow, session).exists()
    deleting.join()

    assert kept
    assert not session_directory(store.workflow, session).exists()


def test_the_id_of_a_deleted_session_is_given_to_no_other(store: Store) -> None:
    first = make.make_session(store, "One")
    order(store, "cancel", first)
    manage.delete(store, first, who="ann")

    assert make.make_session(store, "One") == f"{first}-2"


def test_writing_again_changes_nothing(store: Store) -> None:
    session = make.make_session(store)

    assert [projections.write_now(store, session) for _ in range(2)] == ["", ""]
    assert status_in_files(store, session) == "active"


def test_repair_writes_no_other_session(store: Store) -> None:
    first, second = make.make_session(store, "One"), make.make_session(store, "Two")

    order(store, "repair", first)

    assert [status_in_files(store, each) for each in (first, second)] == ["active", None]


def test_no_files_are_written_for_a_session_that_was_deleted_meanwhile(store: Store) -> None:
    session = make.make_session(store)
    order(store, "cancel", session)
    manage.delete(store, session, who="ann")

    assert projections.write_now(store, session) == ""
    assert not session_directory(store.workflow, session).exists()
