"""start: create a session and follow it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from orchestrator.cli.clarify import clarify
from orchestrator.cli.dashboard import need_web
from orchestrator.cli.declaring import typer
from orchestrator.cli.drawing_plan import role_lines, work_lines
from orchestrator.cli.follow import wake_and_follow
from orchestrator.cli.opening import changing
from orchestrator.cli.options import (
    AsJson,
    Detach,
    MaxMinutes,
    MaxTokens,
    MaxTurns,
    MaxUsd,
    Open,
    can_ask,
    caps_given,
    exclude,
    names_in,
)
from orchestrator.cli.output import note, print_json, say
from orchestrator.domain.dataclass import replace
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.review_verdicts import MODE as REVIEW

LACKING = {
    "developer": "none that edits files: the session will wait for one (`lifecycle agents`)",
    "executor": "none that edits files: the session will wait for one (`lifecycle agents`)",
    "fe-developer": "none that edits files: the session will wait for one (`lifecycle agents`)",
    "tester": "none that edits files: tests are run, and what fails is left to the fix round",
}
LACKING_IN_REVIEW = {"tester": "none: tests are run all the same, and nothing is mended in this mode"}
NO_REQUEST = "its documents will hold little but questions; `lifecycle feedback` says what you want"
ARGUMENT_BYTES = 100_000  # the kernel refuses 128 KiB, before this program could explain it


def start(
    task: Annotated[
        str | None,
        typer.Argument(
            metavar="TASK",
            help="What to do: a sentence, @FILE, or - for standard input. Mode review needs none.",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode",
            metavar="MODE",
            help="spec-only, full-lifecycle, impl-only, fe-only, fullstack, full-lifecycle-fe, review, "
            "analyze-quick, analyze-standard, analyze-deep, dynamic or a pipeline of your own; by default "
            "chosen from the request and the project.",
        ),
    ] = None,
    discuss: Annotated[
        str | None,
        typer.Option(
            "--discuss", metavar="FORM", help="inline (in each task), standalone (as tasks) or off."
        ),
    ] = None,
    execution: Annotated[
        str | None,
        typer.Option("--execution", metavar="HOW", help="parallel, or sequential (one task at a time)."),
    ] = None,
    critics: Annotated[
        str | None,
        typer.Option(
            "--critics",
            metavar="HOW",
            help="Which perspectives share a call: separate (none), merged (all), auto (where artifacts are small).",
        ),
    ] = None,
    supervise: Annotated[
        bool, typer.Option("--supervise", help="Check the documents, and the plan, against each other.")
    ] = False,
    perspectives: Annotated[
        str | None,
        typer.Option(
            "--perspectives", metavar="A,B", help="The perspectives of every discussion, instead of its own."
        ),
    ] = None,
    spec: Annotated[
        str | None,
        typer.Option(
            "--spec",
            metavar="PATH",
            help="An existing specification: a session's spec folder, or a Markdown file.",
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="REF",
            help="Mode review: what to compare with; by default where HEAD left its upstream or main branch.",
        ),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option("--head", metavar="REF", help="Mode review: what to review; by default HEAD."),
    ] = None,
    diff: Annotated[
        str | None,
        typer.Option("--diff", metavar="FILE", help="Mode review: a patch on HEAD to review."),
    ] = None,
    include_dirty: Annotated[
        bool, typer.Option("--include-dirty", help="Build on, or review, what is not committed as well.")
    ] = False,
    record: Annotated[
        str | None,
        typer.Option("--record", metavar="DIR", help="Record every agent call to a new folder."),
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option("--replay", metavar="DIR", help="Use no agent: answer from a recorded folder."),
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="Idempotency key: the same key twice makes one session.")
    ] = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    max_turns: MaxTurns = None,
    max_minutes: MaxMinutes = None,
    approve_plan: Annotated[
        bool | None,
        typer.Option(
            "--approve-plan/--no-approve-plan",
            help="Pause for you before the plan becomes tasks; by default as the settings say.",
            show_default=False,
        ),
    ] = None,
    fix: Annotated[
        str | None,
        typer.Option(
            "--fix",
            metavar="SEVERITY",
            help="From which severity on the review's findings make a fix round: critical or high.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SESSION",
            help="Take over what another session of the project learned and decided.",
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: what the task leaves open stays a question.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Show the plan and its cost, and change nothing.")
    ] = False,
    open_: Open = False,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Start a session from a task description, and follow it."""
    from orchestrator.commands.requests import read_request
    from orchestrator.commands.review_subject import asked_review, review_request
    from orchestrator.commands.start import StartRequest, begin, check_options, prepare
    from orchestrator.project import find_project

    exclude(plan=plan, detach=detach)
    exclude(plan=plan, open=open_)
    exclude(plan=plan, key=key is not None)
    exclude(record=record is not None, replay=replay is not None)
    exclude(**{"critics": critics is not None, "discuss off": discuss == "off"})
    exclude(**{"perspectives": perspectives is not None, "discuss off": discuss == "off"})
    exclude(diff=diff is not None, base=base is not None)
    exclude(diff=diff is not None, head=head is not None)
    exclude(**{"include dirty": include_dirty, "head": head is not None})
    exclude(**{"include dirty": include_dirty, "diff": diff is not None})
    if open_:
        need_web()
    reviewed = asked_review(mode, base, head, diff, include_dirty)
    views = names_in(perspectives)
    _check_arguments(task or "")
    check_options(key, discuss, execution, critics, fix)  # before standard input is waited for
    project = find_project()
    subject = None if reviewed is None else reviewed.found(project.root, _here())
    if subject is not None and task is None:
        request = review_request(subject)
    else:
        request = read_request(_required(task), _here(), os.environ)
    caps = caps_given(max_usd, max_tokens, max_turns, max_minutes, "max_")
    wanted = StartRequest(
        request,
        mode,
        discuss,
        execution,
        supervise,
        views,
        record,
        replay,
        key,
        caps,
        critics,
        approve_plan,
        spec=None if spec is None else _here() / Path(spec).expanduser(),
        include_dirty=include_dirty and subject is None,
        fix=fix,
        review=subject,
        source=source,
        as_it_is=yes,
    )
    prepared = prepare(project, wanted)
    silent = yes or detach or as_json or plan or key is not None or not can_ask()
    if prepared.reads_request and not silent and (answers := clarify(request, project.root)):
        prepared = prepare(project, replace(wanted, answers=answers))
    if plan:
        _print_plan(prepared.view, as_json)
        return
    with changing(create=True, settings=prepared.settings) as opened:
        started = begin(prepared, opened.store)
        if started.created:
            for line in plan_lines(prepared.view):
                note(line)
        else:
            note(f"the key {key!r} already made {started.session}: showing that session")
        if detach and not as_json:
            say(started.session)
        raise typer.Exit(wake_and_follow(opened, started.session, 0, detach, as_json, show=open_))


def _required(task: str | None) -> str:
    """The task. Raises UsageError when there is none."""
    if task is None:
        raise UsageError(
            "there is no task",
            why="every mode but review needs to be told what to do",
            fix='name it: lifecycle start "..."',
        )
    return task


def _check_arguments(task: str) -> None:
    if len(os.fsencode(task) if "\0" not in task else task) > ARGUMENT_BYTES:
        raise UsageError(
            "the task is too long for an argument",
            why=f"more than {ARGUMENT_BYTES} bytes",
            fix="pipe it in: lifecycle start @- < task.md",
        )


def _here() -> Path:
    """The current folder, for `@file`. Raises UsageError when it was deleted."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(
            "the current folder cannot be used", why=str(error), fix="change to a folder that exists"
        ) from error


def _print_plan(view: JsonObject, as_json: bool) -> None:
    if as_json:
        print_json(view)
        return
    for line in plan_lines(view):
        say(line)


def plan_lines(view: JsonObject) -> list[str]:
    """The lines that describe the plan and its reasons."""
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
        *(
            [
                (
                    "Note",
                    f"the task reads like {view['reads_like']}, which asks for nothing to be built: {NO_REQUEST}",
                )
            ]
            if view["reads_like"]
            else []
        ),
        *(
            [
                (
                    "Note",
                    f"the task is written in {view['little_known']}, of which the built-in agent knows little: it keeps the"
                    " sentences as they are and takes some for something else; configure a model that reads it, or write it"
                    " in English or Chinese",
                )
            ]
            if view["little_known"]
            else []
        ),
        ("Mode", f"{view['mode']}: {view['why']}"),
        *(
            [("From", f"{taken['session']}: {taken['entries']} entries of wisdom and decisions")]
            if (taken := view.get("source"))
            else []
        ),
        *([("Reviews", view["reviews"])] if view["reviews"] else []),
        *(role_lines(analysis) if (analysis := view.get("analysis")) else []),
        ("Tasks", f"{len(view['tasks'])}: {' > '.join(each['task'] for each in view['tasks'])}"),
        *(
            [("Spec", f"of {given['source']}: {given['files']} file(s)")]
            if (given := view.get("specification"))
            else []
        ),
        *(work_lines(work) if (work := view.get("work")) else []),
        *(
            ("Agents", f"{role}: {', '.join(names) or _lacking(view, role)}")
            for role, names in view["agents"].items()
        ),
        *(
            [("Agents", f"none: the session replays {cassette['folder']}")]
            if cassette and cassette["does"] == "replay"
            else [("Records", f"every agent call to {cassette['folder']}")]
            if cassette
            else []
        ),
        *(
            [
                (
                    "Sends",
                    f"about {sends['characters']} characters ({sends['tokens']} tokens) in {sends['calls']} calls"
                    + (", and what agents that edit code read by themselves" if work else ""),
                )
            ]
            if (sends := view["sends"]) and sends["calls"]
            else []
        ),
        ("Cost", f"{says}: {cost['why']}"),
        *(("Budget", line) for line in (*view["budget"]["caps"], *view["budget"]["warnings"])),
    ]
    return [f"{label:<7} {one_line(text)}" for label, text in lines]


def _lacking(view: JsonObject, role: str) -> str:
    """What is said of a role that no agent of this machine can do."""
    found = LACKING_IN_REVIEW if view["mode"] == REVIEW else LACKING
    return found.get(role, "none")


def register(app: typer.Typer) -> None:
    app.command()(start)
