"""One request of a host from its token to its answer, in a thread: nothing of HTTP but bytes and a status."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from orchestrator import wakeup
from orchestrator.domain import errors
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.door import code_carrier, wire
from orchestrator.door.desk import Reported, Run, Taken
from orchestrator.door.local_desk import LocalDesk
from orchestrator.door.work_desk import WorkState
from orchestrator.lifecycle import report
from orchestrator.log import Logger
from orchestrator.server.admission import (
    OF_MACHINE,
    Rights,
    TokenRevoked,
    admitted,
    expected,
    revoked,
    run_in,
)
from orchestrator.server.code_door import CodeDoor, StillAtIt
from orchestrator.store import audit, host_tokens, leases
from orchestrator.store.rows import HostToken
from orchestrator.store.store import Store, Tx
from orchestrator.web.limits_by_time import RateLimit

SMALL, LARGE = 2 * 1024 * 1024, 64 * 1024 * 1024  # bytes of a question
WITH_FILES = ("produced", "add_record", "report", "end", "keep_critiques", "add_check")  # may be large
NOTED_A_MINUTE = 5  # refusals of one token
TELL = ("report", "end", "bye", "begin_call")  # after which the coordinator has something to see
CLAIMS = ("claim", "take")
AT_ONCE = frozenset(  # whose method asks for units, and does nothing else before the first of them
    {
        *("renew", "bye", "claim", "take", "is_delivered", "over", "is_led", "attempts_before", "context"),
        *("content", "texts_of", "tasks", "calls", "specified", "changed_since_approval", "phase"),
        *("begin_call", "end_call", "produced_before", "produced", "add_record", "critiques"),
        *("keep_critiques", "report", "end", "check", "checks", "add_check", "links", "agent_token"),
    }
)
SEEN = 4096  # runs that are remembered
KNOWN_SECONDS = 5.0  # that the row of a token is believed where a unit looks at it anyway
_CLOCKED = ("claim", "take", "report")  # whose answers have leases
_log = logging.getLogger(__name__)

STATUS: dict[type[Exception], int] = {
    wire.DoorRefused: 403,
    wire.NotReadable: 422,
    errors.NotAllowedNow: 409,
    errors.UsageError: 422,
    StillAtIt: 503,
    errors.DatabaseBusy: 503,
    errors.DatabaseUnusable: 503,
    errors.DiskFull: 503,
    errors.NoDescriptors: 503,
    errors.StoreBroken: 503,
    errors.StoreError: 500,
    errors.LifecycleError: 409,
}


@dataclass(frozen=True, slots=True)
class Answered:
    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    opened: bool = True  # what was to be claimed has been


def limit_of(name: str) -> int:
    """How many bytes a question of this operation may have."""
    return LARGE if name in WITH_FILES else SMALL


class Door:
    """Answers questions on a store. `on_broken` is called when its disk has failed: this process must end."""

    def __init__(
        self, store: Store, rights: Rights, log: Logger, on_broken: Callable[[], None] = lambda: None
    ) -> None:
        self._store = store
        self.local = LocalDesk(store)
        self._rights = rights
        self._log = log
        self._on_broken = on_broken
        self._code = CodeDoor(store, self.local, log)
        self._noted = RateLimit(NOTED_A_MINUTE)
        self._known: dict[str, tuple[HostToken, float]] = {}  # by digest, with when it is read again
        self._seen: OrderedDict[str, tuple[str, str]] = OrderedDict()  # run -> its token's name, its session
        report.prepare()

    def known(self, token: str, name: str) -> HostToken | None:
        """Whose token it was lately, where that will do: what admits the operation `name` looks whether it still is."""
        found, until = self._known.get(host_tokens.digest_of(token), (None, 0.0))
        return found if time.monotonic() < until and _is_admitted(name) else None

    def holder(self, token: str) -> HostToken | None:
        """Whose token it is; None for one that is unknown or revoked. Raises StoreError."""
        digest = host_tokens.digest_of(token)
        found = self._store.read(lambda tx: host_tokens.token_of(tx, token))
        if found is None:
            self._known.pop(digest, None)
        else:
            self._known[digest] = (found, time.monotonic() + KNOWN_SECONDS)
        return found

    def owns(self, token: HostToken, host: str) -> bool:
        """Whether that host has registered with the token. Raises StoreError."""
        return self._store.read(lambda tx: host_tokens.is_own(tx, token.name, host))

    def roles_of(self, token: HostToken) -> list[str]:
        """What its hosts are offered."""
        return [role for role in token.roles if self._rights.beside or role in ROLES_ELSEWHERE]

    def answer(self, token: HostToken, name: str, body: bytes, version: str = "") -> Answered:
        """Do one operation; every error is an answer. `version`: of the program that asks, as far as it says so."""
        try:
            return self._answer(token, name, body, version)
        except TokenRevoked as error:
            self._known.pop(token.sha256, None)
            return self.refused(token.name, name, error)
        except wire.DoorRefused as error:
            self._note_refusal(token, name, error)
            return self.refused(token.name, name, error)
        except Exception as error:
            return self.refused(token.name, name, error)

    def _note_refusal(self, token: HostToken, name: str, error: wire.DoorRefused) -> None:
        """What a token was used for that it is not for is kept; of very many, some: they are not to fill the database."""
        if not self._noted.admits(token.name):
            return
        detail = f"{name[:60]}: {error.what}"
        try:
            self._store.write(lambda tx: audit.note(tx, audit.REFUSED, token.name, token.name, detail))
        except errors.LifecycleError as failed:
            self._log.warning("refusal_not_noted", host=token.name, error=failed.what)

    def refused(self, who: str, name: str, error: Exception) -> Answered:
        """The problem that tells of an error, which is logged where it is not a run's ordinary end."""
        if not isinstance(error, errors.LifecycleError):
            _log.error("a request failed", exc_info=error)
            error = errors.LifecycleError(
                "an internal error of the server",
                why=type(error).__name__,
                fix="see .workflow/logs/server.jsonl on the server",
            )
            return Answered(500, wire.problem(error, 500))
        status = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
        if status != 409 and not isinstance(error, StillAtIt):
            self._log.warning("request_refused", host=who, asked=name, status=status, why=error.what)
        if isinstance(error, errors.StoreBroken):
            self._on_broken()
        return Answered(status, wire.problem(error, status))

    def _answer(self, token: HostToken, name: str, body: bytes, version: str) -> Answered:
        if name in code_carrier.OPERATIONS:
            return Answered(200, self._code.answer(token, name, body))
        operation = wire.operation(name)
        if operation is None:
            raise wire.NotReadable(f"there is no operation {name[:60]!r}")
        given = operation.arguments(body)
        try:
            value, clock = self._at_once(token, operation, given)
        except _InTwo:
            value, clock = self._in_two(token, operation, given, version)
        if name in TELL:
            wakeup.wake_daemon(self._store.project_id)  # after the commit
        headers = {}
        if name in _CLOCKED:
            headers[wire.CLOCK_HEADER] = str(clock)
        run = value.run if isinstance(value, Taken) else value.next if isinstance(value, Reported) else value
        if isinstance(run, Run):
            self._note(token, run)
        return Answered(200, operation.answer(value), headers, opened=name not in CLAIMS or run is not None)

    def _at_once(
        self, token: HostToken, operation: wire.Operation, given: Mapping[str, Any]
    ) -> tuple[object, int]:
        """The answer, and the clock of leases before it, where the unit that does it admits it too.

        Raises _InTwo where the runs in `given` have to be read first.
        """
        name, said = operation.name, run_in(given)
        if name not in AT_ONCE:
            raise _InTwo
        if said is not None and self._seen.get(said.run) != (token.name, said.session_id):
            raise _InTwo  # nobody locks a session that no run of his is of
        wanted = expected(token, self._rights, given)
        clocks: list[int] = []

        def check(tx: Tx) -> None:
            if admitted(tx, token, self._rights, operation, given) != wanted:
                raise _InTwo
            clocks.append(tx.lease_now)

        value = self._do(self.local.on(self._store.after(check)), token, name, wanted)
        if not clocks:
            raise _InTwo  # nothing was asked of the database
        return value, clocks[0]

    def _do(self, desk: LocalDesk, token: HostToken, name: str, known: Mapping[str, Any]) -> object:
        more: dict[str, Any] = {}
        if name in CLAIMS and not self._rights.beside:
            more["has_room"] = lambda tx: host_tokens.has_room(tx, token, known["run"])
        act: Callable[..., object] = getattr(desk, name)
        return act(**known, **more)

    def _note(self, token: HostToken, run: Run) -> None:
        """Remember whose run it is, and of which session: neither changes."""
        self._seen[run.run] = (token.name, run.session_id)
        while len(self._seen) > SEEN:
            self._seen.popitem(last=False)

    def _in_two(
        self, token: HostToken, operation: wire.Operation, given: Mapping[str, Any], version: str
    ) -> tuple[object, int]:
        """The same, admitted in a unit of its own."""
        name = operation.name
        value: object
        known, clock = self._store.read(
            lambda tx: (admitted(tx, token, self._rights, operation, given), tx.lease_now)
        )
        if (own := run_in(known)) is not None:
            self._note(token, own)
        if name == "register":
            value = self._store.write(lambda tx: _register(tx, token, version, **known))
            self._log.info("host_registered", host=token.name, incarnation=known["host"][:10])
        elif name in OF_MACHINE:
            found = getattr(self.local, name)(**known, token=token.name)
            hidden = name == "work_states" and not self._rights.beside
            value = self._store.read(lambda tx: _worked_in(tx, token, found)) if hidden else found
        else:
            value = self._do(self.local, token, name, known)
        return value, clock


class _InTwo(Exception):
    """The operation cannot be admitted by the unit that does it."""


def _is_admitted(name: str) -> bool:
    return name not in code_carrier.OPERATIONS and wire.operation(name) is not None


def _worked_in(tx: Tx, token: HostToken, states: list[WorkState]) -> list[WorkState]:
    """Those of the sessions in which hosts of the token have worked."""
    return [each for each in states if host_tokens.has_worked_in(tx, token.name, each.session_id)]


def _register(
    tx: Tx,
    token: HostToken,
    version: str,
    host: str,
    roles: tuple[str, ...],
    slots: int,
    lease_seconds: float,
) -> None:
    """Raises DoorRefused for a token that was revoked meanwhile."""
    if not host_tokens.keep_valid(tx, token.name):
        raise revoked(token)
    if not host_tokens.is_own(tx, token.name, host):
        audit.note(tx, audit.JOINED, token.name, host, f"{slots} slots; {', '.join(roles)}")
    leases.register_host(
        tx,
        host,
        pid=0,
        started=0,
        roles=roles,
        slots=slots,
        lease_seconds=lease_seconds,
        token=token.name,
        version=version,
    )
