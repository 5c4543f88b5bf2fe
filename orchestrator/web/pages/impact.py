"""The items of a specification from goals to stories; of one that is chosen its chain, and what a change would make."""

from __future__ import annotations

from markupsafe import Markup
from starlette.responses import Response

from orchestrator.domain.drawing import Metrics, Node, place
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views.impact_graph import ImpactGraph, Item, impact_graph
from orchestrator.web.graph_svg import LINE_HEIGHT, Face, fitted, svg
from orchestrator.web.pages.document import document_address, session_address
from orchestrator.web.rendering import address, render
from orchestrator.web.web_request import WebRequest

KINDS = {
    "goal": "Goals",
    "requirement": "Requirements",
    "decision": "Architecture decisions",
    "component": "Components",
    "epic": "Epics",
    "story": "Stories",
    "item": "Other items",
}
MOST_DRAWN = 80  # items: a larger graph would not be read
LISTED = 400  # items of one kind
BOX = Metrics(width=170, height=2 * LINE_HEIGHT + 12, column_gap=36, row_gap=12)
CELLS = 21


def page(request: WebRequest) -> Response:
    """Raises UnknownName for an item that is not there."""
    name = request.names.get("item")
    root = request.project.project.root

    def unit(tx: Tx, session: Session) -> tuple[str, ImpactGraph]:
        return session.title, impact_graph(tx, session, name, root)

    title, found = request.read(unit)
    found["nodes"].sort(key=lambda each: list(KINDS).index(each["kind"]))  # stable: else as in the documents
    items = [
        (label, [each for each in found["nodes"] if each["kind"] == kind]) for kind, label in KINDS.items()
    ]
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for edge in found["edges"]:
        above.setdefault(edge["downstream"], []).append(edge["upstream"])
        below.setdefault(edge["upstream"], []).append(edge["downstream"])
    weak: dict[str, list[str]] = {}
    for each in found["weak"]:
        weak.setdefault(each["item"], []).append(each["why"])
    here = session_address(request)
    return render(
        request,
        "impact.html",
        live="impact_live.html",
        title=f"{found['chosen']} of {title}" if found["chosen"] else f"Items of {title}",
        found=found,
        chosen=next((each for each in found["nodes"] if each["item"] == found["chosen"]), None),
        items=[(label, rows[:LISTED], len(rows)) for label, rows in items if rows],
        above=above,
        below=below,
        weak=weak,
        graph=_graph(request, found, above, weak),
        session_address=here,
        documents={each["path"]: document_address(request, each["path"]) for each in found["nodes"]},
    )


def item_address(request: WebRequest, item: str) -> str:
    return session_address(request) + "/impact" + address(item)


def _graph(
    request: WebRequest, found: ImpactGraph, above: dict[str, list[str]], weak: dict[str, list[str]]
) -> Markup | None:
    """A column a step from the goals on; None where there is nothing to see, or too much."""
    nodes = found["nodes"]
    if not found["edges"] or len(nodes) > MOST_DRAWN:
        return None

    def face(each: Item) -> Face:
        id = each["item"]
        marks = (("weak",) if id in weak else ()) + (("chosen",) if id == found["chosen"] else ())
        first = f"! {id}" if id in weak else id
        return Face(
            (fitted(first, CELLS, 1)[0], fitted(each["title"] or "", CELLS, 1)[0]),
            f"{id}: {each['title']}",
            marks,
            item_address(request, id),
        )

    drawn = place([Node(each["item"], tuple(above.get(each["item"], ()))) for each in nodes], metrics=BOX)
    return svg(drawn, {each["item"]: face(each) for each in nodes})
