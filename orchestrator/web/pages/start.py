"""The form that starts a session: it shows the plan and what it is likely to cost before anything begins."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from starlette.responses import Response

from orchestrator import project as app
from orchestrator.commands.command_arguments import SessionStart
from orchestrator.domain.json_types import Json
from orchestrator.web.rendering import render
from orchestrator.web.web_request import WebRequest

FIELDS = (
    "task",
    "mode",
    "discuss",
    "execution",
    "approve_plan",
    "max_usd",
    "max_tokens",
    "max_turns",
    "max_minutes",
)


def page(request: WebRequest) -> Response:
    return start_page(request, SessionStart(), None)


def start_page(request: WebRequest, asked: SessionStart, plan: Mapping[str, Json] | None) -> Response:
    """The form, filled with what was asked; with `plan` also what starting it would make."""
    pack, _ = app.read_config(request.project.project)
    values = {name: getattr(asked, name) for name in FIELDS}
    given = {name: "true" if value is True else str(value or "") for name, value in values.items()}
    return render(
        request,
        "start.html",
        title=request.language.text("Start a session in {0}", request.project.title),
        modes=sorted(pack.pipelines),
        given=given,
        plan=plan,
        key=f"web-{secrets.token_hex(16)}",
    )
