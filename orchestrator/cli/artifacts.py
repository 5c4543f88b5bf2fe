"""artifacts: the files that a session has produced, or one of them as people read it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import read_session, reading
from orchestrator.cli.options import ARTIFACT_HELP, AsJson, InSession
from orchestrator.cli.output import print_json, table
from orchestrator.cli.printing import print_document, print_text
from orchestrator.domain.errors import UsageError

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject
    from orchestrator.store.store import Tx


def artifacts(
    artifact: Annotated[
        str | None,
        typer.Argument(metavar="ARTIFACT", help=f"{ARTIFACT_HELP} Without it, all artifacts are listed."),
    ] = None,
    show: Annotated[
        bool, typer.Option("--print", "-p", help="Print the content; the ledger of the request as a list.")
    ] = False,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """List the newest version of every artifact, or print one."""
    from orchestrator.views.check import artifact_views

    if artifact is not None:
        _one(artifact, show, in_session, as_json)
        return
    if show:
        raise UsageError("no artifact is named", fix="`lifecycle artifacts` lists the artifacts")
    found = read_session(in_session, lambda tx, row: artifact_views(tx, row.id))
    if as_json:
        print_json(found)
    else:
        _table(found)


def _one(name: str, show: bool, in_session: str | None, as_json: bool) -> None:
    from orchestrator.store import artifacts as stored
    from orchestrator.views import lookup
    from orchestrator.views.check import artifact_view
    from orchestrator.views.ledger import PATH, ledger_lines

    def read(tx: Tx) -> tuple[JsonObject, bytes]:
        session = lookup.session(tx, in_session, finished=True).id
        row = lookup.version(tx, session, name, None)
        return artifact_view(row), stored.body(tx, row.sha256)

    with reading() as opened:
        found, body = opened.store.read(read)
    if as_json:
        print_json({**found, **({"content": body.decode("utf-8", "replace")} if show else {})})
    elif not show:
        _table([found])
    elif found["path"] != PATH:
        print_document(str(found["path"]), body)
    else:
        try:
            print_text("\n".join(ledger_lines(json.loads(body))))
        except ValueError:  # edited by hand
            print_document(PATH, body)


def _table(rows: list[JsonObject]) -> None:
    table(
        ("VERSION", "BYTES", "BY", "TASK", "AT", "PATH"),
        [(f"v{a['version']}", a["size"], a["author"], a["task"], a["at"], a["path"]) for a in rows],
    )


def register(app: typer.Typer) -> None:
    app.command()(artifacts)
