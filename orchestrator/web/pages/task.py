"""One task: why it is in its state first, then attempts, errors, cost, discussion and input."""

from __future__ import annotations

import json

from starlette.responses import Response

from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import lookup
from orchestrator.views.task import task_view
from orchestrator.web.rendering import render
from orchestrator.web.web_request import WebRequest


def page(request: WebRequest) -> Response:
    def unit(tx: Tx, session: Session) -> tuple[str, dict[str, object]]:
        return session.title, task_view(tx, session, lookup.task(tx, session, request.names["task"]))

    title, found = request.read(unit)
    return render(
        request,
        "task.html",
        live="task_live.html",
        title=request.language.text("{0} of {1}", found["task"], title),
        task=found,
        given=json.dumps(found["input"], indent=2, ensure_ascii=False),
    )
