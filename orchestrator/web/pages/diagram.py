"""The frame that draws a Mermaid diagram: sandboxed, with a policy of its own (guard.DIAGRAM_CSP), without data or cookie."""

from __future__ import annotations

from starlette.responses import HTMLResponse, Response

from orchestrator.web.rendering import fragment
from orchestrator.web.web_request import WebRequest


def page(request: WebRequest) -> Response:
    """An empty page whose script waits for the source of one diagram."""
    return HTMLResponse(fragment("diagram.html", request.language))
