"""tasks, runs: the tasks of a session, and the attempts at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, cast

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import read_session
from orchestrator.cli.options import AsJson, InSession, exclude, refuse_session
from orchestrator.cli.output import (
    duration,
    money,
    note,
    print_json,
    say,
    say_wrapped,
    table,
    verdict,
)
from orchestrator.domain.errors import UsageError
from orchestrator.domain.inert import inert, one_line

PRINTED = 20  # lines of what tests printed

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject
    from orchestrator.views.grouped import Line


def tasks(
    task: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="Shows one task: why it is in its state, attempts, cost, input."),
    ] = None,
    grouped: Annotated[
        bool, typer.Option("--grouped", help="Counts by phase, role and state, and what matters now alone.")
    ] = False,
    group: Annotated[
        str | None,
        typer.Option("--group", metavar="NAME", help="100 tasks of one group, as --grouped names it."),
    ] = None,
    skip: Annotated[int, typer.Option("--skip", min=0, help="With --group: leaves out the first N.")] = 0,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """List the tasks of a session, or show one of them."""
    refuse_session(task, "a task", "tasks --grouped" if grouped else "tasks")
    exclude(TASK=task is not None, grouped=grouped, group=group is not None)
    if skip and group is None:
        raise UsageError("--skip has no effect", why="only a group is shown in pages", fix="add --group NAME")
    if task is not None:
        _one(task, in_session, as_json)
    elif group is not None:
        _page(group, skip, in_session, as_json)
    elif grouped:
        _grouped(in_session, as_json)
    else:
        _all(in_session, as_json)


def _one(task: str, in_session: str | None, as_json: bool) -> None:
    from orchestrator.views import lookup
    from orchestrator.views.task import task_view

    found = read_session(in_session, lambda tx, row: task_view(tx, row, lookup.task(tx, row, task)))
    if as_json:
        print_json(found)
        return
    why = found["why"]
    more = "" if why["state"] == why["status"] else f": {why['state']}"
    say(f"{found['task']} ({found['role']}) is {found['status']}{more}")
    for line in why["because"]:
        say(f"  {inert(line)}")
    for command in why["commands"]:
        say(f"  > {command}")
    seconds = sum(run["seconds"] for run in found["runs"])
    calls = found["cost"]["calls"]
    say(
        f"Attempts {found['attempts']} of {found['max_attempts']}, {duration(seconds)}, "
        f"{calls} call{'' if calls == 1 else 's'}, {money(found['cost'])}"
    )
    for each in found["errors"]:
        say_wrapped(f"{each['outcome']} at {each['at']}: {one_line(each['error'], 300)}", "  ")
    for name, value in (found["input"] or {}).items():
        say_wrapped(f"{one_line(name)}: {one_line(str(value), 200)}", "  ")


def _grouped(in_session: str | None, as_json: bool) -> None:
    from orchestrator.views.grouped import grouped

    found = read_session(in_session, grouped)
    if as_json:
        print_json(cast("JsonObject", found))
        return
    if not found["tasks"]:
        note("the session has no tasks yet: `lifecycle check` says what it does")
        return
    table(("GROUP", "TASKS"), [(each["group"], each["count"]) for each in found["groups"]])
    _lines(found["single"])


def _page(group: str, skip: int, in_session: str | None, as_json: bool) -> None:
    from orchestrator.views.grouped import group_page

    found = read_session(in_session, lambda tx, row: group_page(tx, row, group, skip))
    if as_json:
        print_json(cast("JsonObject", found))
        return
    _lines(found["tasks"])
    if found["next_skip"] is not None:
        note(f"{found['count'] - found['next_skip']} more: --skip {found['next_skip']}")


def _lines(lines: Sequence[Line]) -> None:
    if lines:
        table(
            ("TASK", "ROLE", "PHASE", "STATE", "ATTEMPTS", "ERROR"),
            [
                (each["task"], each["role"], each["phase"], each["state"], each["attempts"], each["error"])
                for each in lines
            ],
        )


def _all(in_session: str | None, as_json: bool) -> None:
    from orchestrator.views.check import task_views

    found = read_session(in_session, task_views)
    if as_json:
        print_json(found)
        return
    planned = any(each["plan_task"] for each in found)
    table(
        (
            "TASK",
            *(("PLAN",) if planned else ()),
            "ROLE",
            "STATUS",
            "ROUND",
            "VERDICT",
            "ATTEMPTS",
            "WAITS FOR",
        ),
        [
            (
                each["task"],
                *((each["plan_task"],) if planned else ()),
                each["role"],
                "offered" if each["offered"] else each["status"],
                each["round"],
                verdict(each["verdict"]),
                each["attempts"],
                ", ".join(each["waits_for"]),
            )
            for each in found
        ],
    )


def runs(
    task: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="A task's id, for example DRAFT-002; without it, all tasks."),
    ] = None,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """List the attempts at a task, or at all: which agent, how long, how each ended."""
    refuse_session(task, "a task", "runs")
    from orchestrator.views import lookup
    from orchestrator.views.cost import by, run_views

    found = read_session(
        in_session,
        lambda tx, row: run_views(tx, row.id, None if task is None else lookup.task(tx, row, task).key),
    )
    if as_json:
        print_json(found)
        return
    if not found:
        note("no attempt has been made yet")
        return
    table(
        ("RUN", "TASK", "OPENED BY", "AT", "TIME", "OUTCOME", "COUNTS", "AGENT", "CALLS", "ERROR"),
        [
            (
                each["run"][-8:],
                each["task"],
                each["opened_by"],
                each["opened_at"],
                duration(each["seconds"]),
                each["outcome"],
                "yes" if each["counted"] else "no",
                by(each["agent"]),
                len(each["calls"]),
                each["error"],
            )
            for each in found
        ],
    )
    if task is not None:
        for each in found:
            for turn in each["refused"]:
                _print_refused(each["run"], turn)


def _print_refused(run: str, turn: JsonObject) -> None:
    """What refused a turn: each finding, and the end of what the tests printed."""
    say()
    say(f"{run[-8:]}, turn {turn['turn']} of {turn['agent']} was refused:")
    for finding in turn["findings"]:
        place = f"{finding['path']}: " if finding["path"] else ""
        say_wrapped(one_line(f"{place}{finding['text']} ({finding['rule']})"), "  ")
    for line in turn["printed"].splitlines()[-PRINTED:]:
        say(f"  | {one_line(line)}")


def register(app: typer.Typer) -> None:
    app.command()(tasks)
    app.command()(runs)
