"""Build the command line and run one command.

Every outcome has an exit code: 0 done, 1 failed, 2 invalid or refused, 3 waiting for a person, 4 no agent,
130 interrupted.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import takewhile
from typing import Any, TypeVar

import typer

from orchestrator.cli.coercion import coerce_late
from orchestrator.cli.output import complain, end_output, print_json
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.inert import one_line
from orchestrator.domain.pauses import EXIT_DETACHED, EXIT_FAILED

HELP = """Turn one sentence into a reviewed specification and tested code with a crash-safe team of agents.

Start with `lifecycle start "what you want"`; `lifecycle check` shows the progress.

Exit codes: 0 done, 1 failed, 2 invalid or refused (nothing changed), 3 waiting for you, 4 no agent available,
130 detached or interrupted (the session continues).
"""
HELP_OPTIONS = ("-h", "--help")
COMPLETION = (
    "_LIFECYCLE_COMPLETE"  # set by a shell that asks what could follow: the line is in its environment
)
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


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; every exception ends here."""
    _guard_descriptors()
    debug, arguments = _take_debug(arguments)
    try:
        code = _invoke(arguments)
    except LifecycleError as error:
        if debug:
            _traceback()
        complain(error.what, error.why, error.fix)
        code = error.exit_code
        _print_error(arguments, error.what, error.why, error.fix, code)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # ignore a second Ctrl-C while this is reported
        complain(
            "interrupted",
            "what was committed is kept; nothing else was done",
            "`lifecycle check` shows the state, `lifecycle resume` continues",
        )
        code = EXIT_DETACHED
    except OSError as error:
        if debug:
            _traceback()
        what = error.strerror or str(error)
        complain(
            f"{what}: {error.filename}" if error.filename is not None else what,
            "the operating system refused it",
            "`lifecycle doctor` checks the environment; --debug shows the traceback",
        )
        code = EXIT_FAILED
    except Exception as error:
        if debug:
            _traceback()
        complain(
            f"{type(error).__name__}: {error}",
            "this is an internal error; everything the database has acknowledged is safe",
            "repeat the command with --debug for the traceback; the coordinator's log is in .workflow/logs",
        )
        code = EXIT_FAILED
    return end_output(code)


def _invoke(arguments: Sequence[str]) -> int:
    from typer.main import get_command

    first = next(iter(arguments), None if COMPLETION in os.environ else "--help")
    command = get_command(build(first))
    coerce_late(command)
    try:
        command.main(args=list(arguments), prog_name="lifecycle")
    except SystemExit as end:
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            raise KeyboardInterrupt from end  # Typer would exit silently
        _told_of_usage(arguments, end.__context__)
        return end.code if isinstance(end.code, int) else 0 if end.code is None else EXIT_FAILED
    return 0


def _told_of_usage(arguments: Sequence[str], error: BaseException | None) -> None:
    """What the parser has refused: how `start` is given a task of several words, and all of it for a program."""
    told = str(error.format_message()) if error is not None and hasattr(error, "format_message") else ""
    words = list(takewhile(lambda each: not each.startswith("-"), arguments[1:]))
    fix = ""
    if arguments[:1] == ["start"] and len(words) > 1 and told.startswith("Got unexpected extra argument"):
        fix = f'put the task in quotes: lifecycle start "{one_line(" ".join(words), 200)}"'
        sys.stderr.write(f"  try: {fix}\n")
    if told:
        _print_error(arguments, told, "", fix or "`lifecycle -h` lists the commands", UsageError.exit_code)


def _print_error(arguments: Sequence[str], what: str, why: str, fix: str, code: int) -> None:
    """Where `--json` is given, the error as JSON on standard output as well."""
    if "--json" not in takewhile(lambda each: each != "--", arguments):
        return
    try:
        print_json({"error": {"what": what, "why": why, "try": fix, "exit_code": code}})
    except LifecycleError as error:
        complain(error.what, error.why, error.fix)


def _take_debug(arguments: Sequence[str]) -> tuple[bool, list[str]]:
    """Whether `--debug` is given before `--`, and the arguments without it."""
    given = list(arguments)
    options = given[: given.index("--")] if "--" in given else given
    rest = given[len(options) :]
    kept = [argument for argument in options if argument != "--debug"]
    return len(kept) < len(options), kept + rest


def _guard_descriptors() -> None:
    """Open closed standard descriptors: otherwise the database could get number 1, and output would go into it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _traceback() -> None:
    import traceback

    traceback.print_exc()
