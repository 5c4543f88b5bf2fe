"""tasks, runs: the tasks of a session, and every attempt at one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession, TaskArgument
from orchestrator.cli.output import (
    duration,
    print_json,
    table,
    verdict,
)

if TYPE_CHECKING:
    pass


def tasks(in_session: InSession = None, as_json: AsJson = False) -> None:
    """List the tasks of a session."""
    from orchestrator.views.check import task_views

    found = read_session(in_session, task_views)
    if as_json:
        print_json(found)
        return
    table(
        ("TASK", "ROLE", "STATUS", "ROUND", "VERDICT", "ATTEMPTS", "WAITS FOR"),
        [
            (
                each["task"],
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


def runs(task: TaskArgument, in_session: InSession = None, as_json: AsJson = False) -> None:
    """List every attempt at a task: who, how long, how it ended."""
    from orchestrator.views import find
    from orchestrator.views.cost import run_views

    found = read_session(in_session, lambda tx, row: run_views(tx, row.id, find.task(tx, row, task).key))
    if as_json:
        print_json(found)
        return
    table(
        ("RUN", "OPENED BY", "AT", "TIME", "OUTCOME", "CHARGED", "AGENT", "CALLS", "ERROR"),
        [
            (
                each["run"][-8:],
                each["opened_by"],
                each["opened_at"],
                duration(each["seconds"]),
                each["outcome"],
                "yes" if each["charged"] else "no",
                each["agent"],
                len(each["calls"]),
                each["error"],
            )
            for each in found
        ],
    )


def register(app: typer.Typer) -> None:
    app.command()(tasks)
    app.command()(runs)
