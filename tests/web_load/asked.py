"""Asks the application within this process, so that the processor time of one answer can be measured, and nothing else's."""

from __future__ import annotations

import asyncio
import gc
import gzip
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message

from orchestrator.__main__ import GC_OBJECTS
from orchestrator.project import Project
from orchestrator.web.access import Access
from orchestrator.web.feed import Feed
from orchestrator.web.guard import NAME
from orchestrator.web.served import ServedProject
from orchestrator.web.server import SWITCH_SECONDS, build
from orchestrator.web.site import Site
from tests.web_load.crowd import Crowd
from tests.web_world import entered

PORT = 8470


@dataclass(frozen=True, slots=True)
class Answered:
    status: int
    headers: dict[str, str]
    body: bytes  # as it was sent
    cpu_ms: float  # of this process, all its threads
    wall_ms: float

    @property
    def text(self) -> str:
        return (gzip.decompress(self.body) if "content-encoding" in self.headers else self.body).decode()

    @property
    def elements(self) -> int:
        counted = _Elements()
        counted.feed(self.text)
        return counted.count


class _Elements(HTMLParser):
    count = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.count += 1


class Asked:
    """The application over a project, and a browser's cookie for it."""

    def __init__(self, crowd: Crowd) -> None:
        self._served = ServedProject("p", Project(crowd.folder))
        access = Access(crowd.folder / "state")
        self.site = Site([self._served], access, Feed([self._served]), PORT)
        self._app: ASGIApp = build(self.site)
        self._cookie = f"lc-{PORT}={entered(access, 'ana')}"
        self._loop = asyncio.new_event_loop()

    def get(self, path: str) -> Answered:
        """The answer to a browser that takes compressed ones."""
        cpu, wall = time.process_time(), time.perf_counter()
        start, body = self._loop.run_until_complete(self._ask(path))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        return Answered(start["status"], headers, body, cpu * 1000, wall * 1000)

    async def _ask(self, path: str) -> tuple[Message, bytes]:
        place, _, query = path.partition("?")
        named = {"host": f"{NAME}:{PORT}", "cookie": self._cookie, "accept-encoding": "gzip"}
        scope = {
            "type": "http",
            "method": "GET",
            "path": unquote(place),
            "raw_path": place.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in named.items()],
            "http_version": "1.1",
            "scheme": "http",
        }
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        return sent[0], b"".join(each.get("body", b"") for each in sent[1:])

    def close(self) -> None:
        self._loop.close()
        self._served.close()


@contextmanager
def asked(crowd: Crowd) -> Iterator[Asked]:
    made = Asked(crowd)
    try:
        with _as_served():
            yield made
    finally:
        made.close()


@contextmanager
def _as_served() -> Iterator[None]:
    """Python as `lifecycle serve` sets it: it looks for cycles less often, and not through what was imported."""
    objects, seconds = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(GC_OBJECTS)
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(seconds)
        gc.unfreeze()
        gc.set_threshold(*objects)
