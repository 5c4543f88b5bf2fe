"""Commands by the web: the API's `commands/NAME` and the forms of the pages, applied by the functions of CLI and MCP."""

from __future__ import annotations

from typing import Annotated, Literal, cast
from urllib.parse import urlencode

from pydantic import BaseModel, Field, create_model
from starlette.responses import RedirectResponse, Response

from orchestrator.commands import by_name, starting
from orchestrator.commands.caller import Caller
from orchestrator.commands.command_arguments import Arguments, Key, PersonCommand, SessionStart
from orchestrator.commands.rework import UnclearFeedback
from orchestrator.domain.errors import KeyReused, NotAllowedNow, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.views import next_steps
from orchestrator.web.forms import CAPS, token_of
from orchestrator.web.json_answer import JsonAnswer
from orchestrator.web.pages.start import start_page
from orchestrator.web.pages.unclear_feedback import unclear_feedback
from orchestrator.web.problems import TokenNeeded
from orchestrator.web.rendering import address
from orchestrator.web.route import Handler, Route
from orchestrator.web.web_request import WebRequest

FORM_ONLY = ("confirm",)


class OfCommand(Arguments):
    """What every command takes."""

    key: Annotated[Key | None, Field(description="The same as the header Idempotency-Key.")] = None
    confirm: Annotated[
        Literal["yes"] | None, Field(description="Sent by forms whose box has to be ticked first.")
    ] = None


def arguments_of(command: str) -> type[BaseModel]:
    """A model of what this command takes, each as MCP's session_command describes it."""
    names = set(by_name.COMMANDS[command][1]) | (set(CAPS) if command == "resume" else set())
    fields = {
        name: (info.annotation, info) for name, info in PersonCommand.model_fields.items() if name in names
    }
    made = create_model(f"{command.title()}Arguments", __base__=OfCommand, **fields)  # type: ignore[call-overload]
    return cast(type[BaseModel], made)


def _apply(request: WebRequest, command: str) -> JsonObject:
    """Apply the command once. Raises what it raises, and TokenNeeded."""
    given = request.body.model_dump(exclude_none=True, exclude=set(FORM_ONLY))
    header = request.headers.get("idempotency-key")
    if header is not None and given.setdefault("key", header) != header:
        raise UsageError("two keys are given", fix="send Idempotency-Key or key")
    if command == "resume":
        matched = request.headers.get("if-match")
        if matched is not None:
            token = matched.strip().removeprefix('"').removesuffix('"')
            if given.setdefault("expect", token) != token:
                raise UsageError("two tokens are given", fix="send If-Match or expect")
        if "expect" not in given:
            _need_token(request)
    session = request.read(lambda tx, row: row.id)
    asked = PersonCommand.model_validate({**given, "command": command, "session": session})
    return by_name.run(Caller(request.project.project, request.visitor.decides), asked)


def _need_token(request: WebRequest) -> None:
    """Raises TokenNeeded when the session waits for an answer that has to name what it answers."""
    pause = request.read(lambda tx, row: next_steps.pause_view(tx, row))
    if pause is not None and token_of(pause):
        raise TokenNeeded(why=f"{request.names['session']} waits for an answer to {pause['reason']}")


def _api(command: str) -> Handler:
    def handler(request: WebRequest) -> Response:
        return JsonAnswer(_apply(request, command))

    return handler


def _form(command: str) -> Handler:
    def handler(request: WebRequest) -> Response:
        try:
            done = _apply(request, command)
        except KeyReused as error:
            raise NotAllowedNow(
                "this form was sent before, with other words",
                why="it was made for an earlier state of the session",
                fix="open the session again, and repeat it there",
            ) from error
        except UnclearFeedback as error:
            return unclear_feedback(request, error)
        session = address("p", request.names["p"], "s", done["session"])
        return RedirectResponse(f"{session}?{urlencode({'done': command})}", 303)

    return handler


def start(request: WebRequest) -> Response:
    """Start a session; with `plan` change nothing, and say what would be made."""
    asked: SessionStart = request.body
    header = request.headers.get("idempotency-key")
    if header is not None and not asked.plan:
        asked = asked.model_copy(update={"key": asked.key or header})
    done = starting.begin(_caller(request), asked)
    return JsonAnswer(done, 201 if done["created"] else 200)


def start_form(request: WebRequest) -> Response:
    """The plan first, with a form that starts exactly this; then the session's page."""
    asked: SessionStart = request.body
    done = starting.begin(_caller(request), asked)
    if asked.plan:
        return start_page(request, asked, done["plan"])
    return RedirectResponse(address("p", request.names["p"], "s", done["session"]), 303)


def _caller(request: WebRequest) -> Caller:
    return Caller(request.project.project, request.visitor.decides)


_MODELS = {command: arguments_of(command) for command in by_name.COMMANDS}
COMMAND_API = (
    Route("POST", "/api/v1/p/{p}/sessions", start, "Start a session", body=SessionStart),
    *(
        Route(
            "POST",
            f"/api/v1/p/{{p}}/sessions/{{session}}/commands/{name}",
            _api(name),
            f"As `lifecycle {name}`",
            body=model,
        )
        for name, model in _MODELS.items()
    ),
)
COMMAND_FORMS = (
    Route("POST", "/p/{p}/start", start_form, "Show a plan, or start it", body=SessionStart),
    *(
        Route(
            "POST", f"/p/{{p}}/s/{{session}}/commands/{name}", _form(name), f"{name}, by a form", body=model
        )
        for name, model in _MODELS.items()
    ),
)
