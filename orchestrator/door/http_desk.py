"""The desk where host and database are on two machines: each operation is one request, asked again until it is answered.

Whatever is asked again has the same ids, and then the server answers as it did. So a lost answer, a server that restarts
and a network that is cut are waited out, up to `patience`; after that the run's lease is over anyway. What the server
refuses is never repeated.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.errors import LifecycleError, ServerAway
from orchestrator.domain.identity import ProjectId
from orchestrator.door import wire
from orchestrator.door.code_carrier import CodeCarrier
from orchestrator.door.desk import Desk, Ended, Renewed, Report, Reported, Run, Taken
from orchestrator.door.http_code import HttpCode
from orchestrator.door.http_connections import AGAIN, ANSWER_SECONDS, FIRST_TRY, LONGEST_TRY, Connections
from orchestrator.door.kept_contents import KeptContents
from orchestrator.door.run_data import Files, RunProducts
from orchestrator.door.wire import DoorRefused, NotReadable
from orchestrator.door.work_desk import AgentsDoor


@dataclass(frozen=True, slots=True)
class EngineTerms:
    """Where offers are delivered, unless the host's own settings name another way there."""

    address: str
    namespace: str
    queues: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What the server tells a host that joins: what its token is for, and how long its leases are."""

    name: str
    roles: tuple[str, ...]
    slots: int
    project: str
    version: str
    lease_seconds: float
    renew_seconds: float
    watchdog_margin_seconds: float
    engine: EngineTerms | None = None


@dataclass(frozen=True, slots=True)
class News:
    """`seen`: to be named when asking for the next news; `runs`: some run may not be the host's own any more."""

    seen: int
    is_new: bool
    runs: bool


class HttpDesk:
    """`Desk` at a server; `as_desk` types it. Operations without a method here are asked as they are (`door/wire.py`)."""

    def __init__(
        self,
        connections: Connections,
        state: Path,
        *,
        patience: float = 30.0,
        monotonic: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
        wall: Callable[[], int] = lambda: time.time_ns() // 1000,
    ) -> None:
        """`state`: the folder of what this machine keeps; `patience`: seconds in which a request is asked again."""
        self._connections = connections
        self._state = state
        self._patience = patience
        self._monotonic = monotonic
        self._wall = wall
        self._closing = threading.Event()
        self._contents = KeptContents()
        self.registered = threading.Event()  # a host has, and may ask for news

    def as_desk(self) -> Desk:
        return cast(Desk, self)

    @cached_property
    def project_id(self) -> ProjectId:
        """Of what is on this machine: its sockets are its own, and its trees no other machine's with the same folders."""
        return ProjectId(f"elsewhere:{self._state}:{_machine(self._state)}")

    @property
    def workflow(self) -> Path:
        return self._state

    @property
    def carrier(self) -> CodeCarrier:
        return HttpCode(self._answered)

    @property
    def agents_door(self) -> AgentsDoor:
        return self._connections.door

    def now(self) -> int:
        return self._wall()

    def close(self) -> None:
        """Ask nothing again from now on."""
        self._closing.set()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Asks for the operation of that name."""
        if wire.operation(name) is None:
            raise AttributeError(name)
        return partial(self._done, name)

    # operations that are not only asked

    def register(self, host: str, *, roles: tuple[str, ...], slots: int, lease_seconds: float) -> None:
        self._done("register", host, roles=roles, slots=slots, lease_seconds=lease_seconds)
        self.registered.set()

    def renew(self, host: str, runs: Iterable[str], *, lease_seconds: float, draining: bool) -> Renewed:
        """Asked once: the next renewal is due soon. A host whose token was revoked has no lease any more."""
        named = tuple(runs)
        question = _question("renew", host, named, lease_seconds=lease_seconds, draining=draining)
        try:
            return cast(Renewed, self._asked("renew", question, patience=0.0)[0])
        except DoorRefused:
            return Renewed(alive=False, gone=named)

    def claim(self, host: str, roles: tuple[str, ...], run: str) -> Run | None:
        row, clock, asked = self._asked("claim", _question("claim", host, roles, run), run=run)
        return row and _on_our_clock(row, clock, asked)

    def take(self, host: str, roles: tuple[str, ...], run: str, task: int, epoch: int) -> Taken:
        found, clock, asked = self._asked("take", _question("take", host, roles, run, task, epoch), run=run)
        taken = cast(Taken, found)
        return taken if taken.run is None else Taken(_on_our_clock(taken.run, clock, asked))

    def report(self, *given: Any, **named: Any) -> Reported:
        found, clock, asked = self._asked("report", _question("report", *given, **named), run=_run_of(given))
        done = cast(Reported, found)
        return done if done.next is None else replace(done, next=_on_our_clock(done.next, clock, asked))

    def content(self, sha256: str) -> bytes:
        """Asked for once: most of what a run reads, an earlier one of this host has read or made."""
        body = self._contents.get(sha256)
        if body is None:
            body = cast(bytes, self._done("content", sha256))
            self._contents.keep(body)
        return body

    def produced(self, run: Run, made: RunProducts) -> None:
        self._done("produced", run, made)
        self._keep(made.files)

    def add_record(self, run: Run, files: Files) -> None:
        self._done("add_record", run, files)
        self._keep(files)

    def _keep(self, files: Files) -> None:
        for body, _ in files.values():
            self._contents.keep(body)

    def is_ours(self, file: Path) -> bool:
        """A server on another machine refuses: it writes none of this one's files."""
        try:
            return cast(bool, self._done("is_ours", file))
        except DoorRefused:
            return False

    # what is no operation of a desk

    def terms(self) -> Terms:
        """What the host may do. Raises DoorRefused, ServerAway."""
        status, _, body = self._connections.ask("terms", b"{}", ANSWER_SECONDS)
        if status != 200:
            raise wire.error_of(status, body)
        try:
            content = json.loads(body)
            engine = content.pop("engine", None)
            return Terms(
                **{**content, "roles": tuple(content["roles"])},
                engine=None if engine is None else EngineTerms(**engine),
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise NotReadable(why=str(error)) from error

    def news(self, host: str, seen: int, seconds: float) -> News:
        """Wait until something was offered or revoked since `seen`, at most `seconds`. Raises LifecycleError."""
        question = json.dumps({"host": host, "seen": seen, "seconds": seconds}).encode()
        status, _, body = self._connections.ask("news", question, seconds + ANSWER_SECONDS)
        if status != 200:
            raise wire.error_of(status, body)
        try:
            return News(**json.loads(body))
        except (ValueError, TypeError) as error:
            raise NotReadable(why=str(error)) from error

    def _done(self, name: str, *given: Any, **named: Any) -> Any:
        return self._asked(name, _question(name, *given, **named), run=_run_of(given))[0]

    def _asked(
        self, name: str, question: bytes, patience: float | None = None, *, run: str | None = None
    ) -> tuple[Any, int, int]:
        """The answer, the server's clock of leases when the question had come, and ours as it was asked for that time.

        Raises what the operation raises.
        """
        headers, body, asked = self._repeated(
            name, question, self._patience if patience is None else patience, run=run
        )
        found = wire.operation(name)
        assert found is not None
        return found.value(body), int(headers.get(wire.CLOCK_HEADER, "0")), asked

    def _answered(
        self, run: str, name: str, question: bytes, patience: float, is_over: Callable[[], bool]
    ) -> bytes:
        """The answer of what is no operation of a desk; the caller may give up."""
        return self._repeated(name, question, patience, is_over, run=run)[1]

    def _repeated(
        self,
        name: str,
        question: bytes,
        patience: float,
        is_over: Callable[[], bool] = lambda: False,
        *,
        run: str | None = None,
    ) -> tuple[http.client.HTTPMessage, bytes, int]:
        """Headers and body of the answer, and our clock of leases as it was last asked for.

        Earlier tries do not count: the leases in the answer were read behind the last one. Raises what the server says,
        ServerAway.
        """
        until = time.monotonic() + patience
        wait = FIRST_TRY
        while True:
            asked = self._monotonic()
            try:
                status, headers, body = self._connections.ask(name, question, ANSWER_SECONDS, run=run)
            except ServerAway as error:
                failed: LifecycleError = error
            else:
                if status == 200:
                    return headers, body, asked
                failed = wire.error_of(status, body)
                if status not in AGAIN:
                    raise failed
            if time.monotonic() + wait >= until or is_over() or self._closing.wait(wait):
                raise failed
            wait = min(2 * wait, LONGEST_TRY)


def _machine(state: Path) -> str:
    """A name that the state folder of no other machine has, made once."""
    file = state / "machine"
    if not file.is_file():
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = file.with_name(f"machine.{uuid.uuid4().hex}")
        new.write_text(f"{uuid.uuid4().hex}\n")
        with suppress(FileExistsError):
            file.hardlink_to(new)  # the first one stays
        new.unlink()
    return file.read_text().strip()


def _run_of(given: tuple[object, ...]) -> str | None:
    """The run for which an operation with these arguments is asked."""
    rows = (each.row if isinstance(each, Report | Ended) else each for each in given)
    return next((row.run for row in rows if isinstance(row, Run)), None)


def _question(name: str, *given: Any, **named: Any) -> bytes:
    found = wire.operation(name)
    assert found is not None
    return found.question(*given, **named)


def _on_our_clock(row: Run, clock: int, asked: int) -> Run:
    """The same run with its lease on this machine's clock, counted from before the request: no later than it really ends."""
    return row._replace(lease_until=asked + row.lease_until - clock)
