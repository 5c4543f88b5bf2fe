"""artifacts: the files that a session has produced."""

from __future__ import annotations

import typer

from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession
from orchestrator.cli.output import (
    print_json,
    table,
)


def artifacts(in_session: InSession = None, as_json: AsJson = False) -> None:
    """List the newest version of every artifact."""
    from orchestrator.views.check import artifact_views

    found = read_session(in_session, lambda tx, row: artifact_views(tx, row.id))
    if as_json:
        print_json(found)
        return
    table(
        ("VERSION", "BYTES", "BY", "TASK", "AT", "PATH"),
        [(f"v{a['version']}", a["size"], a["author"], a["task"], a["at"], a["path"]) for a in found],
    )


def register(app: typer.Typer) -> None:
    app.command()(artifacts)
