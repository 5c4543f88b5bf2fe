"""What `check` offers next is never refused: every command of every state is tried, each on a copy of the project."""

from __future__ import annotations

import itertools
import shlex
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands import manage
from orchestrator.coordinator.leadership import Leadership
from orchestrator.coordinator.projector import project
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.prices import Cost, Usage
from orchestrator.lifecycle import report
from orchestrator.store import budgets, sessions, tasks
from orchestrator.store.rows import Run
from orchestrator.store.store import Tx
from orchestrator.views import next_steps
from tests import factories
from tests.e2e.cli_world import World, make_world, work_off
from tests.e2e.support import Lifecycle, lifecycle
from tests.rows import common

FOLLOWS = ("resume", "revise", "feedback", "recheck", "improve")
CENT = 10_000


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


def at_work(world: World, until: str = "DRAFT-002", **options: Any) -> tuple[str, Run]:
    """A session with a run of `until` open."""
    session = factories.make_session(world.store, "Some work", **options)
    factories.one_beat(world.store, session, factories.lead(world.store))
    host = factories.make_host(world.store, seconds=3600)
    row = factories.claim(world.store, host)
    while row is not None and row.key != until:
        found = factories.discussed(row, {"product": 4, "quality": 4}) if row.round else None
        row = factories.finish(world.store, row, discussed=found).next
    assert row is not None
    project(world.store, session)
    return session, row


def given_back(world: World, pause: PauseReason) -> str:
    session, row = at_work(world)
    ended = {"counted": False, "backoff": (), "timings": {}, "pause": pause, "detail": {"task": row.key}}
    world.store.write(lambda tx: report.fail(tx, row, "it could not be done", **ended))
    return session


def a_failed_task(world: World) -> str:
    session, row = at_work(world)
    for _ in range(3):
        world.store.write(partial(fail, row=row))
        world.store.write(lambda tx: sessions.request_beat(tx, session))
        factories.one_beat(world.store, session, Leadership("d-test", 1))
        row = factories.claim(world.store, row.host) or row
    return session


def fail(tx: Tx, row: Run) -> None:
    report.fail(tx, row, "no", counted=True, backoff=(), timings={})


def a_checkpoint(world: World, gate: str = "PASS") -> str:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, until="QUALITY-001")
    host = factories.make_host(world.store, "h-last", seconds=3600)
    row = factories.claim(world.store, host)
    assert row is None  # the run is open already
    world.store.write(lambda tx: sessions.set_gate(tx, session, gate, 55.0))
    world.store.write(lambda tx: sessions.pause(tx, session, PauseReason.CHECKPOINT, {"task": "QUALITY-001"}))
    return session


def a_blocked_sign_off(world: World) -> str:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, low=("QUALITY-001",))
    return session


def a_sign_off_of_something_edited(world: World) -> str:
    session = a_blocked_sign_off(world)
    (world.life.directory(session) / "spec" / "DRAFT-001.md").write_text("# Mine\n")
    return session


def an_exhausted_revision(world: World) -> str:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, low=("DRAFT-002", "DRAFT-002-R1"))
    return session


def a_revision_exhausted_for_good(world: World) -> str:
    """Both revisions of the document were made, so `revise` would be refused."""
    session = an_exhausted_revision(world)
    assert world.life.run("revise", "DRAFT-002", "again", "--detach").code == 0
    world.life.run("daemon", "stop")
    detail = {"task": "DRAFT-002-R2"}
    world.store.write(lambda tx: sessions.pause(tx, session, PauseReason.REVISION_EXHAUSTED, detail))
    return session


def a_blocked_discussion(world: World) -> str:
    session, row = at_work(world, "DISCUSS-002", discuss="standalone")
    detail = {"task": row.key, "round": row.round, "options": [{"label": "one way"}]}
    pause = PauseReason.DISCUSSION_BLOCKED
    world.store.write(
        lambda tx: report.fail(
            tx, row, "waits", counted=False, backoff=(), timings={}, pause=pause, detail=detail
        )
    )
    return session


def a_spent_budget(world: World, **caps: int) -> str:
    session, row = at_work(world, budget={"session": caps or {"usd": 10 * CENT}, "task": {}})

    call = {
        "session_id": session,
        "task_id": row.id,
        "run_id": row.run,
        "agent": "costly",
        "purpose": "brief",
        "prompt_digest": "d",
        "metered": 1,
    }
    begun = world.store.write(lambda tx: budgets.begin_call(tx, row.key, call))
    assert isinstance(begun, int)
    used, cost = Usage(tokens_in=9_000, tokens_out=0), Cost(55 * CENT, "reported")
    world.store.write(lambda tx: budgets.end_call(tx, row, begun, "answered", used, cost))
    assert not isinstance(world.store.write(lambda tx: budgets.begin_call(tx, row.key, call)), int)
    return session


def paused_by_a_person(world: World) -> str:
    session, _ = at_work(world)
    manage.pause(world.store, session, who="me")
    return session


def completed(world: World) -> str:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session)
    return session


def one_of_two(world: World) -> str:
    factories.make_session(world.store, "More work")
    return a_blocked_sign_off(world)


STATES: dict[str, tuple[Callable[[World], str], str]] = {
    "checkpoint": (a_checkpoint, "checkpoint"),
    "checkpoint after a failed gate": (lambda world: a_checkpoint(world, "FAIL"), "checkpoint"),
    "signoff_blocked": (a_blocked_sign_off, "signoff_blocked"),
    "signoff_blocked, edited since": (a_sign_off_of_something_edited, "signoff_blocked"),
    "revision_exhausted": (an_exhausted_revision, "revision_exhausted"),
    "revision_exhausted, twice": (a_revision_exhausted_for_good, "revision_exhausted"),
    "task_failed": (a_failed_task, "task_failed"),
    "discussion_blocked": (a_blocked_discussion, "discussion_blocked"),
    "budget": (a_spent_budget, "budget"),
    "budget of two kinds": (lambda world: a_spent_budget(world, usd=10 * CENT, tokens=2_000), "budget"),
    "disk": (lambda world: given_back(world, PauseReason.DISK), "disk"),
    "agent_unavailable": (
        lambda world: given_back(world, PauseReason.AGENT_UNAVAILABLE),
        "agent_unavailable",
    ),
    "stalled": (lambda world: given_back(world, PauseReason.STALLED), "stalled"),
    "user": (paused_by_a_person, "user"),
    "completed": (completed, ""),
    "one of two sessions": (one_of_two, "signoff_blocked"),
}
OFTEN = ("checkpoint", "completed")  # in each run of the tests


@pytest.mark.parametrize("name", common(STATES, OFTEN))
def test_nothing_is_offered_that_would_be_refused(world: World, tmp_path: Path, name: str) -> None:
    make, reason = STATES[name]
    session = make(world)
    found = world.life.run("check", session, "--json").json()

    commands = found["next"]["commands"]
    given = {
        command: tried(world, tmp_path / f"copy{n}", command)
        for command, n in zip(commands, itertools.count())
    }

    assert (found["pause_reason"] or "") == reason
    assert len(commands) >= 2
    assert {command: said for command, (code, said) in given.items() if code == 2} == {}


def test_after_a_failed_task_another_agent_is_offered(world: World) -> None:
    session = a_failed_task(world)
    command = "lifecycle resume --retry DRAFT-002 --agent builtin"

    commands = world.life.run("check", session, "--json").json()["next"]["commands"]
    why = world.life.run("why", "DRAFT-002").out

    assert command in commands
    assert f"> {command}" in why


def test_for_a_failed_task_that_edits_code_the_built_in_agent_is_not_offered(world: World) -> None:
    session = a_failed_task(world)

    def offered(key: str) -> str | None:
        row = world.store.read(lambda tx: tasks.task(tx, session, "DRAFT-002"))
        assert row is not None
        return world.store.read(lambda tx: next_steps.other_agent(tx, row._replace(key=key)))

    assert (offered("DRAFT-002"), offered("IMPL-001"), offered("TEST-001")) == ("builtin", None, None)


def tried(world: World, folder: Path, command: str) -> tuple[int, str]:
    """Exit code and complaint of a command, given to a copy of the project."""
    shutil.copytree(world.life.folder, folder, ignore=shutil.ignore_patterns("*.sock"))
    copied = Lifecycle(folder)
    copied.environment["HOME"] = world.life.environment["HOME"]
    _, name, *rest = shlex.split(command.replace(next_steps.WORDS, "The scope is too wide"))
    try:
        gave = copied.run(name, *rest, *(["--detach"] if name in FOLLOWS else []))
        return gave.code, gave.err
    finally:
        copied.close()


def test_a_cancelled_session_offers_nothing(world: World) -> None:
    session = factories.make_session(world.store, "Some work")
    manage.cancel(world.store, session, who="me")

    assert world.life.run("check", session, "--json").json()["next"]["commands"] == []
