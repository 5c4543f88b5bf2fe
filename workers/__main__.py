"""`python -P -m workers serve|agents|explore`, or a verb of run/foreground.py: parse, set signals, run."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = (
    False  # as in typing, which takes a moment to load: until `main` runs, Ctrl-C leaves a traceback
)
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from orchestrator.config.settings import Settings
    from orchestrator.domain.prices import Cost, Usage
    from workers.agents.probing import Priced


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; its exit code, 130 when interrupted."""
    os.umask(0o077)  # what we make is its owner's alone
    gc.set_threshold(50_000)  # as orchestrator/__main__.py
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # to look for some, all that is installed is read
    try:
        from orchestrator import interrupts

        interrupts.end_at_once()  # until a verb is loaded, which listens itself
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

    from orchestrator import log
    from orchestrator.config import extras, load_settings, resources
    from orchestrator.store.backends.sqlite_file import refuse_other_schema
    from orchestrator.store.store import Store
    from workers.git.checkouts import trees_folder
    from workers.git.tree_maintenance import TreeMaintenance
    from workers.host.host import Host
    from workers.roles import SERVED
    from workers.run.runtime import Runtime
    from workers.run.settings_watcher import SettingsWatcher

    project = given.project
    workflow = project / ".workflow"
    flags = {"slots": given.slots} if given.slots else {}
    settings = load_settings(project, os.environ, flags)
    refuse_other_schema(workflow / "lifecycle.db")
    environment = dict(os.environ)
    file = None if given.foreground else workflow / "logs" / "workers.jsonl"
    logger = log.configure(file, environ=environment)
    store = Store(
        workflow / "lifecycle.db",
        synchronous=settings.synchronous,
        journal=settings.journal,
        on_wait=lambda pids: logger.warning("database_held", by=pids),
    )
    if settings.hand_over_mcp and not extras.has_mcp():
        logger.warning("mcp_not_installed", fix=extras.MCP_INSTALL)
    watcher = SettingsWatcher(project, flags, environment, logger)
    host = Host(
        store,
        settings,
        SERVED,
        settings.slots,
        lambda live: runtime.execute(live),
        logger,
        supervised=given.supervised,
        maintain=TreeMaintenance(
            store, project, lambda: trees_folder(watcher.now().settings.work.trees), logger
        ).poll,
    )
    host.on_environment = watcher.take
    runtime = Runtime(
        store=store,
        config=watcher.now,
        roles=SERVED,
        lives=host.live,
        project=project,
        runs=workflow / "runs",
        instructions=lambda role: (resources() / "config" / "roles" / f"{role}.md").read_text(
            encoding="utf-8"
        ),
        draining=host.is_draining,
        log=logger,
        environ=environment,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: host.drain())
    try:
        return host.run()
    finally:
        store.close()


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


_VERBS = {"serve": _serve, "agents": _agents, "explore": _explore}

if __name__ == "__main__":
    sys.exit(main())
