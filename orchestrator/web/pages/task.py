"""One task: why it is in its state first, then attempts, errors, cost, discussion and input; and as it was at a moment."""

from __future__ import annotations

import json
from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field
from starlette.responses import Response

from orchestrator.domain.json_types import JsonObject
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import lookup
from orchestrator.views.past import state_at
from orchestrator.views.task import task_view
from orchestrator.views.why_then import why_then
from orchestrator.web.rendering import render
from orchestrator.web.web_request import PageQuery, WebRequest


class TaskPage(PageQuery):
    at: Annotated[
        str | None, Field(max_length=100, description="A message or a time: the task as it was then.")
    ] = None


def page(request: WebRequest) -> Response:
    if request.query.at is not None:
        return _then(request, request.query.at)

    def unit(tx: Tx, session: Session) -> tuple[str, int, dict[str, object]]:
        found = task_view(tx, session, lookup.task(tx, session, request.names["task"]))
        return session.title, session.messages, found

    title, messages, found = request.read(unit)
    return render(
        request,
        "task.html",
        live="task_live.html",
        title=request.language.text("{0} of {1}", found["task"], title),
        task=found,
        messages=messages,
        given=json.dumps(found["input"], indent=2, ensure_ascii=False),
    )


def _then(request: WebRequest, at: str) -> Response:
    """Why it was in its state, and what the scheduler knew. Raises UsageError, UnknownName, NotAllowedNow."""

    def unit(tx: Tx, session: Session) -> tuple[str, JsonObject, JsonObject]:
        task = lookup.task(tx, session, request.names["task"])
        return session.title, state_at(tx, session, at), why_then(tx, session, task, at)

    title, session, why = request.read(unit)
    number = session["message"]
    return render(
        request,
        "task_past.html",
        live="task_past_live.html",
        title=request.language.text("{0} of {1} at MSG-{2}", why["task"], title, f"{number:03d}"),
        then=session,
        why=why,
        task=next((each for each in session["tasks"] if each["task"] == why["task"]), None),
        earlier=_link(number - 1) if number > 1 else None,
        later=_link(number + 1) if number < session["messages"] else None,
        at_message=_link,
    )


def _link(number: int) -> str:
    return f"?{urlencode({'at': number})}"
