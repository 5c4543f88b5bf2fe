"""Sends spans to a collector by OTLP over HTTP: the only module that loads OpenTelemetry's library.

What is given here is put into a queue, and nothing more: a thread makes the library's spans of it, and one of the library's
sends them; of more than its own queue holds the oldest are dropped. A collector that is down, slow or hanging costs spans
and nothing else.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import uuid
from collections.abc import Iterable, Sequence

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)
from opentelemetry.util.re import parse_env_headers

from orchestrator import __version__
from orchestrator.domain import secrets
from orchestrator.domain.trace_ids import SpanContext
from orchestrator.log import Logger
from orchestrator.traces.span import Span

DELAY_SECONDS = 1.0  # that a span waits for others
QUEUED = 8_192  # spans that wait at most
CLOSE_SECONDS = 3.0  # that what waits gets at our end
ASK_SECONDS = 3.0  # that a collector gets to answer whoever examines it
NANOSECONDS = 1_000  # of a microsecond
HEADERS = ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS")
_LIBRARY = "opentelemetry"  # how the names of its loggers begin


class Sender:
    """Where spans are given. `send` and `close` may be called from any thread."""

    def __init__(self, url: str, process: str, log: Logger) -> None:
        """`process`: which of ours this is. Raises ValueError, OSError for variables that the exporter cannot use."""
        heard = _Heard()
        exporter = _ToldExporter(_exporter(url, heard), heard, log)
        self._ids = _GivenIds()
        self._provider = TracerProvider(
            sampler=ALWAYS_ON,
            resource=_resource(process),
            id_generator=self._ids,
            shutdown_on_exit=False,
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(exporter, max_queue_size=QUEUED, schedule_delay_millis=DELAY_SECONDS * 1_000)
        )
        self._tracer = self._provider.get_tracer("team-lifecycle", __version__)
        self._given: queue.SimpleQueue[Span | None] = queue.SimpleQueue()
        self._maker = threading.Thread(target=self._make, name="traces", daemon=True)
        self._maker.start()

    def send(self, spans: Iterable[Span]) -> None:
        """Queue these spans."""
        for span in spans:
            self._given.put(span)

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Send what waits, for so long at most: a collector that hangs does not keep the process."""
        closing = threading.Thread(target=self._finish, name="traces-close", daemon=True)
        closing.start()
        closing.join(seconds)

    def _finish(self) -> None:
        self._given.put(None)
        self._maker.join()
        self._provider.shutdown()

    def _make(self) -> None:
        while (span := self._given.get()) is not None:
            self._ids.next = span.at
            made = self._tracer.start_span(
                span.name,
                _below(span.parent),
                kind=SpanKind.SERVER if span.answers else SpanKind.INTERNAL,
                attributes=span.attributes,
                links=[Link(_library_context(each)) for each in span.links],
                start_time=span.begun * NANOSECONDS,
            )
            for name, at in span.events:
                made.add_event(name, timestamp=at * NANOSECONDS)
            if span.fault:
                made.set_status(Status(StatusCode.ERROR, span.fault))
            made.end(span.ended * NANOSECONDS)


class _GivenIds(IdGenerator):
    """The ids of the span that is about to be made, by one thread alone."""

    next: SpanContext

    def generate_span_id(self) -> int:
        return int(self.next.span, 16)

    def generate_trace_id(self) -> int:
        return int(self.next.trace, 16)


class _ToldExporter(SpanExporter):
    """Tells the log when nothing can be sent, and when it can again: not at each batch."""

    def __init__(self, exporter: SpanExporter, heard: _Heard, log: Logger) -> None:
        self._exporter = exporter
        self._heard = heard
        self._log = log
        self._lost = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._heard.words = ""
        found = self._exporter.export(spans)
        if found is SpanExportResult.SUCCESS:
            if self._lost:
                self._log.info("spans_sent_again", lost=self._lost)
            self._lost = 0
            return found
        if not self._lost:
            self._log.warning(
                "spans_not_sent", why=self._heard.why, fix="check traces.endpoint and the collector"
            )
        self._lost += len(spans)
        return found

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


class _Heard(logging.Handler):
    """What the library, which tells its loggers alone, first said of an attempt."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.words = ""
        library = logging.getLogger(_LIBRARY)
        library.addHandler(self)
        library.propagate = False

    def emit(self, record: logging.LogRecord) -> None:
        self.words = self.words or record.getMessage()

    @property
    def why(self) -> str:
        """The same without the values of headers."""
        given = [parse_env_headers(os.environ.get(name, ""), liberal=True) for name in HEADERS]
        return secrets.mask(
            self.words, frozenset(value for each in given for value in each.values() if value)
        )


def _exporter(url: str, heard: _Heard, timeout: float | None = None) -> OTLPSpanExporter:
    """Raises ValueError for variables that the library would pass over, and repeat with what is secret in them."""
    made = OTLPSpanExporter(endpoint=url, timeout=timeout)
    if heard.words:
        raise ValueError(f"{' or '.join(HEADERS)}, or another variable, is not in the form that is specified")
    return made


def fault_of(url: str) -> str:
    """Why the collector there takes nothing just now; empty where it does. Raises ValueError, OSError as `Sender` does."""
    heard = _Heard()
    found = _exporter(url, heard, ASK_SECONDS).export([])
    return "" if found is SpanExportResult.SUCCESS else heard.why or "it did not answer"


def _library_context(of: SpanContext) -> trace.SpanContext:
    return trace.SpanContext(int(of.trace, 16), int(of.span, 16), True, TraceFlags(TraceFlags.SAMPLED))


def _below(parent: SpanContext | None) -> Context:
    """Without a parent a context of nothing: the process may have one of its own."""
    return (
        Context()
        if parent is None
        else set_span_in_context(NonRecordingSpan(_library_context(parent)), Context())
    )


def _resource(process: str) -> Resource:
    """Ours, and what OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say."""
    name = {} if "OTEL_SERVICE_NAME" in os.environ else {"service.name": "team-lifecycle"}
    return Resource.create(
        {
            **name,
            "service.version": __version__,
            "service.instance.id": uuid.uuid4().hex,
            "lifecycle.process": process,
        }
    )
