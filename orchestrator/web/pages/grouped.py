"""The tasks of one group of a large session, a page at a time."""

from __future__ import annotations

from starlette.responses import Response

from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import grouped
from orchestrator.web.rendering import render
from orchestrator.web.web_request import PageQuery, Skip, WebRequest


class GroupPage(Skip, PageQuery):
    pass


def page(request: WebRequest) -> Response:
    def unit(tx: Tx, session: Session) -> tuple[str, str, grouped.Page]:
        return (
            session.id,
            session.title,
            grouped.group_page(tx, session, request.names["group"], request.query.skip),
        )

    session, title, found = request.read(unit)
    return render(
        request,
        "grouped.html",
        live="grouped_live.html",
        title=f"{found['group']} of {title}",
        session=session,
        found=found,
        skip=request.query.skip,
    )
