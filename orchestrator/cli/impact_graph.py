"""The graph of a specification's items, for `impact --graph`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from orchestrator.cli.opening import OpenedForReading
from orchestrator.cli.output import broken, cells, is_bounded, note, print_json, say_wrapped, table, width
from orchestrator.domain.inert import one_line

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject

LINKS = 16  # columns that the names of other items get at least
TITLE = 24  # that the title gets at least
GAP = 2  # between two columns


def show_graph(opened: OpenedForReading, session: str | None, name: str | None, as_json: bool) -> None:
    """Print the items, what each was made of, and where a link is missing. Raises UnknownName."""
    from orchestrator.views import lookup
    from orchestrator.views.impact_graph import impact_graph

    root = opened.project.root
    found = opened.store.read(
        lambda tx: impact_graph(tx, lookup.session(tx, session, finished=True), name, root)
    )
    if as_json:
        print_json(cast("JsonObject", found))
        return
    if not found["nodes"]:
        note("the specification has no items yet")
        return
    made_of: dict[str, list[str]] = {}
    for edge in found["edges"]:
        made_of.setdefault(edge["downstream"], []).append(edge["upstream"])
    rows = [
        (
            one_line(each["item"]),
            "withdrawn" if each["withdrawn"] else each["kind"],
            one_line(", ".join(made_of.get(each["item"], ()))),
            one_line(each["title"]),
        )
        for each in found["nodes"]
    ]
    room = _room(rows)
    shown = [line for row in rows for line in _folded(row, room)]
    table(("ITEM", "KIND", "MADE OF", "TITLE"), shown)
    for weak in found["weak"]:
        say_wrapped(f"weak: {one_line(weak['item'])}: {one_line(weak['why'])}")
    impact = found["impact"]
    if impact is not None:
        runs = ", ".join(each["task"] for each in impact["runs"])
        say_wrapped(
            f"Runs again: {runs}"
            if runs
            else f"Runs again: nothing{': ' + one_line(impact['why']) if impact['why'] else ''}"
        )
        for each in impact["commands"]:
            say_wrapped(f"> {each['command']}   {each['does']}", "  ")


_Row = tuple[str, str, str, str]


def _room(rows: Sequence[_Row]) -> int | None:
    """The columns that are left for what an item was made of; None where it need not be folded, or cannot be a column."""
    left = width() - max(cells(row[0]) for row in rows) - max(cells(row[1]) for row in rows) - TITLE - 3 * GAP
    return left if is_bounded() and left >= LINKS else None


def _folded(row: _Row, room: int | None) -> list[_Row]:
    """The row, with what it was made of on as many lines as it takes."""
    item, kind, made_of, title = row
    lines = [made_of] if room is None else [line.strip() for line in broken(made_of, room)]
    return [(item, kind, lines[0], title), *(("", "", line, "") for line in lines[1:])]
