"""A command that is killed before or after its commit, and sent again under its key: applied once, and acknowledged."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator import failpoints
from tests import factories
from tests.e2e.cli_world import World, make_world, work_off
from tests.e2e.support import lifecycle


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


COMMANDS = {
    "cancel": ("cancel", "--words", "enough"),
    "resume": ("resume", "--words", "fine", "--detach"),
    "feedback": ("feedback", "add CSV", "--task", "DRAFT-002", "--detach"),
}
STARTING = [pytest.param(name, marks=pytest.mark.long) for name in ("resume", "feedback")]  # a coordinator


def effects(world: World) -> list[tuple[Any, ...]]:
    return world.life.rows("SELECT subject, who FROM decisions ORDER BY id")


@pytest.mark.parametrize("place", failpoints.COMMAND_NAMES)
@pytest.mark.parametrize("name", ["cancel", *STARTING])
def test_a_killed_command_sent_again_is_applied_once(world: World, name: str, place: str) -> None:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, low=("QUALITY-001",))
    command = (*COMMANDS[name], "--session", session, "--key", "k-1")

    killed = world.life.run(*command, env={"LIFECYCLE_FAILPOINT": f"{place}=kill"}, start_new_session=True)
    known = len(effects(world))
    again = [world.life.run(*command) for _ in range(2)]

    assert killed.code == -signal.SIGKILL
    assert known == (place == "command.after_commit")
    assert [each.code for each in again] == [0, 0], again
    assert "applied before under this key" in again[-1].err
    assert len(effects(world)) == 1


@pytest.mark.parametrize("place", failpoints.COMMAND_NAMES)
def test_a_killed_deletion_sent_again_leaves_neither_rows_nor_files(world: World, place: str) -> None:
    session = factories.make_session(world.store, "Some work")
    world.life.run("cancel", session)
    directory = world.life.directory(session)
    directory.mkdir(parents=True, exist_ok=True)
    command = ("delete", session, "--yes", "--key", "k-1")

    killed = world.life.run(*command, env={"LIFECYCLE_FAILPOINT": f"{place}=kill"}, start_new_session=True)
    left = directory.is_dir()
    again = [world.life.run(*command) for _ in range(2)]

    assert (killed.code, left) == (-signal.SIGKILL, True)
    assert [each.code for each in again] == [0, 0], again
    assert not directory.exists()
    assert world.life.rows("SELECT id FROM sessions") == []
    assert world.life.rows("SELECT count(*) FROM commands WHERE name = 'delete'") == [(1,)]


def test_two_processes_that_send_one_command_at_once_apply_it_once(world: World) -> None:
    session = factories.make_session(world.store, "Some work")
    command = ("pause", session, "--key", "k-1")

    both = [world.life.spawn(*command) for _ in range(2)]
    said = [process.communicate(timeout=90) for process in both]

    assert [process.returncode for process in both] == [0, 0], said
    assert sum("applied before under this key" in err for _, err in said) == 1
    assert world.life.rows("SELECT count(*) FROM messages WHERE type = 'paused'") == [(1,)]


def test_a_key_for_another_command_is_a_fault_of_usage(world: World) -> None:
    session = factories.make_session(world.store, "Some work")

    first = world.life.run("pause", session, "--key", "k-1")
    other = world.life.run("cancel", session, "--key", "k-1")

    assert (first.code, other.code) == (0, 2)
    assert "key 'k-1' was used for another command" in other.err
    assert world.life.status(session) == ("paused", "user")
