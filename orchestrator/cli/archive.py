"""archive, delete: hide or remove an ended session."""

from __future__ import annotations

import sys
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import Opened, changing, wake_and_write, who
from orchestrator.cli.options import AsJson, Key, Named, Yes
from orchestrator.cli.output import note, say_done
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.inert import inert


def archive(
    session: Named,
    restore: Annotated[bool, typer.Option("--restore", help="Show it in `list` again.")] = False,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Hide an ended session from `list`."""
    from orchestrator.commands import manage

    with changing() as opened:
        done = manage.archive(opened.store, session, restore=restore, key=key)
        wake_and_write(opened, done.session)
    say_done(
        done.session, "shown again" if restore else "archived", "lifecycle list --all", as_json, done.repeated
    )


def delete(session: Named, yes: Yes = False, key: Key = None, as_json: AsJson = False) -> None:
    """Delete an ended session and its files; a record of the deletion is kept."""
    from orchestrator.commands import manage
    from orchestrator.dispatch.asking import have_done

    with changing() as opened:
        name, has_work = session, False
        if opened.store.read(manage.deletion(session, who(), key).answer) is None:
            found, has_work = _prepare(opened, session, yes)
            name = found if key is None else session  # what was confirmed; a key goes with what was given
        done = manage.delete(opened.store, name, who=who(), key=key)
        if has_work:
            try:
                have_done("tidy", opened.project.root)
            except LifecycleError as error:  # the next host removes them
                note(f"its store and its pins in your repository are still there: {inert(error.why)}")
    say_done(done.session, "deleted", "", as_json, done.repeated)


def _prepare(opened: Opened, session: str, yes: bool) -> tuple[str, bool]:
    """Ask for confirmation, clean up the session's private trees; its id and whether it has work. Raises UsageError."""
    from orchestrator.commands import manage
    from orchestrator.dispatch.asking import have_done
    from orchestrator.store.work_state import state_of
    from orchestrator.views import lookup

    row = opened.store.read(lambda tx: lookup.session(tx, session))
    if not yes and row.status in manage.ENDED:
        if sys.stdin is None or not sys.stdin.isatty():
            raise UsageError(
                "deleting cannot be undone",
                why="there is no terminal to ask for confirmation",
                fix="add --yes",
            )
        typer.confirm(f"Permanently delete {row.id} and its files?", abort=True, err=True)
    has_work = opened.store.read(lambda tx: state_of(tx, row.id)) is not None
    if has_work and row.status in manage.ENDED:
        tidy = have_done("tidy", opened.project.root, "--session", row.id)
        for name, why in tidy.get("left", {}).items():
            note(f"left: {inert(name)}: {inert(why)}")
    return str(row.id), has_work


def register(app: typer.Typer) -> None:
    app.command()(archive)
    app.command()(delete)
