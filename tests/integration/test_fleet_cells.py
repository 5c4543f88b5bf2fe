"""A cell is drained and opened again while its sessions end, and while people answer them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.commands import manage
from orchestrator.commands.resume import Answer, resume
from orchestrator.config.settings import TemporalSettings
from orchestrator.domain.pauses import PauseReason
from orchestrator.fleet import cells
from orchestrator.fleet.definition import Fleet
from orchestrator.store import sessions
from orchestrator.store.store import Store
from tests import factories as make

CELL = "north"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make.make_store(tmp_path)


@pytest.fixture
def fleet(store: Store, tmp_path: Path) -> Fleet:
    return Fleet(tmp_path / "fleet.toml", {CELL: tmp_path}, CELL, TemporalSettings())


def meanwhile(monkeypatch: pytest.MonkeyPatch, name: str, do: Callable[[], object]) -> None:
    """Somebody does this once, just after the sessions were listed."""
    listed = getattr(cells, name)

    def list_and_do(store: Store) -> list[str]:
        found: list[str] = listed(store)
        monkeypatch.setattr(cells, name, listed)
        do()
        return found

    monkeypatch.setattr(cells, name, list_and_do)


def statuses(store: Store, *ids: str) -> list[str]:
    found = store.read(lambda tx: [sessions.get(tx, each) for each in ids])
    return [row.status for row in found if row is not None]


def test_a_session_that_ends_while_its_cell_is_drained_is_left_alone(
    store: Store, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends, other = make.make_session(store, "Build a shop"), make.make_session(store, "Build a blog")
    meanwhile(monkeypatch, "_active", lambda: manage.cancel(store, ends, who="ann"))

    assert cells.halt(fleet, CELL)

    assert statuses(store, ends, other) == ["cancelled", "paused"]


def test_a_session_that_a_person_has_paused_keeps_its_reason(store: Store, fleet: Fleet) -> None:
    session = make.make_session(store, "Build a shop")
    manage.pause(store, session, who="ann", words="wait for Bob")

    assert cells.halt(fleet, CELL)
    assert cells.go_on(fleet, CELL) == []

    row = store.read(lambda tx: sessions.get(tx, session))
    assert row is not None and row.pause_detail is not None
    assert (row.status, row.pause_detail["words"]) == ("paused", "wait for Bob")


def ends(store: Store, session: str) -> None:
    manage.cancel(store, session, who="ann")


def is_deleted(store: Store, session: str) -> None:
    ends(store, session)
    manage.delete(store, session, who="ann")


def is_paused_by_ann(store: Store, session: str) -> None:
    resume(store, session, Answer(who="ann"), more_attempts=1)
    manage.pause(store, session, who="ann", words="wait for Bob")


def comes_to_a_checkpoint(store: Store, session: str) -> None:
    resume(store, session, Answer(who="ann"), more_attempts=1)
    store.write(lambda tx: sessions.pause(tx, session, PauseReason.CHECKPOINT, {"task": "QUALITY-001"}))


@pytest.mark.parametrize(
    ("do", "status"),
    [
        (ends, ["cancelled"]),
        (is_deleted, []),
        (is_paused_by_ann, ["paused"]),
        (comes_to_a_checkpoint, ["paused"]),
    ],
)
def test_what_happens_to_a_session_while_its_cell_is_opened_again_stays_so(
    store: Store,
    fleet: Fleet,
    monkeypatch: pytest.MonkeyPatch,
    do: Callable[[Store, str], None],
    status: list[str],
) -> None:
    session = make.make_session(store, "Build a shop")
    assert cells.halt(fleet, CELL)
    meanwhile(monkeypatch, "_halted", lambda: do(store, session))

    assert cells.go_on(fleet, CELL) == []

    assert statuses(store, session) == status
