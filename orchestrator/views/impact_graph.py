"""The graph of a specification's items, and of one that is chosen its chain and what `revise` would make."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from orchestrator.domain.errors import UnknownName
from orchestrator.domain.item_graph import chain, edges_of, kind_of, weak_links
from orchestrator.domain.json_types import JsonObject
from orchestrator.lifecycle.specified import documents_of, items_now
from orchestrator.store import artifacts, edits
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views.impact import impact


class Item(TypedDict):
    item: str
    kind: str  # goal, requirement, decision, component, epic, story, item
    title: str
    path: str
    withdrawn: bool


class Edge(TypedDict):
    upstream: str
    downstream: str


class WeakLink(TypedDict):
    item: str
    why: str


class ImpactGraph(TypedDict):
    """`chosen` is None without a name; with one, nodes, edges and weak links are those of its chain."""

    session: str
    chosen: str | None
    nodes: list[Item]
    edges: list[Edge]
    weak: list[WeakLink]
    impact: JsonObject | None


def impact_graph(tx: Tx, session: Session, name: str | None, project: Path) -> ImpactGraph:
    """The items as they are now, a person's edits taken in. Raises UnknownName for an item that is not there."""
    newest = {row.path: row.sha256 for row in artifacts.newest(tx, session.id)}
    items = items_now(tx, newest, documents_of(tx, session.id), edits.edited(tx, session.id))
    chosen = None if name is None else next((id for id in items if id.lower() == name.lower()), None)
    if name is not None and chosen is None:
        raise UnknownName(
            "item", name, items, fix=f"`lifecycle impact --graph --session {session.id}` lists them"
        )
    edges = edges_of(items)
    shown = set(items) if chosen is None else chain(edges, chosen)
    return {
        "session": session.id,
        "chosen": chosen,
        "nodes": [
            {
                "item": id,
                "kind": kind_of(id),
                "title": item.title,
                "path": item.path,
                "withdrawn": item.withdrawn,
            }
            for id, item in items.items()
            if id in shown
        ],
        "edges": [
            {"upstream": above, "downstream": below}
            for above, below in edges
            if above in shown and below in shown
        ],
        "weak": [
            {"item": each.item, "why": each.why} for each in weak_links(items, edges) if each.item in shown
        ],
        "impact": None if chosen is None else impact(tx, session, chosen, project),
    }
