"""Sessions of many tasks: counts of alike tasks, what matters now alone, groups in pages; and one task with everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.domain.errors import UnknownName
from orchestrator.store import sessions
from orchestrator.store.rows import Session
from orchestrator.store.store import Store, Tx
from orchestrator.views import lookup
from orchestrator.views.check import task_views
from orchestrator.views.grouped import group_page, grouped
from orchestrator.views.task import task_view
from tests import factories


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = factories.make_store(tmp_path)
    yield made
    made.close()


def started(store: Store) -> str:
    """A session whose first task runs."""
    session = factories.make_session(store)
    factories.one_beat(store, session, factories.lead(store))
    assert factories.claim(store, factories.make_host(store)) is not None
    return session


def row_of(tx: Tx, session: str) -> Session:
    found = sessions.get(tx, session)
    assert found is not None
    return found


def test_groups_count_every_task_once_and_name_alone_what_runs_failed_or_is_ready(store: Store) -> None:
    session = started(store)
    every = store.read(lambda tx: task_views(tx, row_of(tx, session)))

    found = store.read(lambda tx: grouped(tx, row_of(tx, session)))

    states = Counter(
        (each["phase"], each["role"], "ready" if each["ready"] else each["status"]) for each in every
    )
    assert {(each["phase"], each["role"], each["state"]): each["count"] for each in found["groups"]} == states
    assert (found["tasks"], found["is_grouped"]) == (len(every), False)
    assert [(each["task"], each["state"]) for each in found["single"]] == [("RESEARCH-001", "in_progress")]


def test_a_group_opens_in_pages_without_gap_or_repeat(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session = started(store)
    monkeypatch.setattr("orchestrator.views.grouped.PAGE", 2)
    whole = store.read(lambda tx: grouped(tx, row_of(tx, session)))
    group = max(whole["groups"], key=lambda each: each["count"])
    seen: list[str] = []
    skip: int | None = 0

    while skip is not None:
        page = store.read(lambda tx, skip=skip: group_page(tx, row_of(tx, session), group["group"], skip))
        seen += [each["task"] for each in page["tasks"]]
        skip = page["next_skip"]

    every = store.read(lambda tx: task_views(tx, row_of(tx, session)))
    wanted = [
        each["task"]
        for each in every
        if (each["phase"], each["role"], each["status"]) == (group["phase"], group["role"], group["state"])
    ]
    assert len(wanted) > 2
    assert seen == wanted
    with pytest.raises(UnknownName):
        store.read(lambda tx: group_page(tx, row_of(tx, session), "spec/nobody/pending"))


def test_one_task_says_first_why_it_is_in_its_state(store: Store) -> None:
    session = started(store)

    def read(tx: Tx, key: str) -> dict[str, object]:
        row = row_of(tx, session)
        return task_view(tx, row, lookup.task(tx, row, key))

    running = store.read(lambda tx: read(tx, "RESEARCH-001"))
    blocked = store.read(lambda tx: read(tx, "DRAFT-001"))

    assert list(running)[:2] == ["session", "why"]
    assert [run["outcome"] for run in running["runs"]] == ["open"]
    assert blocked["why"]["state"] == "blocked"
    assert (blocked["runs"], blocked["errors"], blocked["cost"]["calls"]) == ([], [], 0)
