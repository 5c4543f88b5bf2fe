"""The sessions of a project, newest first, a page at a time."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from pydantic import Field
from starlette.responses import Response

from orchestrator.domain.json_types import JsonObject
from orchestrator.store import session_lists
from orchestrator.store.store import Tx
from orchestrator.views import check, lookup
from orchestrator.web.rendering import render
from orchestrator.web.web_request import PageQuery, Query, WebRequest

LIMIT = 50  # sessions of a page
MOST = 200


class Listed(Query):
    state: Annotated[
        Literal["active", "paused", "completed", "cancelled", ""] | None, Field(description="Only these.")
    ] = None
    q: Annotated[str, Field(max_length=200, description="Words of the title, or a part of the id.")] = ""
    before: Annotated[
        str | None, Field(max_length=200, description="A session: only older ones, for the next page.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=MOST, description="How many at most.")] = LIMIT
    archived: Annotated[bool, Field(description="Archived ones too.")] = False


class ListedPage(Listed, PageQuery):
    pass


def page(request: WebRequest) -> Response:
    found = sessions(request)
    asked: ListedPage = request.query
    kept = {"state": asked.state, "q": asked.q, "archived": "true" if asked.archived else ""}
    here = {name: value for name, value in kept.items() if value}
    following = {**here, "before": found["next_before"]} if found["next_before"] else None
    return render(
        request,
        "list.html",
        live="list_live.html",
        title=f"Sessions of {request.project.title}",
        sessions=found["sessions"],
        asked=asked,
        address=request.path + (f"?{urlencode(here)}" if here else ""),
        next_page=None if following is None else f"{request.path}?{urlencode(following)}",
        exists=request.project.file() is not None,
    )


def sessions(request: WebRequest) -> JsonObject:
    """A page of sessions, and from where the next one goes on."""
    asked: Listed = request.query
    if request.project.file() is None:
        return {"sessions": [], "next_before": None}

    def unit(tx: Tx) -> JsonObject:
        rows = session_lists.matching(
            tx,
            limit=asked.limit + 1,
            before=None if asked.before is None else lookup.session(tx, asked.before),
            status=asked.state or "",
            words=asked.q,
            archived=asked.archived,
        )
        shown = rows[: asked.limit]
        return {
            "sessions": [check.summary(tx, row) for row in shown],
            "next_before": shown[-1].id if len(rows) > len(shown) else None,
        }

    return request.project.read(unit)
