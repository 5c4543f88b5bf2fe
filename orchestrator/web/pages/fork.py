"""A fork: its plan first, with a form that makes exactly this; then the page of the new session."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Mapping
from urllib.parse import urlencode

from pydantic import BaseModel
from starlette.responses import RedirectResponse, Response

from orchestrator.commands import forking
from orchestrator.commands.caller import Caller
from orchestrator.commands.command_arguments import SessionFork, without
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.web.json_answer import JsonAnswer
from orchestrator.web.rendering import address, render
from orchestrator.web.web_request import WebRequest

OfFork: type[BaseModel] = without(SessionFork, "session")


def api(request: WebRequest) -> Response:
    """Fork the session; with `plan` change nothing, and say what would be taken over."""
    done = forking.begin(_caller(request), _asked(request))
    return JsonAnswer(done, 201 if done["created"] else 200)


def form(request: WebRequest) -> Response:
    """The plan of a fork, or the fork."""
    asked = _asked(request)
    done = forking.begin(_caller(request), asked)
    if asked.plan:
        return _planned(request, asked, done["plan"])
    made = address("p", request.names["p"], "s", done["session"])
    return RedirectResponse(f"{made}?{urlencode({'done': 'fork'})}", 303)


def _planned(request: WebRequest, asked: SessionFork, plan: Mapping[str, Json]) -> Response:
    given = asked.model_dump(exclude_none=True, exclude={"session", "plan", "again", "key"})
    key = f"web-{secrets.token_hex(16)}"
    words = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    return render(
        request,
        "fork.html",
        title=request.language.text("Fork {0}", plan["title"]),
        plan=plan,
        given=given,
        key=key,
        command=shlex.join(["lifecycle", "fork", plan["source"], *words, "--key", key]),
    )


def _asked(request: WebRequest) -> SessionFork:
    """Raises UsageError for two keys, UnknownName."""
    given: JsonObject = request.body.model_dump(exclude_none=True)
    header = request.headers.get("idempotency-key")
    if header is not None and not given.get("plan") and given.setdefault("key", header) != header:
        raise UsageError("two keys are given", fix="send Idempotency-Key or key")
    return SessionFork(**given, session=request.read(lambda tx, row: row.id))


def _caller(request: WebRequest) -> Caller:
    return Caller(request.project.project, request.visitor.decides)
