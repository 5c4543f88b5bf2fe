"""The server of one project: it answers hosts, and sees to it that somebody coordinates while there is work."""

from __future__ import annotations

import socket
import subprocess
import threading
import uuid
from collections.abc import Callable
from pathlib import Path

from orchestrator.config.extras import has_metrics
from orchestrator.config.settings import Settings
from orchestrator.domain.errors import LifecycleError, StoreBroken
from orchestrator.domain.json_types import JsonObject
from orchestrator.engine.place import queues_of
from orchestrator.log import Logger
from orchestrator.project import Project, current_leader, ensure_daemon
from orchestrator.server.admission import Rights
from orchestrator.server.door import Door
from orchestrator.server.door_site import DoorSite
from orchestrator.server.listening import Certificate, DoorServer, url_of
from orchestrator.store import queries, servers
from orchestrator.store.store import Store
from orchestrator.traces.place import sender_or_none

STANDBY_SECONDS = 1.0


class Presence:
    """Notes that the server is up, and where, by a lease that it renews."""

    def __init__(self, store: Store, url: str, settings: Settings, log: Logger) -> None:
        self._store = store
        self._name = uuid.uuid4().hex
        self._url = url
        self._settings = settings
        self._log = log
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="presence", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        try:
            self._store.write(lambda tx: servers.end(tx, self._name))
        except LifecycleError as error:  # then its lease ends by itself
            self._log.warning("end_not_noted", error=str(error))

    def _keep(self) -> None:
        while True:
            try:
                self._store.write(
                    lambda tx: servers.note(tx, self._name, self._url, self._settings.lease_seconds)
                )
            except LifecycleError as error:
                self._log.warning("presence_not_noted", error=str(error))
            if self._ended.wait(self._settings.renew_seconds):
                return


class Keeper:
    """Starts a coordinator where sessions have work and none leads: it ends when it is idle, or is killed."""

    def __init__(self, project: Project, store: Store, seconds: float, log: Logger) -> None:
        self._project = project
        self._store = store
        self._seconds = seconds
        self._log = log
        self._ended = threading.Event()
        self._started: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="keeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join()

    def _keep(self) -> None:
        while True:
            try:
                self._poll()
            except (LifecycleError, OSError) as error:
                self._log.warning("coordinator_not_seen", error=str(error))
            if self._ended.wait(self._seconds):
                return

    def _poll(self) -> None:
        coming = self._started is not None and self._started.poll() is None
        if coming or current_leader(self._store) is not None or not self._store.read(queries.has_work):
            return
        self._started = ensure_daemon(self._project, self._store)
        if self._started is not None:
            self._log.info("coordinator_started", pid=self._started.pid)


def _poll_seconds(store: Store, settings: Settings) -> float:
    """Between two looks whether somebody leads: the leader of another machine tells nobody that it is gone."""
    return settings.reconcile_seconds if store.file is not None else STANDBY_SECONDS


def _engine(store: Store, settings: Settings) -> JsonObject | None:
    """Where hosts are told that offers are delivered; None where they ask for them."""
    if settings.dispatch != "temporal":
        return None
    given = settings.temporal
    return {
        "address": given.address,
        "namespace": given.namespace,
        "queues": queues_of(given.queues, store.project_id),
    }


def run(
    project: Project,
    store: Store,
    settings: Settings,
    listening: socket.socket,
    tls: Certificate | None,
    log: Logger,
    on_ready: Callable[[], None],
    *,
    keeps_coordinator: bool = True,
    watch_token: Path | None = None,
) -> None:
    """Serve until a signal. Raises StoreBroken when the disk has failed under the database."""
    broken = threading.Event()

    def on_broken() -> None:
        broken.set()
        server.stop()

    door = Door(store, Rights(settings.lease_seconds), log, on_broken)
    site = DoorSite(
        door,
        store,
        settings,
        project.root.name,
        log,
        engine=_engine(store, settings),
        watch_token=watch_token,
    )
    if has_metrics():
        from orchestrator.server.metrics import Metrics

        site.metrics = Metrics(store)
    sender = sender_or_none(settings.traces, "server", log)
    if sender is not None:
        from orchestrator.server.door_traces import DoorTraces

        site.traces = DoorTraces(sender)
    server = DoorServer(site, tls, on_ready)
    keeper = Keeper(project, store, _poll_seconds(store, settings), log)
    presence = Presence(store, url_of(listening, tls), settings, log)
    presence.start()
    if keeps_coordinator:
        keeper.start()
    try:
        server.run(sockets=[listening])
    finally:
        if keeps_coordinator:
            keeper.close()
        presence.close()
        if sender is not None:
            sender.close()
    if broken.is_set():
        raise StoreBroken()
