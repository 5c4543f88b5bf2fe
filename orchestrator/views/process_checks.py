"""What `doctor` finds out about the database and the processes that share it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from orchestrator import __version__
from orchestrator.dispatch import older
from orchestrator.project import read_config, read_settings
from orchestrator.store import host_tokens, integrity, leases, queries, rights, servers
from orchestrator.store.backends.sqlite_file import SCHEMA
from orchestrator.store.databases import Database
from orchestrator.views import engine
from orchestrator.views.examination import Check

if TYPE_CHECKING:
    from orchestrator.project import Project

CLOCK_SECONDS = 5.0  # between a server's clock and ours, before that is worth a word
LOG_BYTES = 64 * 1024 * 1024  # a write-ahead log of this size is not checkpointed as it should be


def database(project: Project) -> Check:
    database = project.database
    found = database.schema()
    if found is None:
        return Check("database", "ok", "none yet: `lifecycle start` creates it")
    if database.file is None:
        return _on_server(database, found)
    other = rights.other_owner(database.file)
    if other is not None:
        return Check("database", "fault", other.why, other.fix)
    faults = integrity.file_faults(database.file)
    if faults:
        fix = f"stop everything and restore a copy from {project.workflow / 'backups'}"
        return Check("database", "fault", "; ".join(faults[:3]), fix)
    log = database.file.with_name(database.file.name + "-wal")
    if log.exists() and log.stat().st_size > LOG_BYTES:
        says = f"its log has {log.stat().st_size // 1024 // 1024} MiB"
        return Check(
            "database", "note", says, "`lifecycle daemon start`: the coordinator writes it into the database"
        )
    return Check("database", "ok", f"schema {found}, intact{_to_migrate(found)}")


def _to_migrate(found: str) -> str:
    return "" if found == SCHEMA else f"; the next command migrates it to {SCHEMA}"


def _on_server(database: Database, found: str) -> Check:
    """Where it is, and how far this machine's clock is from its own, which counts. Whether it is whole, the server tells."""
    store = database.store()
    try:
        asked = time.time()
        theirs = store.read(lambda tx: tx.now) / leases.SECOND
        ahead = theirs - (asked + time.time()) / 2
    finally:
        store.close()
    says = f"{database.name}, schema {found}{_to_migrate(found)}; its clock counts, and is {ahead:+.1f} s from ours"
    if abs(ahead) > CLOCK_SECONDS:
        return Check("database", "note", says, "set this machine's clock: files and logs carry its times")
    return Check("database", "ok", says)


def coordinator(project: Project) -> Check:
    database = project.database
    if database.schema() != SCHEMA:
        return Check("coordinator", "ok", "not needed yet")
    store = database.store()
    try:
        leader, work, now = store.read(lambda tx: (leases.leader(tx), queries.has_work(tx), tx.lease_now))
    finally:
        store.close()
    left = "" if leader is None else f"its lease ends in {(leader.until - now) / leases.SECOND:.0f} s"
    if leader is not None and older.outdated(leader.version):
        return Check(
            "coordinator",
            "note",
            f"pid {leader.pid} runs an earlier version ({leader.version or 'unknown'})",
            "`lifecycle daemon start` replaces it; so does the next command that has work for it",
        )
    if leader is not None:
        return Check(
            "coordinator",
            "ok",
            f"pid {leader.pid}{'' if leases.is_here(leader) else ' on another machine'}; {left}",
        )
    if work:
        return Check(
            "coordinator",
            "note",
            "not running, and there is work to do",
            "`lifecycle resume` or `lifecycle daemon start` starts it",
        )
    return Check("coordinator", "ok", "not running; there is nothing to do")


def servers_up(project: Project) -> Check:
    """The servers for hosts on other machines, whichever machine they run on."""
    database = project.database
    if database.schema() != SCHEMA:
        return Check("servers", "ok", "none is running")
    store = database.store()
    try:
        found, tokens = store.read(lambda tx: (servers.up(tx), host_tokens.all_tokens(tx)))
    finally:
        store.close()
    valid = [row.name for row in tokens if row.revoked_at is None]
    if not found and valid:
        says = f"none is running, and {len(valid)} token(s) are for hosts that would ask it"
        return Check(
            "servers", "note", says, "`lifecycle server` starts one; `lifecycle host revoke` ends a token"
        )
    says = "; ".join(f"{row.holder}, version {row.version}" for row in found)
    if _other_versions((row.holder, row.version) for row in found):
        return Check("servers", "note", says, "start those of another version again")
    return Check("servers", "ok", says or "none is running")


def hosts(project: Project) -> Check:
    """The hosts on other machines, and the roles that nobody has where this one has no host."""
    database = project.database
    if database.schema() != SCHEMA:
        return Check("hosts", "ok", "this machine's alone")
    store = database.store()
    try:
        tokens, live, now = store.read(
            lambda tx: (host_tokens.all_tokens(tx), leases.live_hosts(tx), tx.lease_now)
        )
    finally:
        store.close()
    valid = [row.name for row in tokens if row.revoked_at is None]
    joined = sorted({row.token for row in live if row.token is not None})
    away = sorted(set(valid) - set(joined))
    ends = [(row.lease_until - now) / leases.SECOND for row in live if row.token is not None]
    shortest = min(ends, default=0.0)
    others = _other_versions((row.token or f"pid {row.pid}", row.version) for row in live)
    says = "; ".join(
        each
        for each in (
            f"joined: {', '.join(joined)}, lease ends in {shortest:.0f} s at the earliest" if joined else "",
            f"not joined: {', '.join(away)}" if away else "",
            others,
        )
        if each
    )
    served = {role for row in live if not row.draining for role in row.roles}
    pack, settings = read_config(project)
    needed = {name for name, role in pack.roles.items() if role.installed and role.kind == "pipeline"}
    unserved = sorted(needed - served)
    if not settings.own_host and unserved:
        return Check(
            "hosts",
            "note",
            f"{says or 'none has joined'}; own_host is off, and nobody is a {', '.join(unserved)}",
            "join a host (`lifecycle host join`), run one here (`lifecycle worker`), or set own_host",
        )
    if others:
        fix = "upgrade them: each is asked to end (SIGTERM), finishes its runs and is started again"
        return Check("hosts", "note", says, fix)
    return Check("hosts", "ok", says or "this machine's alone")


def _other_versions(found: Iterable[tuple[str, str]]) -> str:
    """Which of these run another version than this program's; empty where none does."""
    others = sorted({(name, version or "unknown") for name, version in found if version != __version__})
    return ", ".join(f"{name} runs version {version}" for name, version in others)


def engine_answers(project: Project) -> Check:
    """Whether the engine that delivers offers answers from here, and since when it does not answer the coordinator."""
    found = engine.ask(project)
    if found is None:
        return Check("engine", "ok", "none: worker hosts ask for their tasks")
    state, says, fix = found
    database = project.database
    noted = None
    if database.schema() == SCHEMA:
        store = database.store()
        try:
            noted = store.read(engine.engine_view)
        finally:
            store.close()
    if noted is not None and not noted["up"]:
        says += f"; for the coordinator, {engine.in_words(noted)}"
        return Check(
            "engine", "note" if state == "ok" else "fault", says, fix or "see .workflow/logs/daemon.jsonl"
        )
    return Check("engine", "ok" if state == "ok" else "fault", says, fix)


def traces(project: Project) -> Check:
    """Whether the collector takes what coordinator and server would send it: it is sent nothing, in the same way."""
    from orchestrator.traces.place import ask

    found = ask(read_settings(project).traces)
    if found is None:
        return Check("traces", "ok", "not sent: traces.endpoint is not set")
    url, fault = found
    if fault:
        return Check(
            "traces",
            "fault",
            f"{url} takes none ({fault})",
            "check traces.endpoint, OTEL_EXPORTER_OTLP_HEADERS and the collector",
        )
    return Check("traces", "ok", f"of runs, to {url}")
