"""Asking an agent so that no secret it may see comes back, and no internal error of its adapter ends the run."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, ValidationError

from orchestrator.domain import secrets
from orchestrator.domain.dataclass import replace
from orchestrator.domain.errors import AgentCrashed, AgentError, AgentRubbish
from orchestrator.log import Logger
from workers.agents.protocol import Agent, AgentReply, AgentRequest


def ask_masked(
    agent: Agent,
    request: AgentRequest,
    known: secrets.Known,
    log: Logger,
    on_internal: Callable[[BaseException], None],
) -> AgentReply:
    """The agent's reply, masked. An internal error of its adapter is a failed call, and never ends the run by itself.

    `on_internal` is told such an error first, and may end the run.
    """
    try:
        reply = agent.work(request) if request.edits else agent.ask(request)
    except AgentError as error:
        error.what, error.why, error.fix = (
            secrets.mask(text, known) for text in (error.what, error.why, error.fix)
        )
        if isinstance(error.readable, BaseModel):
            error.readable = _without_secrets(error.readable, known)
        raise
    except (Exception, SystemExit) as error:
        on_internal(error)
        log.exception("agent_broken", agent=agent.name, kind=request.kind, run=request.run[-8:])
        raise AgentCrashed(
            f"{agent.name} failed with an internal error",
            why=secrets.mask(f"{type(error).__name__}: {error}", known),
        ) from error
    given = getattr(reply, "data", reply)
    if request.schema is not None and not isinstance(given, request.schema):
        raise AgentRubbish(f"{agent.name} gave no {request.schema.__name__}", why=type(given).__name__)
    return _masked(reply, known) if isinstance(reply, AgentReply) else reply


def _masked(reply: AgentReply, known: secrets.Known) -> AgentReply:
    """The reply without secrets. Raises AgentRubbish when what is left of it cannot be used."""
    data = reply.data and _without_secrets(reply.data, known)
    if data is None and reply.data is not None:
        raise AgentRubbish(f"{reply.agent} gave an answer that cannot be used without the secrets in it")
    return replace(
        reply,
        text=secrets.mask(reply.text, known),
        data=data,
        notes=tuple(secrets.mask(note, known) for note in reply.notes),
    )


def _without_secrets(data: BaseModel, known: secrets.Known) -> BaseModel | None:
    """None when nothing usable is left."""
    said = data.model_dump()
    clean = secrets.mask_all(said, known)
    try:
        return data if clean == said else type(data).model_validate(clean)
    except ValidationError:
        return None
