"""list: the sessions of this project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import has_database, reading
from orchestrator.cli.options import AsJson, InSession, exclude
from orchestrator.cli.output import duration, money, note, print_json, table
from orchestrator.domain.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.domain.json_types import JsonObject


def list_sessions(
    every: Annotated[bool, typer.Option("--all", "-a", help="Include archived sessions.")] = False,
    last: Annotated[int | None, typer.Option("--last", "-n", min=0, help="The newest N; 0 for all.")] = None,
    state: Annotated[
        str | None,
        typer.Option(
            "--state", metavar="STATE", help="Only those that are active, paused, completed or cancelled."
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option("--search", metavar="TEXT", help="Only those with the text in their title or id."),
    ] = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="KEY", help="The page after the one that gave this key.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", help="A page of at most N, up to 200; default 50.")
    ] = None,
    in_session: InSession = None,
    as_json: AsJson = False,
) -> None:
    """List the sessions of this project."""
    exclude(all=every, session=in_session is not None)
    paging = {"--state": state, "--search": search, "--before": before, "--limit": limit}
    given = [option for option, value in paging.items() if value is not None]
    if given and (last is not None or in_session is not None):
        other = "--last" if last is not None else "--session"
        raise UsageError(f"{given[0]} and {other} exclude each other", fix="give only one of them")
    if given:
        _list_page(limit, before, state, search, every, as_json)
        return
    newest = 100 if last is None else last
    found = _list(in_session, every, newest)
    if in_session is None and len(found) == newest:
        note(f"only the newest {newest} are listed; `lifecycle list -n 0` lists all")
    if as_json:
        print_json(found)
        return
    if not found:
        note('there are no sessions here yet; start one with `lifecycle start "..."`')
        return
    _print(found)


def _list(in_session: str | None, every: bool, newest: int) -> list[JsonObject]:
    from orchestrator.store.sessions import EVERY
    from orchestrator.views import lookup
    from orchestrator.views.session_line import listing, summary

    if in_session is None and not has_database():
        return []  # a project without sessions has none to list: nothing is wrong with that
    with reading() as opened:
        if in_session is not None:
            return [opened.store.read(lambda tx: summary(tx, lookup.session(tx, in_session)))]
        return opened.store.read(lambda tx: listing(tx, archived=every, limit=newest or EVERY))


def _list_page(
    limit: int | None, before: str | None, state: str | None, search: str | None, every: bool, as_json: bool
) -> None:
    """One page; in a table the oldest first as in every list, in JSON the newest first."""
    from orchestrator.views.sessions_listed import page, session_page

    asked = page(limit, before, state, search, every)
    found: JsonObject = {"sessions": [], "next": None}
    if has_database():
        with reading() as opened:
            found = opened.store.read(lambda tx: session_page(tx, asked))
    if as_json:
        print_json(found)
        return
    if not found["sessions"]:
        note("there is no such session")
        return
    _print(found["sessions"][::-1])
    if found["next"]:
        note(f"there are older ones: the same command with --before {found['next']}")


def _print(found: Sequence[JsonObject]) -> None:
    table(
        ("SESSION", "MODE", "STATUS", "DONE", "TIME", "COST", "TITLE"),
        [
            (
                each["session"],
                each["mode"],
                f"{each['status']}: {each['pause_reason']}" if each["pause_reason"] else each["status"],
                f"{each['progress']['done']}/{each['progress']['total']}",
                duration(each["elapsed_seconds"]),
                money(each["cost"]),
                each["title"],
            )
            for each in found
        ],
    )


def register(app: typer.Typer) -> None:
    app.command("list")(list_sessions)
