"""config: show, check and create the configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import here
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import note, print_json, say
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import inert
from orchestrator.domain.pauses import EXIT_FAILED

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


def config_show(as_json: AsJson = False) -> None:
    """Show every setting with its value, default and meaning."""
    from orchestrator.config.settings import Settings
    from orchestrator.domain.dataclass import asdict, fields
    from orchestrator.project import read_settings

    settings, standard = asdict(read_settings(here())), asdict(Settings())
    if as_json:
        print_json(settings)
        return
    for field in fields(Settings):
        name, value, default = field.name, settings[field.name], standard[field.name]
        changed = "" if default == value else f"   (default {json.dumps(default)})"
        say(f"{name} = {inert(json.dumps(value, ensure_ascii=False))}{changed}")
        say(f"    {field.metadata['doc']}")


def config_check(as_json: AsJson = False) -> None:
    """Check settings and packs, and list every error with file and line. Exit code 1 if there is one."""
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
        note("the configuration is valid" if not faults else f"{len(faults)} error(s)")
    if faults:
        raise typer.Exit(EXIT_FAILED)


def config_init(
    user: Annotated[bool, typer.Option("--user", help="Your user configuration, for all projects.")] = False,
) -> None:
    """Write a starter configuration file; an existing one is not changed."""
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
    group = typer.Typer(
        rich_markup_mode=None, no_args_is_help=True, help="The configuration: show, check, init."
    )
    group.command("show")(config_show)
    group.command("check")(config_check)
    group.command("init")(config_init)
    app.add_typer(group, name="config")
