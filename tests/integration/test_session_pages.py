"""A list of sessions is read a page at a time: none is left out or shown twice, whatever comes and goes between pages."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands import manage
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.store import session_pages
from orchestrator.store.store import Store
from orchestrator.views.session_line import listing
from orchestrator.views.sessions_listed import LARGEST, page, session_page
from tests import factories as make

COUNT = 60


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    made = make.make_store(tmp_path_factory.mktemp("listed"))
    copy_sessions(made, COUNT)
    yield made
    made.close()


def copy_sessions(store: Store, count: int) -> None:
    """Sessions like the first one, in every state, several of them made at the same time."""
    first = make.make_session(store, "Build 100% of a URL_shortener")
    dice = random.Random(7)
    connection = sqlite3.connect(store.path)
    names = [row[1] for row in connection.execute("PRAGMA table_info(sessions)")]
    made = dict(
        zip(
            names, connection.execute("SELECT * FROM sessions WHERE id = ?", (first,)).fetchone(), strict=True
        )
    )
    for number in range(count - 1):
        status = ("active", "completed", "cancelled", "paused")[number % 4]
        row = {
            **made,
            "id": f"TLS-copy-{number:05d}-2026-11-22",
            "title": f"Copy {number:05d} of an ÄPFEL shop",
            "status": status,
            "pause_reason": "user" if status == "paused" else None,
            "finished_at": 1 if status in ("completed", "cancelled") else None,
            "archived": int(status == "cancelled" and number % 8 == 2),
            "created_at": made["created_at"] - dice.randrange(count // 3) * 1_000_000,
            "messages": 0,
            "projected": 0,
        }
        connection.execute(f"INSERT INTO sessions VALUES ({', '.join('?' * len(names))})", list(row.values()))
    connection.commit()
    connection.close()


def pages(store: Store, **asked: Any) -> Iterator[dict[str, Any]]:
    wanted = {"limit": 7, "before": None, "state": None, "search": None, "archived": False, **asked}
    while True:
        found = store.read(lambda tx: session_page(tx, page(**wanted)))
        yield found
        if found["next"] is None:
            return
        wanted["before"] = found["next"]


def ids(store: Store, **asked: Any) -> list[str]:
    return [each["session"] for found in pages(store, **asked) for each in found["sessions"]]


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("limit", [1, 7, COUNT - 1, COUNT, LARGEST])
def test_the_pages_together_are_the_list_newest_first(store: Store, limit: int, archived: bool) -> None:
    whole = store.read(lambda tx: listing(tx, archived=archived))

    paged = [each for found in pages(store, limit=limit, archived=archived) for each in found["sessions"]]

    timeless = [{**each, "elapsed_seconds": 0} for each in paged]
    assert timeless == [{**each, "elapsed_seconds": 0} for each in reversed(whole)]


@pytest.mark.parametrize("state", ["active", "paused", "completed", "cancelled"])
def test_a_state_is_all_that_is_listed(store: Store, state: str) -> None:
    whole = store.read(lambda tx: listing(tx, archived=True))

    found = ids(store, state=state, archived=True)

    assert found == [each["session"] for each in reversed(whole) if each["status"] == state]
    assert found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("copy 0001", 10),
        ("COPY-00012", 1),
        ("100%", 1),
        ("%", 1),
        ("_", 1),
        ("URL_s", 1),
        ("\\", 0),
        ("ÄPFEL", 59),
    ],
)
def test_a_text_is_part_of_a_title_or_an_id_and_no_pattern(store: Store, text: str, count: int) -> None:
    assert len(ids(store, search=text, archived=True)) == count


def test_what_is_deleted_or_made_between_two_pages_moves_no_other(tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    made = [make.make_session(store, f"Idea {number}") for number in range(6)]
    following = pages(store, limit=2)
    first = [each["session"] for each in next(following)["sessions"]]
    manage.cancel(store, first[-1], who="ann")
    manage.delete(store, first[-1], who="ann")
    make.make_session(store, "A late one")

    rest = [each["session"] for found in following for each in found["sessions"]]
    store.close()

    assert first + rest == made[::-1]


@pytest.mark.parametrize(
    "asked", [{"limit": 0}, {"limit": 201}, {"before": "x"}, {"before": "1.a;b"}, {"search": "x" * 201}]
)
def test_what_cannot_be_a_page_is_refused(asked: dict[str, Any]) -> None:
    wanted = {"limit": 7, "before": None, "state": None, "search": None, "archived": False, **asked}
    with pytest.raises(UsageError) as refused:
        page(**wanted)

    assert refused.value.fix
    with pytest.raises(UnknownName):
        page(**{**wanted, **dict.fromkeys(asked), "state": "done"})


def test_a_page_is_read_by_the_index_without_sorting(store: Store) -> None:
    connection = sqlite3.connect(store.path)
    form = session_pages._page.form
    values = {"created": 1, "id": "", "archived": 0, "status": "", "pattern": "%%", "limit": 5}
    steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {form.sql}", form.bind(values))]
    connection.close()

    assert steps == ["SEARCH sessions USING INDEX ix_sessions_created (created_at<?)"]
