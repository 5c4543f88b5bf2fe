"""How the items of a specification hang together; of one that is chosen its chain, and what a revision would make again."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from markupsafe import Markup
from starlette.responses import Response

from orchestrator.domain.drawing import Metrics, Node, place
from orchestrator.domain.json_types import JsonObject
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import session_line
from orchestrator.views.impact_graph import ImpactGraph, impact_graph
from orchestrator.web.graph_svg import Face, fitted, svg
from orchestrator.web.pages.document import document_address, session_address
from orchestrator.web.rendering import render
from orchestrator.web.web_request import WebRequest

DRAWN = (
    60  # items that fit into a drawing; of more there is the list, and the chain of the one that is chosen
)
ORDER = ("goal", "requirement", "decision", "component", "epic", "story", "item")
WIDTH, LABEL_CELLS, LABEL_LINES = 190, 24, 2


def page(request: WebRequest) -> Response:
    chosen = request.names.get("item")
    root = request.project.project.root

    def unit(tx: Tx, session: Session) -> tuple[JsonObject, ImpactGraph]:
        return session_line.summary(tx, session), impact_graph(tx, session, chosen, root)

    session, found = request.read(unit)
    found["nodes"].sort(key=lambda each: ORDER.index(each["kind"]))  # stable: else as in the documents
    kinds: dict[str, list[JsonObject]] = {}
    made_of: dict[str, list[str]] = {}
    for edge in found["edges"]:
        made_of.setdefault(edge["downstream"], []).append(edge["upstream"])
    for each in found["nodes"]:
        shown: JsonObject = {**each, "made_of": made_of.get(each["item"], [])}
        kinds.setdefault(each["kind"], []).append(shown)
    return render(
        request,
        "impact.html",
        title=request.language.text("Impact of {0}", found["chosen"])
        if found["chosen"]
        else request.language.text("Impact"),
        session=session,
        found=found,
        kinds=kinds,
        titles={each["item"]: each["title"] for each in found["nodes"]},
        drawing=_drawn(request, found, made_of) if len(found["nodes"]) <= DRAWN else None,
        open_document=lambda path: document_address(request, path),
        open_item=lambda item: item_address(request, item),
    )


def item_address(request: WebRequest, item: str) -> str:
    return f"{session_address(request)}/impact/{quote(item)}"


def _drawn(request: WebRequest, found: ImpactGraph, made_of: Mapping[str, list[str]]) -> Markup:
    """The items as a graph: what an item was made of is left of it."""
    weak = {each["item"] for each in found["weak"]}
    nodes = [Node(each["item"], tuple(made_of.get(each["item"], ()))) for each in found["nodes"]]
    faces = {}
    for each in found["nodes"]:
        kinds = [
            *(["thick"] if each["item"] == found["chosen"] else []),
            *(["failed"] if each["item"] in weak else []),
        ]
        name = each["item"].rpartition(":")[2]
        words = each["title"] if each["title"] != name else each["kind"]
        faces[each["item"]] = Face(
            (*fitted(name, LABEL_CELLS, 1), *fitted(words, LABEL_CELLS, LABEL_LINES - 1)),
            title=f"{each['item']} {each['title']}",
            kinds=tuple(kinds),
            href=item_address(request, each["item"]),
        )
    return svg(place(nodes, metrics=Metrics(width=WIDTH, height=40)), faces)
