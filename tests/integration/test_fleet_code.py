"""A session with commits of its own moves between cells: its private store goes along, or the move leaves nothing behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.commands import manage, portable, portable_work
from orchestrator.config.settings import TemporalSettings
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.fleet import moving
from orchestrator.fleet.definition import Fleet
from orchestrator.store import artifacts, custody, edits, sessions, work_state
from orchestrator.store.store import Tx
from tests import factories as make
from tests.git_world import World, git, repository, world, write
from tests.postgres_server import Server

NORTH, SOUTH = "north", "south"


class Cells:
    """Two cells; `north` has a session of which one commit has landed, and which is paused."""

    def __init__(self, folder: Path, postgres: Server, target: Path) -> None:
        self.folder = folder
        self.fleet = Fleet(
            folder / "fleet.toml", {NORTH: folder / "north", SOUTH: target}, NORTH, TemporalSettings()
        )
        self.stores = {name: self._store(postgres, root) for name, root in self.fleet.cells.items()}
        self.north = world(folder, self.fleet.cells[NORTH], store=self.stores[NORTH])
        self.session = self.north.session
        self.land(self.north, "one")
        manage.pause(self.stores[NORTH], self.session, who="ann")

    def _store(self, postgres: Server, root: Path) -> make.Store:
        address = postgres.database("empty")
        store = make.make_postgres_store(root, address)
        (root / ".workflow" / "config.toml").write_text(
            f"[database]\nurl = {json.dumps(address)}\n[work]\ntrees = {json.dumps(str(self.folder / 'trees'))}\n"
        )
        return store

    def land(self, at: World, text: str) -> str:
        """A commit of the next task; the branch's head."""
        work = at.begin()
        run = at.claim()
        tree = work.open_tree(run, 0)
        write(tree.checkout.work, {f"{text}.py": text})
        at.land(work, run, tree)
        return git(at.folder, "rev-parse", f"lifecycle/{at.session}")

    def move(self, source: str, target: str) -> None:
        epoch = moving.leave(self.fleet, self.session, source, target)
        moving.carry(self.fleet, self.session, source, target, epoch)
        moving.let_go(self.fleet, self.session, source, epoch)
        moving.arrive(self.fleet, self.session, target, epoch)

    def landed(self, cell: str) -> list[tuple[str, str | None]]:
        found = self.stores[cell].read(lambda tx: work_state.landed(tx, self.session))
        return [(each.commit_id, each.run_id) for each in found]

    def going_on(self, cell: str) -> World:
        """The session at work in a cell again."""
        store = self.stores[cell]
        store.write(lambda tx: sessions.resume(tx, self.session, "user"))
        host = make.make_host(store, f"h-{cell}")
        by = self.north.leadership if cell == NORTH else make.lead(store)
        return replace(self.north, store=store, folder=self.fleet.cells[cell], host=host, leadership=by)

    def close(self) -> None:
        for store in self.stores.values():
            store.close()


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return repository(tmp_path / "north")


@pytest.fixture
def cells(origin: Path, tmp_path: Path, postgres: Server) -> Iterator[Cells]:
    git(tmp_path, "clone", "-q", "north", "south")
    made = Cells(tmp_path, postgres, tmp_path / "south")
    yield made
    made.close()


@pytest.mark.scale
def test_a_session_takes_its_commits_along_goes_on_there_and_comes_back_with_more(cells: Cells) -> None:
    north, south = cells.fleet.cells[NORTH], cells.fleet.cells[SOUTH]
    head, before = git(north, "rev-parse", f"lifecycle/{cells.session}"), cells.landed(NORTH)

    cells.move(NORTH, SOUTH)

    assert cells.landed(SOUTH) == before and len(before) == 1
    assert git(south, "rev-parse", f"lifecycle/{cells.session}") == head
    later = cells.land(cells.going_on(SOUTH), "two")
    assert git(south, "rev-parse", f"{later}^") == head
    manage.pause(cells.stores[SOUTH], cells.session, who="ann")

    cells.move(SOUTH, NORTH)

    assert [commit for commit, _ in cells.landed(NORTH)] == [head, later]
    assert git(north, "rev-parse", f"lifecycle/{cells.session}") == later
    assert git(north, "show", f"lifecycle/{cells.session}:two.py") == "two"


def test_a_session_does_not_move_while_a_document_of_it_is_being_edited(
    cells: Cells, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edits, "WRITER_SECONDS", 0.0)
    store, session = cells.stores[NORTH], cells.session

    def show(tx: Tx) -> None:
        digest = artifacts.put(tx, b"# A\n")
        artifacts.register(tx, session, "a.md", digest, 4, "document", author="writer", task=None, run=None)
        artifacts.note_shown(tx, session, "a.md", digest)

    store.write(show)
    file = edits.session_directory(store.workflow, session) / "a.md"
    file.parent.mkdir(parents=True, exist_ok=True)

    with file.open("wb") as saving:
        with pytest.raises(NotAllowedNow, match="are being edited") as caught:
            moving.leave(cells.fleet, session, NORTH, SOUTH)
        assert "a.md" in caught.value.why
        assert store.read(lambda tx: custody.of(tx, session)) is None
        saving.write(b"mine\n")
    moving.leave(cells.fleet, session, NORTH, SOUTH)

    versions = store.read(lambda tx: artifacts.versions(tx, session, "a.md"))
    assert [each.author for each in versions] == ["writer", "user"]


@pytest.mark.long
def test_a_move_that_was_cut_short_with_the_code_half_there_is_done_again(cells: Cells) -> None:
    fleet, session = cells.fleet, cells.session
    epoch = moving.leave(fleet, session, NORTH, SOUTH)
    extra = portable_work.members(cells.stores[NORTH], session, fleet.cells[NORTH])
    code = portable.unpack(portable.pack(portable.gather(cells.stores[NORTH], session), extra).bytes).code
    assert code is not None
    file = cells.folder / "code.bundle"
    file.write_bytes(code.bundle)
    given = ("--session", session, "--base", code.base, "--origin", code.origin, "--from", str(file))
    portable_work.have_done("unbundle", fleet.cells[SOUTH], *given)  # and then it was killed

    moving.carry(fleet, session, NORTH, SOUTH, epoch)
    moving.carry(fleet, session, NORTH, SOUTH, epoch)

    assert cells.landed(SOUTH) == cells.landed(NORTH)


@pytest.mark.long
def test_what_its_source_has_let_go_is_not_discarded_by_a_late_undo(cells: Cells) -> None:
    fleet, session = cells.fleet, cells.session
    before = cells.landed(NORTH)
    epoch = moving.leave(fleet, session, NORTH, SOUTH)
    moving.carry(fleet, session, NORTH, SOUTH, epoch)
    moving.let_go(fleet, session, NORTH, epoch)

    moving.undo(fleet, session, NORTH, SOUTH, epoch)
    moving.arrive(fleet, session, SOUTH, epoch)

    assert cells.stores[NORTH].read(custody.session_ids) == []
    assert cells.stores[SOUTH].read(custody.session_ids) == [session]
    assert cells.landed(SOUTH) == before


@pytest.mark.scale
def test_where_the_code_does_not_fit_nothing_of_it_is_left_and_the_session_stays(
    origin: Path, tmp_path: Path, postgres: Server
) -> None:
    cells = Cells(tmp_path, postgres, repository(tmp_path / "other", {"another.py": "project"}))
    fleet, session, target = cells.fleet, cells.session, tmp_path / "other"
    before, head = cells.landed(NORTH), git(origin, "rev-parse", f"lifecycle/{session}")
    epoch = moving.leave(fleet, session, NORTH, SOUTH)

    with pytest.raises(NotAllowedNow, match="cannot be brought to south") as refused:
        moving.carry(fleet, session, NORTH, SOUTH, epoch)
    moving.undo(fleet, session, NORTH, SOUTH, epoch)

    assert "a clone of the same repository" in refused.value.fix and str(target) not in refused.value.why
    assert cells.stores[SOUTH].read(custody.session_ids) == []
    left = [path for path in (target / ".workflow").rglob(f"*{session}*") if path.parent.name != "locks"]
    assert left == []
    assert git(target, "for-each-ref", "--format=%(refname)", "refs/heads/lifecycle", "refs/lifecycle") == ""
    assert cells.landed(NORTH) == before
    assert git(origin, "rev-parse", f"lifecycle/{session}") == head
    assert cells.land(cells.going_on(NORTH), "two") != head
    cells.close()
