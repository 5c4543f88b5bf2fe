"""Tokens of hosts on other machines. Of a token its SHA-256 is stored; a revoked one stays, since its hosts name it."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable

from orchestrator.domain.errors import NotAllowedNow, UnknownName
from orchestrator.store import claims, leases
from orchestrator.store.rows import HostToken, Run
from orchestrator.store.sql import Update, bindparam, func, host_tokens, hosts, runs, select, tasks, update
from orchestrator.store.statements import Insertion, Selection, change, columns, query
from orchestrator.store.store import Tx

TOKEN_BYTES = 32  # of chance
BEGINS = "lch_"  # so that who searches for secrets finds it

_ADD = Insertion("host_tokens")


@query(HostToken)
def _all() -> Selection:
    return select(*columns(host_tokens, HostToken)).order_by(host_tokens.c.name)


@query(HostToken)
def _with_digest() -> Selection:
    return select(*columns(host_tokens, HostToken)).where(host_tokens.c.sha256 == bindparam("digest"))


@query(HostToken)
def _named() -> Selection:
    return select(*columns(host_tokens, HostToken)).where(host_tokens.c.name == bindparam("named"))


@query(HostToken)
def _valid() -> Selection:
    """Its lock, where many write at once, lets units of one token take turns, and none be revoked meanwhile."""
    return (
        select(*columns(host_tokens, HostToken))
        .where(host_tokens.c.name == bindparam("named"), host_tokens.c.revoked_at.is_(None))
        .with_for_update()
    )


# Change a token from valid to revoked.
@change
def _revoke() -> Update:
    return (
        update(host_tokens)
        .where(host_tokens.c.name == bindparam("named"), host_tokens.c.revoked_at.is_(None))
        .values(revoked_at=bindparam("now"))
    )


@query(str)
def _incarnations() -> Selection:
    return (
        select(hosts.c.incarnation).where(hosts.c.token == bindparam("named")).order_by(hosts.c.incarnation)
    )


@query(str)
def _own_host() -> Selection:
    return select(hosts.c.incarnation).where(
        hosts.c.incarnation == bindparam("host"), hosts.c.token == bindparam("named")
    )


@query(str)
def _own_host_of_valid() -> Selection:
    return (
        select(hosts.c.incarnation)
        .join(host_tokens, host_tokens.c.name == hosts.c.token)
        .where(
            hosts.c.incarnation == bindparam("host"),
            hosts.c.token == bindparam("named"),
            host_tokens.c.revoked_at.is_(None),
        )
    )


def _own_runs_of_valid() -> Selection:
    return (
        claims.own_runs()
        .join(hosts, hosts.c.incarnation == runs.c.host)
        .join(host_tokens, host_tokens.c.name == hosts.c.token)
        .where(hosts.c.token == bindparam("named"), host_tokens.c.revoked_at.is_(None))
    )


@query(Run)
def _own_run_of_valid() -> Selection:
    return _own_runs_of_valid()


@query(Run)
def _own_open_run_of_valid() -> Selection:
    return _own_runs_of_valid().where(runs.c.outcome.is_(None))


@query(int)
def _has_seen() -> Selection:
    return (
        select(runs.c.epoch)
        .join(hosts, hosts.c.incarnation == runs.c.host)
        .where(
            runs.c.task_id.in_(select(tasks.c.id).where(tasks.c.session_id == bindparam("session"))),
            hosts.c.token == bindparam("named"),
        )
        .limit(1)
    )


@query(int)
def _open_runs() -> Selection:
    return (
        select(func.count())
        .select_from(runs)
        .join(hosts, hosts.c.incarnation == runs.c.host)
        .where(runs.c.outcome.is_(None), hosts.c.token == bindparam("named"))
    )


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def add(tx: Tx, name: str, roles: Iterable[str], slots: int) -> str:
    """Make a token for hosts of this name; it is told this once. Raises NotAllowedNow for a name that was given before."""
    if tx.row(_named, named=name) is not None:
        raise NotAllowedNow(
            f"the name {name!r} was given to a host before",
            why="its runs are noted under it, also after it was revoked",
            fix="choose another name; `lifecycle host list` shows those that there are",
        )
    token = BEGINS + secrets.token_urlsafe(TOKEN_BYTES)
    tx.insert(
        _ADD, name=name, sha256=digest_of(token), roles=sorted(set(roles)), slots=slots, created_at=tx.now
    )
    return token


def all_tokens(tx: Tx) -> list[HostToken]:
    """By name, revoked ones included."""
    return tx.rows(_all)


def token_of(tx: Tx, token: str) -> HostToken | None:
    """The row of a token that is valid."""
    digest = digest_of(token)
    row = tx.row(_with_digest, digest=digest)
    if row is None or row.revoked_at is not None or not hmac.compare_digest(row.sha256, digest):
        return None
    return row


def revoke(tx: Tx, name: str) -> bool:
    """End the token and the leases of its hosts and their runs; False where that was done before. Raises UnknownName."""
    if tx.row(_named, named=name) is None:
        raise UnknownName("host", name, [row.name for row in all_tokens(tx)])
    if not tx.one(_revoke, named=name, now=tx.now):
        return False
    for incarnation in tx.rows(_incarnations, named=name):
        leases.end_host(tx, incarnation)
    return True


def is_own(tx: Tx, name: str, incarnation: str) -> bool:
    """Whether a host has registered by that incarnation with the token of this name."""
    return tx.row(_own_host, host=incarnation, named=name) is not None


def is_valid_host(tx: Tx, name: str, incarnation: str) -> bool:
    """`is_own` and `is_valid` in one."""
    return tx.row(_own_host_of_valid, host=incarnation, named=name) is not None


def valid_run(tx: Tx, name: str, run: str, incarnation: str, *, closed_too: bool) -> Run | None:
    """That run of a host of the token, open unless `closed_too`; None for any other, and for a token that is not valid."""
    query = _own_run_of_valid if closed_too else _own_open_run_of_valid
    return tx.row(query, with_id=run, by=incarnation, named=name)


def has_worked_in(tx: Tx, name: str, session: str) -> bool:
    """Whether a host of this name has, or had, a run of the session."""
    return tx.row(_has_seen, session=session, named=name) is not None


def is_valid(tx: Tx, name: str) -> bool:
    """Whether the token of this name has not been revoked."""
    row = tx.row(_named, named=name)
    return row is not None and row.revoked_at is None


def keep_valid(tx: Tx, name: str) -> bool:
    """The same in a unit that writes; until its end nothing else is written for this token."""
    return tx.row(_valid, named=name) is not None


def has_room(tx: Tx, token: HostToken, run: str) -> bool:
    """Whether the token's hosts may open this run: together they have no more than its slots. One that is there may be
    asked for again. Other units of the token wait."""
    is_valid = tx.soon(_valid, named=token.name)
    is_open = tx.row(_open_runs, named=token.name) or 0  # counted behind the lock
    return bool(is_valid()) and (is_open < token.slots or claims.owner(tx, run) is not None)
