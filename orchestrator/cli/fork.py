"""fork: a second session from the state that another one had after a task."""

from __future__ import annotations

from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.follow import wake_and_follow
from orchestrator.cli.opening import changing, here, reading, who
from orchestrator.cli.options import (
    AsJson,
    Detach,
    MaxMinutes,
    MaxTokens,
    MaxTurns,
    MaxUsd,
    Named,
    caps_given,
    exclude,
)
from orchestrator.cli.output import note, print_json, say
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject


def fork(
    session: Named,
    at: Annotated[
        str, typer.Option("--at", metavar="TASK", help="The completed task behind which the fork begins.")
    ] = ...,  # type: ignore[assignment] # Typer's way to require an option
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="The agent to ask first for the work of every role."),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option("--mode", metavar="MODE", help="Another pipeline that begins with what is completed."),
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="Idempotency key: the same key twice makes one session.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Make another fork, although this command has made one before.")
    ] = False,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    max_turns: MaxTurns = None,
    max_minutes: MaxMinutes = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show what would be taken over and done, and change nothing.")
    ] = False,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Make a second session from the state behind a task, with another agent or mode, and follow it."""
    from orchestrator.commands.fork import ForkRequest, begin, prepare

    exclude(plan=plan, detach=detach)
    exclude(plan=plan, key=key is not None)
    exclude(again=again, key=key is not None)
    caps = caps_given(max_usd, max_tokens, max_turns, max_minutes, "max_")
    asked = ForkRequest(session, at, who(), agent, mode, key, again, caps)
    project = here()
    if plan:
        with reading() as opened:
            view = prepare(project, opened.store, asked).view
        if as_json:
            print_json(view)
            return
        for line in fork_lines(view):
            say(line)
        return
    with changing() as changed:
        prepared = prepare(project, changed.store, asked)
        made = begin(project, changed.store, prepared)
        after = prepared.view["messages"] if made.created else 0
        if made.created:
            for line in fork_lines(prepared.view):
                note(line)
        else:
            note(f"this command has made {made.session} before: showing it; --again makes another")
        if detach and not as_json:
            say(made.session)
        raise typer.Exit(wake_and_follow(changed, made.session, after, detach, as_json))


def fork_lines(view: JsonObject) -> list[str]:
    """The lines that describe what a fork takes over and what it does."""
    paid = view["inherited"]
    lines = [
        ("Fork", f"{view['source']} behind {view['after']} (message {view['message']})"),
        ("Copied", f"{len(view['copied'])}: {' > '.join(view['copied'])}"),
        (
            "Holds",
            f"{view['artifacts']} files, {view['messages']} messages"
            + ("" if view["commits"] is None else f", {view['commits']} commit(s)"),
        ),
        ("Mode", view["mode"]),
        ("Tasks", f"{len(view['tasks'])}: {' > '.join(view['tasks'])}" if view["tasks"] else "none is left"),
        *([("Agent", f"{view['agent']} first, in every role")] if view["agent"] else []),
        *([("Waits", f"for you: {view['waits_for']}")] if view["waits_for"] else []),
        *([("Made", f"{view['existing']} already; --again makes another")] if view["existing"] else []),
        ("Paid", f"${paid['usd']:.2f} in {paid['calls']} calls by the source; they do not count in the fork"),
    ]
    return [f"{label:<7} {one_line(text)}" for label, text in lines]


def register(app: typer.Typer) -> None:
    app.command()(fork)
