"""Tokens of people's mirrors on other machines. Of a token its SHA-256 is stored; a revoked one stays, as edits name it."""

from __future__ import annotations

import hmac
import secrets

from orchestrator.domain.errors import NotAllowedNow, UnknownName
from orchestrator.store.host_tokens import TOKEN_BYTES, digest_of
from orchestrator.store.rows import PersonToken
from orchestrator.store.sql import Update, bindparam, person_tokens, select, update
from orchestrator.store.statements import Insertion, Selection, change, columns, query
from orchestrator.store.store import Tx

BEGINS = "lcp_"  # so that who searches for secrets finds it, and nobody takes it for a host's

_ADD = Insertion("person_tokens")


@query(PersonToken)
def _all() -> Selection:
    return select(*columns(person_tokens, PersonToken)).order_by(person_tokens.c.name)


@query(PersonToken)
def _with_digest() -> Selection:
    return select(*columns(person_tokens, PersonToken)).where(person_tokens.c.sha256 == bindparam("digest"))


@query(PersonToken)
def _named() -> Selection:
    return select(*columns(person_tokens, PersonToken)).where(person_tokens.c.name == bindparam("named"))


@query(PersonToken)
def _valid() -> Selection:
    """Its lock, where many write at once, lets none be revoked meanwhile."""
    return (
        select(*columns(person_tokens, PersonToken))
        .where(person_tokens.c.name == bindparam("named"), person_tokens.c.revoked_at.is_(None))
        .with_for_update()
    )


# Change a token from valid to revoked.
@change
def _revoke() -> Update:
    return (
        update(person_tokens)
        .where(person_tokens.c.name == bindparam("named"), person_tokens.c.revoked_at.is_(None))
        .values(revoked_at=bindparam("now"))
    )


def add(tx: Tx, name: str) -> str:
    """Make a token for this person; it is told this once. Raises NotAllowedNow for a name that was given before."""
    if tx.row(_named, named=name) is not None:
        raise NotAllowedNow(
            f"the name {name!r} was given to a person's token before",
            why="edits are noted under it, also after it was revoked",
            fix="choose another name; `lifecycle person list` shows those that there are",
        )
    token = BEGINS + secrets.token_urlsafe(TOKEN_BYTES)
    tx.insert(_ADD, name=name, sha256=digest_of(token), created_at=tx.now)
    return token


def all_tokens(tx: Tx) -> list[PersonToken]:
    """By name, revoked ones included."""
    return tx.rows(_all)


def token_of(tx: Tx, token: str) -> PersonToken | None:
    """The row of a token that is valid."""
    digest = digest_of(token)
    row = tx.row(_with_digest, digest=digest)
    if row is None or row.revoked_at is not None or not hmac.compare_digest(row.sha256, digest):
        return None
    return row


def revoke(tx: Tx, name: str) -> bool:
    """End the token; False where that was done before. Raises UnknownName."""
    if tx.row(_named, named=name) is None:
        raise UnknownName("person", name, [row.name for row in all_tokens(tx)])
    return tx.one(_revoke, named=name, now=tx.now)


def keep_valid(tx: Tx, name: str) -> bool:
    """Whether the token has not been revoked; it cannot be until the end of this unit, which writes."""
    return tx.row(_valid, named=name) is not None
