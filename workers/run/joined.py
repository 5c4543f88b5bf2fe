"""A worker host on a machine without the project's database: it asks a server, and serves until told to stop.

An incarnation ends when its lease was lost, as by a server that was away for long; then another one begins. Outbound
requests are all that there is: one of them is parked at the server, which answers it when there is something to claim.
"""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator import log, wakeup
from orchestrator.config import extras, load_settings, resources
from orchestrator.config.settings import Settings
from orchestrator.domain.dataclass import replace
from orchestrator.domain.elsewhere import ROLES_ELSEWHERE, WHY_HERE, stay_here
from orchestrator.domain.errors import LifecycleError, ServerAway, UnknownName, UsageError
from orchestrator.domain.json_types import Json
from orchestrator.door.http_connections import Connections
from orchestrator.door.http_desk import EngineTerms, HttpDesk, Terms
from orchestrator.door.token_file import read_token
from orchestrator.door.wire import LONGEST_WAIT
from orchestrator.engine.place import EnginePlace, place_at
from orchestrator.installation import Installation, begin_anew
from orchestrator.log import Logger
from orchestrator.store.deletion import remove_folder, untouched_folders
from workers.git.borrowed_work import copy_of_project
from workers.git.checkouts import trees_folder
from workers.git.tree_maintenance import TreeMaintenance
from workers.host.host import Host
from workers.roles import SERVED
from workers.run.runtime import Runtime
from workers.run.settings_watcher import SettingsWatcher

KEEP_RUN_SECONDS = 24 * 3600.0
DELETED_SECONDS = 600.0  # between two looks for stores of sessions that were deleted
FENCED = 3  # exit code of an incarnation whose lease was lost
FIRST_TRY, LONGEST_TRY = 0.5, 15.0  # seconds between two tries to reach the server


class JoinedHost:
    """One host of a token: incarnation after incarnation, until it is told to drain or refused."""

    def __init__(
        self,
        connections: Connections,
        folder: Path,
        state: Path,
        logger: Logger,
        *,
        roles: tuple[str, ...] = (),
        slots: int | None = None,
        installed: Installation | None = None,
    ) -> None:
        """`folder`: the clone of the project; `state`: what this machine keeps; `installed`: what we were started from.

        Raises UsageError.
        """
        for role in roles:
            if role not in SERVED:
                raise UnknownName("role", role, ROLES_ELSEWHERE)
        if here := stay_here(roles):
            raise UsageError(
                f"a host on another machine cannot be {', '.join(here)}",
                why=WHY_HERE,
                fix=f"name some of {', '.join(ROLES_ELSEWHERE)}, or none",
            )
        self._connections = connections
        self._folder = folder
        self._state = state
        self._log = logger
        self._roles = roles
        self._slots = slots
        self._installed = installed
        self.begins_anew = False  # the program was replaced under us
        self._stopping = threading.Event()
        self._host: Host | None = None

    def drain(self) -> None:
        """Ask for the end: safe to call from a signal handler."""
        self._stopping.set()
        host = self._host
        if host is not None:
            host.drain()

    def is_told(self) -> bool:
        """Whether somebody has asked for the end."""
        return self._stopping.is_set()

    def run(self) -> int:
        """Serve: 0 when drained, or when the program was replaced (`begins_anew`). Raises DoorRefused, UsageError."""
        wait = FIRST_TRY
        while not self._stopping.is_set():
            try:
                code = self._serve(self._terms())
            except ServerAway as error:
                self._log.warning("server_away", error=error.what, why=error.why)
                if self._installed is not None and self._installed.can_be_left():
                    self.begins_anew = True
                    return 0
                self._stopping.wait(wait)
                wait = min(2 * wait, LONGEST_TRY)
                continue
            wait = FIRST_TRY
            if code != FENCED or self.begins_anew:
                return code
        return 0

    def _terms(self) -> Terms:
        return HttpDesk(self._connections, self._state).terms()

    def _serve(self, terms: Terms) -> int:
        """One incarnation; its exit code. Raises UsageError for what the token is not for."""
        roles = self._roles or terms.roles
        if not roles:
            raise UsageError(
                f"the token {terms.name!r} is for no role that another machine can do",
                why=WHY_HERE,
                fix=f"`lifecycle host add NAME --roles {','.join(ROLES_ELSEWHERE)}` makes another",
            )
        slots = self._slots or terms.slots
        flags: dict[str, Json] = {
            "slots": slots,
            "lease_seconds": terms.lease_seconds,
            "renew_seconds": terms.renew_seconds,
            "watchdog_margin_seconds": terms.watchdog_margin_seconds,
        }
        settings = load_settings(self._folder, os.environ, flags)
        if settings.hand_over_mcp and not extras.has_mcp():
            self._log.warning("mcp_not_installed", fix=extras.MCP_INSTALL)
        desk = HttpDesk(self._connections, self._state, patience=terms.lease_seconds)
        asking = desk.as_desk()
        watcher = SettingsWatcher(self._folder, flags, dict(os.environ), self._log)
        trees = TreeMaintenance(
            asking,
            copy_of_project(self._state),
            lambda: trees_folder(watcher.now().settings.work.trees),
            self._log,
            deleted_seconds=DELETED_SECONDS,
        )

        def maintain(is_over: Callable[[], bool]) -> None:
            remove_old_runs(self._state / "runs", host.live.ids(), self._log)
            trees.poll(is_over)

        host = Host(
            asking,
            settings,
            tuple(roles),
            slots,
            lambda live: runtime.execute(live),
            self._log,
            stays=True,
            maintain=maintain,
            engine=self._engine(terms.engine, settings),
            installed=self._installed,
        )
        runtime = self._runtime(desk, host, tuple(roles), watcher)
        self._host = host
        if self._stopping.is_set():  # told before there was a host to tell
            host.drain()
        ended = threading.Event()
        listener = threading.Thread(target=self._listen, args=(desk, host.incarnation, ended), daemon=True)
        listener.start()
        self._log.info("joined", name=terms.name, project=terms.project, server=terms.version)
        try:
            return host.run()
        finally:
            self._host = None
            self.begins_anew = host.begins_anew
            ended.set()
            desk.registered.set()
            desk.close()
            runtime.close()

    def _engine(self, terms: EngineTerms | None, settings: Settings) -> EnginePlace | None:
        """Where the project's offers are delivered, by our own settings where they name an engine; None where we claim."""
        if terms is None:
            return None
        own = settings.temporal
        if settings.dispatch != "temporal":
            own = replace(own, address=terms.address, namespace=terms.namespace)
        try:
            return place_at(own, terms.queues, self._folder, os.environ)
        except UsageError as error:  # then the server's offers are claimed, as where no engine delivers
            self._log.error("engine_unusable", error=error.what, why=error.why, fix=error.fix)
            return None

    def _runtime(
        self, desk: HttpDesk, host: Host, roles: tuple[str, ...], watcher: SettingsWatcher
    ) -> Runtime:
        return Runtime(
            desk=desk.as_desk(),
            config=watcher.now,
            roles=roles,
            lives=host.live,
            project=self._folder,
            instructions=lambda role: (resources() / "config" / "roles" / f"{role}.md").read_text("utf-8"),
            draining=host.is_draining,
            own_session=host.goes_on_in_session,
            replaced=host.was_replaced,
            log=self._log,
            environ=dict(os.environ),
        )

    def _listen(self, desk: HttpDesk, incarnation: str, ended: threading.Event) -> None:
        """Pass the server's news on to the host's socket, as a coordinator beside it would."""
        seen, wait = 0, FIRST_TRY
        desk.registered.wait()
        while not ended.is_set():
            try:
                news = desk.news(incarnation, seen, LONGEST_WAIT)
            except LifecycleError as error:
                self._log.debug("no_news", error=error.what, why=error.why)
                ended.wait(wait)
                wait = min(2 * wait, LONGEST_TRY)
                continue
            seen, wait = news.seen, FIRST_TRY
            if news.is_new:
                wakeup.wake_host(desk.project_id, incarnation, {"type": "runs"} if news.runs else None)


def remove_old_runs(runs: Path, live: Collection[str], log: Logger) -> None:
    """Remove the folders of runs that nothing was written to for a day: failed ones are kept so long, as evidence."""
    for folder in untouched_folders(runs, KEEP_RUN_SECONDS):
        if folder.name not in live:
            try:
                remove_folder(folder)
            except OSError as error:  # it keeps no other one
                log.warning("folder_kept", folder=folder.name, error=str(error))


@contextmanager
def alone(state: Path) -> Iterator[None]:
    """Keep the state folder to this process. Raises UsageError where another one has it."""
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(state / "host.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(
                "a host with this token runs on this machine already",
                why=f"it keeps {state}",
                fix="end it first, or name another token",
            ) from error
        yield
    finally:
        os.close(descriptor)


def join(
    url: str,
    token: Path,
    folder: Path,
    state: Path,
    *,
    roles: tuple[str, ...] = (),
    slots: int | None = None,
    certificates: Path | None = None,
) -> int:
    """Run a joined host until a signal; its exit code. Raises LifecycleError for what cannot begin."""
    installed = Installation()
    connections = Connections(url, read_token(token, "lifecycle host add"), certificates=certificates)
    with alone(state):
        logger = log.configure(state / "logs" / "workers.jsonl", environ=dict(os.environ))
        host = JoinedHost(connections, folder, state, logger, roles=roles, slots=slots, installed=installed)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: host.drain())
        try:
            code = host.run()
            is_over = not host.begins_anew
        except LifecycleError:
            if host.is_told() or not installed.is_replaced():
                raise
            code, is_over = 0, False  # a server may speak another version, as the other program does
    if not is_over:
        begin_anew(installed, host.is_told)
    return code
