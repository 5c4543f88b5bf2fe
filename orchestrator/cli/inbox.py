"""inbox: what waits for you over all sessions of this project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import OpenedForReading, has_database, reading
from orchestrator.cli.options import AsJson, can_ask
from orchestrator.cli.output import duration, money, note, print_json, say, say_wrapped, table
from orchestrator.domain.inert import inert, one_line
from orchestrator.domain.json_types import JsonObject

if TYPE_CHECKING:
    from orchestrator.views.inbox import Entry, Inbox

EMPTY: JsonObject = {"waiting": 0, "active": 0, "entries": [], "running": []}


def inbox(
    entry: Annotated[
        str | None,
        typer.Argument(metavar="ENTRY", help="The number or the name of an entry: shows all of it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what waits for you over all sessions: decisions, stalled sessions, accounts at their limit, the disk."""
    if entry is None and not has_database():
        _print_list(cast("Inbox", EMPTY), as_json)  # a project without sessions asks for nothing
        return
    with reading() as opened:
        if entry is not None:
            _open(opened, entry, as_json)
            return
        found = _read(opened)
        _print_list(found, as_json)
        if found["entries"] and not as_json and can_ask():
            _ask(opened, found)


def _read(opened: OpenedForReading) -> Inbox:
    from orchestrator.views.disk_space import room_at
    from orchestrator.views.inbox import inbox as inbox_of

    room = room_at(opened.project.root)
    return opened.store.read(lambda tx: inbox_of(tx, room))


def _open(opened: OpenedForReading, name: str, as_json: bool) -> None:
    """Print one entry and the commands that answer it. Raises UnknownName."""
    from orchestrator.views.disk_space import room_at
    from orchestrator.views.inbox import opened as opened_entry

    room = room_at(opened.project.root)
    found = opened.store.read(lambda tx: opened_entry(tx, room, name))
    if as_json:
        print_json(found)
        return
    entry: Entry | None = found["entry"]
    if entry is not None:
        _print_entry(entry)
    if found["pause"] is not None:
        from orchestrator.cli.report import print_pause

        print_pause(found["pause"])


def _ask(opened: OpenedForReading, found: Inbox) -> None:
    """On a terminal: which entry to show. It is asked for by its name, since numbers change when another one comes."""
    given = str(typer.prompt("Show which number (Enter: none)", default="", show_default=False, err=True))
    if not given.strip():
        return
    by_number = {str(each["number"]): each["name"] for each in found["entries"]}
    _open(opened, by_number.get(given.strip(), given.strip()), as_json=False)


def _print_list(found: Inbox, as_json: bool) -> None:
    if as_json:
        print_json(cast("JsonObject", found))
        return
    if not found["entries"]:
        _print_running(found)
        return
    table(
        ("NO", "WAITS FOR", "SINCE", "BLOCKS", "COST", "SESSION", "ABOUT"),
        [
            (
                str(each["number"]),
                each["kind"],
                "" if each["waits_seconds"] is None else duration(each["waits_seconds"]),
                _blocks(each),
                "" if each["cost"] is None else money(each["cost"]),
                each["session"] or "",
                _about(each),
            )
            for each in found["entries"]
        ],
    )
    if found["waiting"] > len(found["entries"]):
        note(f"and {found['waiting'] - len(found['entries'])} more, which wait since later")


def _about(each: Entry) -> str:
    return " - ".join(part for part in (each["means"] or "", each["says"] or each["title"]) if part)


def _blocks(each: Entry) -> str:
    blocked = each["blocks"]
    if each["session"] is None:
        return f"{blocked['sessions']} session{'' if blocked['sessions'] == 1 else 's'}"
    return f"{blocked['tasks']} task{'' if blocked['tasks'] == 1 else 's'}"


def _print_running(found: Inbox) -> None:
    """Nothing waits: what runs, and after which task it will."""
    say("nothing waits for you" + ("" if found["active"] else ", and nothing runs"))
    for each in found["running"]:
        until = (
            f"it pauses for you after {each['checkpoint']}"
            if each["checkpoint"]
            else "it continues by itself"
        )
        facts = f"{each['running']} running, {duration(each['elapsed_seconds'])}: {until}"
        say_wrapped(f"{each['session']}   {one_line(each['title'], 60)}   {facts}", "  ")
    if found["active"] > len(found["running"]):
        say(f"  and {found['active'] - len(found['running'])} more sessions")


def _print_entry(each: Entry) -> None:
    head = [each["session"] or each["name"], each["mode"] or "", one_line(each["title"], 100)]
    say_wrapped("   ".join(part for part in head if part))
    waits = [] if each["waits_seconds"] is None else [f"waits for {duration(each['waits_seconds'])}"]
    waits += [f"blocks {_blocks(each)}"] + ([] if each["cost"] is None else [f"cost {money(each['cost'])}"])
    say_wrapped(", ".join(waits), "  ")
    if each["session"] is None or each["waits_seconds"] is None:
        say_wrapped(inert(each["says"]), "  ")
        say_wrapped(each["command"], "  > ")


def register(app: typer.Typer) -> None:
    app.command()(inbox)
