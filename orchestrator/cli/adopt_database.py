"""adopt-database: move a project's database from its SQLite file to a PostgreSQL server."""

from __future__ import annotations

import os
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import changing, here
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import note, print_json, say
from orchestrator.domain.errors import DatabaseMoved


def adopt_database(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="An empty database: postgresql://USER@HOST/DATABASE.")
    ],
    password_env: Annotated[
        str | None,
        typer.Option("--password-env", metavar="NAME", help="The environment variable with its password."),
    ] = None,
    password_file: Annotated[
        str | None, typer.Option("--password-file", metavar="FILE", help="The file with its password alone.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Only check whether it can be done, and count the rows.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Move the project's database to a PostgreSQL server, once, while nothing works with it; the file stays, unused."""
    from orchestrator.commands import adopt_database as work

    project = here()
    target, wanted = work.prepared(project, url, password_env, password_file, os.environ)
    try:
        with changing() as opened:
            if dry_run:
                counts = work.counted(opened.store, target)
            else:
                counts = work.adopt_database(project, opened.store, target, wanted=wanted)
    except DatabaseMoved as moved:  # by an earlier one that did not come to its end
        if dry_run:
            raise
        counts = work.finish(project, target, moved.url, wanted)
    rows = sum(counts.values())
    if as_json:
        print_json({"dry_run": dry_run, "database": target.name, "rows": counts})
    elif dry_run:
        say(f"{rows} rows of {len(counts)} tables would be moved to {target.name}")
    else:
        say(f"{rows} rows of {len(counts)} tables are in {target.name}, which is the project's database now")
        note(
            f".workflow/config.toml names it; {project.file.name} stays as it was, and takes no change any more"
        )


def register(app: typer.Typer) -> None:
    app.command("adopt-database")(adopt_database)
