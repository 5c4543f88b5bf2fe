"""daemon: start, stop, inspect the coordinator, or run it in the foreground."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import Opened, OpenedForReading, changing, project_of, reading
from orchestrator.cli.options import AsJson, ProjectOption
from orchestrator.cli.output import note, print_json, say
from orchestrator.domain.errors import DatabaseUnusable, LifecycleError, NotAllowedNow, StoreBroken

if TYPE_CHECKING:
    import subprocess

    from orchestrator.coordinator.daemon import Daemon
    from orchestrator.domain.json_types import JsonObject
    from orchestrator.installation import Installation
    from orchestrator.log import Logger
    from orchestrator.project import Project
    from orchestrator.store.rows import Leader
    from orchestrator.store.store import Store


STANDBY_SECONDS = 0.5  # between two looks whether somebody leads
UP_SECONDS = 30.0
DOWN_SECONDS = 120.0  # a host may drain for a minute before its daemon ends
POLL_SECONDS = 0.05
STOOD_SECONDS = 2.0  # a coordinator that the disk lets live no longer than this starts no other


def run(
    project: ProjectOption = None,
    detached: Annotated[
        bool, typer.Option("--detached", hidden=True, help="Started by another command.")
    ] = False,
    standby: Annotated[
        bool, typer.Option("--standby", help="Where another one coordinates, wait until it does no more.")
    ] = False,
) -> None:
    """Run the coordinator in the foreground, for systemd and containers; ends on SIGTERM."""
    from orchestrator.dispatch import older
    from orchestrator.dispatch.hung import end_hung
    from orchestrator.dispatch.local import HostSupervisor, start_host
    from orchestrator.installation import BEGUN_ANEW, Installation, begin_anew, was_begun_anew
    from orchestrator.project import open_for_writing, read_settings
    from orchestrator.store import leases, queries

    installed, begun_anew = Installation(), was_begun_anew()
    home = project_of(project)
    settings = read_settings(home)

    @cache
    def logger() -> Logger:  # the host that we may start need not wait for its library
        from orchestrator import log

        return log.configure(home.logs / "daemon.jsonl")

    def stopping(pids: list[int]) -> None:
        logger().warning("earlier_version_stopped", pids=pids)

    def held(pids: list[int]) -> None:
        logger().warning("database_held", by=pids, ended=end_hung(store, pids))

    store = open_for_writing(home, settings, held, stopping, checkpointer=True)
    leader = store.read(leases.leader)
    if leader is not None and (standby or older.was_us(leader) or (begun_anew and not detached)):
        note(f"{_named(leader)} coordinates this project: waiting for its end")
        _await_end(store, installed)
        leader = None
    if leader is not None and older.outdated(leader.version):
        older.stop([leader], stopping)
        leader = store.read(leases.leader)
    if leader is None:
        if not detached:
            note(f"coordinator of {home.root}, pid {os.getpid()}; its log is {home.logs / 'daemon.jsonl'}")
        slots, asked = settings.slots if settings.own_host else 0, threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):  # from now on a host may have to end with us
            signal.signal(number, lambda *_: asked.set())
        begun = None
        if slots and store.read(lambda tx: queries.has_work(tx) and not leases.hosts_here(tx)):
            begun = start_host(home.root, slots)  # it loads its libraries while we load ours
        supervisor = HostSupervisor(home.root, slots, logger(), begun)
        from orchestrator.coordinator.daemon import Daemon

        daemon = Daemon(
            home, store, settings, logger(), supervisor=supervisor, stopping=asked, installed=installed
        )
        code = _lead(daemon, home, detached)
        if daemon.begins_anew:
            store.close()
            more = {**supervisor.environment, BEGUN_ANEW: "1"}  # hosts still need what was handed over
            begin_anew(installed, daemon.is_told, more)
            raise typer.Exit(code)
        leader = store.read(leases.leader)
    else:
        code = 0
    if leader is not None and leader.pid != os.getpid():
        note(f"{_named(leader)} already coordinates this project: nothing to do")
    store.close()
    raise typer.Exit(code)


def _named(leader: Leader) -> str:
    from orchestrator.store import leases

    return f"another coordinator (pid {leader.pid}{'' if leases.is_here(leader) else ' on another machine'})"


def _await_end(store: Store, installed: Installation) -> None:
    """Until nobody leads; what is needed to lead is loaded meanwhile. A database that is away is asked again.

    Where the program is replaced meanwhile, the other one waits, whyever this one did.
    """
    from orchestrator.coordinator import daemon, timers  # noqa: F401 - half a second, not to come after the end
    from orchestrator.installation import BEGUN_ANEW, begin_anew
    from orchestrator.store import leases

    while True:
        if installed.can_be_left():
            store.close()
            begin_anew(installed, lambda: False, {BEGUN_ANEW: "1"})
        with suppress(DatabaseUnusable):
            if store.read(leases.leader) is None:
                return
        time.sleep(STANDBY_SECONDS)


def _lead(daemon: Daemon, home: Project, detached: bool) -> int:
    """Run the daemon. When the disk fails and no supervisor would restart it, it starts its successor and ends."""
    from orchestrator.dispatch.local import start_daemon

    begun = time.monotonic()
    try:
        return daemon.run()
    except StoreBroken:
        if detached and time.monotonic() - begun > STOOD_SECONDS:
            start_daemon(home.root, home.logs / "daemon.out")
        raise


def start() -> None:
    """Start the coordinator in the background, unless one is running."""
    from orchestrator.project import current_leader, ensure_daemon

    with changing(create=True) as opened:
        found = current_leader(opened.store)
        if found is not None:
            say(f"the coordinator is already running, pid {found.pid}")
            return
        process = ensure_daemon(opened.project, opened.store)
        found = _await_leader(opened, process)
        say(f"the coordinator is running, pid {found.pid}")


def stop() -> None:
    """Stop the coordinator and its worker host; sessions keep their state."""
    from orchestrator.store import leases
    from orchestrator.store.clock import has_open

    with reading() as opened:
        found = _leader(opened)
        file = opened.store.file
        if found is None or (file is not None and not has_open(found.pid, file)):
            say("no coordinator is running")
            return
        if not leases.is_here(found):
            raise NotAllowedNow(
                "the coordinator is on another machine", why=f"pid {found.pid} there", fix="stop it there"
            )
        with _process(found) as send:
            send(signal.SIGTERM)
        note(f"asked pid {found.pid} to stop: open runs are finished or released first")
        deadline = time.monotonic() + DOWN_SECONDS
        while _alive(found):
            if time.monotonic() > deadline:
                raise LifecycleError(
                    "the coordinator has not ended yet",
                    why=f"pid {found.pid} is still draining",
                    fix="see .workflow/logs/daemon.jsonl, or repeat the command",
                )
            time.sleep(POLL_SECONDS)
        say("the coordinator has stopped")


def status(as_json: AsJson = False) -> None:
    """Show the coordinator and its worker hosts."""
    from orchestrator.views.daemon import daemon_view, database_view

    with reading() as opened:
        found: JsonObject = opened.store.read(daemon_view)
        found["database"] = database_view(opened.project.database)
    if as_json:
        print_json(found)
        return
    say(
        f"coordinator: pid {found['pid']}{'' if found['here'] else ', on another machine'}, since {found['since']}"
        f"{_outdated(found['version'])}"
        if found["running"]
        else "coordinator: not running"
    )
    say(f"database: {found['database']['name']}; leases count on {found['database']['clock']} clock")
    if found["engine"]:
        from orchestrator.domain.inert import inert
        from orchestrator.views.engine import in_words

        say(inert(f"engine: {in_words(found['engine'])}"))
    for host in found["hosts"]:
        draining = ", draining" if host["draining"] else ""
        say(
            f"worker host {host['host'][:10]}: {_place(host)}, {host['runs']} of {host['slots']} slots in use"
            f"{draining}{_outdated(host['version'], is_joined=host['name'] is not None)}"
        )


def _place(host: JsonObject) -> str:
    """The process of a host, or the name of its token, and whether it is on another machine."""
    named = f"pid {host['pid']}" if host["name"] is None else host["name"]
    return named if host["here"] else f"{named}, on another machine"


def _outdated(version: str, *, is_joined: bool = False) -> str:
    """What is said of a process of an earlier version; nobody here can end one on another machine."""
    from orchestrator.dispatch import older

    if not older.outdated(version):
        return ""
    return f", an earlier version ({version or 'unknown'}): {'upgrade it there' if is_joined else 'it is replaced'}"


def _leader(opened: OpenedForReading) -> Leader | None:
    from orchestrator.store import leases

    return opened.store.read(leases.leader)


def _await_leader(opened: Opened, process: subprocess.Popen[bytes] | None) -> Leader:
    """The leader's row once it leads. Raises LifecycleError when its process ends before."""
    from orchestrator.cli.follow import last_words
    from orchestrator.project import current_leader

    earlier = _leader(opened) is not None
    if earlier:
        note("a coordinator of an earlier version is stopped first: its open runs are finished or released")
    deadline = time.monotonic() + UP_SECONDS + (DOWN_SECONDS if earlier else 0)
    while (found := current_leader(opened.store)) is None:
        code = None if process is None else process.poll()
        if code not in (None, 0) or time.monotonic() > deadline:
            raise LifecycleError(
                "the coordinator did not start",
                why=last_words(opened.project.logs / "daemon.out")
                or (f"it ended with code {code}" if code else "it does not answer"),
                fix="see .workflow/logs, or run it in the foreground: `lifecycle daemon run`",
            )
        time.sleep(POLL_SECONDS)
    return found


@contextmanager
def _process(row: Leader) -> Iterator[Callable[[int], None]]:
    """A function that signals exactly the process of the row, never another one that got its pid."""
    descriptor = os.pidfd_open(row.pid) if hasattr(os, "pidfd_open") else None
    try:
        if not _alive(row):
            raise LifecycleError(
                "the coordinator has just stopped", fix="`lifecycle daemon start` starts one"
            )
        if descriptor is None:
            yield lambda number: os.kill(row.pid, number)
        else:
            yield lambda number: signal.pidfd_send_signal(descriptor, number)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _alive(row: Leader) -> bool:
    from orchestrator.store.clock import process_start

    return bool(process_start(row.pid) == row.process_start)


def register(app: typer.Typer) -> None:
    daemon = typer.Typer(
        rich_markup_mode=None, no_args_is_help=True, help="The coordinator: start, stop, status, run."
    )
    for command in (start, stop, status, run):
        daemon.command()(command)
    app.add_typer(daemon, name="daemon")
