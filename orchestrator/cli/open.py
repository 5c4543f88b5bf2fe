"""open: print a document or its file name, or edit it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.artifacts import artifacts as list_artifacts
from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import reading
from orchestrator.cli.options import ARTIFACT_HELP, AsJson, InSession, exclude
from orchestrator.cli.output import note, print_json, say
from orchestrator.cli.printing import print_document, program
from orchestrator.domain.errors import LifecycleError, UsageError

if TYPE_CHECKING:
    from orchestrator.store.rows import Artifact
    from orchestrator.store.store import Tx
    from orchestrator.store.work_state import Lane


def open_artifact(
    artifact: Annotated[
        str | None,
        typer.Argument(metavar="ARTIFACT", help=f"{ARTIFACT_HELP} Without it, all artifacts are listed."),
    ] = None,
    version: Annotated[
        int | None, typer.Option("--version", min=1, max=1_000_000, help="An older version.")
    ] = None,
    show: Annotated[bool, typer.Option("--print", "-p", help="Print the content itself.")] = False,
    edit: Annotated[bool, typer.Option("--edit", help="Open the file with $EDITOR.")] = False,
    tree: Annotated[
        bool, typer.Option("--tree", help="The folder in which the task's agent works, to look at.")
    ] = False,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """Print an artifact's file name; --print prints its content, --edit opens it in an editor."""
    from orchestrator.store import artifacts
    from orchestrator.store.edits import session_directory
    from orchestrator.views import lookup

    exclude(print=show, edit=edit, tree=tree)
    exclude(version=version is not None, tree=tree)
    exclude(version=version is not None, edit=edit)
    exclude(json=as_json, edit=edit)
    if artifact is None:
        if show or edit or tree or version is not None:
            raise UsageError(
                "no artifact is named", fix="`lifecycle open` without options lists the artifacts"
            )
        list_artifacts(in_session=in_session, as_json=as_json)
        return
    if tree:
        _tree(artifact, in_session, as_json=as_json)
        return
    with reading() as opened:

        def read(tx: Tx) -> tuple[str, Artifact, bytes]:
            session = lookup.session(tx, in_session, finished=True).id
            row = lookup.version(tx, session, artifact, version)
            return session, row, artifacts.body(tx, row.sha256)

        session, row, body = opened.store.read(read)
        file = session_directory(opened.store.workflow, session) / row.path
    if as_json:
        text = {"content": body.decode("utf-8", "replace")} if show else {}
        print_json(
            {"path": row.path, "file": str(file), "version": row.version, "sha256": row.sha256, **text}
        )
    elif show or version is not None:
        print_document(row.path, body)
    elif edit:
        _edit(str(file))
    else:
        say(str(file))
        if not file.exists():
            note("the file does not exist yet: `lifecycle repair` writes it, --print shows its content")


def _tree(key: str, in_session: str | None, *, as_json: bool) -> None:
    """Print the folder of a task's tree."""
    from orchestrator.views import landed, lookup

    def read(tx: Tx) -> Lane:
        session = lookup.session(tx, in_session, finished=True)
        return landed.tree_of(tx, session.id, lookup.task(tx, session, key))

    with reading() as opened:
        lane = opened.store.read(read)
    folder = lane.path / "work"
    shown = str(folder).encode("utf-8", "backslashreplace").decode()
    if as_json:
        facts = {"task": lane.task, "folder": shown, "state": lane.state, "run": lane.run_id}
        print_json({**facts, "base": lane.base})
        return
    say(shown)
    if lane.outcome is None:
        note("an agent is working in it: look, but do not change anything")
    else:
        note("what you change in it is lost")


def _edit(file: str) -> None:
    editor = program("VISUAL") or program("EDITOR")
    if editor is None:
        raise UsageError(
            "no editor is set", why="neither $VISUAL nor $EDITOR names a program", fix=f"open {file}"
        )
    code = subprocess.run([*editor, file], check=False).returncode
    if code != 0:
        raise LifecycleError(
            f"the editor exited with code {code}",
            why=" ".join(editor),
            fix=f"open {file} with another program",
        )
    note("your edit becomes a new version when the session continues, or with `lifecycle repair`")


def register(app: typer.Typer) -> None:
    app.command("open")(open_artifact)
