"""A session: where it is, who works for how long, what it waits for, and the commands that are possible now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from markupsafe import Markup
from pydantic import Field
from starlette.responses import Response

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import check, discuss, grouped
from orchestrator.views.attempts import attempts
from orchestrator.web.forms import documents_for, forms
from orchestrator.web.lanes import lanes
from orchestrator.web.pages import session_past
from orchestrator.web.rendering import render
from orchestrator.web.task_graph import task_graph
from orchestrator.web.timeline_svg import timeline
from orchestrator.web.web_request import PageQuery, WebRequest

ATTEMPTS = 60  # newest attempts that a session page draws


class SessionPage(PageQuery):
    done: Annotated[str | None, Field(pattern="^[a-z]{1,20}$", description="The command that led here.")] = (
        None
    )
    at: Annotated[
        str | None, Field(max_length=100, description="A message or a time: the session as it was then.")
    ] = None


def page(request: WebRequest) -> Response:
    if request.query.at is not None:
        return session_past.page(request, request.query.at)

    def unit(tx: Tx, session: Session) -> JsonObject:
        groups = grouped.grouped(tx, session)
        overview = check.overview(tx, session, check.matters_now if groups["is_grouped"] else None)
        return {
            "overview": overview,
            "documents": documents_for(request, tx, session, overview),
            "groups": groups if groups["is_grouped"] else None,
            "rounds": discuss.discussions(tx, session.id),
            "messages": session.messages,
            "attempts": attempts(tx, session, ATTEMPTS),
        }

    found = request.read(unit)
    overview = found["overview"]
    return render(
        request,
        "check.html",
        live="check_live.html",
        title=overview["title"],
        session=overview,
        lanes=[] if found["groups"] else lanes(overview["tasks"]),
        graph=None if found["groups"] else _graph(request, overview),
        groups=found["groups"],
        rounds=found["rounds"],
        messages=found["messages"],
        timeline=timeline(found["attempts"], request.names["p"], overview["session"], request.language),
        done=request.query.done,
        forms=forms(request, overview, found["messages"], found["documents"]) if request.may_decide else [],
    )


def _graph(request: WebRequest, overview: Mapping[str, Json]) -> Markup:
    expected = overview["expected"]
    path = expected["path"] if expected else []
    return task_graph(request.names["p"], str(overview["session"]), overview["tasks"], path, request.language)
