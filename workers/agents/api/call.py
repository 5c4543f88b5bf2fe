"""One call of a model API: asked in the slot's own thread, with a loop and a client of its own, closed before it returns."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Coroutine
from typing import TypeVar

from pydantic_ai import exceptions as told

from orchestrator.domain.errors import (
    AgentCrashed,
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentRubbish,
    AgentTimedOut,
    AgentUnavailable,
)
from orchestrator.domain.patterns import expression
from workers.agents.api.conversation import Talk
from workers.agents.api.http import Wire
from workers.agents.api.target import Target
from workers.agents.protocol import AgentReply, AgentRequest, Timeouts

T = TypeVar("T")
CHATTY = ("anthropic", "google_genai", "httpcore2", "httpx2", "openai")  # told to, they log whole prompts
POLL_SECONDS = 0.2  # between two checks of `request.stop`
GRACE = 2.0  # seconds for a stopped call to close its connection
SHOWN = 500  # characters of a server's words that are quoted
LONGEST_PAUSE = 7 * 24 * 3600.0  # seconds; a server that asks for more is not believed


def call(target: Target, request: AgentRequest, timeouts: Timeouts) -> AgentReply:
    """Ask once. Raises an AgentError and nothing else; its words hold no secret."""
    for library in CHATTY:
        logging.getLogger(library).setLevel(logging.WARNING)
    wire = Wire(target, timeouts)
    try:
        return _in_own_loop(_bounded(target, request, timeouts, wire))
    except AgentError:
        raise
    except Exception as error:
        # Without its cause: a library's exception holds the request, and the request the key.
        raise wire.fault or _named(target, timeouts, error) from None


def _in_own_loop(work: Coroutine[object, None, T]) -> T:
    """Like asyncio.run, save that it does not wait for the look-up of a name that hangs."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _bounded(target: Target, request: AgentRequest, timeouts: Timeouts, wire: Wire) -> AgentReply:
    """The reply, unless the run is over or its time is up before."""
    until = None if timeouts.total is None else time.monotonic() + timeouts.total
    talk = asyncio.ensure_future(_talk(target, request, timeouts, wire))
    try:
        while not talk.done():
            left = POLL_SECONDS if until is None else until - time.monotonic()
            if request.stop.is_set():
                raise AgentTimedOut(f"{target.agent} was stopped because its run is over")
            if left <= 0:
                raise AgentTimedOut(f"{target.agent} was stopped: total limit of {timeouts.total:g} s")
            await asyncio.wait({talk}, timeout=min(POLL_SECONDS, left))
        return talk.result()
    finally:
        talk.cancel()
        await asyncio.wait({talk}, timeout=GRACE)


async def _talk(target: Target, request: AgentRequest, timeouts: Timeouts, wire: Wire) -> AgentReply:
    async with wire:
        talk = Talk(target, request, timeouts, wire)
        try:
            return await talk.ask(with_tool=request.schema is not None)
        except told.ModelRequestRejectedError as error:
            if request.schema is None or not _NO_TOOLS.search(error.message):
                raise
        talk.notes.append("the model knows no tools: it was asked for text")
        return await talk.ask(with_tool=False)


def _named(target: Target, timeouts: Timeouts, error: Exception) -> AgentError:
    """What the library or the server said, as our class of it."""
    name, model = target.agent, target.model
    why = " ".join(target.masked(_words(error)).split())[:SHOWN]
    status = error.status_code if isinstance(error, told.ModelHTTPError) else None
    if isinstance(error, told.ModelRateLimitError | told.ModelQuotaExceededError):
        wait = error.retry_after
        until = None if wait is None else time.time() + min(wait, LONGEST_PAUSE)
        return AgentLimited(
            f"{name} has reached the limit of its account",
            until=until,
            why=why,
            fix="wait, or raise the limit",
        )
    if isinstance(error, told.ModelAuthenticationError):
        return AgentUnavailable(
            f"{name}: {target.origin} refused its key", why=why, fix=f"check the key; {_where(target)}"
        )
    if isinstance(error, told.ModelNotFoundError):
        return AgentUnavailable(
            f"{name}: there is no model {model!r} at {target.origin}",
            why=why,
            fix=f"check `agents.{name}.model` and `agents.{name}.base_url`",
        )
    if isinstance(error, told.UserError):
        return AgentUnavailable(
            f"{name}: {model!r} cannot be used", why=why, fix=f"check `agents.{name}` in the settings"
        )
    if isinstance(error, told.ModelContextWindowExceededError):
        return AgentUnavailable(
            f"{name}: the prompt is longer than {model!r} can read",
            why=why,
            fix="name a model that reads more",
        )
    if isinstance(error, told.ModelUnavailableError | told.ModelServerError) or (status or 0) >= 500:
        return AgentOverloaded(f"{name}: the servers at {target.origin} refuse for the moment", why=why)
    if isinstance(error, told.ModelRequestTimeout):
        return AgentTimedOut(f"{name} was stopped: turn limit of {timeouts.turn or 0:g} s")
    if isinstance(error, told.ContentFilterError):
        return AgentRubbish(f"{name}: {model!r} refused to answer", why=why)
    if isinstance(error, told.OutputTokenLimitExceeded):
        return AgentRubbish(f"{name}: the answer was cut off at the model's longest", why=why)
    if isinstance(error, told.UnexpectedModelBehavior):
        return AgentRubbish(f"{name} gave no usable answer", why=why)
    if isinstance(error, told.ModelHTTPError) and status != 200:
        return AgentUnavailable(
            f"{name}: {target.origin} does not take the request (status {status})",
            why=why,
            fix=f"check `agents.{name}` in the settings",
        )
    if isinstance(error, told.ModelAPIError):
        return AgentRubbish(f"{name}: the answer of {target.origin} cannot be read", why=why)
    return AgentCrashed(f"{name} failed with an internal error", why=f"{type(error).__name__}: {why}")


def _words(error: Exception) -> str:
    """What the server said, as far as it can be found; else what the library says."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(inner, dict) and isinstance(inner.get("message"), str) and inner["message"]:
        return str(inner["message"])
    if isinstance(error, told.UnexpectedModelBehavior) and error.__cause__ is not None:
        return f"{error}: {error.__cause__}"
    return str(error)


def _where(target: Target) -> str:
    names = " or ".join(target.provider.keys)
    return f"it is read from `agents.{target.agent}.key_env`" + (f", else from {names}" if names else "")


_NO_TOOLS = expression(r"\btools?\b.{0,80}\bnot\b|\bnot\b.{0,80}\btools?\b", re.I | re.S)
