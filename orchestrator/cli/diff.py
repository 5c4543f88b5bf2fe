"""diff: what changed between two versions of a document."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import OpenedForReading, reading
from orchestrator.cli.options import ARTIFACT_HELP, AsJson, InSession, exclude, refuse_session
from orchestrator.cli.output import note, print_json, say
from orchestrator.cli.since_approval import coloured, show_since_approval
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.inert import inert

if TYPE_CHECKING:
    from orchestrator.domain.json_types import Json
    from orchestrator.store.store import Tx
    from orchestrator.views.document_diff import FileDiff


def diff(
    artifact: Annotated[
        str | None, typer.Argument(metavar="ARTIFACT", help=f"{ARTIFACT_HELP} Or a task that landed code.")
    ] = None,
    old: Annotated[
        int | None, typer.Option("--from", min=1, max=1_000_000, help="The older version.")
    ] = None,
    new: Annotated[int | None, typer.Option("--to", min=1, max=1_000_000, help="The newer version.")] = None,
    approved: Annotated[
        bool,
        typer.Option(
            "--since-approval", help="What has changed since you last approved; without ARTIFACT, everything."
        ),
    ] = False,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """Show what changed between two versions of an artifact, by default the last two; of a task, the commits it landed."""
    from orchestrator.views import lookup

    refuse_session(artifact, "a document", "diff --since-approval" if approved else "diff ARTIFACT")
    if approved:
        exclude(since_approval=True, **{"from": old is not None, "to": new is not None})
        show_since_approval(in_session, artifact, as_json)
        return
    if artifact is None:
        raise UsageError(
            "no artifact is named",
            why="`diff` compares the versions of one",
            fix="name one: `lifecycle artifacts` lists them; or add --since-approval",
        )

    with reading() as opened:
        if old is None and new is None and _has_landed(opened, in_session, artifact):
            _landed(opened, in_session, artifact, as_json=as_json)
            return

        if old is None and new is None and (files := _files(opened, in_session, artifact)):
            _show_files(files, as_json=as_json)
            return

        def read(tx: Tx) -> tuple[str, list[Json], list[bytes]]:
            from orchestrator.store import artifacts, edits

            session = lookup.session(tx, in_session, finished=True).id
            path = lookup.artifact(tx, session, artifact)
            versions: list[Json] = list(artifacts.versions(tx, session, path))
            if (edited := edits.edited(tx, session).get(path)) is not None:
                versions.append(_InFile(versions[-1].version + 1, edited))
            chosen = _two(path, versions, old, new)
            bodies = [
                row.body if isinstance(row, _InFile) else artifacts.body(tx, row.sha256) for row in chosen
            ]
            return path, chosen, bodies

        path, (before, after), bodies = opened.store.read(read)
    one, two = (body.decode("utf-8", "replace").splitlines() for body in bodies)
    names = [f"{path} version {row.version} by {row.author}" for row in (before, after)]
    lines = list(difflib.unified_diff(one, two, names[0], names[1], lineterm=""))
    if as_json:
        print_json({"path": path, "from": before.version, "to": after.version, "diff": lines})
        return
    if not lines:
        note("the two versions are identical")
    for line in lines:
        say(coloured(inert(line)))


def _files(opened: OpenedForReading, in_session: str | None, artifact: str) -> list[FileDiff]:
    """What the last change of a document changed in its files; empty for what has none beside it."""
    from orchestrator.views import lookup
    from orchestrator.views.document_diff import INDEX, document_diff

    def read(tx: Tx) -> list[FileDiff]:
        session = lookup.session(tx, in_session, finished=True).id
        path = lookup.artifact(tx, session, artifact)
        return document_diff(tx, session, path) if path.endswith(INDEX) else []

    return opened.store.read(read)


def _show_files(files: list[FileDiff], *, as_json: bool) -> None:
    if as_json:
        rows: list[Json] = [
            {"path": each["path"], "from": each["old"], "to": each["new"], "diff": list(each["diff"])}
            for each in files
        ]
        first = rows[0]
        assert isinstance(first, dict)
        print_json({**first, "files": rows})
        return
    for line in (line for each in files for line in each["diff"]):
        say(coloured(inert(line)))


def _has_landed(opened: OpenedForReading, in_session: str | None, key: str) -> bool:
    """Whether it names a task that has landed a commit."""
    from orchestrator.views import landed, lookup

    return opened.store.read(
        lambda tx: bool(landed.landed_by(tx, lookup.session(tx, in_session, finished=True).id, key))
    )


def _landed(opened: OpenedForReading, in_session: str | None, key: str, *, as_json: bool) -> None:
    """Print what each commit of a task changed."""
    from orchestrator.dispatch.asking import have_done
    from orchestrator.views import landed, lookup

    def read(tx: Tx) -> tuple[str, str]:
        session = lookup.session(tx, in_session, finished=True).id
        return session, landed.landed_by(tx, session, key)[0].task or key

    session, task = opened.store.read(read)
    found = have_done("landed", opened.project.root, "--session", session, "--task", task)
    if as_json:
        print_json({"session": session, "task": task, **found})
        return
    for commit in found["commits"]:
        note(f"{commit['commit'][:12]} {inert(commit['subject'])}")
        for line in commit["diff"].splitlines():
            say(coloured(inert(line)))


@dataclass(frozen=True, slots=True)
class _InFile:
    """An edit that is only in the artifact's file so far, as the version it would become."""

    version: int
    body: bytes
    author: str = "user, in its file"


def _two(path: str, versions: list[Json], old: int | None, new: int | None) -> list[Json]:
    """The two versions to compare. Raises UsageError."""
    known = {row.version: row for row in versions}
    for wanted in (old, new):
        if wanted is not None and wanted not in known:
            raise UnknownName(f"version of {path}", str(wanted), map(str, known))
    later = new if new is not None else max(known)
    earlier = old if old is not None else later - 1
    if earlier not in known or earlier == later:
        raise UsageError(
            f"{path} has no other version to compare with",
            why=f"versions: {', '.join(map(str, known))}",
            fix="revise, improve or an edit of yours makes a second version",
        )
    return [known[earlier], known[later]]


def register(app: typer.Typer) -> None:
    app.command()(diff)
