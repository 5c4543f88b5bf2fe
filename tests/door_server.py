"""The server of worker hosts, in this process and on loopback."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator import log
from orchestrator.config.settings import Settings
from orchestrator.door.http_connections import Connections
from orchestrator.server.admission import Rights
from orchestrator.server.door import Door
from orchestrator.server.door_site import DoorSite
from orchestrator.server.listening import LOOPBACK, Certificate, DoorServer, listen, url_of
from orchestrator.server.metrics import Metrics
from orchestrator.store import host_tokens
from orchestrator.store.store import Store
from tests import factories as make

START_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Running:
    url: str
    site: DoorSite
    store: Store
    stop: Callable[[], None]  # begins to

    def token(self, name: str = "far", roles: tuple[str, ...] = make.ALL_ROLES, slots: int = 8) -> str:
        """A new token."""
        return self.store.write(lambda tx: host_tokens.add(tx, name, roles, slots))

    def connections(self, token: str) -> Connections:
        return Connections(self.url, token)


@contextmanager
def serving(
    store: Store,
    *,
    beside: bool = False,
    settings: Settings | None = None,
    tls: Certificate | None = None,
    watch_token: Path | None = None,
) -> Iterator[Running]:
    """A server of the store; `beside`: its hosts may ask everything, as those beside the repository."""
    chosen = settings or Settings()
    logger = log.configure(None)
    door = Door(store, Rights(3600.0 if beside else chosen.lease_seconds, beside=beside), logger)
    site = DoorSite(door, store, chosen, "test", logger, metrics=Metrics(store), watch_token=watch_token)
    ready = threading.Event()
    listening = listen(LOOPBACK, 0)
    server = DoorServer(site, tls, on_ready=ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    assert ready.wait(START_SECONDS), "the server starts"
    try:
        yield Running(url_of(listening, tls), site, store, server.stop)
    finally:
        server.stop()
        thread.join(START_SECONDS)
        listening.close()
