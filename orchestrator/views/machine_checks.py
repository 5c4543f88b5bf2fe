"""What `doctor` finds out about the machine: the program, places, tools and what is installed beside it."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from orchestrator import __version__
from orchestrator.config.extras import MCP_INSTALL, WEB_INSTALL, has_mcp, has_web
from orchestrator.dispatch import dashboards
from orchestrator.dispatch.asking import ask_workers
from orchestrator.domain.errors import ConfigError, UsageError
from orchestrator.project import read_config, read_settings
from orchestrator.store.backends import sqlite
from orchestrator.store.backends.sqlite_file import checkpoint_is_risky, refuse_network_file_system
from orchestrator.views import disk_space
from orchestrator.views.examination import Check
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


def program(_: Project) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < PYTHON:
        return Check("program", "fault", f"Python {version}", "use Python 3.11 or newer")
    return Check("program", "ok", f"lifecycle {__version__}, Python {version}")


def system(_: Project) -> Check:
    if sys.platform.startswith("linux"):
        return Check("system", "ok", "Linux: when an agent is stopped, so are all processes it started")
    if sys.platform == "darwin":
        says = "macOS: an agent is stopped by its pipe and process group; processes that left the group keep running"
        return Check("system", "note", says)
    return Check("system", "fault", sys.platform, "use Linux or macOS")


def clock(_: Project) -> Check:
    year = time.gmtime().tm_year
    if not 1980 <= year <= 9999:
        return Check("clock", "fault", f"the year is {year}", "set the system's clock")
    return Check("clock", "ok", time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()))


def folder(project: Project) -> Check:
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


def disk(project: Project) -> Check:
    room = disk_space.room_at(project.root)
    if room.is_low:
        is_full = room.free < disk_space.FREE_BYTES // 10
        return Check("disk", "fault" if is_full else "note", room.says, disk_space.FIX)
    return Check("disk", "ok", room.says)


def sqlite_works(project: Project) -> Check:
    if project.database.file is None:
        return Check("sqlite", "ok", "not used: the database is on a server")
    refuse_network_file_system(project.workflow if project.workflow.is_dir() else project.root)
    if checkpoint_is_risky():
        says = f"SQLite {sqlite.VERSION} has the WAL-reset bug; only the coordinator checkpoints, which avoids it"
        return Check(
            "sqlite", "note", says, 'use a Python with SQLite 3.51.3 or newer, or set journal = "truncate"'
        )
    return Check("sqlite", "ok", f"SQLite {sqlite.VERSION}")


def sockets(project: Project) -> Check:
    folder = runtime_directory(project.id)
    longest = len(os.fsencode(folder)) + len("/h-0123456789abcdef01.sock")
    if longest > 107:
        return Check(
            "wake", "fault", f"{folder} is too long for a socket", "unset XDG_RUNTIME_DIR, or make it shorter"
        )
    return Check("wake", "ok", str(folder))


def configuration(project: Project) -> Check:
    try:
        read_config(project)
    except ConfigError as error:
        return Check("configuration", "fault", f"{len(error.faults)} error(s)", "\n".join(error.faults))
    return Check("configuration", "ok", "settings and packs are valid")


def git(project: Project) -> Check:
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


def mcp(project: Project) -> Check:
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


def dashboard(project: Project) -> Check:
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
