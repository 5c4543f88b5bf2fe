"""open: print a document or its file name, or edit it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.artifacts import artifacts as list_artifacts
from orchestrator.cli.opening import reading
from orchestrator.cli.options import ARTIFACT_HELP, AsJson, InSession, exclude
from orchestrator.cli.output import is_live, note, print_json, raw, say
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.inert import inert, inert_json

if TYPE_CHECKING:
    from orchestrator.store.rows import Artifact
    from orchestrator.store.store import Tx


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
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """Print an artifact's file name; --print prints its content, --edit opens it in an editor."""
    from orchestrator.store import artifacts
    from orchestrator.store.edits import session_directory
    from orchestrator.views import find

    exclude(print=show, edit=edit)
    exclude(version=version is not None, edit=edit)
    exclude(json=as_json, edit=edit)
    if artifact is None:
        if show or edit or version is not None:
            raise UsageError(
                "no artifact is named", fix="`lifecycle open` without options lists the artifacts"
            )
        list_artifacts(in_session, as_json)
        return
    with reading() as opened:

        def read(tx: Tx) -> tuple[str, Artifact, bytes]:
            session = find.session(tx, in_session, finished=True).id
            row = find.version(tx, session, artifact, version)
            return session, row, artifacts.body(tx, row.sha256)

        session, row, body = opened.store.read(read)
        file = session_directory(opened.store.workflow, session) / row.path
    if as_json:
        text = {"content": body.decode("utf-8", "replace")} if show else {}
        print_json(
            {"path": row.path, "file": str(file), "version": row.version, "sha256": row.sha256, **text}
        )
    elif show or version is not None:
        _print(row.path, body)
    elif edit:
        _edit(str(file))
    else:
        say(str(file))
        if not file.exists():
            note("the file does not exist yet: `lifecycle repair` writes it, --print shows its content")


def _print(path: str, body: bytes) -> None:
    """Print a document: unchanged to a pipe (JSON with the same values); sanitized to a terminal, through $PAGER if set."""
    is_json = path.endswith(".json")
    if not is_live(sys.stdout):
        raw(inert_json(body.decode("utf-8", "surrogateescape")).encode() if is_json else body)
        return
    text = (inert_json if is_json else inert)(body.decode("utf-8", "replace"))
    pager = _program("PAGER")
    if pager is None:
        say(text)
        return
    subprocess.run(pager, input=text.encode("utf-8", "replace"), check=False)


def _edit(file: str) -> None:
    editor = _program("VISUAL") or _program("EDITOR")
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


def _program(variable: str) -> list[str] | None:
    """The program and arguments in an environment variable, split as a shell would but never run by one."""
    import shlex

    try:
        words = shlex.split(os.environ.get(variable, ""))
    except ValueError:
        return None
    return words if words and shutil.which(words[0]) else None


def register(app: typer.Typer) -> None:
    app.command("open")(open_artifact)
