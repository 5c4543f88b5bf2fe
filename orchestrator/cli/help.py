"""help: what a command does, as `lifecycle COMMAND --help` prints it."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.output import say
from orchestrator.domain.errors import UnknownName


def show_help(
    context: typer.Context,
    command: Annotated[list[str] | None, typer.Argument(help="A command, for example `start`.")] = None,
) -> None:
    """Show the help of a command; without one, list the commands."""
    shown = context.find_root()
    for name in command or ():
        commands = getattr(shown.command, "commands", {})
        if name not in commands:
            raise UnknownName("command", name, commands, fix="`lifecycle help` lists the commands")
        shown = typer.Context(commands[name], info_name=name, parent=shown)
    say(shown.get_help())


def register(app: typer.Typer) -> None:
    app.command("help")(show_help)
