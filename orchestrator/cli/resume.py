"""resume: continue a session."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.dashboard import need_web
from orchestrator.cli.declaring import typer
from orchestrator.cli.follow import before_command, newest_messages, wake_and_follow
from orchestrator.cli.opening import changing, who
from orchestrator.cli.options import (
    AsJson,
    Detach,
    InSession,
    Key,
    MaxMinutes,
    MaxTokens,
    MaxTurns,
    MaxUsd,
    Open,
    SessionArgument,
    can_ask,
    caps_given,
    choose,
    exclude,
    one_session,
)
from orchestrator.cli.output import REPEATED, note
from orchestrator.domain.errors import UsageError

if TYPE_CHECKING:
    from orchestrator.cli.opening import Opened


def resume(
    session: SessionArgument = None,
    in_session: InSession = None,
    force: Annotated[bool, typer.Option("--force", help="Continue despite a failed quality gate.")] = False,
    retry: Annotated[str | None, typer.Option("--retry", metavar="TASK", help="Retry a failed task.")] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="With --retry: the agent to ask first.")
    ] = None,
    skip: Annotated[
        str | None, typer.Option("--skip", metavar="TASK", help="Continue without this task.")
    ] = None,
    decide: Annotated[
        str | None, typer.Option("--decide", metavar="TEXT", help="Your decision on a blocked discussion.")
    ] = None,
    expect: Annotated[
        str | None,
        typer.Option("--expect", metavar="TOKEN", help="Answer exactly what `check` shows with this token."),
    ] = None,
    words: Annotated[
        str, typer.Option("--words", "-m", metavar="TEXT", help="Your comment, recorded with the decision.")
    ] = "",
    key: Key = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    max_turns: MaxTurns = None,
    max_minutes: MaxMinutes = None,
    open_: Open = False,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Continue a session after a checkpoint, a pause or a crash, and follow it."""
    from orchestrator.commands.resume import Answer, check_agent, command
    from orchestrator.commands.resume import resume as go_on
    from orchestrator.commands.words import check_words
    from orchestrator.domain.approvals import parse_token
    from orchestrator.domain.budget import caps

    exclude(retry=retry is not None, skip=skip is not None)
    exclude(retry=retry is not None, force=force)
    exclude(decide=decide is not None, force=force)
    if open_:
        need_web()
    if agent is not None and retry is None:
        raise UsageError("--agent needs --retry", fix=f"lifecycle resume --retry TASK --agent {quote(agent)}")
    if decide is not None and not decide.strip():
        raise UsageError("--decide needs a text", fix='lifecycle resume --decide "your decision"')
    answer = Answer(
        who(),
        check_words(words),
        force,
        retry,
        agent,
        skip,
        None if decide is None else check_words(decide),
        caps(caps_given(max_usd, max_tokens, max_turns, max_minutes) or {}),
        None if expect is None else parse_token(expect),
    )
    with changing() as opened:
        name = one_session(session, in_session)
        if key is None:  # else another session could be chosen when the command is sent again
            name = _choose(opened, name)
        known = opened.store.read(command(name, answer, key).answer)
        if agent is not None and retry is not None and known is None:
            check_agent(opened.project, agent, retry)
        before = newest_messages(opened, name)
        done = go_on(opened.store, name, answer, more_attempts=opened.settings.max_attempts, key=key)
        if done.repeated:
            note(REPEATED)
        for task in done.recovered:
            note(f"{task}: recovered from a lost attempt")
        for warning in done.warnings:
            note(f"warning: {warning}")
        after = before_command(opened, before, done.session)
        raise typer.Exit(
            wake_and_follow(opened, done.session, after, detach, as_json, done.released, show=open_)
        )


def _choose(opened: Opened, name: str | None) -> str | None:
    """Ask which of several unfinished sessions is meant, on a terminal. Raises SeveralSessions elsewhere."""
    from orchestrator.store import sessions
    from orchestrator.views.lookup import SeveralSessions

    if name is not None:
        return name
    found = opened.store.read(sessions.unfinished)
    if len(found) < 2:
        return None
    if not can_ask():
        raise SeveralSessions(found)
    for number, row in enumerate(found, 1):
        note(f"  {number}  {row.id}  {row.mode}  {row.status}  {row.pause_reason or ''}".rstrip())
    return str(found[choose(len(found), "lifecycle resume SESSION") - 1].id)


def register(app: typer.Typer) -> None:
    app.command()(resume)
    app.command("continue", hidden=True)(resume)
