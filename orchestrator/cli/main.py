"""Build the command line and run one command.

Every outcome has an exit code: 0 done, 1 failed, 2 invalid or refused, 3 waiting for a person, 4 no agent,
130 interrupted.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

import typer

from orchestrator.cli import (
    advise,
    agents,
    apply,
    archive,
    artifacts,
    check,
    compare,
    config,
    cost,
    daemon,
    diff,
    discuss,
    doctor,
    export,
    fork,
    gc,
    help,
    impact,
    inbox,
    log,
    mcp,
    msg,
    pause,
    rebase,
    repair,
    resume,
    rework,
    serve,
    show,
    start,
    tasks,
    why,
    worker,
)
from orchestrator.cli import (
    list as list_,
)
from orchestrator.cli import (
    open as open_,
)
from orchestrator.cli.coercion import coerce_late
from orchestrator.cli.output import complain, end_output
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.pauses import EXIT_DETACHED, EXIT_FAILED

HELP = """Turn one sentence into a reviewed specification and tested code with a crash-safe team of agents.

Start with `lifecycle start "what you want"`; `lifecycle check` shows the progress.

Exit codes: 0 done, 1 failed, 2 invalid or refused (nothing changed), 3 waiting for you, 4 no agent available,
130 detached or interrupted (the session continues).
"""
COMMANDS = (
    start,
    resume,
    apply,
    rebase,
    fork,
    compare,
    inbox,
    check,
    impact,
    why,
    list_,
    show,
    tasks,
    artifacts,
    cost,
    discuss,
    diff,
    open_,
    log,
    rework,
    advise,
    pause,
    archive,
    repair,
    gc,
    export,
    msg,
    daemon,
    worker,
    mcp,
    serve,
    doctor,
    agents,
    config,
    help,
)  # in the order of the help


def build() -> typer.Typer:
    app = typer.Typer(
        name="lifecycle",
        help=HELP,
        rich_markup_mode=None,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def every(
        debug: bool = typer.Option(False, "--debug", help="Show the traceback when something goes wrong."),
        version: bool = typer.Option(
            False, "--version", help="Show the version.", is_eager=True, callback=_version
        ),
    ) -> None:
        """Declare `--debug` for the help; `run` removes it from the arguments, so that it may stand anywhere."""

    for group in COMMANDS:
        group.register(app)
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

    command = get_command(build())
    coerce_late(command)
    try:
        command.main(args=list(arguments), prog_name="lifecycle")
    except SystemExit as end:
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            raise KeyboardInterrupt from end  # Typer would exit silently
        return end.code if isinstance(end.code, int) else 0 if end.code is None else EXIT_FAILED
    return 0


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
