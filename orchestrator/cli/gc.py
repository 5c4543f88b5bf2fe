"""gc: remove what sessions' private trees and stores hold that nobody needs."""

from __future__ import annotations

from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import changing
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import note, print_json, table
from orchestrator.domain.inert import inert
from orchestrator.domain.pauses import EXIT_FAILED


def gc(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Only list what would be removed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove private trees, failed attempts and objects that no session needs; never a change that is not saved."""
    from orchestrator.dispatch.asking import have_done

    with changing() as opened:
        found = have_done("gc", opened.project.root, *(["--dry-run"] if dry_run else []))
    if as_json:
        print_json({"dry_run": dry_run, **found})
    else:
        if found["items"]:
            table(
                ("WHAT", "KB", "SESSION", "NAME"),
                [(i["what"], i["bytes"] // 1024, i["session"], i["name"]) for i in found["items"]],
            )
        megabytes = found["bytes"] / (1024 * 1024)
        note(f"{megabytes:.1f} MB {'would be' if dry_run else 'were'} freed")
        for each in found["left"]:
            note(f"left: {inert(each['name'])}: {inert(each['why'])}")
    if found["left"]:
        raise typer.Exit(EXIT_FAILED)


def register(app: typer.Typer) -> None:
    app.command()(gc)
