"""compare: two sessions side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import OpenedForReading, reading
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import duration, note, paint, print_json, say, table
from orchestrator.domain.inert import inert
from orchestrator.domain.json_types import Json, JsonObject

NOTHING = "—"  # a session has nothing of that kind
MARK = "*"  # of the better side

First = Annotated[str, typer.Argument(metavar="A", help="A session, or the first letters of its id.")]
Second = Annotated[str, typer.Argument(metavar="B", help="Another session.")]


def compare(
    a: First,
    b: Second,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print what differs in documents and code, from A to B.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare two sessions: documents, scores, discussions, tests, review, code, cost and time."""
    from orchestrator.commands.compare import compared

    with reading() as opened:
        found = compared(opened.store, opened.project.root, a, b, diff=diff)
        if as_json:
            print_json(found)
            return
        if diff:
            _print_differences(opened, found)
            return
    _print_table(found)


def _print_table(found: JsonObject) -> None:
    if found["related"] is not None:
        origin = found["related"]
        note(
            f"B is a fork of A behind {origin['task']}"
            if (origin["how"], origin["source"]) == ("fork", found["a"]["session"])
            else f"A is a fork of B behind {origin['task']}"
            if origin["how"] == "fork"
            else f"both are forks of {origin['source']}"
        )
    say(f"A  {found['a']['session']}")
    say(f"B  {found['b']['session']}")
    group = None
    rows: list[tuple[str, str, str]] = []
    for each in found["rows"]:
        if each["group"] != group:
            group = each["group"]
            rows += [("", "", "")] * bool(rows) + [(str(group).upper(), "", "")]
        shown = [_shown(each[side], each["kind"]) for side in ("a", "b")]
        marked = [
            f"{text} {MARK}" if each["better"] == side else text
            for side, text in zip(("a", "b"), shown, strict=True)
        ]
        rows.append((each["name"], *marked))
    say()
    table(("", "A", "B"), rows)
    say()
    say(f"{MARK} the better one, where that is defined; {NOTHING} nothing of that kind")


def _shown(value: Json, kind: str) -> str:
    if value is None:
        return NOTHING
    return _FORMS[kind](value)


_FORMS: dict[str, Callable[[Json], str]] = {
    "text": str,
    "number": lambda value: f"{value:g}" if isinstance(value, float) else str(value),
    "percent": lambda value: f"{value:.1f} %",
    "rating": lambda value: f"{value:.1f}",
    "usd": lambda value: f"${value:.2f}",
    "seconds": duration,
}


def _print_differences(opened: OpenedForReading, found: JsonObject) -> None:
    for each in found["diff"]["documents"]:
        for line in each["diff"]:
            _print_line(line)
    for line in (found["diff"]["code"] or "").splitlines():
        _print_line(line)
    if not found["diff"]["documents"] and not found["diff"]["code"]:
        note("nothing differs in documents and code")


def _print_line(line: str) -> None:
    colour = {"+": "green", "-": "red", "@": "dim"}.get(line[:1])
    text = inert(line)
    say(paint(text, colour) if colour else text)


def register(app: typer.Typer) -> None:
    app.command()(compare)
