"""Tokens of people whose mirrors are on other machines: made, listed, revoked."""

from __future__ import annotations

from orchestrator.commands.hosts import NAME
from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import person_tokens
from orchestrator.store.store import Store, Tx


def add(store: Store, name: str) -> str:
    """Make a token for this person; it is told this once. Raises UsageError, NotAllowedNow."""
    if not NAME.match(name):
        raise UsageError(
            f"{name!r} cannot be the name of a person's token",
            why="it has letters, digits, dots, dashes and underscores, at most 63",
            fix="choose one such as anna-laptop",
        )
    return store.write(lambda tx: person_tokens.add(tx, name))


def revoke(store: Store, name: str) -> bool:
    """End the token; False where that was done before. Raises UnknownName."""
    return store.write(lambda tx: person_tokens.revoke(tx, name))


def persons_view(tx: Tx) -> list[JsonObject]:
    """Every token."""
    return [
        {
            "name": row.name,
            "created_at": stamp(row.created_at),
            "revoked_at": None if row.revoked_at is None else stamp(row.revoked_at),
        }
        for row in person_tokens.all_tokens(tx)
    ]
