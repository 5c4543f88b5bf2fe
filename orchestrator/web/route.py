"""One entry of the routes table: routing, checks of parameters and the OpenAPI document are made from it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Literal

from pydantic import BaseModel
from starlette.responses import Response

from orchestrator.domain.dataclass import dataclass
from orchestrator.web.web_request import Query, WebRequest

Handler = Callable[[WebRequest], Response]
Stream = Callable[[WebRequest], AsyncIterator[bytes]]


@dataclass(frozen=True, slots=True)
class Route:
    method: Literal["GET", "POST"]
    path: str  # as Starlette writes it: `{name}`, and `{name:path}` for what may contain slashes
    handler: Handler | Stream
    summary: str
    query: type[Query] = Query
    body: type[BaseModel] | None = None
    stream: bool = False  # the handler is asynchronous and yields server-sent events

    @property
    def is_api(self) -> bool:
        return self.path.startswith("/api/")
