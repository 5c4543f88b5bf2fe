"""What a token lets its hosts ask: their own runs, and nothing of anybody else's.

What a host sends of a run is its name alone: the row is read here. So a token that was stolen can do that host's work,
and neither report another's run nor claim for a role that the token is not for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.elsewhere import ROLES_ELSEWHERE, WHY_HERE
from orchestrator.domain.errors import LeaseLost, UsageError
from orchestrator.domain.identity import SUPERVISED
from orchestrator.domain.patterns import expression
from orchestrator.door.code_carrier import RECEIVED
from orchestrator.door.desk import CallBegin, Ended, Report, Run, RunProducts
from orchestrator.door.wire import DoorRefused, Operation
from orchestrator.server.consequences import refuse_consequences, refuse_not_received
from orchestrator.store import claims, host_tokens, tasks, work, work_trees
from orchestrator.store.rows import HostToken
from orchestrator.store.store import Tx

INCARNATION = expression(r"h-[A-Za-z0-9-]{1,60}\Z")
ELSEWHERE = frozenset(
    {
        *("register", "renew", "bye", "claim", "take", "is_delivered", "over", "is_led", "agent_token"),
        *("attempts_before", "context", "content", "texts_of", "tasks", "calls", "specified"),
        *("changed_since_approval", "is_session", "is_deleted", "title", "newest_text"),
        *("phase", "begin_call", "end_call", "produced_before", "produced", "add_record"),
        *("critiques", "keep_critiques", "report", "end", "check", "checks", "links"),
        *("work", "commits", "landed", "work_states", "work_state"),
        *("lane_for", "tree_in_use", "open_tree", "make_live", "hand_on", "rebase_tree", "left_trees"),
        *("retire_tree", "discard_tree", "note_removed", "add_check"),
        *("propose", "left_candidate", "take_ticket", "drop_ticket", "is_its_turn"),
    }
)  # all but what chooses a session's base, or is about the user's repository
OF_TREES = ("retire_tree", "discard_tree", "note_removed")  # which name a tree, and no run
OF_MACHINE = ("left_trees", "work_state", "work_states")  # answered with the trees of the token's hosts alone
CLOSED_TOO = ("report", "end", "end_call")  # operations of a run that may be asked again after its end
MOST = 256  # names in one list of a question
LONGEST_PATH = 4096  # bytes


@dataclass(frozen=True, slots=True)
class Rights:
    """What hosts with a token may ask at most. `beside`: they are beside the project's repository, and may ask all."""

    longest_lease: float  # seconds
    beside: bool = False


def admitted(
    tx: Tx, token: HostToken, rights: Rights, operation: Operation, given: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments with what the database says of their runs. Raises DoorRefused, LeaseLost, UsageError."""
    closed_too = operation.name in CLOSED_TOO
    host, own = _proven(tx, token, operation.name, given, closed_too=closed_too)
    if host is None and not host_tokens.is_valid(tx, token.name):
        raise revoked(token)
    if not rights.beside and operation.name not in ELSEWHERE:
        raise DoorRefused(f"{operation.name} is not for hosts on another machine", why=WHY_HERE)
    _refuse_beyond(token, rights, given)
    if host is None or host != given.get("host", host):
        _refuse_host(tx, token, operation.name, given)

    def row_of(named: Run) -> Run:
        if own is not None and (own.run, own.host) == (named.run, named.host):
            return own
        return _own(tx, token, named, closed_too=closed_too)

    found = _with_rows(given, row_of)
    if rights.beside:
        return found
    _refuse_session(tx, token, operation.name, given)
    _refuse_code(tx, token, operation.name, found)
    _refuse_earlier(tx, found)
    for value in found.values():
        if isinstance(value, Report):
            refuse_consequences(tx, value)
        elif isinstance(value, Ended):
            _refuse_account(token, value.limited_by)
    return _of_machine(token, found)


def expected(token: HostToken, rights: Rights, given: Mapping[str, Any]) -> dict[str, Any]:
    """What `admitted` returns where runs are as the host says they are."""
    return dict(given) if rights.beside else _of_machine(token, given)


def run_in(given: Mapping[str, Any]) -> Run | None:
    """The run that arguments are about."""
    rows = (each.row if isinstance(each, Report | Ended) else each for each in given.values())
    return next((row for row in rows if isinstance(row, Run)), None)


def _with_rows(given: Mapping[str, Any], row_of: Callable[[Run], Run]) -> dict[str, Any]:
    found = dict(given)
    for name, value in given.items():
        if isinstance(value, Run):
            found[name] = row_of(value)
        elif isinstance(value, Report | Ended):
            found[name] = replace(value, row=row_of(value.row))
    return found


def _of_machine(token: HostToken, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as of a host on another machine."""
    found = dict(given)
    for name, value in given.items():
        if isinstance(value, Report):
            found[name] = replace(value, max_attempts=value.row.max_attempts)
        elif isinstance(value, CallBegin) and value.account is not None:
            found[name] = replace(value, account=_account(token, value.account))
    return found


def _proven(
    tx: Tx, token: HostToken, operation: str, given: Mapping[str, Any], *, closed_too: bool
) -> tuple[str | None, Run | None]:
    """The host that arguments name, and its run, in one query: none where anything is not as it should be."""
    named = run_in(given)
    if named is not None:
        own = host_tokens.valid_run(tx, token.name, named.run, named.host, closed_too=closed_too)
        return (None, None) if own is None else (own.host, _held_as(own, named))
    host = given.get("host")
    if host is None or operation == "register":
        return None, None
    return (host if host_tokens.is_valid_host(tx, token.name, host) else None), None


def _held_as(own: Run, named: Run) -> Run:
    """The row with its lease as the host says, on its clock: no operation reads it."""
    return own._replace(lease_until=named.lease_until)


class TokenRevoked(DoorRefused):
    """The token is not valid any more: nothing that a host did wrong."""


def revoked(token: HostToken) -> TokenRevoked:
    """What is answered to one who has a token that is not valid any more."""
    return TokenRevoked(
        f"the token {token.name!r} was revoked", fix="`lifecycle host add NAME` on the server makes another"
    )


def _account(token: HostToken, name: str) -> str:
    """An account of another machine's own logins: its limit is not that of the account of the same name here."""
    return f"{token.name}/{name}"


def _refuse_code(tx: Tx, token: HostToken, operation: str, given: Mapping[str, Any]) -> None:
    """Raises DoorRefused for trees and candidates that are not this host's, and for commits that have not come."""
    if operation in OF_TREES and not work_trees.is_of(tx, given["tree"], given["session"], token.name):
        raise DoorRefused("that tree is not this host's", why=f"tree {given['tree']}")
    if operation == "open_tree" and (
        not given["folder"].is_absolute() or len(bytes(given["folder"])) > LONGEST_PATH
    ):
        raise DoorRefused("the folder of a tree is named by its whole path")
    if operation == "add_check" and given["kind"] == RECEIVED:
        raise DoorRefused("that a commit has come is noted by the server")
    if operation == "propose":
        refuse_not_received(tx, given["run"], given["commit"], given["tree"], given["base"])
    if operation == "is_its_turn":
        candidate = work.candidate_of(tx, given["candidate"])
        if candidate is None or not host_tokens.has_worked_in(tx, token.name, candidate.session_id):
            raise DoorRefused("that candidate is not this host's", why=f"candidate {given['candidate']}")


def _refuse_beyond(token: HostToken, rights: Rights, given: Mapping[str, Any]) -> None:
    """Raises DoorRefused for what the token is not for, UsageError for a lease or a list that nobody needs."""
    if any(isinstance(value, list | tuple) and len(value) > MOST for value in given.values()):
        raise UsageError("a list is too long", why=f"at most {MOST} names", fix="ask in parts")
    allowed = set(token.roles) if rights.beside else set(token.roles) & set(ROLES_ELSEWHERE)
    if beyond := sorted(set(given.get("roles", ())) - allowed):
        raise DoorRefused(
            f"the token {token.name!r} is not for {', '.join(beyond)}",
            why=f"it is for {', '.join(sorted(allowed))}",
            fix="leave them out of --roles; `lifecycle host add` makes a token for others",
        )
    if given.get("slots", 1) > token.slots or given.get("slots", 1) < 1:
        raise DoorRefused(
            f"the token {token.name!r} is for {token.slots} slots", fix="leave --slots out, or name fewer"
        )
    if not 0 < given.get("lease_seconds", 1.0) <= rights.longest_lease:
        raise UsageError(
            "the lease is too long",
            why=f"at most {rights.longest_lease:g} seconds are given",
            fix="ask for the lease that the server's terms name",
        )


def _refuse_host(tx: Tx, token: HostToken, operation: str, given: Mapping[str, Any]) -> None:
    """Raises DoorRefused for a host that has not registered with this token."""
    host = given.get("host")
    if host is None:
        return
    if operation == "register":
        if not INCARNATION.match(host) or host.startswith(SUPERVISED):
            raise DoorRefused(f"{host[:80]!r} cannot be the name of a host on another machine")
    elif not host_tokens.is_own(tx, token.name, host):
        raise DoorRefused("that host has not registered with this token", why=host[:80])


def _own(tx: Tx, token: HostToken, named: Run, *, closed_too: bool) -> Run:
    """The row of the host's own run, open unless `closed_too`. Raises LeaseLost for any other."""
    look_up = claims.own_run if closed_too else claims.open_run
    row = look_up(tx, named.run, named.host) if host_tokens.is_own(tx, token.name, named.host) else None
    if row is None:
        raise LeaseLost(run=named.run)
    return _held_as(row, named)


def own_run(tx: Tx, token: HostToken, run: str, host: str) -> Run:
    """The host's own open run of that id. Raises LeaseLost."""
    row = claims.open_run(tx, run, host) if host_tokens.is_own(tx, token.name, host) else None
    if row is None:
        raise LeaseLost(run=run)
    return row


def _refuse_session(tx: Tx, token: HostToken, operation: str, given: Mapping[str, Any]) -> None:
    """Raises DoorRefused for a session in which no host of the token has ever worked."""
    session = given.get("session")
    if operation == "critiques":
        run = tasks.run(tx, given["run"])
        session = "" if run is None else run.session_id
    if operation == "is_deleted":  # then nothing tells any more who had worked in it
        return
    if session is not None and not host_tokens.has_worked_in(tx, token.name, session):
        raise DoorRefused("that session is not this host's", why="none of its runs belongs to it")


def _refuse_account(token: HostToken, name: str | None) -> None:
    """Raises DoorRefused for the account of another machine."""
    if name is not None and not name.startswith(_account(token, "")):
        raise DoorRefused("that account is not this host's", why=name[:80])


def _refuse_earlier(tx: Tx, found: Mapping[str, Any]) -> None:
    """Raises DoorRefused where a run takes over what one of another task had made: its critiques could be read then."""
    for value in found.values():
        if isinstance(value, RunProducts) and value.earlier is not None:
            row: Run = found["run"]
            if value.earlier not in tasks.runs_before(tx, row.id, row.epoch):
                raise DoorRefused("that is no earlier run of this task", why=value.earlier[:80])
