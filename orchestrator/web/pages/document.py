"""The documents of a session: their list, one of them with its outline and versions, and what changed between two."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated
from urllib.parse import quote

from pydantic import Field
from starlette.responses import Response

from orchestrator.domain.dataclass import replace
from orchestrator.domain.inert import inert
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.text_diff import Hunk, counts, hunks
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import check, session_line
from orchestrator.views.document import Document
from orchestrator.views.document import document as document_view
from orchestrator.views.reading_order import reading_order, titles
from orchestrator.views.since_approval import KEPT, KEPT_BYTES
from orchestrator.web.document_links import LinkRules
from orchestrator.web.document_text import changed_since, without_noise
from orchestrator.web.language import CODES
from orchestrator.web.rendering import address, render
from orchestrator.web.web_request import Query, WebRequest

Number = Annotated[int | None, Field(ge=1, le=1_000_000)]
FOLDERS = {"spec": "Specification", "plan": "Plan", "analysis": "Analysis", "discussions": "Discussions"}
MOST_LINES = 1_500  # lines of a comparison that are shown
MOST_COMPARED = 1024 * 1024  # bytes of a text that is compared


class OfDocument(Query):
    v: Annotated[Number, Field(description="The version to show; default: the newest.")] = None
    since: Annotated[
        Number, Field(alias="from", description="The version to compare with; default: the approved one.")
    ] = None


def documents(request: WebRequest) -> Response:
    """The list of a session's documents by folder, in the order in which they are read; data beside them is left out."""

    def unit(tx: Tx, session: Session) -> JsonObject:
        place, title = reading_order(tx, session), titles(tx, session)
        listed = sorted(check.artifact_views(tx, session.id), key=lambda each: place(each["path"]))
        named = [{**each, "title": title(each["path"])} for each in listed]
        return {"session": session_line.summary(tx, session), "documents": named}

    found = request.read(unit)
    shown = [
        {**each, "href": document_address(request, each["path"])}
        for each in found["documents"]
        if each["path"].endswith(".md")
    ]
    folders: dict[str, list[JsonObject]] = {}
    for each in shown:
        folders.setdefault(each["path"].partition("/")[0], []).append(each)
    return render(
        request,
        "doc_list.html",
        live="doc_list_live.html",
        title=request.language.text("Documents of {0}", found["session"]["title"]),
        session=found["session"],
        folders=[(FOLDERS.get(name, name), rows) for name, rows in folders.items()],
    )


def page(request: WebRequest) -> Response:
    """A document as it reads, with what changed in it marked by section."""
    from orchestrator.web.markdown import RENDER_LIMIT, Rendered, as_text, rendered

    asked: OfDocument = request.query
    title, spoken, found = request.read(
        lambda tx, row: (row.title, row.language, _document(request, tx, row))
    )
    is_markdown = found.path.endswith(".md")
    links = LinkRules(found.path, frozenset(found.others), lambda path: document_address(request, path))
    changed = _changed(found) if is_markdown else frozenset[str]()
    shown = (
        rendered(found.body, links, changed)
        if is_markdown
        else Rendered(as_text(found.body[:RENDER_LIMIT].decode("utf-8", "replace")), plain=True)
    )
    return render(
        request,
        "document.html",
        title=shown.headings[0].title if shown.headings else found.path,
        session_title=title,
        content_language=CODES.get(spoken, spoken),
        document=found,
        shown=shown,
        changed=changed,
        asked=asked,
        address=document_address(request, found.path),
        diff_address=diff_address(request, found.path),
        up=f"{session_address(request)}/docs",
    )


def diff(request: WebRequest) -> Response:
    """What changed between two versions of a document, by word."""
    title, found = request.read(lambda tx, row: (row.title, _document(request, tx, row)))
    if found.base is None and found.shown.version > found.versions[0].version and request.query.since is None:
        before = found.shown.version - 1
        found = request.read(lambda tx, row: document_view(tx, row, found.path, found.shown.version, before))
    places = compared(found.base_body, found.body)
    return render(
        request,
        "diff.html",
        title=request.language.text("Changes of {0}", found.path),
        session_title=title,
        document=found,
        hunks=None if places is None else _first(places),
        left_out=sum(len(hunk.lines) for hunk in places or []) - MOST_LINES,
        counts=counts(places or []),
        address=document_address(request, found.path),
        up=document_address(request, found.path),
    )


def _first(places: list[Hunk]) -> list[Hunk]:
    """What of the places fits on a page."""
    shown, left = [], MOST_LINES
    for hunk in places:
        shown.append(replace(hunk, lines=hunk.lines[:left]))
        left -= len(hunk.lines)
        if left <= 0:
            break
    return shown


def compared(before: bytes, after: bytes) -> list[Hunk] | None:
    """What differs, without front matter, authors and sources of diagrams; None where the texts are too large."""
    if max(len(before), len(after)) > MOST_COMPARED:
        return None
    small = len(before) + len(after) <= KEPT_BYTES
    return list((_compared if small else _compared.__wrapped__)(before, after))


@lru_cache(maxsize=KEPT)
def _compared(before: bytes, after: bytes) -> tuple[Hunk, ...]:
    one, two = (inert(body.decode("utf-8", "replace").replace("\r\n", "\n")) for body in (before, after))
    return tuple(hunks(without_noise(one) if before else [], without_noise(two)))


def session_address(request: WebRequest) -> str:
    return address("p", request.names["p"], "s", request.names["session"])


def document_address(request: WebRequest, path: str) -> str:
    return f"{session_address(request)}/doc/{quote(path)}"


def diff_address(request: WebRequest, path: str) -> str:
    return f"{session_address(request)}/diff/{quote(path)}"


def _document(request: WebRequest, tx: Tx, session: Session) -> Document:
    asked: OfDocument = request.query
    return document_view(tx, session, request.names["path"], asked.v, asked.since)


def _changed(found: Document) -> frozenset[str]:
    """The anchors of what is new since the version that it is compared with."""
    if found.base is None:
        return frozenset()
    from orchestrator.web.document_parts import parse
    from orchestrator.web.markdown import RENDER_LIMIT

    now, then = (
        parse(body[:RENDER_LIMIT].decode("utf-8", "replace")).headings
        for body in (found.body, found.base_body)
    )
    return changed_since(now, then)
