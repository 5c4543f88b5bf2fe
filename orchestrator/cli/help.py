"""help: what a command does, as `lifecycle COMMAND --help` prints it, or as JSON."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

from orchestrator.cli.declaring import typer
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import print_json, say
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.json_types import JsonObject


def show_help(
    context: typer.Context,
    command: Annotated[list[str] | None, typer.Argument(help="A command, for example `start`.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the help of a command; without one, list the commands."""
    shown = context.find_root()
    for name in command or ():
        commands = getattr(shown.command, "commands", {})
        if name not in commands:
            raise UnknownName("command", name, commands, fix="`lifecycle help` lists the commands")
        shown = typer.Context(commands[name], info_name=name, parent=shown)
    if as_json:
        print_json(_described(shown))
    else:
        say(shown.get_help())


def _described(shown: Any) -> JsonObject:
    """A command's text, arguments and options, and the commands below it."""
    found = [each for each in shown.command.params if not getattr(each, "hidden", False)]
    commands = getattr(shown.command, "commands", {})
    return {
        "command": shown.command_path,
        "help": inspect.cleandoc(shown.command.help or ""),
        "arguments": [
            {**_parameter(each), "many": each.nargs == -1}
            for each in found
            if each.param_type_name == "argument"
        ],
        "options": [
            {**_parameter(each), "flag": bool(getattr(each, "is_flag", False)), "many": each.multiple}
            for each in found
            if each.param_type_name == "option"
        ],
        "commands": [
            {"name": name, "help": each.get_short_help_str(limit=1_000)}
            for name, each in commands.items()
            if not each.hidden
        ],
    }


def _parameter(given: Any) -> JsonObject:
    return {
        "names": [given.name]
        if given.param_type_name == "argument"
        else [*given.opts, *given.secondary_opts],
        "required": bool(given.required),
        "help": given.help or "",
    }


def register(app: typer.Typer) -> None:
    app.command("help")(show_help)
