"""impact: what a change means, before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import reading
from orchestrator.cli.options import AsJson, InSession
from orchestrator.cli.output import print_json, say, table
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression

if TYPE_CHECKING:
    from orchestrator.cli.opening import OpenedForReading
    from orchestrator.domain.json_types import JsonObject

LISTED = 12  # names of one kind that are shown
COMMIT = expression(r"^([0-9a-f]{12})[0-9a-f]{28,52}$")  # an id, and as much of it as is shown


def impact(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="An id (REQ-003, DRAFT-002, TASK-001, IMPL-002) or a file; default: what has changed.",
        ),
    ] = None,
    graph: Annotated[
        bool,
        typer.Option(
            "--graph", help="The items from goals to stories and their links; NAME: an item's chain."
        ),
    ] = False,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """Show what a change means: what was made of it, the tasks to run again, and what that is likely to take."""
    with reading() as opened:
        if graph:
            from orchestrator.cli.impact_graph import show_graph

            show_graph(opened, in_session, name, as_json)
            return
        show(opened, in_session, name, as_json)


def show(
    opened: OpenedForReading, session: str | None, name: str | None, as_json: bool, words: str = ""
) -> None:
    """Print the impact of a name, of which a person says `words`. Raises UnknownName, UsageError."""
    from orchestrator.views import lookup
    from orchestrator.views.impact import impact as impact_of

    root = opened.project.root
    found = opened.store.read(
        lambda tx: impact_of(tx, lookup.session(tx, session, finished=True), name, root, words)
    )
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: JsonObject) -> None:
    about = found["about"]
    say(f"{found['session']}   {about['kind']} {one_line(about['id'])}" if about else str(found["session"]))
    if found["changed"]:
        say(f"Changed   {_names(found['changed'])}")
    elif about is None:
        say("nothing has changed since the work was planned")
    for title, name in (("Made of", "upstream"), ("To make anew", "stale"), ("May follow", "affected")):
        for kind, every in found[name].items():
            ids = [id for id in every if name != "affected" or id not in found["stale"][kind]]
            if ids:
                say(f"{title:<14}{kind.replace('_', ' '):<10} {_names(ids)}")
    if found["why"]:
        say(f"nothing can run again now: {one_line(found['why'])}")
    if found["runs"]:
        say(f"Runs again, {len(found['runs'])} tasks:")
        table(
            ("TASK", "PLAN TASK", "CALLS", "TOKENS", "MINUTES", "COST"),
            [
                (
                    each["task"],
                    each["plan_task"] or "",
                    _known(each["calls"]),
                    _known(each["tokens"]),
                    _known(each["minutes"], ".1f"),
                    _known(each["usd"], ".2f", "$"),
                )
                for each in found["runs"]
            ],
        )
    for each in found["may_follow"]:
        say(f"May follow    {each['task']} if {_names(each['because'])} changes")
    if found["kept"]:
        stays = [f"{each['task']} ({each['plan_task']})" for each in found["kept"]]
        say(f"Stays         {_names(stays)}")
    if found["runs"]:
        say(f"Likely to take {_sum(found['expected'])}")
        say(f"A whole new session: {_sum(found['whole'])}; saved: {_sum(found['saved'])}")
    for each in found["commands"]:
        say(f"  > {each['command']}   {each['does']}")


def _names(ids: list[str]) -> str:
    shown = ", ".join(COMMIT.sub(r"\1", one_line(each)) for each in ids[:LISTED])
    return shown if len(ids) <= LISTED else f"{shown} and {len(ids) - LISTED} more"


def _known(value: float | None, form: str = "", before: str = "") -> str:
    """A figure; `?` where nothing like it was done before, or nobody told it."""
    return "?" if value is None else f"{before}{value:{form}}"


def _sum(found: JsonObject) -> str:
    """`9 calls, 41,200 tokens, 3.5 minutes, $0.41`, with what is not in it."""
    unknown = max(found["unseen"], 0) + max(found["untold"], found["unpriced"], 0)
    tokens = f"{found['tokens']:,}" if found["tokens"] or found["untold"] <= 0 else "unknown"
    usd = f"${found['usd']:.2f}" if found["usd"] or found["unpriced"] <= 0 else "price unknown"
    figures = f"{found['tasks']} tasks, {found['calls']} calls, {tokens} tokens, {found['minutes']:.1f} minutes, {usd}"
    return f"{figures} (figures of {unknown} are not known)" if unknown else figures


def register(app: typer.Typer) -> None:
    app.command()(impact)
