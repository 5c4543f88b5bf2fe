"""A session: where it is, who works for how long, what it waits for, and the commands that are possible now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from markupsafe import Markup
from pydantic import Field
from starlette.responses import Response

from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import check, discuss, grouped
from orchestrator.web.forms import forms
from orchestrator.web.rendering import render
from orchestrator.web.task_graph import task_graph
from orchestrator.web.web_request import PageQuery, WebRequest


class SessionPage(PageQuery):
    done: Annotated[str | None, Field(pattern="^[a-z]{1,20}$", description="The command that led here.")] = (
        None
    )


def page(request: WebRequest) -> Response:
    def unit(tx: Tx, session: Session) -> JsonObject:
        groups = grouped.grouped(tx, session)
        return {
            "overview": check.overview(tx, session),
            "groups": groups if groups["is_grouped"] else None,
            "rounds": discuss.discussions(tx, session.id),
            "messages": session.messages,
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
        done=request.query.done,
        forms=forms(request, overview, found["messages"]) if request.may_decide else [],
    )


def _graph(request: WebRequest, overview: Mapping[str, Json]) -> Markup:
    expected = overview["expected"]
    path = expected["path"] if expected else []
    return task_graph(request.names["p"], str(overview["session"]), overview["tasks"], path)


def lanes(tasks: Sequence[Mapping[str, Json]]) -> list[JsonObject]:
    """The tasks by phase, in the order of their first tasks."""
    found: dict[str, list[Mapping[str, Json]]] = {}
    for task in tasks:
        found.setdefault(str(task["phase"]), []).append(task)
    return [
        {"phase": phase, "tasks": each, "done": sum(task["mark"] == "done" for task in each)}
        for phase, each in found.items()
    ]
