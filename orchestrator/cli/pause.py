"""pause, cancel: halt or end a session."""

from __future__ import annotations

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import changing, wake_and_write, who
from orchestrator.cli.options import AsJson, InSession, Key, SessionArgument, Words, one_session
from orchestrator.cli.output import say_done


def pause(
    session: SessionArgument = None,
    in_session: InSession = None,
    words: Words = "",
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Pause a session: running tasks finish, no new ones start. `resume` continues it."""
    from orchestrator.commands import manage
    from orchestrator.commands.words import check_words

    with changing() as opened:
        name = one_session(session, in_session)
        done = manage.pause(opened.store, name, who=who(), words=check_words(words), key=key)
        wake_and_write(opened, done.session)
    say_done(done.session, "paused", f"lifecycle resume {done.session}", as_json, done.repeated)


def cancel(
    session: SessionArgument = None,
    in_session: InSession = None,
    words: Words = "",
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """End a session permanently and stop its running tasks."""
    from orchestrator.commands import manage
    from orchestrator.commands.words import check_words

    with changing() as opened:
        name = one_session(session, in_session)
        done = manage.cancel(opened.store, name, who=who(), words=check_words(words), key=key)
        wake_and_write(opened, done.session, done.stopped)
    say_done(done.session, "cancelled", f"lifecycle archive {done.session}", as_json, done.repeated)


def register(app: typer.Typer) -> None:
    app.command()(pause)
    app.command()(cancel)
