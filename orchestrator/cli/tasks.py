"""tasks, runs: the tasks of a session, and the attempts at them."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession
from orchestrator.cli.output import (
    duration,
    note,
    print_json,
    table,
    verdict,
)


def tasks(in_session: InSession = None, as_json: AsJson = False) -> None:
    """List the tasks of a session."""
    from orchestrator.views.check import task_views

    found = read_session(in_session, task_views)
    if as_json:
        print_json(found)
        return
    planned = any(each["plan_task"] for each in found)
    table(
        (
            "TASK",
            *(("PLAN",) if planned else ()),
            "ROLE",
            "STATUS",
            "ROUND",
            "VERDICT",
            "ATTEMPTS",
            "WAITS FOR",
        ),
        [
            (
                each["task"],
                *((each["plan_task"],) if planned else ()),
                each["role"],
                "offered" if each["offered"] else each["status"],
                each["round"],
                verdict(each["verdict"]),
                each["attempts"],
                ", ".join(each["waits_for"]),
            )
            for each in found
        ],
    )


def runs(
    task: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="A task's id, for example DRAFT-002; without it, all tasks."),
    ] = None,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """List the attempts at a task, or at all: which agent, how long, how each ended."""
    from orchestrator.views import lookup
    from orchestrator.views.cost import by, run_views

    found = read_session(
        in_session,
        lambda tx, row: run_views(tx, row.id, None if task is None else lookup.task(tx, row, task).key),
    )
    if as_json:
        print_json(found)
        return
    if not found:
        note("no attempt has been made yet")
        return
    table(
        ("RUN", "TASK", "OPENED BY", "AT", "TIME", "OUTCOME", "COUNTS", "AGENT", "CALLS", "ERROR"),
        [
            (
                each["run"][-8:],
                each["task"],
                each["opened_by"],
                each["opened_at"],
                duration(each["seconds"]),
                each["outcome"],
                "yes" if each["counted"] else "no",
                by(each["agent"]),
                len(each["calls"]),
                each["error"],
            )
            for each in found
        ],
    )


def register(app: typer.Typer) -> None:
    app.command()(tasks)
    app.command()(runs)
