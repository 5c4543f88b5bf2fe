"""What a run has made: registered once, and read once by those that come after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.domain.errors import StoreError
from orchestrator.door.local_desk import LocalDesk
from orchestrator.store import artifacts
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from tests import factories as make

DRAFTS = {f"spec/{name}.md": (name.encode(), "document") for name in ("harbour", "lighthouse", "pier")}
RECORD = {"discussions/harbour.md": (b"they agreed", "discussion")}


def begun(folder: Path) -> tuple[Store, Run]:
    """A store, and a run in it."""
    store = make.make_store(folder)
    lead = make.lead(store)
    session = make.make_session(store)
    make.one_beat(store, session, lead)
    run = make.claim(store, make.make_host(store))
    assert run is not None
    return store, run


def changes(store: Store, run: Run, made: dict[str, tuple[bytes, str]]) -> int:
    """How many rows it takes to register these."""

    def register(tx: Tx) -> int:
        before = written(tx)
        artifacts.produce(tx, run.run, made)
        return written(tx) - before

    return store.write(register, about=run.session_id)


def written(tx: Tx) -> int:
    tx.opened.cursor.execute("SELECT total_changes()")
    return int(tx.opened.cursor.fetchone()[0])


def products(store: Store, run: Run) -> dict[str, str]:
    return store.read(lambda tx: {row.path: row.kind for row in artifacts.products_of(tx, run.run)})


def test_a_record_is_added_without_writing_again_what_it_is_about(tmp_path: Path) -> None:
    store, run = begun(tmp_path)
    changes(store, run, DRAFTS)

    taken = changes(store, run, {**DRAFTS, **RECORD})

    assert taken == 2  # the content and the product
    assert set(products(store, run)) == {*DRAFTS, *RECORD}


@pytest.mark.parametrize(
    "other",
    [
        {"spec/harbour.md": (b"another text", "document"), "spec/pier.md": (b"pier", "document")},
        {path: DRAFTS[path] for path in ("spec/pier.md",)},
        {**DRAFTS, "spec/pier.md": (b"pier", "report")},
    ],
    ids=["another text", "fewer", "another kind"],
)
def test_what_is_made_anew_takes_the_place_of_all_before(
    tmp_path: Path, other: dict[str, tuple[bytes, str]]
) -> None:
    store, run = begun(tmp_path)
    changes(store, run, {**DRAFTS, **RECORD})

    changes(store, run, other)

    assert products(store, run) == {path: kind for path, (_, kind) in other.items()}
    digests = store.read(lambda tx: {row.path: row.sha256 for row in artifacts.products_of(tx, run.run)})
    assert digests == {path: artifacts.digest_of(body) for path, (body, _) in other.items()}


def test_a_content_is_read_once(tmp_path: Path) -> None:
    store, run = begun(tmp_path)
    changes(store, run, DRAFTS)
    desk = LocalDesk(store)
    read, unread = (artifacts.digest_of(DRAFTS[f"spec/{name}.md"][0]) for name in ("harbour", "pier"))
    desk.content(read)

    def lose(tx: Tx) -> None:
        tx.opened.cursor.execute("DELETE FROM products")
        tx.opened.cursor.execute("DELETE FROM contents")

    store.write(lose)

    assert desk.content(read) == b"harbour"
    with pytest.raises(StoreError):
        desk.content(unread)
