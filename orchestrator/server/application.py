"""The ASGI application: who asks, in which version and how much is checked before a body is read.

1. `Lifecycle-Door`: a version that we speak, else 426; a length or chunks, not both, else 400.
2. A bearer token that is valid, else 401; a refusal is logged, and too many of one address are answered 429.
3. The body: at most 2 MiB, 64 MiB where it has files, of which two are read at a time, else 413; within 30 s, else 408.

Hosts ask below `/v1/`, mirrors below `/v1/mirror/`, agents of runs below `/v1/agent/`: each with tokens of their own,
which are nothing to the others.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from orchestrator.config.extras import METRICS_INSTALL
from orchestrator.domain import errors, trace_ids
from orchestrator.door import mirror_wire, wire
from orchestrator.door.commit_watch import told_of_commits
from orchestrator.server import mirror_door, watching
from orchestrator.server.agent_door import QUESTION
from orchestrator.server.changes import ChangesBoard
from orchestrator.server.door import SMALL, Answered, limit_of
from orchestrator.server.door_site import DoorSite
from orchestrator.server.news import NewsBoard, OfferNews
from orchestrator.server.short_way import PROBLEM, ShortWay
from orchestrator.server.threads import Threads
from orchestrator.store.rows import HostToken, PersonToken, RunOwner
from orchestrator.views.demand import demand_view
from orchestrator.web import request_body

LARGE_AT_A_TIME = 2  # bodies beyond `SMALL`, each of which is held in memory whole
NEWS_LIMIT = 4 * 1024  # bytes
ADD_HOST, ADD_PERSON = "lifecycle host add NAME", "lifecycle person add NAME"
HOST_OF_RUN = "lifecycle host join"
H = TypeVar("H", HostToken, PersonToken, RunOwner)


def build(site: DoorSite) -> Starlette:
    """The application; `state.short` is its `ShortWay`."""
    threads = Threads()
    short = ShortWay(site, threads)
    large = asyncio.Semaphore(LARGE_AT_A_TIME)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        site.board = NewsBoard(site.store.project_id)
        offers = OfferNews(site.store, site.board.ring)
        site.changes = ChangesBoard(site.store, site.log)
        try:
            with told_of_commits(site.store, offers.poll, site.log):
                yield
        finally:
            site.changes.close()
            site.board.close()
            threads.close()

    async def ask(request: Request) -> Response:
        name, begun = request.path_params["name"], time.monotonic()
        find = partial(_holder, site, request, name, site.door.holder, ADD_HOST)
        holder: HostToken | Answered | None = None
        answered = _refusal_of_version(request) or _refusal_of_framing(request)
        if answered is None:
            holder = site.door.known(_bearer(request), name)
            if holder is None:
                holder = await threads.run(find)
            if isinstance(holder, Answered):
                answered = holder
            elif _is_large(request, limit_of(name)):
                async with large:
                    answered = await _answer(site, request, name, holder, threads)
            else:
                answered = await _answer(site, request, name, holder, threads)
        known = holder if isinstance(holder, HostToken) else None
        site.told(name, answered, begun, known, request.headers.get(trace_ids.HEADER))
        return _response(answered)

    async def mirror(request: Request) -> Response:
        name = request.path_params["name"]
        find = partial(_holder, site, request, name, site.mirrors.holder, ADD_PERSON)
        answered = _refusal_of_version(request) or _refusal_of_framing(request)
        if answered is None:
            holder = await threads.run(find)
            if isinstance(holder, Answered):
                answered = holder
            elif _is_large(request, mirror_door.limit_of(name)):
                async with large:
                    answered = await _answer_mirror(site, request, name, holder, threads)
            else:
                answered = await _answer_mirror(site, request, name, holder, threads)
        return _response(answered)

    async def agent(request: Request) -> Response:
        name, begun = request.path_params["name"], time.monotonic()
        find = partial(_holder, site, request, f"agent/{name}", site.agents.holder, HOST_OF_RUN)
        answered, holder = _refusal_of_version(request) or _refusal_of_framing(request), None
        if answered is None:
            holder = await threads.run(find)
            if isinstance(holder, Answered):
                answered = holder
            else:
                answered = await _answer_agent(site, request, name, holder, threads)
        if site.metrics is not None:
            site.metrics.asked("agent", answered.status, time.monotonic() - begun)
        if site.traces is not None and isinstance(holder, RunOwner):
            parent = trace_ids.of_run(holder.id)
            site.traces.asked(f"agent {name}", answered.status, time.monotonic() - begun, parent)
        return _response(answered)

    async def health(_: Request) -> Response:
        try:
            await threads.run(lambda: site.store.read(lambda tx: tx.now))
        except errors.LifecycleError as error:
            return Response(error.what, 503, media_type="text/plain")
        return Response("ok\n", media_type="text/plain")

    async def figures(request: Request) -> Response:
        return await threads.run(partial(_figures, site, request))

    async def demand(request: Request) -> Response:
        return await threads.run(partial(_demand, site, request))

    made = Starlette(
        routes=[
            Route(wire.PREFIX + "demand", demand, methods=["GET"]),
            Route(wire.PREFIX + "{name}", ask, methods=["POST"]),
            Route(wire.PREFIX + mirror_wire.PREFIX + "{name}", mirror, methods=["POST"]),
            Route(wire.PREFIX + wire.AGENT_PREFIX + "{name}", agent, methods=["POST"]),
            Route("/healthz", health),
            Route("/metrics", figures, methods=["GET"]),
        ],
        lifespan=lifespan,
    )
    made.state.short = short
    return made


def _response(answered: Answered) -> Response:
    kind = "application/json" if answered.status == 200 else PROBLEM
    return Response(answered.body, answered.status, headers=answered.headers, media_type=kind)


def _refusal_of_version(request: Request) -> Answered | None:
    given = request.headers.get(wire.VERSION_HEADER)
    if given == wire.VERSION:
        return None
    error = wire.NotReadable(
        "the server speaks another version",
        why=f"it speaks {wire.VERSION}, and {given or 'none'} is asked",
    )
    return Answered(426, wire.problem(error, 426), {"Upgrade": f"{wire.VERSION_HEADER}/{wire.VERSION}"})


def _refusal_of_framing(request: Request) -> Answered | None:
    """A length beside chunks: whoever is in front may have believed the other one, and so may our own limits."""
    if not {"content-length", "transfer-encoding"} <= set(request.headers.keys()):
        return None
    error = errors.UsageError("the request has two lengths", fix="send Content-Length or chunks, not both")
    return Answered(400, wire.problem(error, 400), {"Connection": "close"})


def _bearer(request: Request) -> str:
    """The request's token; empty where it has none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else ""


def _holder(
    site: DoorSite, request: Request, name: str, find: Callable[[str], H | None], command: str
) -> H | Answered:
    """Whose token the request has; why it is refused. `command` makes a token that would do."""
    peer = request.client.host if request.client else "?"
    token = _bearer(request)
    try:
        holder = find(token) if token else None
    except errors.LifecycleError as error:
        return site.door.refused("?", name, error)
    if holder is not None:
        return holder
    if not site.refusals.admits(peer):
        many = errors.UsageError("too many refused tokens", fix="wait a minute")
        return Answered(429, wire.problem(many, 429), {"Retry-After": "60"})
    site.log.warning("token_refused", peer=peer, asked=name[:60], given=bool(token))
    refused = wire.DoorRefused(
        "the server does not know the token",
        why="it is not one of its tokens, or it was revoked",
        fix=f"`{command}` on the server makes one",
    )
    return Answered(401, wire.problem(refused, 401), {"WWW-Authenticate": "Bearer"})


def _refused_watcher(site: DoorSite, request: Request, asked: str) -> Response | None:
    """The answer to who may not watch; like one with a wrong token of a host, it is told so 30 times a minute."""
    refused = watching.refusal(request, site.watch_token)
    if refused is None:
        return None
    peer = request.client.host if request.client else "?"
    if not site.refusals.admits(peer):
        many = errors.UsageError("too many refused tokens", fix="wait a minute")
        return _problem(many, 429, {"Retry-After": "60"})
    site.log.warning("token_refused", peer=peer, asked=asked, given="authorization" in request.headers)
    return _problem(refused, 401, {"WWW-Authenticate": "Bearer"})


def _problem(error: errors.LifecycleError, status: int, headers: dict[str, str] | None = None) -> Response:
    return Response(wire.problem(error, status), status, headers=headers, media_type=PROBLEM)


def _figures(site: DoorSite, request: Request) -> Response:
    """What Prometheus reads."""
    if (refused := _refused_watcher(site, request, "metrics")) is not None:
        return refused
    if site.metrics is None:
        return _problem(errors.LifecycleError("prometheus-client is not installed", fix=METRICS_INSTALL), 501)
    from orchestrator.server.metrics import CONTENT_TYPE

    try:
        return Response(site.metrics.text(), headers={"Content-Type": CONTENT_TYPE})
    except errors.LifecycleError as error:
        return _problem(error, 503)


def _demand(site: DoorSite, request: Request) -> Response:
    """What an autoscaler reads."""
    if (refused := _refused_watcher(site, request, "demand")) is not None:
        return refused
    try:
        roles = watching.roles_asked(request)
        found = site.store.read(lambda tx: demand_view(tx, roles))
    except errors.UsageError as error:
        return _problem(error, 422)
    except errors.LifecycleError as error:
        return _problem(error, 503)
    return Response(json.dumps(found), media_type="application/json")


def _is_large(request: Request, limit: int) -> bool:
    """Whether the body may take more memory than any number of requests at a time may."""
    length = request.headers.get("content-length", "")
    return limit > SMALL and not (length.isdigit() and len(length) < 20 and int(length) <= SMALL)


async def _body(request: Request, name: str, limit: int) -> bytes | Answered:
    """The request's body; why it is refused."""
    headers: dict[str, list[str]] = {}
    for key, value in request.headers.items():
        headers.setdefault(key, []).append(value)
    try:
        return await request_body.read(headers, request.receive, limit, keep=True)
    except request_body.TooLarge:
        large = errors.UsageError(
            "the request is too large",
            why=f"{name[:60]} may have {limit >> 10} KiB",
            fix="have the task make smaller files",
        )
        return Answered(413, wire.problem(large, 413), {"Connection": "close"})
    except TimeoutError:
        late = errors.UsageError("the request did not arrive in time", fix="send it again")
        return Answered(408, wire.problem(late, 408), {"Connection": "close"})


async def _answer(
    site: DoorSite, request: Request, name: str, holder: HostToken, threads: Threads
) -> Answered:
    body = await _body(request, name, NEWS_LIMIT if name == "news" else limit_of(name))
    if isinstance(body, Answered):
        return body
    if name == "terms":
        return Answered(200, json.dumps(site.terms(holder)).encode())
    if name == "news":
        return await _news(site, holder, body, threads)
    version = wire.program_version(request.headers.get("user-agent", ""))
    asked = partial(site.door.answer, holder, name, body, version)
    return await threads.run(asked)


async def _news(site: DoorSite, holder: HostToken, body: bytes, threads: Threads) -> Answered:
    """Park the request until there are news."""
    assert site.board is not None
    try:
        host, seen, seconds = wire.awaited(body)
        if not await threads.run(partial(site.door.owns, holder, host)):
            raise wire.DoorRefused("that host has not registered with this token", why=host[:80])
    except errors.LifecycleError as error:
        return site.door.refused(holder.name, "news", error)
    return Answered(200, json.dumps(await site.board.wait(seen, seconds)).encode())


async def _answer_agent(
    site: DoorSite, request: Request, name: str, holder: RunOwner, threads: Threads
) -> Answered:
    body = await _body(request, f"agent/{name}", QUESTION)
    if isinstance(body, Answered):
        return body
    try:
        asked = partial(site.agents.answer, holder, name, body)
        return Answered(200, await threads.run(asked))
    except Exception as error:
        return site.door.refused(f"run {holder.id}", f"agent/{name}", error)


async def _answer_mirror(
    site: DoorSite, request: Request, name: str, holder: PersonToken, threads: Threads
) -> Answered:
    body = await _body(request, name, mirror_door.limit_of(name))
    if isinstance(body, Answered):
        return body
    try:
        if name == "news":
            assert site.changes is not None
            asked = mirror_wire.read(mirror_wire.AskNews, body)
            seen = await site.changes.wait(asked.seen, min(max(0.0, asked.seconds), wire.LONGEST_WAIT))
            return Answered(200, mirror_wire.News(seen=seen).written())
        answer = await threads.run(partial(site.mirrors.answer, holder, name, body))
        return Answered(200, answer)
    except Exception as error:
        return site.door.refused(holder.name, f"mirror/{name}", error)
