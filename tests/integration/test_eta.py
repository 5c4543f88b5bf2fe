"""The expected end that `check` shows, from rows: unknown in a new project, a number once the same was done there."""

from __future__ import annotations

from pathlib import Path

from orchestrator.store import sessions, task_history
from orchestrator.views.eta import expected
from tests import factories
from tests.e2e.cli_world import work_off


def test_the_end_is_unknown_until_the_same_was_done_in_this_project(tmp_path: Path) -> None:
    store = factories.make_store(tmp_path)
    first = factories.make_session(store, "One work")

    def read(session: str) -> object:
        row = store.read(lambda tx: sessions.get(tx, session))
        assert row is not None
        return store.read(lambda tx: expected(tx, row))

    before = read(first)
    assert isinstance(before, dict)
    assert (before["seconds"], before["usd"], before["ends_at"]) == (None, None, None)
    assert "RESEARCH-001" in before["unknown"]

    work_off(store, first)
    assert read(first) is None
    after = read(factories.make_session(store, "Other work"))
    taken = {row.kind: row for row in store.read(task_history.taken)}
    store.close()

    assert isinstance(after, dict)
    assert after["unknown"] == []
    assert after["path"][0] == "RESEARCH-001"
    path = sum(taken[key].micros_of_time for key in after["path"]) / 1_000_000
    assert abs(after["seconds"]["expected"] - path) < 0.1
    assert after["ends_from"] <= after["ends_at"] <= after["ends_until"]
    assert after["usd"] == {"low": 0, "expected": 0, "high": 0}
