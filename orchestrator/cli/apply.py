"""apply: a session's work into the branch that is checked out."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import changing, reading, who
from orchestrator.cli.options import AsJson, InSession, SessionArgument, exclude, one_session
from orchestrator.cli.output import note, print_json, raw, say
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import inert, one_line
from orchestrator.domain.json_types import JsonObject

SHOWN = 20  # unmet criteria
DONE = {
    "merged": "was merged into",
    "fast_forwarded": "was merged (fast-forward) into",
    "squashed": "is one commit on",
    "already": "is in",
}


def apply(
    session: SessionArgument = None,
    squash: Annotated[bool, typer.Option("--squash", help="Make one commit of all.")] = False,
    patch: Annotated[
        str | None,
        typer.Option(
            "--patch", metavar="FILE", help="Only write a patch for `git apply`; `-` for standard output."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Merge what its review blocks; with --patch overwrite FILE.")
    ] = False,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """Merge a session's work into your current branch with your own git; on any fault everything is as before."""
    exclude(squash=squash, patch=patch is not None)
    exclude(json=as_json, patch=patch == "-")
    name = one_session(session, in_session)
    if patch is not None:
        _patch(name, patch, force=force, as_json=as_json)
        return
    from orchestrator import umask
    from orchestrator.commands.apply import applicable, record
    from orchestrator.dispatch.asking import have_done
    from orchestrator.views.reviews import unmet, unproved

    with changing() as opened:
        found = opened.store.read(lambda tx: applicable(tx, name, force=force))
        _warn(opened.store.read(lambda tx: unproved(tx, found.session_id)))
        open_criteria = opened.store.read(lambda tx: unmet(tx, found.session_id))
        _warn_unmet(open_criteria)
        options = [*(["--squash"] if squash else []), "--umask", str(umask.of_user())]
        done = have_done("apply", opened.project.root, "--session", found.session_id, *options)
        record(opened.store, found.session_id, done, who=who())
    if as_json:
        print_json({"session": found.session_id, "unmet": open_criteria, **done})
        return
    say_applied(found.session_id, done)


def say_applied(session: str, done: JsonObject) -> None:
    """What was brought in, and how to keep or undo it."""
    paths = done["paths"]
    if done["commit"] is None:
        word = f"{len(paths)} file(s) were written" if paths else "all files are written already"
        say(f"{session}: {word}")
    else:
        where = "your branch" if done["keep"] is None else "your detached HEAD"
        say(f"{session} {DONE[done['what']]} {where}, which is at {done['commit'][:12]}")
        if done["keep"] is not None:
            note(f"no branch is checked out: `{done['keep']}` keeps it on a new one")
    for path in paths:
        note(f"  {inert(path)}")
    if done["what"] not in ("already", "written"):
        note(f"`git reset --keep {done['before'][:12]}` would undo it")


def _warn(why: str | None) -> None:
    """What speaks against the work, before it is brought in."""
    if why is not None:
        note(f"note: {inert(why)}")


def _warn_unmet(criteria: list[JsonObject]) -> None:
    """What must be done, and is not."""
    if criteria:
        note(f"note: its review found {len(criteria)} of what must be done unmet:")
    for each in criteria[:SHOWN]:
        note(f"  {each['id']}: {one_line(each['text'], 200)}")
    if len(criteria) > SHOWN:
        note(f"  and {len(criteria) - SHOWN} more")


def _patch(name: str | None, target: str, *, force: bool, as_json: bool) -> None:
    """Write the patch elsewhere first; nothing else is touched."""
    from orchestrator.commands.apply import applicable
    from orchestrator.dispatch.asking import have_done
    from orchestrator.views.reviews import unmet, unproved

    file = Path(target)
    if target != "-" and os.path.lexists(file) and not force:
        raise _exists(file)
    if target != "-" and not file.parent.is_dir():
        raise UsageError(
            f"cannot write {str(file)!r}",
            why=f"the folder {str(file.parent)!r} does not exist",
            fix="make it, or name a file elsewhere",
        )
    with reading() as opened:
        found = opened.store.read(lambda tx: applicable(tx, name))
        _warn(opened.store.read(lambda tx: unproved(tx, found.session_id)))
        open_criteria = opened.store.read(lambda tx: unmet(tx, found.session_id))
        _warn_unmet(open_criteria)
        descriptor, draft = tempfile.mkstemp(prefix="lifecycle-", suffix=".patch")
        os.close(descriptor)
        try:
            done = have_done(
                "patch",
                opened.project.root,
                "--session",
                found.session_id,
                "--to",
                str(Path(draft).resolve()),
            )
            if target == "-":
                raw(Path(draft).read_bytes())
                return
            _put(Path(draft), file, force=force)
        finally:
            Path(draft).unlink(missing_ok=True)
    if as_json:
        print_json({"session": found.session_id, "file": target, "unmet": open_criteria, **done})
        return
    say(target)
    note(f"`git apply {target}` brings it in; it builds on {done['base'][:12]}")


def _put(draft: Path, file: Path, *, force: bool) -> None:
    """Raises UsageError for a file that has appeared meanwhile."""
    if force:
        shutil.move(draft, file)
        return
    try:
        with file.open("xb") as target, draft.open("rb") as body:
            shutil.copyfileobj(body, target)
    except FileExistsError as error:
        raise _exists(file) from error


def _exists(file: Path) -> UsageError:
    return UsageError(
        f"cannot write {str(file)!r}", why="it exists already", fix="name another file, or add --force"
    )


def register(app: typer.Typer) -> None:
    app.command()(apply)
