"""The inbox: what waits for you, in all projects."""

from __future__ import annotations

from starlette.responses import Response

from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.json_types import JsonObject
from orchestrator.web.rendering import render
from orchestrator.web.served import ServedProject
from orchestrator.web.web_request import WebRequest


def page(request: WebRequest) -> Response:
    found = inboxes(request)
    return render(
        request, "inbox.html", live="inbox_live.html", title=request.language.text("Inbox"), found=found
    )


def inboxes(request: WebRequest) -> list[JsonObject]:
    """Each project with its inbox, or with why it cannot be read: one that is broken hides no other."""
    return [_inbox(each) for each in request.site.projects]


def _inbox(served: ServedProject) -> JsonObject:
    found: JsonObject = {"project": served.slug, "title": served.title, "inbox": None, "error": None}
    if served.file() is None:
        return found
    try:
        found["inbox"] = served.inbox()
    except LifecycleError as error:
        found["error"] = {"what": error.what, "why": error.why, "fix": error.fix}
    return found
