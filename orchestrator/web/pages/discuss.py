"""The discussions of a session: a row a perspective, a column each time a round was held; then what divided each."""

from __future__ import annotations

from starlette.responses import Response

from orchestrator.domain.json_types import JsonObject
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import discuss, session_line
from orchestrator.views.rounds import each_once, history
from orchestrator.web.pages.document import document_address
from orchestrator.web.rendering import render
from orchestrator.web.web_request import WebRequest


def page(request: WebRequest) -> Response:
    def unit(tx: Tx, session: Session) -> JsonObject:
        return {"session": session_line.summary(tx, session), "history": history(tx, session.id)}

    found = request.read(unit)
    return render(
        request,
        "discuss.html",
        live="discuss_live.html",
        title=request.language.text("Discussions"),
        session=found["session"],
        history=found["history"],
        each_once=each_once,
        open_document=lambda path: document_address(request, path),
    )


def of_round(request: WebRequest) -> Response:
    """The newest discussion of one round, with each perspective's rating and every finding."""

    def unit(tx: Tx, session: Session) -> JsonObject:
        return {
            "session": session_line.summary(tx, session),
            "discussion": discuss.discussion(tx, session.id, request.names["round"]),
        }

    found = request.read(unit)
    return render(
        request,
        "discuss_round.html",
        title=request.language.text("Discussion {0}", found["discussion"]["round"]),
        session=found["session"],
        discussion=found["discussion"],
        open_document=lambda path: document_address(request, path),
    )
