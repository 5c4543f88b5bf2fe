"""Makes the ASGI application from the routes table, and runs it on 127.0.0.1."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from types import FrameType
from typing import cast
from urllib.parse import parse_qsl

import anyio
import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route as StarletteRoute
from starlette.types import ASGIApp

from orchestrator.domain.errors import LifecycleError, UnknownName, UsageError
from orchestrator.domain.json_types import Json
from orchestrator.web.connection import PatientForAWhile
from orchestrator.web.guard import FORM_TOKEN, LOOPBACK, VISITOR, Guard, own_path
from orchestrator.web.problems import problem, retry_after, status_of, told
from orchestrator.web.rendering import for_visitor, render
from orchestrator.web.route import Handler, Route, Stream
from orchestrator.web.routes import ROUTES
from orchestrator.web.site import Site
from orchestrator.web.web_request import PageQuery, Visitor, WebRequest, shown_at

THREADS = 16
COMPRESSED_ASIDE = (
    16 * 1024
)  # bytes of an answer from which on a thread compresses it, so that others need not wait
SWITCH_SECONDS = 0.0005  # how long a thread that renders may keep the loop, and thereby all others, waiting
TICK_SECONDS = 0.5  # how late the server sees that it is to end; its clock for `Date` is as late
GRACE_SECONDS = 2  # for requests under way when the server stops


def build(site: Site) -> ASGIApp:
    """The guarded application."""
    threads: list[anyio.CapacityLimiter] = []  # made inside the event loop that uses it

    def limiter() -> anyio.CapacityLimiter:
        if not threads:
            threads.append(anyio.CapacityLimiter(THREADS))
        return threads[0]

    def endpoint(route: Route) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            body = await request.body()
            if route.stream:
                return _stream(route, site, request, body)
            return await anyio.to_thread.run_sync(
                partial(_answer, route, site, request, body), limiter=limiter()
            )

        return answer

    def missing(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 405:
            return _failed(
                site,
                request,
                UsageError(
                    "this address does not take that method", fix="/api/v1/openapi.json lists what does"
                ),
                405,
            )
        if request.method in ("GET", "HEAD") and (other := _without_slash(request)) is not None:
            return RedirectResponse(other)
        return _failed(site, request, UnknownName("address", request.scope["path"], [], fix="start at /"))

    app = Starlette(
        routes=[StarletteRoute(each.path, endpoint(each), methods=[each.method]) for each in ROUTES],
        exception_handlers={404: missing, 405: missing},
        middleware=[Middleware(GZipMiddleware, compresslevel=6, thread_minimum_size=COMPRESSED_ASIDE)],
    )
    app.router.redirect_slashes = False  # it names the scheme too, and a proxy's is another
    return Guard(app, site)


def _without_slash(request: Request) -> str | None:
    """The same address without a slash at its end; None where it has none."""
    path = own_path(request.scope["path"])
    asked = request.scope["query_string"].decode("latin-1")
    return path.rstrip("/") + (f"?{asked}" if asked else "") if path.endswith("/") and path != "/" else None


def _answer(route: Route, site: Site, request: Request, body: bytes) -> Response:
    """What the handler returns; an error as a problem or a page."""
    try:
        asked = _checked(route, site, request, body)
        handler = cast(Handler, route.handler)
        if not asked.asks_for_part:
            return for_visitor(asked, handler(asked))
        return for_visitor(asked, site.live_parts.get(*asked.live_part(), partial(handler, asked)))
    except Exception as error:
        return _failed(site, request, told(error))


def _stream(route: Route, site: Site, request: Request, body: bytes) -> Response:
    try:
        events = cast(Stream, route.handler)(_checked(route, site, request, body))
    except Exception as error:
        return problem(told(error))
    unbuffered = {"x-accel-buffering": "no"}  # by a proxy
    return StreamingResponse(_quietly(events), media_type="text/event-stream", headers=unbuffered)


async def _quietly(events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same events; an error ends the stream, and the client comes again."""
    try:
        async for each in events:
            yield each
    except (LifecycleError, OSError) as error:
        yield f"event: bye\ndata: {json.dumps({'why': str(error)})}\n\n".encode()


def _checked(route: Route, site: Site, request: Request, body: bytes) -> WebRequest:
    """The request with its parameters checked. Raises ValidationError, UsageError."""
    given: dict[str, str] = {}
    for name, value in _pairs(request.scope["query_string"].decode("latin-1"), 50):
        if name in given:
            raise UsageError(f"{name[:60]!r} is given twice", fix="give it once")
        given[name] = value
    return WebRequest(
        site=site,
        visitor=request.scope[VISITOR],
        path=own_path(request.scope["path"]),
        names={name: str(value) for name, value in request.path_params.items()},
        query=route.query.model_validate(given),
        body=None if route.body is None else route.body.model_validate(_parsed(request.headers, body)),
        headers=dict(request.headers),
    )


def _pairs(text: str, most: int) -> list[tuple[str, str]]:
    """Names and values. Raises UsageError for too many."""
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=most)
    except ValueError as error:
        raise UsageError(
            "too many parameters", why=f"at most {most} are taken", fix="leave some out"
        ) from error


def _parsed(headers: Mapping[str, str], body: bytes) -> Json:
    """The values of a JSON body or of a form, whose empty fields count as not given. Raises UsageError."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind == "application/json":
            return json.loads(body)
        if kind == "application/x-www-form-urlencoded":
            fields = _pairs(body.decode(), 200)
            return {name: _with_newlines(value) for name, value in fields if value and name != FORM_TOKEN}
    except (ValueError, RecursionError) as error:
        raise UsageError("the body cannot be read", why=str(error)[:200], fix="send JSON") from error
    if not body:
        return {}
    raise UsageError("the body has no known type", why=kind or "none is named", fix="send application/json")


def _with_newlines(text: str) -> str:
    """`text` with the ends of lines that files have: browsers send those of a form as CR LF."""
    return text.replace("\r\n", "\n")


def _failed(site: Site, request: Request, error: LifecycleError, status: int | None = None) -> Response:
    path = own_path(request.scope["path"])
    visitor = request.scope.get(VISITOR, Visitor("", "read"))
    found = status or status_of(error)
    if path.startswith("/api/") or not visitor.person:  # who has not entered sees nothing of the projects
        return problem(error, found)
    asked = WebRequest(site, visitor, path, {}, PageQuery(), None, dict(request.headers))
    back = shown_at(path)
    answer = for_visitor(
        asked,
        render(
            asked, "error.html", status=found, title=asked.language.word(error.what), error=error, back=back
        ),
    )
    for name, value in retry_after(error).items():
        answer.headers[name] = value
    return answer


def listen(port: int) -> socket.socket:
    """A listening socket on loopback; port 0 takes a free one. Raises UsageError."""
    listening = socket.socket(
        socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # asyncio sends small answers at once only then
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise UsageError(
            f"port {port} cannot be taken", why=error.strerror or str(error), fix="name another --port"
        ) from error
    return listening


class _Server(uvicorn.Server):
    """Tells the streams that the server stops: they would keep it waiting."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def main_loop(self) -> None:
        """As uvicorn's, which looks ten times a second whether it is to end: all that an idle server does."""
        while not await self.on_tick(0):
            await asyncio.sleep(TICK_SECONDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Not as uvicorn does it, which ends by the signal itself when all is done: to be asked to end is no failure."""
        self._site.feed.stop()
        self.should_exit, self.force_exit = True, self.should_exit


def run(site: Site, listening: socket.socket, on_ready: Callable[[], None]) -> None:
    """Serve until a signal."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what was imported is not looked through at each collection
    config = uvicorn.Config(
        build(site),
        http=PatientForAWhile,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    on_ready()
    try:
        _Server(config, site).run(sockets=[listening])
    finally:
        for each in site.projects:
            each.close()
