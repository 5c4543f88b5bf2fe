"""The command line as Typer reads it, of the commands that each module has."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import typer
from typer.core import TyperGroup

HELP = """Turn one sentence into a reviewed specification and tested code with a crash-safe team of agents.

Start with `lifecycle start "what you want"`; `lifecycle check` shows the progress.

Exit codes: 0 done, 1 failed, 2 invalid or refused (nothing changed), 3 waiting for you, 4 no agent available,
130 detached or interrupted (the session continues).
"""
HELP_OPTIONS = ("-h", "--help")
F = TypeVar("F", bound=Callable[..., Any])
COMMANDS = {
    "start": ("start",),
    "resume": ("resume", "continue"),
    "apply": ("apply",),
    "rebase": ("rebase",),
    "fork": ("fork",),
    "compare": ("compare",),
    "inbox": ("inbox",),
    "check": ("check", "status"),
    "impact": ("impact",),
    "why": ("why",),
    "list": ("list",),
    "show": ("show",),
    "tasks": ("tasks", "runs"),
    "artifacts": ("artifacts",),
    "cost": ("cost",),
    "discuss": ("discuss",),
    "diff": ("diff",),
    "open": ("open",),
    "log": ("log",),
    "rework": ("revise", "feedback", "recheck", "improve"),
    "advise": ("advise",),
    "pause": ("pause", "cancel"),
    "archive": ("archive", "delete"),
    "repair": ("repair",),
    "gc": ("gc",),
    "export": ("export", "import"),
    "msg": ("msg",),
    "daemon": ("daemon",),
    "worker": ("worker",),
    "mcp": ("mcp",),
    "serve": ("serve",),
    "server": ("server",),
    "host": ("host",),
    "fleet": ("fleet",),
    "person": ("person",),
    "mirror": ("mirror",),
    "adopt_database": ("adopt-database",),
    "doctor": ("doctor",),
    "agents": ("agents",),
    "config": ("config",),
    "help": ("help",),
}  # module -> its commands, in the order of the help


MEANT = {  # what people type -> the commands that do it
    "approve": ("resume",),
    "accept": ("resume",),
    "confirm": ("resume",),
    "reject": ("feedback",),
    "run": ("start",),
    "new": ("start",),
    "stop": ("pause", "cancel"),
    "abort": ("cancel",),
    "kill": ("cancel",),
    "logs": ("log",),
    "ls": ("list",),
    "sessions": ("list",),
    "ps": ("list", "check"),
    "merge": ("apply",),
}


class Commands(TyperGroup):
    """Suggests for an unknown command the one that does what the word means, before one that is spelt like it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As Typer; its error names the command that was meant."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:
            meant = MEANT.get(args[0].lower()) if args and hasattr(error, "message") else None
            if meant:
                error.message = (  # type: ignore[attr-defined]
                    f"No such command {args[0]!r}. Did you mean {' or '.join(map(repr, meant))}?"
                )
            raise


class Overview(typer.Typer):
    """Takes name and text of each command: to list them, none of their options need be understood."""

    def command(self, name: str | None = None, **more: Any) -> Callable[[F], F]:
        def listed(function: F) -> F:
            def nothing() -> None: ...

            nothing.__doc__ = function.__doc__
            super(Overview, self).command(name or function.__name__, **more)(nothing)
            return function

        return listed

    def add_typer(self, typer_instance: typer.Typer, **more: Any) -> None:
        super().add_typer(typer.Typer(help=typer_instance.info.help), **more)


def build(name: str | None = None) -> typer.Typer:
    """The command line; given the first argument, without what that command, or the list of all, has no use for."""
    only = [module for module, names in COMMANDS.items() if name in names and name != "help"]
    app = (Overview if name in HELP_OPTIONS else typer.Typer)(
        name="lifecycle",
        cls=Commands,
        help=HELP,
        rich_markup_mode=None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": list(HELP_OPTIONS)},
    )

    @app.callback()
    def every(
        debug: bool = typer.Option(False, "--debug", help="Show the traceback when something goes wrong."),
        version: bool = typer.Option(
            False, "--version", help="Show the version.", is_eager=True, callback=_version
        ),
    ) -> None:
        """Declare `--debug` for the help; `run` removes it from the arguments, so that it may stand anywhere."""

    for module in only or ([] if name == "--version" else COMMANDS):
        import_module(f"orchestrator.cli.{module}").register(app)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from orchestrator import __version__

        sys.stdout.write(f"lifecycle {__version__}\n")
        raise typer.Exit
