"""The inbox: what waits for you, in all projects."""

from __future__ import annotations

from starlette.responses import Response

from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.json_types import JsonObject
from orchestrator.views import check
from orchestrator.web.rendering import render
from orchestrator.web.site import ServedProject
from orchestrator.web.web_request import WebRequest


def page(request: WebRequest) -> Response:
    found = [_entries(each) for each in request.site.projects]
    return render(request, "inbox.html", live="inbox_live.html", title="Inbox", found=found)


def _entries(served: ServedProject) -> JsonObject:
    """A project's waiting sessions and running ones, or why it cannot be read."""
    try:
        lines = served.read(lambda tx: check.listing(tx, limit=100))
    except LifecycleError as error:
        return {"slug": served.slug, "title": served.title, "error": error, "waiting": [], "running": []}
    return {
        "slug": served.slug,
        "title": served.title,
        "error": None,
        "waiting": [each for each in lines if each["status"] == "paused"],
        "running": [each for each in lines if each["status"] == "active"],
    }
