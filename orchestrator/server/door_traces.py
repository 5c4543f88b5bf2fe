"""The requests of hosts and agents for a run, as spans below the run's."""

from __future__ import annotations

import secrets
import time

from orchestrator.domain.trace_ids import SpanContext
from orchestrator.door import code_carrier, wire
from orchestrator.mcp_server.scope import WORKER_TOOLS
from orchestrator.traces.sender import Sender
from orchestrator.traces.span import Span, told

FAILED = 500  # from this status on the fault is ours
_KNOWN = wire.names() | {*code_carrier.OPERATIONS} | {f"agent {name}" for name in WORKER_TOOLS}


class DoorTraces:
    """What one server sends."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def asked(
        self, name: str, status: int, seconds: float, parent: SpanContext | None, host: str | None = None
    ) -> None:
        """A request was answered that took so long; without a `parent` it was for no run. `host`: the name of its token."""
        if parent is None or name not in _KNOWN:
            return
        ended = time.time_ns() // 1_000
        span = Span(
            f"door {name}",
            SpanContext(parent.trace, secrets.token_hex(8)),
            parent,
            ended - int(seconds * 1_000_000),
            ended,
            {"http.request.method": "POST", "http.response.status_code": status, **told(host=host)},
            fault=str(status) if status >= FAILED else "",
            answers=True,
        )
        self._sender.send([span])
