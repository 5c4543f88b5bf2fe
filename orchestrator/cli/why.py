"""why: explain the state of a task."""

from __future__ import annotations

from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession, TaskArgument
from orchestrator.cli.output import (
    print_json,
    say,
)
from orchestrator.domain.inert import inert


def why(
    task: TaskArgument,
    in_session: InSession = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="TIME|MSG",
            help="Explain it as of then: 2026-11-22T14:05:00Z, 14:05:00 or MSG-012.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain why a task is not running, or when and how it ended."""
    from orchestrator.views import lookup
    from orchestrator.views.why import why as explain

    if at is not None:
        _then(task, in_session, at, as_json=as_json)
        return
    found = read_session(in_session, lambda tx, row: explain(tx, row, lookup.task(tx, row, task)))
    if as_json:
        print_json(found)
        return
    more = "" if found["state"] == found["status"] else f": {found['state']}"
    say(f"{found['task']} is {found['status']}{more}")
    for line in found["because"]:
        say(f"  {inert(line)}")
    for command in found["commands"]:
        say(f"  > {command}")


def _then(task: str, in_session: str | None, at: str, *, as_json: bool) -> None:
    """Print what the task was at an earlier time, what the scheduler knew, and what it decided next."""
    from orchestrator.views import lookup
    from orchestrator.views.why_then import why_then

    found = read_session(in_session, lambda tx, row: why_then(tx, row, lookup.task(tx, row, task), at))
    if as_json:
        print_json(found)
        return
    state = found["state"].replace("_", " ")
    say(f"{found['task']} was {state} at {found['at']} (MSG-{found['message']:03d})")
    for line in found["because"]:
        say(f"  {inert(line)}")
    knew = found["knew"]
    say("The scheduler knew")
    for name in ("paused", "execution", *_LISTS):
        value = knew[name]
        if value:
            say(
                f"  {_LISTS.get(name, name)}: {inert(', '.join(value) if isinstance(value, list) else value)}"
            )
    for name, words in (("last", "Before that"), ("next", "Then")):
        said = found["decided"][name]
        if said is not None:
            say(f"{words} MSG-{said['number']:03d} {said['at']} {inert(said['summary'])}")


_LISTS = {
    "done": "done",
    "running": "running",
    "offered": "offered",
    "ready": "ready",
    "delayed": "waiting for a retry",
    "blocked": "blocked",
    "would_offer": "a beat would have offered",
}


def register(app: typer.Typer) -> None:
    app.command()(why)
