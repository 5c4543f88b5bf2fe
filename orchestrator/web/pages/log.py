"""The messages and events of a session: the newest first loaded, older ones by a link, new ones as they come."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from orchestrator.coordinator.projector import message_line
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import messages
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.web.rendering import fragment, render
from orchestrator.web.web_request import PageQuery, Query, WebRequest

LIMIT = 200  # messages of a page
MOST = 1_000


class Messages(Query):
    after: Annotated[int, Field(ge=0, le=2**53, description="Only messages behind this number.")] = 0
    limit: Annotated[int, Field(ge=1, le=MOST, description="How many at most.")] = LIMIT
    kind: Annotated[str, Field(max_length=20, description="Only `message` or `event`.")] = ""
    sender: Annotated[str, Field(max_length=200, description="Only from this sender.")] = ""


class LogPage(PageQuery):
    after: Annotated[
        int | None, Field(ge=0, le=2**53, description="Only messages behind this number; default the newest.")
    ] = None


def page(request: WebRequest) -> Response:
    asked: LogPage = request.query

    def unit(tx: Tx, session: Session) -> JsonObject:
        start = max(0, session.messages - LIMIT) if asked.after is None else asked.after
        found = messages.after(tx, session.id, start, LIMIT)
        return {
            "session": session.id,
            "title": session.title,
            "total": session.messages,
            "start": start,
            "lines": [(row.number, message_line(row)) for row in found],
            "end": found[-1].number if found else start,
        }

    found = request.read(unit)
    if asked.part:  # only the lines: the page adds them to those that it has
        return Response(
            fragment("log_lines.html", request.language, lines=found["lines"]), media_type="text/html"
        )
    return render(
        request, "log.html", log=found, limit=LIMIT, title=request.language.text("Log of {0}", found["title"])
    )


def messages_after(request: WebRequest) -> JsonObject:
    """The next messages behind a number, and from where to go on."""
    asked: Messages = request.query

    def unit(tx: Tx, session: Session) -> JsonObject:
        found = messages.after(tx, session.id, asked.after, asked.limit)
        end = found[-1].number if found else asked.after
        fitting = [row for row in found if asked.kind in ("", row.kind) and asked.sender in ("", row.sender)]
        return {
            "messages": [message_line(row) for row in fitting],
            "next_after": end if end < session.messages else None,
            "newest": session.messages,
        }

    return request.read(unit)
