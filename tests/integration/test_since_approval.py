"""What has changed since the last approval: items by content, then documents, the largest change first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.domain.pauses import PauseReason
from orchestrator.store import artifacts, decisions, edits, sessions
from orchestrator.store.store import Store, Tx
from orchestrator.views.since_approval import SinceApproval, since_approval
from tests import factories

REQS = "spec/requirements.md"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = factories.make_store(tmp_path)
    yield made
    made.close()


@pytest.fixture
def session(store: Store) -> str:
    return factories.make_session(store)


def page(*items: str) -> str:
    return "".join(f"## {item}\n\nIt does {item.lower()}.\n\n" for item in items)


def write(store: Store, session: str, path: str, text: str) -> None:
    def unit(tx: Tx) -> None:
        body = text.encode()
        digest = artifacts.put(tx, body)
        artifacts.register(
            tx, session, path, digest, len(body), "document", author="writer", task=None, run=None
        )

    store.write(unit)


def approve(store: Store, session: str, digest: str | None = None) -> None:
    def unit(tx: Tx) -> None:
        shown = digest or sessions.subject_digest(tx, session, PauseReason.CHECKPOINT)
        decisions.decide(tx, session, "approve_checkpoint QUALITY-001", "ann", "", digest=shown)

    store.write(unit)


def changes(store: Store, session: str, path: str | None = None) -> SinceApproval:
    def unit(tx: Tx) -> SinceApproval:
        row = sessions.get(tx, session)
        assert row is not None
        return since_approval(tx, row, path)

    return store.read(unit)


def test_items_come_by_kind_and_documents_with_the_largest_change_first(store: Store, session: str) -> None:
    write(store, session, REQS, page("REQ-001: Log in", "REQ-002: Log out"))
    write(store, session, "spec/brief.md", "Brief\n")
    write(store, session, "spec/same.md", "Same\n")
    write(store, session, "spec/.content/brief.json", "{}")
    approve(store, session)
    write(store, session, REQS, page("REQ-001: Log in by key", "REQ-003: Export", "REQ-004: Import"))
    write(store, session, "spec/brief.md", "Brief!\n")
    write(store, session, "spec/.content/brief.json", "{ }")
    write(store, session, "plan/plan.md", "not of the specification")

    found = changes(store, session)

    assert found["says"] == "+2 REQ, 1 REQ changed, 1 REQ withdrawn"
    assert [(each["item"], each["change"]) for each in found["items"]] == [
        ("REQ-003", "new"),
        ("REQ-004", "new"),
        ("REQ-001", "changed"),
        ("REQ-002", "withdrawn"),
    ]
    documents = [(each["path"], each["approved"], each["version"]) for each in found["documents"]]
    assert documents == [(REQS, 1, 2), ("spec/brief.md", 1, 2)]
    assert (found["documents"][1]["added"], found["documents"][1]["removed"]) == (1, 1)
    assert found["documents"][1]["diff"][-2:] == ["-Brief", "+Brief!"]
    assert (found["by"], found["whole"]) == ("ann", None)


def test_before_the_first_approval_everything_is_shown_and_said(store: Store, session: str) -> None:
    write(store, session, REQS, page("REQ-001: Log in"))

    found = changes(store, session)

    assert (found["approved_at"], found["whole"]) == (None, "nothing of it has been approved yet")
    assert [(each["path"], each["approved"]) for each in found["documents"]] == [(REQS, None)]
    assert found["says"] == "+1 REQ"


def test_versions_that_are_not_those_approved_are_not_taken_for_them(store: Store, session: str) -> None:
    write(store, session, REQS, page("REQ-001: Log in"))
    approve(store, session, digest="0" * 64)

    found = changes(store, session)

    assert found["whole"] == "the versions that were approved are not known any more"
    assert [each["approved"] for each in found["documents"]] == [None]


def test_the_newest_approval_counts_and_nothing_has_changed_right_after_it(
    store: Store, session: str
) -> None:
    write(store, session, REQS, page("REQ-001: Log in"))
    approve(store, session)
    write(store, session, REQS, page("REQ-001: Log in", "REQ-002: Log out"))
    approve(store, session)

    found = changes(store, session)

    assert (found["items"], found["documents"], found["whole"]) == ([], [], None)


def test_an_edit_that_is_only_in_the_file_counts(store: Store, session: str) -> None:
    write(store, session, REQS, page("REQ-001: Log in"))
    approve(store, session)
    body = page("REQ-001: Log in", "REQ-002: Log out").encode()
    file = store.workflow / ".team" / session / REQS
    file.parent.mkdir(parents=True)
    file.write_bytes(page("REQ-001: Log in").encode())
    store.write(lambda tx: artifacts.note_shown(tx, session, REQS, artifacts.digest_of(file.read_bytes())))
    file.write_bytes(body)
    assert store.read(lambda tx: edits.edited(tx, session)) == {REQS: body}

    found = changes(store, session, REQS)

    assert found["says"] == "+1 REQ"
    (document,) = found["documents"]
    assert (document["by"], document["taken_in"], document["version"]) == ("user", False, 2)
