"""A gap that gives a role more work: what a person wrote into the role's file stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.domain.dynamic import ROLES
from orchestrator.store import artifacts, records, sessions
from orchestrator.store.store import Tx
from tests import factories, invariants

EVERYTHING = "Investigate, plan, design, implement, document, analyze and test the importer"
PATH = "roles/designer.md"
OWN = b"---\nrole: designer\n---\nDraw every box twice, and name the people who decided it.\n"


@pytest.mark.parametrize("edited", [True, False])
def test_a_role_file_that_a_person_edited_stays_when_a_gap_adds_to_the_role(
    tmp_path: Path, edited: bool
) -> None:
    store = factories.make_store(tmp_path)
    session = factories.make_session(store, EVERYTHING, mode="dynamic")
    factories.one_beat(store, session, factories.lead(store))
    row = factories.claim(store, factories.make_host(store, roles=ROLES), ROLES)
    assert row is not None

    def edit(tx: Tx) -> None:
        digest = artifacts.put(tx, OWN)
        artifacts.register(
            tx, session, PATH, digest, len(OWN), "analysis", author="user", task=None, run=None
        )

    if edited:
        store.write(edit)
    gap = {"capability": "general", "task": "Tidy the shelves of the archive."}
    factories.finish(store, row, roles=ROLES, gaps=[gap])

    newest = store.read(lambda tx: artifacts.versions(tx, session, PATH))[-1]
    assert "TASK-001" in factories.keys(store, session)
    assert (newest.author == "user") == edited
    if not edited:
        assert b"general" in store.read(lambda tx: artifacts.body(tx, newest.sha256))
    store.close()


def test_a_gap_in_code_that_nobody_can_fill_is_an_open_question_and_nothing_waits(tmp_path: Path) -> None:
    store = factories.make_store(tmp_path)
    session = factories.make_session(store, "Write about caches", mode="dynamic")
    factories.one_beat(store, session, factories.lead(store))
    row = factories.claim(store, factories.make_host(store, roles=ROLES), ROLES)
    assert row is not None
    before = factories.keys(store, session)
    gap = {"capability": "coding", "task": "Implement a cache for the shelves."}

    factories.finish(store, row, roles=ROLES, gaps=[gap], can_code=False)

    assert set(factories.keys(store, session)) == set(before)
    [issue] = store.read(lambda tx: records.wisdom_of(tx, session))
    assert issue.name == "issues" and "Implement a cache for the shelves." in issue.data
    state = store.read(lambda tx: sessions.get(tx, session))
    assert state is not None and state.status != "paused"
    invariants.check(store.path)
    store.close()
