"""The messages and events of a session: the newest first loaded, older ones by a link, new ones as they come; filtered."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from pydantic import Field
from starlette.responses import Response

from orchestrator.coordinator.projector import message_line
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.log_levels import Wanted, level_of
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views.log_filter import following, preceding
from orchestrator.web.rendering import fragment, render
from orchestrator.web.web_request import PageQuery, Query, WebRequest

LIMIT = 200  # messages of a page
MOST = 1_000
MORE = "x-more"  # the header of lines behind which there are others
FILTERS = ("kind", "task", "level", "q")


Kind = Literal["message", "event", ""]
LevelName = Literal["info", "warning", "error", ""]


class LogFilter(Query):
    kind: Annotated[Kind, Field(description="Only `message` or `event`.")] = ""
    task: Annotated[str, Field(max_length=200, description="Only what names this task.")] = ""
    level: Annotated[LevelName, Field(description="Only this level and what matters more.")] = ""
    q: Annotated[
        str, Field(max_length=200, description="Only with these words, of sender, type or text.")
    ] = ""

    def wanted(self, sender: str = "") -> Wanted:
        return Wanted(self.kind, self.task.strip(), self.level, sender, self.q.strip())


class Messages(LogFilter):
    after: Annotated[int, Field(ge=0, le=2**53, description="Only messages behind this number.")] = 0
    limit: Annotated[int, Field(ge=1, le=MOST, description="How many at most.")] = LIMIT
    sender: Annotated[str, Field(max_length=200, description="Only from this sender.")] = ""


class LogPage(LogFilter, PageQuery):
    after: Annotated[
        int | None, Field(ge=0, le=2**53, description="Only messages behind this number; default the newest.")
    ] = None
    before: Annotated[
        int | None, Field(ge=1, le=2**53, description="The newest before this number; not with after.")
    ] = None


def page(request: WebRequest) -> Response:
    asked: LogPage = request.query
    wanted = asked.wanted()

    def unit(tx: Tx, session: Session) -> JsonObject:
        if asked.after is not None:
            found = following(tx, session, wanted, asked.after, LIMIT)
        else:
            found = preceding(tx, session, wanted, asked.before or session.messages + 1, LIMIT)
        return {
            "session": session.id,
            "title": session.title,
            "total": session.messages,
            "first": found.first,
            "lines": [(row.number, level_of(row.type), message_line(row)) for row in found.rows],
            "end": found.last,
        }

    found = request.read(unit)
    if asked.part:  # only the lines: the page adds them to those that it has
        more = {MORE: "1"} if found["end"] < found["total"] else None
        lines = fragment("log_lines.html", request.language, lines=found["lines"])
        return Response(lines, media_type="text/html", headers=more)
    kept = {name: value for name in FILTERS if (value := getattr(asked, name))}
    return render(
        request,
        "log.html",
        log=found,
        asked=asked,
        is_filtered=not wanted.is_all,
        filtered=f"{request.path}?{urlencode(kept)}",
        older=f"{request.path}?{urlencode({**kept, 'before': found['first']})}"
        if found["first"] > 1
        else None,
        newer=f"{request.path}?{urlencode({**kept, 'after': found['end']})}"
        if found["end"] < found["total"]
        else None,
        title=request.language.text("Log of {0}", found["title"]),
    )


def messages_after(request: WebRequest) -> JsonObject:
    """The next messages behind a number, and from where to go on."""
    asked: Messages = request.query

    def unit(tx: Tx, session: Session) -> JsonObject:
        found = following(tx, session, asked.wanted(asked.sender), asked.after, asked.limit)
        return {
            "messages": [{**message_line(row), "level": level_of(row.type)} for row in found.rows],
            "next_after": found.last if found.last < session.messages else None,
            "newest": session.messages,
        }

    return request.read(unit)
