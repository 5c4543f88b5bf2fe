"""A collector of traces on loopback: it takes OTLP over HTTP and keeps every span, decoded."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Proto

ERROR = 2  # as a status' code
SERVER = 2  # as a kind


@dataclass(frozen=True, slots=True)
class Got:
    """One span as it came."""

    trace: str
    span: str
    parent: str
    name: str
    kind: int
    begun: int  # nanoseconds
    ended: int
    attributes: dict[str, Any]
    status: int
    words: str
    links: tuple[tuple[str, str], ...]
    events: tuple[str, ...]
    resource: dict[str, Any]


@dataclass
class Collector:
    url: str
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)
    status: int = 200
    hanging: threading.Event | None = None  # each request waits for it

    @property
    def spans(self) -> list[Got]:
        return [each for body in list(self.bodies) for each in decoded(body)]

    def of(self, trace: str) -> list[Got]:
        """The spans of one trace, each once: a coordinator that follows another sends some again."""
        return list({each.span: each for each in self.spans if each.trace == trace}.values())


def decoded(body: bytes) -> Iterator[Got]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        of_process = _attributes(resource.resource.attributes)
        for scope in resource.scope_spans:
            yield from (_got(span, of_process) for span in scope.spans)


def _got(span: Proto, of_process: dict[str, Any]) -> Got:
    return Got(
        trace=span.trace_id.hex(),
        span=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        name=span.name,
        kind=span.kind,
        begun=span.start_time_unix_nano,
        ended=span.end_time_unix_nano,
        attributes=_attributes(span.attributes),
        status=span.status.code,
        words=span.status.message,
        links=tuple((each.trace_id.hex(), each.span_id.hex()) for each in span.links),
        events=tuple(each.name for each in span.events),
        resource=of_process,
    )


def _attributes(given: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in given}


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that listens until the end."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            if collector.hanging is not None:
                collector.hanging.wait()
            collector.paths.add(self.path)
            collector.headers.append({key.lower(): value for key, value in self.headers.items()})
            if collector.status == 200:
                collector.bodies.append(body)
            self.send_response(collector.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Nothing of it belongs in the output of tests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector = Collector(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        if collector.hanging is not None:
            collector.hanging.set()
        server.shutdown()
        server.server_close()
        thread.join()
