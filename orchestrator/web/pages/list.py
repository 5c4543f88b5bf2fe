"""The sessions of a project, newest first, a page at a time."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from pydantic import Field
from starlette.responses import Response

from orchestrator.domain.json_types import JsonObject
from orchestrator.views import sessions_listed
from orchestrator.views.sessions_listed import LARGEST, LIMIT
from orchestrator.web.rendering import render
from orchestrator.web.web_request import PageQuery, Query, WebRequest


class Listed(Query):
    state: Annotated[
        Literal["active", "paused", "completed", "cancelled", ""] | None, Field(description="Only these.")
    ] = None
    q: Annotated[str, Field(max_length=200, description="Words of the title, or a part of the id.")] = ""
    before: Annotated[str | None, Field(max_length=300, description="`next` of a page: only older ones.")] = (
        None
    )
    limit: Annotated[int, Field(ge=1, le=LARGEST, description="How many at most.")] = LIMIT
    archived: Annotated[bool, Field(description="Archived ones too.")] = False


class ListedPage(Listed, PageQuery):
    pass


def page(request: WebRequest) -> Response:
    found = sessions(request)
    asked: ListedPage = request.query
    kept = {"state": asked.state, "q": asked.q, "archived": "true" if asked.archived else ""}
    here = {name: value for name, value in kept.items() if value}
    following = {**here, "before": found["next"]} if found["next"] else None
    return render(
        request,
        "list.html",
        live="list_live.html",
        title=request.language.text("Sessions of {0}", request.project.title),
        sessions=found["sessions"],
        asked=asked,
        address=request.path + (f"?{urlencode(here)}" if here else ""),
        next_page=None if following is None else f"{request.path}?{urlencode(following)}",
        exists=request.project.file() is not None,
    )


def sessions(request: WebRequest) -> JsonObject:
    """A page of sessions, and `next`, the key of the following one."""
    asked: Listed = request.query
    wanted = sessions_listed.page(asked.limit, asked.before, asked.state or None, asked.q, asked.archived)
    if request.project.file() is None:
        return {"sessions": [], "next": None}
    return request.project.read(lambda tx: sessions_listed.session_page(tx, wanted))
