"""`python -P -m workers serve|join|agents|explore`, or a verb of run/foreground.py: parse, set signals, run."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = (
    False  # as in typing, which takes a moment to load: until `main` runs, Ctrl-C leaves a traceback
)
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from orchestrator.config.settings import Settings
    from orchestrator.domain.identity import ProjectId
    from orchestrator.domain.prices import Cost, Usage
    from orchestrator.engine.place import EnginePlace
    from orchestrator.log import Logger
    from workers.agents.probing import Priced


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; its exit code, 130 when interrupted."""
    os.umask(0o077)  # what we make is its owner's alone
    gc.set_threshold(50_000)  # as orchestrator/__main__.py
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # to look for some, all that is installed is read
    try:
        from orchestrator import interrupts

        interrupts.end_at_once()  # until a verb is loaded, which listens itself
        from orchestrator import leaving

        leaving.prepare()
        return _run(arguments)
    except KeyboardInterrupt:
        return 130


def _run(arguments: Sequence[str] | None) -> int:
    import argparse
    from pathlib import Path

    from orchestrator.domain.errors import LifecycleError
    from workers.run import foreground

    parser = argparse.ArgumentParser(prog="workers", description="The worker host of Team Lifecycle.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    serve = verbs.add_parser("serve", help="claim and do offered tasks until told to stop")
    serve.add_argument("--project", type=Path, required=True)
    serve.add_argument("--slots", type=int)
    serve.add_argument("--foreground", action="store_true", help="log to standard error")
    serve.add_argument("--supervised", action="store_true", help="started by the daemon, and ends with it")
    agents = verbs.add_parser("agents", help="which agents are usable, and what each role would use")
    agents.add_argument("--project", type=Path, required=True)
    agents.add_argument("--probe", action="store_true", help="ask each agent a real question")
    explore = verbs.add_parser("explore", help="explore a repository")
    explore.add_argument("--project", type=Path, required=True)
    explore.add_argument("--query", default="")
    explore.add_argument("--angle", default="general")
    join = verbs.add_parser("join", help="serve a project on another machine, by its server")
    join.add_argument("url")
    join.add_argument("--token-file", type=Path, required=True)
    join.add_argument("--folder", type=Path, required=True)
    join.add_argument("--state", type=Path, required=True)
    join.add_argument("--roles", default="")
    join.add_argument("--slots", type=int)
    join.add_argument("--ca", type=Path)
    for verb in (agents, explore):
        verb.add_argument("--json", action="store_true")
    foreground.add_verbs(verbs)
    given = parser.parse_args(arguments)
    try:
        return _VERBS.get(given.verb, foreground.run)(given)
    except LifecycleError as error:
        sys.stderr.write(f"Error: {'; '.join(error.lines())}\n")
        return error.exit_code


def _serve(given: argparse.Namespace) -> int:
    import signal

    _load_libraries()
    from orchestrator import log
    from orchestrator.config import extras, load_settings, resources
    from orchestrator.door.commit_watch import told_of_commits
    from orchestrator.door.shared_desk import desk_on
    from orchestrator.installation import Installation, begin_anew
    from orchestrator.store.databases import database_of
    from workers.git.checkouts import trees_folder
    from workers.git.tree_maintenance import TreeMaintenance
    from workers.host.host import Host
    from workers.roles import SERVED
    from workers.run.runtime import Runtime
    from workers.run.settings_watcher import SettingsWatcher

    installed = Installation()
    _share_one_heap()
    project = given.project
    workflow = project / ".workflow"
    flags = {"slots": given.slots} if given.slots else {}
    settings = load_settings(project, os.environ, flags)
    database = database_of(project)
    database.refuse_other_schema()
    environment = dict(os.environ)
    file = None if given.foreground else workflow / "logs" / "workers.jsonl"
    logger = log.configure(file, environ=environment)
    store = database.store(settings, on_wait=lambda pids: logger.warning("database_held", by=pids))
    if settings.hand_over_mcp and not extras.has_mcp():
        logger.warning("mcp_not_installed", fix=extras.MCP_INSTALL)
    watcher = SettingsWatcher(project, flags, environment, logger)
    desk = desk_on(store)
    host = Host(
        desk,
        settings,
        SERVED,
        settings.slots,
        lambda live: runtime.execute(live),
        logger,
        supervised=given.supervised,
        maintain=TreeMaintenance(
            desk, project, lambda: trees_folder(watcher.now().settings.work.trees), logger
        ).poll,
        engine=_engine(settings, desk.project_id, project, environment, logger),
        installed=installed,
    )
    host.on_environment = watcher.take
    runtime = Runtime(
        desk=desk,
        config=watcher.now,
        roles=SERVED,
        lives=host.live,
        project=project,
        instructions=lambda role: (resources() / "config" / "roles" / f"{role}.md").read_text(
            encoding="utf-8"
        ),
        draining=host.is_draining,
        own_session=host.goes_on_in_session,
        replaced=host.was_replaced,
        log=logger,
        environ=environment,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: host.drain())
    try:
        with told_of_commits(store, host.look_for_work, logger):
            code = host.run()
    finally:
        runtime.close()
        store.close()
    if host.begins_anew and not given.supervised:  # else our coordinator starts another
        command = (
            "-P",
            "-m",
            "orchestrator",
            "worker",
            "--project",
            str(project),
            "--slots",
            str(settings.slots),
        )
        begin_anew(installed, host.is_told, environment, command)  # which upgrades the database first
    return code


def _engine(
    settings: Settings, project_id: ProjectId, project: Path, environ: Mapping[str, str], log: Logger
) -> EnginePlace | None:
    """What delivers offers; None where the host claims them, also where its engine cannot be used from here."""
    if settings.dispatch != "temporal":
        return None
    from orchestrator.domain.errors import UsageError
    from orchestrator.engine.place import engine_place

    try:
        return engine_place(settings.temporal, project_id, project, environ)
    except UsageError as error:
        log.error("engine_unusable", error=error.what, why=error.why, fix=error.fix)
        return None


def _agents(given: argparse.Namespace) -> int:
    import json

    from orchestrator import interrupts
    from orchestrator.config import load_all
    from workers.agents.programs.read_only import why_not_read_only
    from workers.agents.routing import build_router, describe
    from workers.builtin import BuiltinAgent
    from workers.evidence.browsers import fix as browser_fix
    from workers.evidence.browsers import why_no_browser
    from workers.evidence.sandbox import why_no_sandbox

    interrupts.raise_again()
    pack, settings = load_all(given.project, os.environ)
    router = build_router(settings, dict(os.environ), lambda _: None, builtin=BuiltinAgent())
    found = describe(router, pack, _priced(settings) if given.probe else None)
    found["not_read_only"] = why_not_read_only(given.project, os.environ)
    found["no_sandbox"] = why_no_sandbox(os.environ)
    found["no_browser"] = why_no_browser(os.environ)
    found["browser_fix"] = browser_fix(os.environ)
    sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")
    return 0


def _priced(settings: Settings) -> Priced:
    """What a call of an agent used and cost, by its name."""
    from orchestrator.config import load_prices

    prices = load_prices(settings)

    def priced(name: str, told: Usage) -> tuple[Usage, Cost]:
        given = settings.agents.get(name)
        return prices.of_call(told, given.model if given else None, elsewhere=bool(given and given.base_url))

    return priced


def _explore(given: argparse.Namespace) -> int:
    import json

    from orchestrator import interrupts
    from workers.explore import explore

    interrupts.raise_again()
    cache = given.project / ".workflow" / "cache" / "explorations"
    found = explore(given.project, given.query, given.angle, cache_dir=cache)
    sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=2) + "\n")
    return 0


def _join(given: argparse.Namespace) -> int:
    _load_libraries()
    from workers.run.joined import join

    _share_one_heap()
    return join(
        given.url,
        given.token_file,
        given.folder,
        given.state,
        roles=tuple(filter(None, given.roles.split(","))),
        slots=given.slots,
        certificates=given.ca,
    )


def _load_libraries() -> None:
    """Load those of a host without what they load beside it (orchestrator/lean_imports.py)."""
    from importlib import import_module

    from orchestrator.lean_imports import alone

    with alone():
        from pydantic import TypeAdapter

        for library in ("jinja2", "markdown_it", "rapidfuzz"):
            import_module(library)
        TypeAdapter(bool)  # the first schema looks for plugins


_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h


def _share_one_heap() -> None:
    """Let the threads of this process allocate from one heap; a heap each takes 1 to 3 MB, and Python runs one at a time."""
    import ctypes

    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):  # glibc has heaps of threads, and this
        libc.mallopt(_ARENA_MAX, 1)


_VERBS = {"serve": _serve, "join": _join, "agents": _agents, "explore": _explore}

if __name__ == "__main__":
    ended = main()
    from orchestrator import leaving

    sys.exit(leaving.with_code(ended))
