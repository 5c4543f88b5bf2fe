"""The history of ratings, for `discuss --history`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from orchestrator.cli.opening import read_session
from orchestrator.cli.output import note, print_json, say_wrapped, table
from orchestrator.domain.inert import one_line

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject
    from orchestrator.views.rounds import Cell, Column


def show_history(in_session: str | None, as_json: bool) -> None:
    """Print each rating by perspective and round, then what divided the perspectives and what is to be done."""
    from orchestrator.views.rounds import history

    found = read_session(in_session, lambda tx, row: history(tx, row.id))
    if as_json:
        print_json(cast("JsonObject", found))
        return
    columns = found["columns"]
    if not columns:
        note("no discussion has a verdict yet")
        return
    table(
        ("PERSPECTIVE", *(_heading(each) for each in columns)),
        [
            (row["perspective"], *(_cell(row["cells"].get(each["column"])) for each in columns))
            for row in found["rows"]
        ],
    )
    for each in columns:
        mean = "" if each["mean"] is None else f", mean {each['mean']:.1f}"
        say_wrapped(f"{each['column']}: {each['consensus']} {each['severity'] or ''}".rstrip() + mean)
        for line in each["divergences"]:
            who = ", ".join(line["perspectives"])
            say_wrapped(f"{line['severity'] or ''} {one_line(line['text'], 200)} [{who}]".strip(), "  ")
        for action in each["actions"]:
            say_wrapped(f"to do: {one_line(action, 200)}", "  ")


def _heading(each: Column) -> str:
    return f"{each['round'].replace('DISCUSS-', 'D')} {each['task']}"


def _cell(found: Cell | None) -> str:
    """`4 opus`: the rating, and the model, else the agent."""
    if found is None:
        return ""
    return f"{'?' if found['rating'] is None else found['rating']} {found['model'] or found['agent']}"
