"""The short way of an ordinary request: from the bytes that came to those of its answer, without parser, task and routing.

A request is ordinary where what came at once is all of it, as a host sends it: `POST /v1/OPERATION`, each header said
once and in letters that nobody reads in two ways, none that has to do with how it is framed, a length that is that of the
rest; of a token that the server knows, for an operation that is admitted where it is done. Whatever is not, goes the long
way, through h11 and the application, and is judged and refused there. So this decides nothing but which way.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus

from orchestrator.domain import trace_ids
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.door import wire
from orchestrator.server.door import Answered
from orchestrator.server.door_site import DoorSite
from orchestrator.server.threads import Threads

HEAD_MOST = 16 * 1024  # bytes
PROBLEM = "application/problem+json"
_FIRST = re.compile(rb"POST /v1/([a-z_]{1,40}) HTTP/1\.1")
_LINE = re.compile(rb"([A-Za-z0-9-]{1,60}): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)")
_LENGTH = re.compile(rb"[0-9]{1,7}")
OF_FRAMES = (
    frozenset(  # whose presence says more than the length about where a request ends, and what is done then
        {
            *(b"connection", b"expect", b"http2-settings", b"keep-alive", b"proxy-connection"),
            *(b"te", b"trailer", b"transfer-encoding", b"upgrade"),
        }
    )
)


class Ordinary(NamedTuple):
    """A request that may go the short way."""

    name: str
    headers: dict[bytes, bytes]  # by their names in small letters
    body: bytes

    def header(self, name: str) -> str:
        return self.headers.get(name.lower().encode(), b"").decode("ascii")


def ordinary(data: bytes) -> Ordinary | None:
    """The request that `data` is, whole and alone; None for anything else."""
    end = data.find(b"\r\n\r\n", 0, HEAD_MOST)
    if end < 0:
        return None
    first, *lines = data[:end].split(b"\r\n")
    asked = _FIRST.fullmatch(first)
    if asked is None:
        return None
    headers: dict[bytes, bytes] = {}
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            return None
        headers[found[1].lower()] = found[2]
    if len(headers) != len(lines) or not OF_FRAMES.isdisjoint(headers) or b"host" not in headers:
        return None
    length = headers.get(b"content-length", b"")
    body = data[end + 4 :]
    if _LENGTH.fullmatch(length) is None or int(length) != len(body):
        return None
    return Ordinary(asked[1].decode("ascii"), headers, body)


class ShortWay:
    """Answers ordinary requests in the server's threads."""

    def __init__(self, site: DoorSite, threads: Threads) -> None:
        self._site = site
        self._threads = threads

    def begin(self, asked: Ordinary, done: Callable[[Answered], None]) -> bool:
        """Have the request answered, and call `done` on the loop with that; False where it has to go the long way."""
        if asked.header(wire.VERSION_HEADER) != wire.VERSION:
            return False
        kind, _, token = asked.header("authorization").partition(" ")
        holder = self._site.door.known(token, asked.name) if kind.lower() == "bearer" else None
        if holder is None:
            return False
        begun = time.monotonic()

        def answered(answer: Answered) -> None:
            self._site.told(asked.name, answer, begun, holder, asked.header(trace_ids.HEADER))
            done(answer)

        version = wire.program_version(asked.header("user-agent"))
        self._threads.hand_over(
            partial(self._site.door.answer, holder, asked.name, asked.body, version), answered
        )
        return True


def written(answer: Answered, more: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The answer's bytes, with headers of the server's own."""
    kind = "application/json" if answer.status == HTTPStatus.OK else PROBLEM
    lines = [
        f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}".encode(),
        *(name + b": " + value for name, value in more),
        *(f"{name}: {value}".lower().encode("ascii") for name, value in answer.headers.items()),
        f"content-length: {len(answer.body)}".encode(),
        f"content-type: {kind}".encode(),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + answer.body
