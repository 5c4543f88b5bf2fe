"""The attempts of a session in time: as a drawing, and as a list."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views.attempts import Attempts, attempts
from orchestrator.web.rendering import render
from orchestrator.web.timeline_svg import timeline
from orchestrator.web.web_request import PageQuery, WebRequest

LIMIT = 150  # attempts of a page


class TimelinePage(PageQuery):
    skip: Annotated[int, Field(ge=0, le=10_000_000, description="How many newer attempts to leave out.")] = 0


def page(request: WebRequest) -> Response:
    skip = request.query.skip

    def unit(tx: Tx, session: Session) -> tuple[str, str, Attempts]:
        return session.id, session.title, attempts(tx, session, LIMIT, skip)

    session, title, found = request.read(unit)
    older = skip + len(found.shown)
    return render(
        request,
        "timeline.html",
        live="timeline_live.html",
        title=request.language.text("Attempts of {0}", title),
        session=session,
        attempts=found,
        timeline=timeline(found, request.names["p"], session, request.language),
        older=older if older < found.total else None,
        newer=max(0, skip - LIMIT) if skip else None,
    )
