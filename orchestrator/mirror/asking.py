"""A mirror's questions to its server: asked again where nobody knows whether they arrived, as they change nothing twice."""

from __future__ import annotations

import threading
import time
from typing import TypeVar

from orchestrator.domain.errors import LifecycleError, ServerAway
from orchestrator.door import mirror_wire, wire
from orchestrator.door.http_connections import AGAIN, ANSWER_SECONDS, FIRST_TRY, LONGEST_TRY, Connections
from orchestrator.door.mirror_wire import Message
from orchestrator.door.wire import DoorRefused

M = TypeVar("M", bound=Message)
NOT_LET_IN = (401, 426)  # whatever is asked
LONGEST_ANSWER = 2 * mirror_wire.LARGEST_CONTENT  # bytes


class NotLetIn(DoorRefused):
    """The server does not know the token any more, or speaks another version."""


class MirrorServer:
    """The server, asked by one mirror."""

    def __init__(self, connections: Connections, patience: float) -> None:
        """`patience`: seconds in which a question is asked again."""
        self._connections = connections
        self._patience = patience
        self._closing = threading.Event()

    def close(self) -> None:
        """Ask nothing again from now on."""
        self._closing.set()

    def ask(self, name: str, question: Message, answered: type[M], *, waits: float = 0.0) -> M:
        """The answer; `waits`: seconds for which the server may keep it. Raises NotLetIn, ServerAway, LifecycleError."""
        until = time.monotonic() + self._patience
        wait = FIRST_TRY
        while True:
            try:
                status, _, body = self._connections.ask(
                    mirror_wire.PREFIX + name,
                    question.written(),
                    ANSWER_SECONDS + waits,
                    longest=LONGEST_ANSWER,
                )
            except ServerAway as error:
                failed: LifecycleError = error
            else:
                if status == 200:
                    return mirror_wire.read(answered, body)
                failed = wire.error_of(status, body)
                if status in NOT_LET_IN:
                    raise NotLetIn(failed.what, why=failed.why, fix=failed.fix)
                if status not in AGAIN:
                    raise failed
                failed = ServerAway(failed.what, why=failed.why, fix=failed.fix)
            if time.monotonic() + wait >= until or self._closing.wait(wait):
                raise failed
            wait = min(2 * wait, LONGEST_TRY)
