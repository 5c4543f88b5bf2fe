"""The checks of `doctor`: each examines one thing and reports its state and, if needed, the fix.

None of them changes anything. An examination that breaks is itself a fault that is shown, not a traceback.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

from orchestrator import __version__
from orchestrator.config.extras import MCP_INSTALL, WEB_INSTALL, has_mcp, has_web
from orchestrator.dispatch import dashboards, older
from orchestrator.dispatch.asking import ask_workers
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import ConfigError, LifecycleError, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.project import read_config, read_settings
from orchestrator.store import host_tokens, integrity, leases, queries, rights, servers
from orchestrator.store.backends import sqlite
from orchestrator.store.backends.sqlite_file import SCHEMA, checkpoint_is_risky, refuse_network_file_system
from orchestrator.store.databases import Database
from orchestrator.views import disk_space, engine
from orchestrator.views.agents import limits_of
from orchestrator.views.limits import in_words, way_on
from orchestrator.wakeup import runtime_directory

if TYPE_CHECKING:
    from orchestrator.project import Project

PYTHON = (3, 11)
GIT_SECONDS = 60.0
KINDS = {
    "repository": "the project is a repository",
    "bare": "the project is a bare repository",
    "empty": "the project is a repository without a commit: work starts from a snapshot of it",
    "none": "the project is not a repository: work starts from a snapshot of it",
}
CLOCK_SECONDS = 5.0  # between a server's clock and ours, before that is worth a word
LOG_BYTES = 64 * 1024 * 1024  # a write-ahead log of this size is not checkpointed as it should be

AskAgents = Callable[["Project"], JsonObject]


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: Literal["ok", "note", "fault"]
    says: str
    fix: str = ""


def examine(project: Project, ask_agents: AskAgents) -> list[Check]:
    """All checks, in order."""
    return _each_fault_once(_all(project, ask_agents))


def _all(project: Project, ask_agents: AskAgents) -> list[Check]:
    checks = [_guarded(name, check, project) for name, check in _CHECKS.items()]
    try:
        found = ask_agents(project)
    except ConfigError:
        return [*checks, Check("agents", "fault", "not asked", "fix the configuration first")]
    except (LifecycleError, OSError) as error:
        return [*checks, _broken("agents", error)]
    both: dict[str, Callable[[Project], Check]] = {
        "agents": lambda at: _agents(at, found),
        "read-only": lambda at: _read_only(at, found["not_read_only"]),
        "sandbox": lambda at: _sandbox(at, found["no_sandbox"]),
        "browser": lambda _: _browser(found["no_browser"], found.get("browser_fix", "")),
    }
    return checks + [_guarded(name, check, project) for name, check in both.items()]


def examine_quickly(project: Project) -> list[Check]:
    """The checks that start no process and do not read the whole database."""
    return _each_fault_once(
        [_guarded(name, check, project) for name, check in _CHECKS.items() if name not in _SLOW]
    )


def _each_fault_once(checks: list[Check]) -> list[Check]:
    """The same, in which what keeps several checks from being made is told by the first of them."""
    told: dict[tuple[str, str], str] = {}
    for number, check in enumerate(checks):
        if check.state == "fault" and check.fix:
            first = told.setdefault((check.says, check.fix), check.name)
            if first != check.name:
                checks[number] = Check(check.name, "fault", f"not looked at: see {first}")
    return checks


def _guarded(name: str, check: Callable[[Project], Check], project: Project) -> Check:
    try:
        return check(project)
    except (LifecycleError, OSError) as error:
        return _broken(name, error)


def _broken(name: str, error: LifecycleError | OSError) -> Check:
    if isinstance(error, LifecycleError):
        return Check(name, "fault", f"{error.what} ({error.why})" if error.why else error.what, error.fix)
    return Check(name, "fault", str(error), "check the permissions of what it names")


def _program(_: Project) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < PYTHON:
        return Check("program", "fault", f"Python {version}", "use Python 3.11 or newer")
    return Check("program", "ok", f"lifecycle {__version__}, Python {version}")


def _system(_: Project) -> Check:
    if sys.platform.startswith("linux"):
        return Check("system", "ok", "Linux: when an agent is stopped, so are all processes it started")
    if sys.platform == "darwin":
        says = "macOS: an agent is stopped by its pipe and process group; processes that left the group keep running"
        return Check("system", "note", says)
    return Check("system", "fault", sys.platform, "use Linux or macOS")


def _clock(_: Project) -> Check:
    year = time.gmtime().tm_year
    if not 1980 <= year <= 9999:
        return Check("clock", "fault", f"the year is {year}", "set the system's clock")
    return Check("clock", "ok", time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()))


def _folder(project: Project) -> Check:
    place = project.workflow if project.workflow.exists() else project.root
    if not os.access(place, os.W_OK | os.X_OK):
        return Check(
            "project", "fault", f"{place} cannot be written", "change its permissions, or work as its owner"
        )
    mode = project.workflow.stat().st_mode & 0o077 if project.workflow.exists() else 0
    if mode:
        return Check(
            "project", "note", f"{project.workflow} can be read by others", f"chmod 700 {project.workflow}"
        )
    return Check("project", "ok", str(project.root))


def _disk(project: Project) -> Check:
    room = disk_space.room_at(project.root)
    if room.is_low:
        is_full = room.free < disk_space.FREE_BYTES // 10
        return Check("disk", "fault" if is_full else "note", room.says, disk_space.FIX)
    return Check("disk", "ok", room.says)


def _sqlite(project: Project) -> Check:
    if project.database.file is None:
        return Check("sqlite", "ok", "not used: the database is on a server")
    refuse_network_file_system(project.workflow if project.workflow.is_dir() else project.root)
    if checkpoint_is_risky():
        says = f"SQLite {sqlite.VERSION} has the WAL-reset bug; only the coordinator checkpoints, which avoids it"
        return Check(
            "sqlite", "note", says, 'use a Python with SQLite 3.51.3 or newer, or set journal = "truncate"'
        )
    return Check("sqlite", "ok", f"SQLite {sqlite.VERSION}")


def _database(project: Project) -> Check:
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


def _sockets(project: Project) -> Check:
    folder = runtime_directory(project.id)
    longest = len(os.fsencode(folder)) + len("/h-0123456789abcdef01.sock")
    if longest > 107:
        return Check(
            "wake", "fault", f"{folder} is too long for a socket", "unset XDG_RUNTIME_DIR, or make it shorter"
        )
    return Check("wake", "ok", str(folder))


def _configuration(project: Project) -> Check:
    try:
        read_config(project)
    except ConfigError as error:
        return Check("configuration", "fault", f"{len(error.faults)} error(s)", "\n".join(error.faults))
    return Check("configuration", "ok", "settings and packs are valid")


def _coordinator(project: Project) -> Check:
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


def _hosts(project: Project) -> Check:
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


def _engine(project: Project) -> Check:
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


def _other_versions(found: Iterable[tuple[str, str]]) -> str:
    """Which of these run another version than this program's; empty where none does."""
    others = sorted({(name, version or "unknown") for name, version in found if version != __version__})
    return ", ".join(f"{name} runs version {version}" for name, version in others)


def _servers(project: Project) -> Check:
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


def _traces(project: Project) -> Check:
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


def _git(project: Project) -> Check:
    """Whether work in private trees is possible: git, the repository, the folder of the trees and its room."""
    found = ask_workers("repository", project.root, seconds=GIT_SECONDS)
    if "error" in found:
        return Check("git", "note", "not examined: the configuration has an error")
    if found["fault"]:
        what, why, fix = found["fault"]
        return Check("git", "note", f"{what} ({why})" if why else what, f"{fix}: needed to change code")
    says = f"{found['version']}; {KINDS[found['kind']]}; trees in {found['trees']}"
    if found["inside"]:
        fix = "set `work.trees` to a folder outside: tests and tools of the project would find its copies"
        return Check("git", "fault", f"the folder of trees lies inside the project: {found['trees']}", fix)
    if not found["writable"]:
        return Check(
            "git", "fault", f"{found['trees']} cannot be written", "set `work.trees` to a folder of yours"
        )
    if found["free"] < found["needed"]:
        free = found["free"] // 1024 // 1024
        return Check(
            "git", "note", f"{free} MiB free for trees in {found['trees']}", "`lifecycle gc` frees some"
        )
    return Check("git", "ok", says)


def _mcp(project: Project) -> Check:
    wanted = read_settings(project).hand_over_mcp
    if wanted and not has_mcp():
        says = "hand_over_mcp is on, but the MCP server is not installed: agents work without it"
        return Check("mcp", "fault", says, MCP_INSTALL)
    return Check(
        "mcp",
        "ok",
        "agents get the MCP server of their run"
        if wanted
        else "agents get no MCP server (hand_over_mcp is off)",
    )


def _dashboard(project: Project) -> Check:
    """Whether the web dashboard is installed, and which servers show this project."""
    if not has_web():
        return Check("dashboard", "note", "not installed: `lifecycle serve` cannot start", WEB_INSTALL)
    try:
        found = dashboards.of_project(dashboards.state_folder(os.environ), project.root)
    except UsageError as error:
        return Check("dashboard", "fault", f"{error.what}: {error.why}", error.fix)
    if not found:
        return Check("dashboard", "ok", "not running; `lifecycle serve` starts it")
    each = (f"{one.address}, pid {one.pid}{', read-only' * one.read_only}" for one in found)
    return Check("dashboard", "ok", "; ".join(each))


def _agents(project: Project, found: JsonObject) -> Check:
    usable = [_usable(each) for each in found["agents"] if each["usable"]]
    unusable = "\n".join(_unusable(each) for each in found["agents"] if not each["usable"])
    if not usable:
        return Check("agents", "fault", "none is available", unusable)
    says = f"available: {', '.join(usable)}"
    silent = [each["name"] for each in found["agents"] if each.get("probe") and not each["usable"]]
    if silent:
        return Check("agents", "fault", f"no answer from {', '.join(silent)}; {says}", unusable)
    held = (f"{in_words(each)}; {way_on(each['account'])}" for each in limits_of(project))
    notes = "\n".join(filter(None, [unusable, *held]))
    return Check("agents", "note" if notes else "ok", says, notes)


def _usable(agent: JsonObject) -> str:
    probe = agent.get("probe")
    return str(agent["name"]) if probe is None else f"{agent['name']} (answered{probe_cost(probe)})"


def _unusable(agent: JsonObject) -> str:
    name, fault = str(agent["name"]), str(agent["fault"])
    return fault if fault.startswith(name) else f"{name}: {fault}"


def probe_cost(probe: JsonObject) -> str:
    """The duration and cost of the question."""
    cost = "unknown cost" if probe["usd"] is None else f"${probe['usd']:.4f}"
    return f" in {probe['seconds']:g} s, {cost}"


def _read_only(project: Project, why_not: str | None) -> Check:
    if why_not is None:
        free = [name for name, agent in read_settings(project).agents.items() if not agent.confine]
        but = f", except {', '.join(free)} (`confine = false`)" if free else ""
        return Check("read-only", "ok", f"agents in read-only mode cannot write to the project{but}")
    says = f"agents in read-only mode could write to the project ({why_not}); changes are reported"
    return Check("read-only", "note", says, "docs/configuration.md, `confine`, explains what is needed")


def _sandbox(project: Project, why_not: str | None) -> Check:
    if why_not is None:
        return Check("sandbox", "ok", "tests can write to their own tree alone, and have no network")
    if read_settings(project).work.unconfined:
        says = f"tests and coding agents run without a sandbox ({why_not}), as `work.unconfined` allows"
        return Check("sandbox", "note", says)
    says = (
        f"there is no sandbox for tests ({why_not}): they are not run, and agents that edit are not started"
    )
    fix = "docs/evidence.md explains what is needed; or set `work.unconfined = true`"
    return Check("sandbox", "note", says, fix)


def _browser(why_not: str | None, fix: str) -> Check:
    if why_not is None:
        return Check("browser", "ok", "the audit of frontend work opens its pages in Chromium")
    says = f"no browser for the audit of frontend work ({why_not}): it goes by rules and agents alone"
    return Check("browser", "note", says, fix)


_CHECKS: dict[str, Callable[[Project], Check]] = {
    "program": _program,
    "system": _system,
    "clock": _clock,
    "project": _folder,
    "disk": _disk,
    "sqlite": _sqlite,
    "database": _database,
    "wake": _sockets,
    "configuration": _configuration,
    "coordinator": _coordinator,
    "servers": _servers,
    "hosts": _hosts,
    "engine": _engine,
    "traces": _traces,
    "git": _git,
    "mcp": _mcp,
    "dashboard": _dashboard,
}
_SLOW = ("database", "engine", "traces", "git", "mcp")
