"""doctor, config, agents: what is installed, logged in and configured; each fault with its fix."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.opening import here
from orchestrator.cli.options import AsJson, exclude
from orchestrator.cli.output import note, paint, print_json, say, table
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import inert
from orchestrator.domain.states import EXIT_FAILED

if TYPE_CHECKING:
    from orchestrator.project import Project
    from orchestrator.store.store import Tx

AGENTS_SECONDS = 60.0
PROBE_SECONDS = 150.0  # longer than the probes themselves take at most
COSTS = "each usable agent is asked a short question, which may cost a little"
STARTER = """\
# Settings of this project. Every key, its default and its meaning: lifecycle config show
# Order: defaults < user file < this file < LIFECYCLE_* in the environment < options of a command.

# slots = 4
# discuss = "inline"        # inline, standalone or off
# execution = "parallel"    # parallel or sequential

# An agent of your own: any program that takes the prompt on standard input and answers on standard output.
# [agents.mine]
# command = ["my-agent", "--quiet"]
# env = ["MY_AGENT_KEY"]    # names of the variables it may see

# [roles]
# writer = ["mine", "builtin"]
"""


Probe = Annotated[
    bool, typer.Option("--probe", help="Ask each usable agent a short question; it may cost a little.")
]


def doctor(probe: Probe = False, as_json: AsJson = False) -> None:
    """Check what this program needs, here and now; each fault with its fix. Exit code 1 when something is broken."""
    from functools import partial

    from orchestrator.views.doctor import examine

    if probe:
        note(COSTS)
    found = examine(here(), partial(ask_agents, probe=probe))
    if as_json:
        print_json([{"check": c.name, "state": c.state, "says": c.says, "fix": c.fix} for c in found])
    else:
        colours = {"ok": "green", "note": "yellow", "fault": "red"}
        for each in found:
            say(f"{paint(f'{each.state:<5}', colours[each.state])}  {each.name}: {inert(each.says)}")
            for line in each.fix.splitlines():
                say(f"       {inert(line)}")
    if any(each.state == "fault" for each in found):
        raise typer.Exit(EXIT_FAILED)


def agents(
    probe: Probe = False,
    release: Annotated[
        str | None,
        typer.Option(
            "--release", metavar="ACCOUNT", help="Ask an account again before the end of its limit."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show which agents can be used, whose limit is reached, and whom each role and perspective would ask."""
    from orchestrator.views.doctor import probe_cost

    exclude(probe=probe, release=release is not None)
    if release is not None:
        _release(release, as_json)
        return
    project = here()
    if probe:
        note(COSTS)
    found = ask_agents(project, probe=probe) | {
        "limits": limits_of(project),
        "sessions": _with_cassettes(project),
    }
    if as_json:
        print_json(found)
        return
    from orchestrator.views.limits import in_words

    for each in found["sessions"]:
        how = "replays" if each["does"] == "replay" else "records into"
        say(f"{each['session']} {how} {inert(each['folder'])}")
    for each in found["limits"]:
        say(inert(in_words(each)))
    asked = {
        a["name"]: f"{'yes' if a['usable'] else 'no'},{probe_cost(a['probe'])}"
        for a in found["agents"]
        if "probe" in a
    }
    table(
        ("AGENT", "USABLE", "VERSION", *(["ANSWERED"] if probe else []), "WHY NOT"),
        [
            (
                a["name"],
                "yes" if a["usable"] else "no",
                a["version"],
                *([asked.get(a["name"], "not asked")] if probe else []),
                a["fault"],
            )
            for a in found["agents"]
        ],
    )
    say()
    for title, key in (("ROLE", "roles"), ("PERSPECTIVE", "perspectives")):
        table((title, "ASKS"), [(name, ", ".join(chosen) or "nobody") for name, chosen in found[key].items()])
        say()


def _release(account: str, as_json: bool) -> None:
    """Take a person's word that an account can be asked again. Raises UnknownName."""
    from orchestrator.cli.opening import changing, who
    from orchestrator.project import ensure_daemon
    from orchestrator.views.limits import release

    with changing() as opened:
        waited = release(opened.store, account, who())
        if waited:
            ensure_daemon(opened.project, opened.store)
    if as_json:
        print_json({"account": account, "done": "released", "tasks": waited})
        return
    say(f"account {inert(account)}: released")
    for each in waited:
        say(f"  {each['session']} {each['task']} is tried now")


def limits_of(project: Project) -> list[dict[str, Any]]:
    """The accounts that are not asked now, because they reached a limit."""
    from orchestrator.views.limits import limit_views

    found: list[dict[str, Any]] | None = _look(project, limit_views)
    return found or []


def _with_cassettes(project: Project) -> list[dict[str, str]]:
    """The unfinished sessions whose agents are recorded, or not asked at all."""
    from orchestrator.store import sessions

    found = _look(project, sessions.unfinished) or []
    return [{"session": row.id, **row.options["cassette"]} for row in found if "cassette" in row.options]


def _look(project: Project, read: Callable[[Tx], Any]) -> Any:
    """What `read` finds; None where there is no database yet, or one of another version."""
    from orchestrator.store.database import SCHEMA, inspect
    from orchestrator.store.store import Store

    if inspect(project.database) != SCHEMA:
        return None
    store = Store(project.database)
    try:
        return store.read(read)
    finally:
        store.close()


def ask_agents(project: Project, *, probe: bool = False) -> dict[str, Any]:
    """What the workers say of their agents; with `probe` after a real question to each. Raises LifecycleError."""
    from orchestrator.dispatch.asking import ask_workers
    from orchestrator.project import read_config

    read_config(project)  # its faults are better told from here
    seconds = PROBE_SECONDS if probe else AGENTS_SECONDS
    return dict(ask_workers("agents", project.root, *(["--probe"] if probe else []), seconds=seconds))


def config_show(as_json: AsJson = False) -> None:
    """Show every setting with its value, its default and what it means."""
    from orchestrator.config.settings import Settings
    from orchestrator.project import read_settings

    settings = read_settings(here()).model_dump(mode="json")
    fields = Settings.model_fields
    if as_json:
        print_json(settings)
        return
    for name, value in settings.items():
        default = fields[name].get_default(call_default_factory=True)
        plain = default.model_dump(mode="json") if hasattr(default, "model_dump") else default
        changed = "" if plain == value else f"   (default {json.dumps(plain)})"
        say(f"{name} = {inert(json.dumps(value, ensure_ascii=False))}{changed}")
        say(f"    {fields[name].description or ''}")


def config_check(as_json: AsJson = False) -> None:
    """Check settings and packs; every fault with file and line. Exit code 1 when there is one."""
    from orchestrator.domain.errors import ConfigError
    from orchestrator.project import read_config

    faults: list[str] = []
    try:
        read_config(here())
    except ConfigError as error:
        faults = error.faults
    if as_json:
        print_json({"faults": faults})
    else:
        for fault in faults:
            say(inert(fault))
        note("the configuration has no fault" if not faults else f"{len(faults)} fault(s)")
    if faults:
        raise typer.Exit(EXIT_FAILED)


def config_init(
    user: Annotated[bool, typer.Option("--user", help="Your own file, for all projects.")] = False,
) -> None:
    """Write a starting configuration file; one that exists is left alone."""
    import os

    from orchestrator.config import user_dir
    from orchestrator.project import prepare

    if user:
        folder = user_dir(os.environ)
    else:
        project = here()
        prepare(project)
        folder = project.workflow
    say(str(write_new(folder / "config.toml", STARTER)))


def write_new(file: Path, text: str) -> Path:
    """Write a file that does not exist yet. Raises UsageError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        why = "it exists already" if isinstance(error, FileExistsError) else error.strerror or str(error)
        raise UsageError(f"cannot write {str(file)!r}", why=why, fix="edit it, or move it away") from error
    return file


def register(app: typer.Typer) -> None:
    app.command()(doctor)
    app.command()(agents)
    group = typer.Typer(
        rich_markup_mode=None, no_args_is_help=True, help="The configuration: show, check, init."
    )
    group.command("show")(config_show)
    group.command("check")(config_check)
    group.command("init")(config_init)
    app.add_typer(group, name="config")
