"""revise, feedback, recheck, improve: rework what is done."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.follow import newest_messages
from orchestrator.cli.impact import show
from orchestrator.cli.opening import Opened, changing, reading, wake, who
from orchestrator.cli.options import AsJson, Detach, InSession, Key, can_ask, choose
from orchestrator.cli.output import REPEATED, note, say, say_wrapped
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import one_line
from orchestrator.domain.text_diff import in_short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orchestrator.commands.reworked import Reworked
    from orchestrator.domain.feedback import FeedbackTarget


def revise(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A completed task, for example DRAFT-002.")],
    feedback: Annotated[
        str | None, typer.Argument(metavar="FEEDBACK", help="What to change; @FILE reads it from a file.")
    ] = None,
    in_session: InSession = None,
    force: Annotated[bool, typer.Option("--force", help="Allow more than two revisions.")] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show what would run again, and what that takes; change nothing.")
    ] = False,
    key: Key = None,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Revise a completed task and the completed tasks that depend on it, and follow."""
    from orchestrator.commands import rework
    from orchestrator.commands.requests import read_words

    words = "" if feedback is None else read_words(feedback)
    if feedback is not None and not words.strip():
        raise UsageError(
            "the feedback is empty",
            fix=f'say what should change: lifecycle revise {quote(task)} "..."; or leave it out',
        )
    if plan:
        with reading() as seen:
            show(seen, in_session, task, as_json, words)
        return
    with changing() as opened:
        before = newest_messages(opened, in_session)
        done = rework.revise(
            opened.store,
            in_session,
            task,
            words,
            force=force,
            who=who(),
            max_attempts=opened.settings.max_attempts,
            key=key,
        )
        raise typer.Exit(go_on(opened, done, before, detach, as_json))


def feedback(
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", help="Your feedback, in your own words; @FILE reads it from a file."),
    ],
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="TASK", help="The document it is about; default: the one it names."),
    ] = None,
    in_session: InSession = None,
    force: Annotated[bool, typer.Option("--force", help="Allow more than two revisions.")] = False,
    key: Key = None,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Give feedback: the document it concerns is found and revised. Follows."""
    from orchestrator.commands import rework
    from orchestrator.commands.requests import read_words

    words = read_words(text)
    with changing() as opened:
        before = newest_messages(opened, in_session)

        def give(about: str | None) -> tuple[Reworked, FeedbackTarget]:
            return rework.feedback(
                opened.store,
                in_session,
                words,
                who=who(),
                max_attempts=opened.settings.max_attempts,
                task=about,
                force=force,
                key=key,
            )

        try:
            done, target = give(task)
        except rework.UnclearFeedback as unclear:
            if key is not None or not can_ask():  # the answer would be another command under the same key
                raise
            done, target = give(_ask(unclear.documents))
        note(f"{target.action}{f' {target.task}' if target.task else ''}: {target.why}")
        raise typer.Exit(go_on(opened, done, before, detach, as_json))


def _ask(documents: Mapping[str, str]) -> str:
    """The document that somebody at the terminal chooses. Raises UsageError."""
    note("its words name no document; which one is it about?")
    keys = list(documents)
    for number, key in enumerate(keys, 1):
        note(f"  {number}  {key}  {one_line(documents[key])}")
    return keys[choose(len(keys), 'lifecycle feedback "..." --task TASK') - 1]


def recheck(
    in_session: InSession = None, key: Key = None, detach: Detach = False, as_json: AsJson = False
) -> None:
    """Score the specification again, and follow."""
    from orchestrator.commands import rework

    with changing() as opened:
        before = newest_messages(opened, in_session)
        done = rework.recheck(
            opened.store, in_session, who=who(), max_attempts=opened.settings.max_attempts, key=key
        )
        raise typer.Exit(go_on(opened, done, before, detach, as_json))


def improve(
    dimension: Annotated[
        str | None,
        typer.Argument(metavar="DIMENSION", help="A dimension of the readiness report; default the lowest."),
    ] = None,
    in_session: InSession = None,
    key: Key = None,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Improve one dimension of the readiness report, then score again, and follow."""
    from orchestrator.commands import rework

    with changing() as opened:
        before = newest_messages(opened, in_session)
        done = rework.improve(
            opened.store,
            in_session,
            dimension,
            who=who(),
            max_attempts=opened.settings.max_attempts,
            key=key,
        )
        raise typer.Exit(go_on(opened, done, before, detach, as_json))


def go_on(
    opened: Opened,
    done: Reworked,
    before: dict[str, int],
    detach: bool,
    as_json: bool,
    *,
    until: tuple[str, ...] = (),
) -> int:
    """Wake the coordinator, say what was made, and follow it from there; the exit code.

    `until`: tasks that are followed although the session waits for a person.
    """
    from orchestrator.cli.follow import before_command, finish

    wake(opened, done.released)
    if done.repeated:
        note(REPEATED)
    made = f", made {', '.join(done.made)}" if done.made else ""
    note(f"{done.session}: {done.why}{made}" + (f"; {done.state}" if done.state else ""))
    after = before_command(opened, before, done.session)
    code = finish(opened, done.session, after, detach=detach, as_json=as_json, until=until)
    if not detach and not as_json:
        _print_revised(opened, done.session, after)
    return code


def _print_revised(opened: Opened, session: str, after: int) -> None:
    """Say what was changed since message `after`, and what of a person's words and edits is not in the documents."""
    from orchestrator.views.revised import revised

    found = opened.store.read(lambda tx: revised(tx, session, after))
    if found["changed"]:
        say("Changed")
    for each in found["changed"]:
        say_wrapped(f"- {each['task']}: {in_short(each['changed'])}", "  ")
    if found["unmet"]:
        say("Left open of what you said or edited")
    for open_one in found["unmet"]:
        say_wrapped(f"- {open_one['task']}: {one_line(open_one['text'])}", "  ")


def register(app: typer.Typer) -> None:
    for command in (revise, feedback, recheck, improve):
        app.command()(command)
