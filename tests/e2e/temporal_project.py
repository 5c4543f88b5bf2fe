"""A user's project whose offers a Temporal server delivers, with real processes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from orchestrator.engine.place import EnginePlace, queues_of
from orchestrator.store.backends.sqlite import project_id
from tests.e2e.support import Lifecycle
from tests.temporal_server import TemporalServer

BY_ENGINE = {"dispatch": "temporal"}


def temporal_toml(server: TemporalServer, **more: Any) -> str:
    """The table `[temporal]` for config.toml."""
    lines = {"address": server.address, **more}
    return "\n[temporal]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())


def place_of(life: Lifecycle, server: TemporalServer) -> EnginePlace:
    return EnginePlace(server.address, "default", queues_of("lifecycle", project_id(life.database)))


def delivered(life: Lifecycle, server: TemporalServer, session: str) -> dict[str, str]:
    """Task -> what was answered to the message of its first offer, of those that were opened by an offer."""
    place = place_of(life, server)
    rows = life.rows(
        "SELECT t.id, t.key, r.epoch FROM runs r JOIN tasks t ON t.id = r.task_id "
        "WHERE r.session_id = ? AND r.opened_by = 'offer' ORDER BY r.epoch DESC",
        session,
    )

    async def ask() -> dict[str, str]:
        from temporalio.client import Client

        client = await Client.connect(server.address)
        return {
            key: str(await client.get_activity_handle(place.message(task, epoch)).result())
            for task, key, epoch in rows
        }

    return asyncio.run(ask())
