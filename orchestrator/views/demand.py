"""How many slots of hosts on other machines the project could use: what an autoscaler asks."""

from __future__ import annotations

from collections.abc import Collection

from orchestrator.domain.json_types import JsonObject
from orchestrator.store import fleet_counts, leases
from orchestrator.store.leases import SECOND
from orchestrator.store.store import Tx


def demand_view(tx: Tx, roles: Collection[str]) -> JsonObject:
    """`demand`: offers of these roles, and runs of theirs that joined hosts have open, which must not lose their host."""
    wanted = frozenset(roles)
    offered = [each for each in fleet_counts.elsewhere(fleet_counts.offers(tx)) if each.role in wanted]
    waiting = sum(each.offers for each in offered)
    under_way = sum(each.joined for each in fleet_counts.open_runs(tx) if each.role in wanted)
    joined = [
        row
        for row in leases.live_hosts(tx)
        if row.token is not None and not row.draining and not wanted.isdisjoint(row.roles)
    ]
    return {
        "roles": sorted(wanted),
        "offers": waiting,
        "oldest_seconds": max(((tx.now - each.first) / SECOND for each in offered), default=0.0),
        "runs": under_way,
        "slots": sum(row.slots for row in joined),
        "demand": waiting + under_way,
    }
