"""start and resume: a session begins, and goes on."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.opening import changing, wake, who
from orchestrator.cli.options import (
    AsJson,
    Detach,
    InSession,
    MaxMinutes,
    MaxTokens,
    MaxTurns,
    MaxUsd,
    SessionArgument,
    exclude,
    one_session,
)
from orchestrator.cli.output import note, print_json, say
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.inert import one_line

if TYPE_CHECKING:
    from orchestrator.cli.opening import Opened
    from orchestrator.domain.pipelines import Pack
    from orchestrator.views.layout import Plan

ARGUMENT_BYTES = 100_000  # the kernel refuses 128 KiB, and then it is too late for a good word


def start(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK", help="What to do: a sentence, @FILE to read it, or - for standard input."
        ),
    ],
    mode: Annotated[
        str | None, typer.Option("--mode", metavar="MODE", help="The pipeline; else it is chosen.")
    ] = None,
    discuss: Annotated[
        str | None, typer.Option("--discuss", metavar="FORM", help="inline, standalone or off.")
    ] = None,
    execution: Annotated[
        str | None,
        typer.Option("--execution", metavar="HOW", help="parallel, or sequential: one task at a time."),
    ] = None,
    supervise: Annotated[
        bool, typer.Option("--supervise", help="Check documents against each other.")
    ] = False,
    perspectives: Annotated[
        str | None,
        typer.Option("--perspectives", metavar="A,B", help="Who discusses, instead of each round's own."),
    ] = None,
    spec: Annotated[
        str | None, typer.Option("--spec", metavar="PATH", help="An existing specification.")
    ] = None,
    record: Annotated[
        str | None,
        typer.Option("--record", metavar="DIR", help="Record every call of an agent into a new folder."),
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option("--replay", metavar="DIR", help="Ask no agent: answer from a recorded folder."),
    ] = None,
    key: Annotated[str | None, typer.Option("--key", help="The same key twice makes one session.")] = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    max_turns: MaxTurns = None,
    max_minutes: MaxMinutes = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show what would be done, and change nothing.")
    ] = False,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Begin a session from a task description, and follow it."""
    from orchestrator.commands import recording
    from orchestrator.commands.requests import read_request
    from orchestrator.commands.start import check_key, look_ahead, refuse_spec
    from orchestrator.commands.start import start as begin
    from orchestrator.project import find_project, read_config
    from orchestrator.views.budget import budget_of

    exclude(plan=plan, detach=detach)
    exclude(plan=plan, key=key is not None)
    exclude(record=record is not None, replay=replay is not None)
    exclude(**{"perspectives": perspectives is not None, "discuss off": discuss == "off"})
    views = _views(perspectives)
    _check_arguments(task)
    if spec is not None:
        refuse_spec()
    check_key(key)
    request = read_request(task, _here(), os.environ)
    project = find_project()
    flags = {
        "discuss": _form(discuss),
        "execution": _execution(execution),
        "budget": _caps(max_usd, max_tokens, max_turns, max_minutes, "max_"),
    }
    pack, settings = read_config(project, flags)
    planned = _plan(
        request, mode, supervise, views, pack, settings, project, recording.chosen(record, replay)
    )
    recording.check(planned, key)
    view = look_ahead(project, planned, settings)
    if plan:
        _print_plan(view, as_json)
        return
    with changing(create=True, settings=settings) as opened:
        recording.begin(planned)
        started = begin(
            opened.store,
            planned,
            project=project.root,
            max_attempts=settings.max_attempts,
            key=key,
            budget=budget_of(settings),
        )
        if started.created:
            for line in plan_lines(view):
                note(line)
        else:
            note(f"the key {key!r} made {started.session} before: it is shown again")
        if detach and not as_json:
            say(started.session)
        raise typer.Exit(_go_on(opened, started.session, 0, detach, as_json))


def _check_arguments(task: str) -> None:
    if len(os.fsencode(task) if "\0" not in task else task) > ARGUMENT_BYTES:
        raise UsageError(
            "the task is too long for an argument",
            why=f"more than {ARGUMENT_BYTES} bytes",
            fix="pipe it in: lifecycle start @- < task.md",
        )


def _caps(
    usd: float | None, tokens: int | None, turns: int | None, minutes: float | None, prefix: str = ""
) -> dict[str, float] | None:
    """The caps that are given, by name."""
    every = {"usd": usd, "tokens": tokens, "turns": turns, "minutes": minutes}
    return {f"{prefix}{name}": cap for name, cap in every.items() if cap is not None} or None


def _here() -> Any:
    """The current folder, for `@file`. Raises UsageError when it was deleted."""
    from pathlib import Path

    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(
            "the current folder cannot be used", why=str(error), fix="change to a folder that exists"
        ) from error


def _views(perspectives: str | None) -> tuple[str, ...]:
    """The names in a list with commas. Raises UsageError when there is a list and nobody in it."""
    names = tuple(filter(None, (name.strip() for name in (perspectives or "").split(","))))
    if perspectives is not None and not names:
        raise UsageError(
            "--perspectives names nobody",
            why="the list is empty",
            fix="leave it out, or name some: --perspectives product,risk; --discuss off for no discussion",
        )
    return names


def _form(discuss: str | None) -> str | None:
    forms = ("inline", "standalone", "off")
    if discuss is not None and discuss not in forms:
        raise UnknownName("discuss form", discuss, forms)
    return discuss


def _execution(execution: str | None) -> str | None:
    ways = ("parallel", "sequential")
    if execution is not None and execution not in ways:
        raise UnknownName("execution", execution, ways)
    return execution


def _plan(
    request: str,
    mode: str | None,
    supervise: bool,
    views: tuple[str, ...],
    pack: Pack,
    settings: Any,
    project: Any,
    cassette: dict[str, str] | None,
) -> Plan:
    """What the session would be."""
    from orchestrator.views.layout import Wishes
    from orchestrator.views.layout import plan as lay_out
    from orchestrator.views.plan import has_coding_agent

    wishes = Wishes(mode, settings.discuss, settings.execution, supervise, views, cassette)
    return lay_out(request, wishes, pack, project.root, coding_agent=has_coding_agent(settings))


def _print_plan(view: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(view)
        return
    for line in plan_lines(view):
        say(line)


def plan_lines(view: dict[str, Any]) -> list[str]:
    """What will be done and why, before it is done."""
    cost = view["cost"]
    says = (
        "nothing" if cost["usd"] == 0 else "unknown" if cost["usd"] is None else f"about ${cost['usd']:.2f}"
    )
    if cost["usd"] is None and cost["at_least_usd"]:
        says = f"at least ${cost['at_least_usd']:.2f}, the rest is unknown"
    cassette = view["cassette"]
    lines = [
        ("Task", view["title"]),
        *([("Masked", "the task held a secret: agents see [masked] in its place")] if view["masked"] else []),
        ("Mode", f"{view['mode']}: {view['why']}"),
        ("Tasks", f"{len(view['tasks'])}: {' > '.join(each['task'] for each in view['tasks'])}"),
        *(("Agents", f"{role}: {', '.join(names) or 'none'}") for role, names in view["agents"].items()),
        *(
            [("Agents", f"none is asked: the session replays {cassette['folder']}")]
            if cassette and cassette["does"] == "replay"
            else [("Records", f"every call of an agent into {cassette['folder']}")]
            if cassette
            else []
        ),
        ("Cost", f"{says}: {cost['why']} (about {cost['calls']} calls)"),
        *(("Budget", line) for line in (*view["budget"]["caps"], *view["budget"]["warnings"])),
    ]
    return [f"{label:<7} {one_line(text)}" for label, text in lines]


def resume(
    session: SessionArgument = None,
    in_session: InSession = None,
    force: Annotated[bool, typer.Option("--force", help="Go on in spite of a failed gate.")] = False,
    retry: Annotated[
        str | None, typer.Option("--retry", metavar="TASK", help="Try a failed task again.")
    ] = None,
    skip: Annotated[str | None, typer.Option("--skip", metavar="TASK", help="Go on without a task.")] = None,
    decide: Annotated[
        str | None, typer.Option("--decide", metavar="TEXT", help="Your answer to a blocked discussion.")
    ] = None,
    expect: Annotated[
        str | None,
        typer.Option("--expect", metavar="TOKEN", help="Approve what `check` shows under this token."),
    ] = None,
    words: Annotated[
        str, typer.Option("--words", "-m", metavar="TEXT", help="What you say to it, kept with the decision.")
    ] = "",
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    max_turns: MaxTurns = None,
    max_minutes: MaxMinutes = None,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Approve a checkpoint, answer a pause, recover after a crash: go on, and follow."""
    from orchestrator.commands.resume import Answer
    from orchestrator.commands.resume import resume as go_on
    from orchestrator.commands.rework import check_words
    from orchestrator.domain.approvals import parse_token
    from orchestrator.domain.budget import caps
    from orchestrator.store import sessions

    exclude(retry=retry is not None, skip=skip is not None)
    exclude(retry=retry is not None, force=force)
    exclude(decide=decide is not None, force=force)
    if decide is not None and not decide.strip():
        raise UsageError("--decide needs words", fix='lifecycle resume --decide "your decision"')
    answer = Answer(
        who(),
        check_words(words),
        force,
        retry,
        skip,
        None if decide is None else check_words(decide),
        caps(_caps(max_usd, max_tokens, max_turns, max_minutes) or {}),
        None if expect is None else parse_token(expect),
    )
    with changing() as opened:
        name = _choose(opened, one_session(session, in_session))
        before = opened.store.read(lambda tx: {row.id: row.messages for row in sessions.all_sessions(tx)})
        done = go_on(opened.store, name, answer, more_attempts=opened.settings.max_attempts)
        for key in done.recovered:
            note(f"{key}: a lost attempt was put right")
        for warning in done.warnings:
            note(f"note: {warning}")
        raise typer.Exit(_go_on(opened, done.session, before.get(done.session, 0), detach, as_json))


def _choose(opened: Opened, name: str | None) -> str | None:
    """Let the person choose when several sessions are unfinished and this is a terminal. Raises SeveralSessions."""
    from orchestrator.store import sessions
    from orchestrator.views.find import SeveralSessions

    if name is not None:
        return name
    found = opened.store.read(sessions.unfinished)
    if len(found) < 2:
        return None
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        raise SeveralSessions(found)
    for number, row in enumerate(found, 1):
        note(f"  {number}  {row.id}  {row.mode}  {row.status}  {row.pause_reason or ''}".rstrip())
    number = typer.prompt("Which one", type=int, err=True)
    if not 1 <= number <= len(found):
        raise UsageError(
            f"there is no number {number}", why=f"1 to {len(found)}", fix="lifecycle resume SESSION"
        )
    return str(found[number - 1].id)


def _go_on(opened: Opened, session: str, after: int, detach: bool, as_json: bool) -> int:
    from orchestrator.cli.follow import finish

    wake(opened)
    return finish(opened, session, after, detach=detach, as_json=as_json)


def register(app: typer.Typer) -> None:
    app.command()(start)
    app.command()(resume)
