"""The graph of a specification's items: links, chains, and where a link is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.domain.errors import UnknownName
from orchestrator.store import artifacts, sessions
from orchestrator.store.store import Tx
from orchestrator.views.impact_graph import ImpactGraph, impact_graph
from tests import factories

PAGE = """\
## G-001: Quick orders

## G-002: Nobody serves this

## REQ-001: Order by phone

Serves G-001.

## REQ-002: Adrift

## ADR-001: One queue

Answers REQ-001.

## STORY-001-001: As a cook I see orders

Carries out REQ-001 and REQ-009.
"""


def test_a_chosen_item_shows_its_chain_and_the_weak_links_in_it(tmp_path: Path) -> None:
    store = factories.make_store(tmp_path)
    session = factories.make_session(store)

    def write(tx: Tx) -> None:
        digest = artifacts.put(tx, PAGE.encode())
        artifacts.register(
            tx, session, "spec/all.md", digest, len(PAGE), "document", author="writer", task=None, run=None
        )

    store.write(write)

    def read(name: str | None) -> ImpactGraph:
        def unit(tx: Tx) -> ImpactGraph:
            row = sessions.get(tx, session)
            assert row is not None
            return impact_graph(tx, row, name, tmp_path)

        return store.read(unit)

    whole, one = read(None), read("req-001")
    with pytest.raises(UnknownName):
        read("REQ-009")
    store.close()

    edges = [(each["upstream"], each["downstream"]) for each in whole["edges"]]
    assert sorted(edges) == [("G-001", "REQ-001"), ("REQ-001", "ADR-001"), ("REQ-001", "STORY-001-001")]
    assert {(each["item"], each["why"]) for each in whole["weak"]} == {
        ("G-002", "no requirement serves it"),
        ("REQ-002", "it serves no goal"),
        ("REQ-002", "no story carries it out"),
        ("STORY-001-001", "it names REQ-009, which is not there"),
    }
    assert one["chosen"] == "REQ-001"
    assert {each["item"] for each in one["nodes"]} == {"G-001", "REQ-001", "ADR-001", "STORY-001-001"}
    assert [each["item"] for each in one["weak"]] == ["STORY-001-001"]
    assert one["impact"] is not None and one["impact"]["about"]["id"] == "REQ-001"
