"""One group of a large session's tasks, opened a hundred at a time."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import grouped
from orchestrator.web.rendering import render
from orchestrator.web.web_request import PageQuery, WebRequest


class GroupPage(PageQuery):
    skip: Annotated[int, Field(ge=0, le=10_000_000, description="How many of the group to leave out.")] = 0


def page(request: WebRequest) -> Response:
    """Raises UnknownName for a group that has no task now."""
    name, skip = request.names["group"], request.query.skip

    def unit(tx: Tx, session: Session) -> tuple[str, grouped.Page]:
        return session.title, grouped.group_page(tx, session, name, skip)

    title, found = request.read(unit)
    kind = ", ".join(request.language.word(each) for each in name.split("/"))
    return render(
        request,
        "task_group.html",
        live="task_group_live.html",
        title=request.language.text("{0} of {1}", kind, title),
        group=found,
        skip=skip,
        before=max(0, skip - grouped.PAGE) if skip else None,
    )
