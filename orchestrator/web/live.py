"""The two streams of server-sent events: hints of what changed anywhere, and the messages of one session."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from functools import lru_cache, partial
from typing import Annotated

import anyio.to_thread
from pydantic import Field

from orchestrator.coordinator.projector import message_line
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store import messages, sessions
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views.check import ENDED
from orchestrator.web.feed import Feed, Subscriber
from orchestrator.web.web_request import Query, WebRequest

SILENT_SECONDS = 15.0  # of a session's messages, until it is said that the stream still is
BATCH = 500  # messages of one reading


class After(Query):
    after: Annotated[
        int, Field(ge=0, le=2**53, description="Only messages behind this number; Last-Event-ID beats it.")
    ] = 0


def hints(request: WebRequest) -> AsyncIterator[bytes]:
    """`hello`, then `changed` when something was committed, and each second that it has all been told. Raises TooMany."""
    feed = request.site.feed
    feed.refuse_more(request.visitor.person)
    return _hints(request, feed)


async def _hints(request: WebRequest, feed: Feed) -> AsyncIterator[bytes]:
    with feed.subscribed(request.visitor.person, hears_alive=True) as subscriber:
        await feed.begun()
        waiting = await feed.count()
        yield _event("hello", {"boot": feed.boot, "version": feed.version, "waiting": waiting})
        while feed.is_watching:
            is_told = await subscriber.wait()
            if not request.is_still_admitted:
                return
            if not feed.is_watching:
                break
            changed = subscriber.take()
            if changed is not None:
                yield _changed_event(feed.version, feed.waiting, tuple(changed.items()))
            elif is_told:
                yield b": alive\n\n"
        yield _bye(feed)


def session_messages(request: WebRequest) -> AsyncIterator[bytes]:
    """A session's messages from `after` on, without gap or repeat, until it has ended. Raises TooMany, UnknownName."""
    number = request.query.after
    last = request.headers.get("last-event-id")
    if last is not None:
        if not (last.isascii() and last.isdigit() and len(last) < 16):
            raise UsageError("Last-Event-ID is no number", why=last[:60], fix="leave it out")
        number = int(last)
    request.site.feed.refuse_more(request.visitor.person)
    return _messages(request, number)


async def _messages(request: WebRequest, number: int) -> AsyncIterator[bytes]:
    feed = request.site.feed
    with feed.subscribed(request.visitor.person) as subscriber:
        await feed.begun()
        silent = asyncio.get_running_loop().time()
        while feed.is_watching and request.is_still_admitted:
            lines, ended = await anyio.to_thread.run_sync(partial(_batch, request, number))
            for each, line in lines:
                yield _event("message", line, each)
                number = each
            if ended:
                yield _event("end", {"status": ended})
                return
            now = asyncio.get_running_loop().time()
            if lines:
                silent = now
            elif now - silent >= SILENT_SECONDS:
                yield b": alive\n\n"
                silent = now
            if len(lines) < BATCH:
                await _changed(subscriber)
        if not feed.is_watching:
            yield _bye(feed)


async def _changed(subscriber: Subscriber) -> None:
    await subscriber.wait()
    subscriber.take()


def _batch(request: WebRequest, number: int) -> tuple[list[tuple[int, JsonObject]], str | None]:
    """The next messages, and the status of a session that has ended and has no more of them."""

    def unit(tx: Tx, session: Session) -> tuple[list[tuple[int, JsonObject]], str | None]:
        found = messages.after(tx, session.id, number, BATCH)
        row = sessions.get(tx, session.id)
        ended = (
            row is not None
            and row.status in ENDED
            and row.messages <= (found[-1].number if found else number)
        )
        return [(each.number, message_line(each)) for each in found], row.status if ended and row else None

    return request.read(unit)


@lru_cache(maxsize=16)  # most streams are told the same
def _changed_event(version: int, waiting: int, sessions: tuple[tuple[str, int], ...]) -> bytes:
    return _event("changed", {"version": version, "waiting": waiting, "sessions": dict(sessions)})


def _bye(feed: Feed) -> bytes:
    return _event("bye", {"why": "stopping" if feed.is_stopping else "nothing is watched any more"})


def _event(name: str, data: Json, id: int | None = None) -> bytes:
    """One event; JSON has no line of its own within it."""
    head = f"id: {id}\n" if id is not None else ""
    return f"{head}event: {name}\ndata: {json.dumps(data)}\n\n".encode()
