"""A session as it was at an earlier message: a slider over its log, without any form that would change it."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlencode

from starlette.responses import Response

from orchestrator.domain.json_types import JsonObject
from orchestrator.views.grouped import GROUPED_ABOVE
from orchestrator.views.past import state_at
from orchestrator.web.lanes import lanes
from orchestrator.web.rendering import render
from orchestrator.web.web_request import WebRequest

MARKS = 300  # that are listed: of more those next to the moment


def page(request: WebRequest, at: str) -> Response:
    """Raises UsageError, UnknownName or NotAllowedNow for a moment that the session does not have."""
    then = request.read(lambda tx, session: state_at(tx, session, at))
    tasks = then["tasks"]
    is_large = len(tasks) > GROUPED_ABOVE
    counts = Counter((each["phase"], each["role"], each["mark"]) for each in tasks) if is_large else {}
    return render(
        request,
        "past.html",
        live="past_live.html",
        title=request.language.text("{0} at MSG-{1}", then["title"], f"{then['message']:03d}"),
        then=then,
        lanes=[] if is_large else lanes(tasks),
        groups=[(*group, count) for group, count in counts.items()],
        marks=_nearest(then["marks"], then["message"]),
        earlier=_link(then["message"] - 1) if then["message"] > 1 else None,
        later=_link(then["message"] + 1) if then["message"] < then["messages"] else None,
    )


def _nearest(marks: list[JsonObject], message: int) -> list[JsonObject]:
    behind = sum(each["number"] <= message for each in marks)
    first = max(0, min(behind - MARKS // 2, len(marks) - MARKS))
    return [{**each, "href": _link(each["number"])} for each in marks[first : first + MARKS]]


def _link(message: int) -> str:
    return f"?{urlencode({'at': message})}"
