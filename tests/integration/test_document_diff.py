"""The files of a document that its last change changed: the index, the items, a person's edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from orchestrator.store import artifacts, edits
from orchestrator.store.store import Store, Tx
from orchestrator.views.document_diff import FileDiff, document_diff
from tests import factories

INDEX = "spec/requirements/_index.md"
ONE, TWO = "spec/requirements/REQ-001-log-in.md", "spec/requirements/REQ-002-log-out.md"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = factories.make_store(tmp_path)
    yield made
    made.close()


@pytest.fixture
def session(store: Store) -> str:
    return factories.make_session(store)


def write(store: Store, session: str, files: Mapping[str, str]) -> None:
    """Register new versions in one unit, as a run or the taking in of edits does."""

    def unit(tx: Tx) -> None:
        for path, text in files.items():
            body = text.encode()
            digest = artifacts.put(tx, body)
            artifacts.register(
                tx, session, path, digest, len(body), "document", author="writer", task=None, run=None
            )

    store.write(unit)


def diff(store: Store, session: str) -> list[FileDiff]:
    return store.read(lambda tx: document_diff(tx, session, INDEX))


def test_every_file_of_the_last_change_is_shown_the_index_first(store: Store, session: str) -> None:
    write(store, session, {INDEX: "Must\n", ONE: "Log in\n", TWO: "Log out\n", "spec/brief.md": "Brief\n"})
    assert diff(store, session) == []

    write(
        store,
        session,
        {INDEX: "Could\n", TWO: "Log out at once\n", "spec/requirements/REQ-003-pay.md": "Pay\n"},
    )
    found = diff(store, session)

    assert [(each["path"], each["old"], each["new"]) for each in found] == [
        (INDEX, 1, 2),
        (TWO, 1, 2),
        ("spec/requirements/REQ-003-pay.md", None, 1),
    ]
    assert found[1]["diff"][-2:] == ["-Log out", "+Log out at once"]
    assert found[2]["diff"][-1] == "+Pay"


def test_edit_in_a_file_that_nobody_took_in_is_the_last_change(store: Store, session: str) -> None:
    write(store, session, {INDEX: "Must\n", ONE: "Log in\n"})
    file = edits.session_directory(store.workflow, session) / ONE
    file.parent.mkdir(parents=True)
    file.write_text("Log in\n")
    shown = artifacts.digest_of(b"Log in\n")
    store.write(lambda tx: artifacts.note_shown(tx, session, ONE, shown))
    file.write_text("Log in by key\n")

    (found,) = diff(store, session)

    assert (found["path"], found["old"], found["new"]) == (ONE, 1, 2)
    assert found["diff"][-2:] == ["-Log in", "+Log in by key"]
