"""Operations across two cells, each killed at every step: no session is lost, and none is in two cells."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.fleet_world import NORTH, REQUEST, SOUTH, FleetWorld, fleet_world
from tests.e2e.test_kill import check_story
from tests.postgres_server import Server
from tests.temporal_server import TemporalServer

MOVING = [
    f"fleet.{step}.{when}"
    for step in ("leave", "carry", "let_go", "arrive", "enter")
    for when in ("before", "after")
]
MOVING.insert(3, "fleet.carry.rows")


@pytest.fixture
def world(postgres: Server, temporal: TemporalServer, tmp_path: Path) -> Iterator[FleetWorld]:
    with fleet_world(tmp_path, postgres, temporal) as made:
        yield made


def kill_at(world: FleetWorld, name: str, *arguments: str) -> None:
    """Run the command in a process that is killed at that place."""
    process = world.spawn(*arguments, failpoint=f"{name}=kill")
    out, err = process.communicate(timeout=180)
    assert process.returncode == -signal.SIGKILL, f"{name} is not passed: {out}{err}"


@pytest.mark.scale
def test_sessions_are_placed_where_there_is_room_and_listed(world: FleetWorld) -> None:
    first = world.run("place", REQUEST, "--mode", "spec-only", "--key", "a", "--json").json()
    again = world.run("place", REQUEST, "--mode", "spec-only", "--key", "a", "--json").json()
    second = world.run("place", "Build a chat server", "--mode", "spec-only", "--json").json()

    assert again == first
    assert {first["cell"], second["cell"]} == {NORTH, SOUTH}
    for each in (first, second):
        life = world.cells[each["cell"]]
        life.wait(
            lambda life=life, each=each: life.status(each["session"])[0] == "completed", "it is done", 120
        )
    listed = {each["cell"]: each for each in world.run("list", "--json").json()}
    assert [each["session"] for each in listed[first["cell"]]["sessions"]] == [first["session"]]
    assert f"{second['cell']}: open, 1 sessions" in world.run("list").out


@pytest.mark.scale
@pytest.mark.parametrize("name", MOVING)
def test_a_finished_session_moves_whole_though_the_move_is_killed(world: FleetWorld, name: str) -> None:
    session = world.start()
    before = world.whole(NORTH, session)

    kill_at(world, name, "move", session, "--to", SOUTH)
    world.check(session)
    done = world.run("move", session, "--to", SOUTH)

    assert done.code == 0, done.err
    assert world.copies(session) == {SOUTH: "here"}
    assert world.whole(SOUTH, session) == before
    assert world.north.rows("SELECT state, epoch FROM custody WHERE session_id = ?", session) == [("gone", 1)]
    assert world.north.rows("SELECT cell, epoch FROM residents WHERE session_id = ?", session) == [(SOUTH, 1)]
    assert not world.north.directory(session).exists()
    south = world.cells[SOUTH]
    assert south.run("check", session).code == 0


@pytest.mark.scale
def test_a_paused_session_moves_there_and_back_and_goes_on(world: FleetWorld) -> None:
    north, south = world.cells[NORTH], world.cells[SOUTH]
    assert north.run("start", REQUEST, "--mode", "full-lifecycle", "--detach").code == 0
    session = north.session()
    north.wait(lambda: north.status(session) == ("paused", "checkpoint"), "it waits for a person", 120)
    token = north.run("check", session, "--json").json()["pause"]["approval"]["token"]

    assert world.run("move", session, "--to", SOUTH).code == 0
    assert south.status(session) == ("paused", "checkpoint")
    assert south.run("check", session, "--json").json()["pause"]["approval"]["token"] == token
    assert world.run("move", session, "--to", NORTH).code == 0
    assert world.copies(session) == {NORTH: "here"}
    assert north.rows("SELECT state, epoch FROM custody WHERE session_id = ?", session) == [("here", 2)]
    assert world.run("move", session, "--to", SOUTH).code == 0

    assert south.run("resume", session, "--expect", token, "--detach").code == 0
    south.wait(
        lambda: south.rows("SELECT 1 FROM runs r JOIN tasks t ON t.id = r.task_id WHERE t.key LIKE 'PLAN%'"),
        "it goes on behind its checkpoint",
        120,
    )
    world.check(session)


@pytest.mark.scale
def test_a_session_that_is_on_its_way_is_changed_in_neither_cell(world: FleetWorld) -> None:
    session = world.start()
    kill_at(world, "fleet.let_go.before", "move", session, "--to", SOUTH)
    assert world.copies(session) == {NORTH: "leaving", SOUTH: "coming"}

    for name, way in ((NORTH, "to the cell south"), (SOUTH, "from the cell north")):
        refused = world.cells[name].run("archive", session)
        assert refused.code == 2 and f"it is on its way {way}" in refused.err, refused.err

    assert world.run("move", session, "--to", SOUTH).code == 0
    assert world.cells[SOUTH].run("archive", session).code == 0


@pytest.mark.scale
@pytest.mark.parametrize(
    "name",
    ["", "fleet.undo.before", "fleet.undo.after"],
)
def test_a_move_that_does_not_fit_leaves_the_session_where_it_was(world: FleetWorld, name: str) -> None:
    session = world.start()
    assert world.start(SOUTH) == session  # another one of the same name
    theirs = world.whole(SOUTH, session)

    if name:
        kill_at(world, name, "move", session, "--to", SOUTH)
    refused = world.run("move", session, "--to", SOUTH)

    assert refused.code == 2 and "has another session" in refused.err, refused.err
    assert world.copies(session) == {NORTH: "here", SOUTH: "here"}
    assert world.whole(SOUTH, session) == theirs
    assert world.north.run("archive", session).code == 0


@pytest.mark.scale
def test_a_session_at_work_is_not_moved_but_its_cell_is_drained_and_opened_again(world: FleetWorld) -> None:
    north = world.north
    assert north.run("start", REQUEST, "--mode", "spec-only", "--detach").code == 0
    session = north.session()
    assert north.status(session)[0] == "active"
    refused = world.run("move", session, "--to", SOUTH)
    assert refused.code == 2 and "is at work" in refused.err, refused.err

    drained = world.run("drain", NORTH)

    assert drained.code == 0, drained.err
    assert north.rows("SELECT 1 FROM runs WHERE outcome IS NULL") == []
    assert world.run("place", "Build a chat server", "--mode", "spec-only", "--json").json()["cell"] == SOUTH
    opened = world.run("drain", NORTH, "--over", "--json").json()
    assert opened["continued"] in ([session], [])  # it may have been finished before
    north.wait(lambda: north.status(session)[0] == "completed", "it is done", 120)
    check_story(north, session)


@pytest.mark.scale
@pytest.mark.parametrize("step", ["mark", "halt", "go_on"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_cell_is_drained_and_opened_though_each_is_killed_and_the_session_ends(
    world: FleetWorld, step: str, when: str
) -> None:
    north, name = world.north, f"fleet.{step}.{when}"
    assert north.run("start", REQUEST, "--mode", "spec-only", "--detach").code == 0
    session = north.session()

    if step != "go_on":
        kill_at(world, name, "drain", NORTH)
        world.check(session)
    drained = world.run("drain", NORTH)
    at_rest = north.rows("SELECT 1 FROM runs WHERE outcome IS NULL") == []
    if step != "halt":
        kill_at(world, name, "drain", NORTH, "--over")
    opened = world.run("drain", NORTH, "--over")

    assert (drained.code, opened.code, at_rest) == (0, 0, True), drained.err + opened.err
    assert {each["cell"]: each["state"] for each in world.run("list", "--json").json()}[NORTH] == "open"
    north.wait(lambda: north.status(session)[0] == "completed", "it is done", 120)
    check_story(north, session)


EMPTYING = [f"fleet.{step}.{when}" for step in ("mark", "halt") for when in ("before", "after")]


@pytest.mark.scale
@pytest.mark.parametrize(
    "name",
    ["fleet.halt.after", *EMPTYING[:3], *MOVING],
)
def test_a_cell_is_retired_though_that_is_killed_and_every_session_is_in_the_other(
    world: FleetWorld, name: str
) -> None:
    south = world.cells[SOUTH]
    session = world.start(SOUTH)
    assert south.run("start", "Build a chat server", "--mode", "full-lifecycle", "--detach").code == 0
    second = south.session()
    south.wait(lambda: south.status(second) == ("paused", "checkpoint"), "it waits for a person", 120)
    before = {each: world.whole(SOUTH, each) for each in (session, second)}

    kill_at(world, name, "retire", SOUTH)
    for each in before:
        world.check(each)
    done = world.run("retire", SOUTH)

    assert done.code == 0, done.err
    assert south.rows("SELECT count(*) FROM sessions") == [(0,)]
    for each, rows in before.items():
        assert world.copies(each) == {NORTH: "here"}
        assert world.whole(NORTH, each) == rows
    refused = world.run("place", REQUEST, "--cell", SOUTH)
    assert refused.code == 2 and "is retired" in refused.err, refused.err
    refused = world.run("retire", NORTH)
    assert refused.code == 2 and "keeps the directory" in refused.err, refused.err


PLACING = [f"fleet.{step}.{when}" for step in ("begin", "enter") for when in ("before", "after")]


@pytest.mark.scale
@pytest.mark.parametrize("name", PLACING)
def test_a_session_is_placed_once_though_that_is_killed(world: FleetWorld, name: str) -> None:
    kill_at(world, name, "place", REQUEST, "--mode", "spec-only", "--key", "a")

    placed = world.run("place", REQUEST, "--mode", "spec-only", "--key", "a", "--json").json()

    found = [
        row[0]
        for cell in world.cells.values()
        if cell.has_tables()
        for row in cell.rows("SELECT id FROM sessions")
    ]
    assert found == [placed["session"]]
