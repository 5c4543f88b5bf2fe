"""Tokens of hosts on other machines: made, listed, revoked."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.elsewhere import ROLES_ELSEWHERE, WHY_HERE, stay_here
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.patterns import expression
from orchestrator.store import audit, host_tokens, leases, queries
from orchestrator.store.store import Store, Tx

NAME = expression(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}\Z")
MOST_SLOTS = 256


def add(
    store: Store, name: str, roles: Sequence[str], slots: int, known: Sequence[str], who: str = "cli"
) -> str:
    """Make a token for hosts of this name, for these roles or all that another machine can have; it is told this once.

    `known`: the roles that there are. Raises UsageError, UnknownName, NotAllowedNow.
    """
    if not NAME.match(name):
        raise UsageError(
            f"{name!r} cannot be the name of a host",
            why="it has letters, digits, dots, dashes and underscores, at most 63",
            fix="choose one such as build-1",
        )
    if not 1 <= slots <= MOST_SLOTS:
        raise UsageError(
            f"a host cannot have {slots} slots", why=f"it has 1 to {MOST_SLOTS}", fix="name --slots"
        )
    for role in roles:
        if role not in known:
            raise UnknownName("role", role, known)
    if here := stay_here(roles):
        raise UsageError(
            f"a host on another machine cannot be {', '.join(here)}",
            why=WHY_HERE,
            fix=f"name some of {', '.join(ROLES_ELSEWHERE)}",
        )
    allowed = roles or ROLES_ELSEWHERE

    def unit(tx: Tx) -> str:
        token = host_tokens.add(tx, name, allowed, slots)
        audit.note(tx, audit.ADDED, name, who, f"{slots} slots; {', '.join(allowed)}")
        return token

    return store.write(unit)


def revoke(store: Store, name: str, who: str = "cli") -> bool:
    """End the token and the leases of its hosts; False where that was done before. Raises UnknownName."""

    def unit(tx: Tx) -> bool:
        is_new = host_tokens.revoke(tx, name)
        if is_new:
            audit.note(tx, audit.REVOKED, name, who, "")
        return is_new

    return store.write(unit)


def audit_view(tx: Tx, limit: int) -> list[JsonObject]:
    """The newest entries, the oldest of them first."""
    return [
        {"at": stamp(row.at), "what": row.what, "name": row.name, "who": row.who, "detail": row.detail}
        for row in audit.newest(tx, limit)
    ]


def hosts_view(tx: Tx) -> list[JsonObject]:
    """Every token, with the hosts that have joined by it and their open runs."""
    live, busy = leases.live_hosts(tx), queries.open_by_host(tx)
    return [
        {
            "name": row.name,
            "roles": row.roles,
            "slots": row.slots,
            "created_at": stamp(row.created_at),
            "revoked_at": None if row.revoked_at is None else stamp(row.revoked_at),
            "joined": [
                {
                    "host": host.incarnation,
                    "since": stamp(host.started_at),
                    "slots": host.slots,
                    "runs": busy.get(host.incarnation, 0),
                    "draining": bool(host.draining),
                }
                for host in live
                if host.token == row.name
            ],
        }
        for row in host_tokens.all_tokens(tx)
    ]
