"""Run one command.

Every outcome has an exit code: 0 done, 1 failed, 2 invalid or refused, 3 waiting for a person, 4 no agent,
130 interrupted.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from itertools import takewhile

from orchestrator.cli import short_way
from orchestrator.cli.declaring import Exit
from orchestrator.cli.output import complain, end_output, print_json, say
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.inert import one_line
from orchestrator.domain.pauses import EXIT_DETACHED, EXIT_FAILED

COMPLETION = (
    "_LIFECYCLE_COMPLETE"  # set by a shell that asks what could follow: the line is in its environment
)


def run(arguments: Sequence[str], *, alone: bool = False) -> int:
    """Run one command and return its exit code; every exception ends here.

    `alone`: the process runs no other one, so that a plain command line needs no Typer.
    """
    _guard_descriptors()
    debug, arguments = _take_debug(arguments)
    try:
        code = _run_plain(arguments) if alone and COMPLETION not in os.environ else None
        if code is None:
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


def _run_plain(arguments: Sequence[str]) -> int | None:
    """Without Typer; None, and nothing done, where only Typer can read them."""
    listed = short_way.overview(arguments)
    if listed is not None:
        say(listed.rstrip("\n"))
        return 0
    found = short_way.read(arguments)
    if found is None:
        return None
    command, given = found
    try:
        command(**given)
    except Exit as end:
        return end.exit_code
    except BrokenPipeError:  # as Typer: nobody reads what would be said of it
        return EXIT_FAILED
    return 0


def _invoke(arguments: Sequence[str]) -> int:
    from typer.main import get_command

    from orchestrator.cli.building import build
    from orchestrator.cli.coercion import coerce_late

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
