"""The items of a specification as a graph, from goals to stories, and where a link is missing."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.impact import Made, Node, descendants, upstream
from orchestrator.domain.spec_items import COMPONENT, SpecItem

GOAL, REQUIREMENT, DECISION, STORY = "goal", "requirement", "decision", "story"
_KINDS = {"G": GOAL, "REQ": REQUIREMENT, "NFR": REQUIREMENT, "ADR": DECISION, "EPIC": "epic", "STORY": STORY}


@dataclass(frozen=True, slots=True)
class Weak:
    """An item that a link is missing from, and what is missing."""

    item: str
    why: str


def kind_of(id: str) -> str:
    """What an item is; one of a document that was declared here is an `item`."""
    return "component" if id.startswith(COMPONENT) else _KINDS.get(id.partition("-")[0], "item")


def edges_of(items: Mapping[str, SpecItem]) -> list[tuple[str, str]]:
    """(upstream, downstream) of the items in force, in the order of the items."""
    live = {id for id, item in items.items() if not item.withdrawn}
    return [(ref, id) for id in items if id in live for ref in sorted(items[id].refs) if ref in live]


def chain(edges: list[tuple[str, str]], item: str) -> set[str]:
    """The item with everything that it was made of, and everything that was made of it."""
    links = [Made(("item", above), ("item", below)) for above, below in edges]
    node: Node = ("item", item)
    return {item, *(id for _, id in upstream(links, node)), *(id for _, id in descendants(links, [node]))}


def weak_links(items: Mapping[str, SpecItem], edges: list[tuple[str, str]]) -> list[Weak]:
    """Items in force that a link is missing from; a kind of which there is none at all is missed by nobody."""
    above: dict[str, set[str]] = {}
    below: dict[str, set[str]] = {}
    for source, target in edges:
        above.setdefault(target, set()).add(kind_of(source))
        below.setdefault(source, set()).add(kind_of(target))
    live = [id for id, item in items.items() if not item.withdrawn]
    kinds = {kind_of(id) for id in live}
    found: list[Weak] = []
    for id in live:
        for kind, other, linked, why in (
            (GOAL, REQUIREMENT, below, "no requirement serves it"),
            (REQUIREMENT, GOAL, above, "it serves no goal"),
            (REQUIREMENT, STORY, below, "no story carries it out"),
            (DECISION, REQUIREMENT, above, "it answers no requirement"),
            (STORY, REQUIREMENT, above, "it carries out no requirement"),
        ):
            if kind_of(id) == kind and other in kinds and other not in linked.get(id, ()):
                found.append(Weak(id, why))
    unknown = {id: sorted(items[id].refs - items.keys()) for id in live}
    found += [
        Weak(id, f"it names {', '.join(refs)}, which is not there") for id, refs in unknown.items() if refs
    ]
    gone = {id for id, item in items.items() if item.withdrawn}
    withdrawn = {id: sorted(items[id].refs & gone) for id in live}
    found += [
        Weak(id, f"it names {', '.join(refs)}, which is withdrawn") for id, refs in withdrawn.items() if refs
    ]
    return found
