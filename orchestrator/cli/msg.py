"""msg: the message log of a session, with the operations and arguments of the MCP tool team_msg.

It is the fallback of agents that have no MCP: an operation gets what the tool gets, and prints what the tool returns.
"""

from __future__ import annotations

import json
import os
from typing import Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import changing, read_session, wake_and_write
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import print_json, say, table

Team = Annotated[
    str | None,
    typer.Option("--session", "--team", "-s", metavar="ID", help="The session, or its first letters."),
]
Sender = Annotated[str, typer.Option("--from", metavar="WHO", help="The sender.")]
MessageType = Annotated[
    str, typer.Option("--type", metavar="TYPE", help="Unknown types are accepted and marked.")
]
Summary = Annotated[str, typer.Option("--summary", metavar="TEXT", help="The text of the message.")]
Reference = Annotated[str | None, typer.Option("--ref", metavar="PATH", help="The artifact it is about.")]
Data = Annotated[str | None, typer.Option("--data", metavar="JSON", help="More data, as JSON.")]


def log(
    summary: Summary,
    sender: Sender = "user",
    to: Annotated[str, typer.Option("--to", metavar="WHO", help="The recipient.")] = "coordinator",
    kind: MessageType = "state_update",
    ref: Reference = None,
    data: Data = None,
    team: Team = None,
    as_json: AsJson = False,
) -> None:
    """Append a message to the session's log."""
    _append(team, sender, to, kind, summary, ref, data, as_json)


def broadcast(
    summary: Summary,
    sender: Sender = "user",
    kind: MessageType = "state_update",
    ref: Reference = None,
    data: Data = None,
    team: Team = None,
    as_json: AsJson = False,
) -> None:
    """Append a message to all members."""
    _append(team, sender, None, kind, summary, ref, data, as_json)


def _append(
    team: str | None,
    sender: str,
    to: str | None,
    kind: str,
    summary: str,
    ref: str | None,
    data: str | None,
    as_json: bool,
) -> None:
    from orchestrator.commands import team_msg
    from orchestrator.domain import secrets
    from orchestrator.views import lookup

    to = team_msg.EVERYONE if to is None else to
    said = team_msg.Said(summary, sender, to, kind, ref, team_msg.parse_data(data))
    said.check()  # before anything is opened
    said = said.masked(secrets.known(os.environ))  # an agent may say what it was given
    with changing() as opened:
        done = opened.store.write(
            lambda tx: team_msg.append(tx, lookup.session(tx, team, finished=True), said)
        )
        wake_and_write(opened, done["session"])
    if as_json:
        print_json(done)
    else:
        say(done["id"])


def read(
    message: Annotated[str, typer.Option("--id", metavar="ID", help="MSG-001, or its number.")],
    team: Team = None,
    as_json: AsJson = False,
) -> None:
    """Show one message in full."""
    from orchestrator.commands import team_msg

    found = read_session(team, lambda tx, row: team_msg.read(tx, row, message))
    if as_json:
        print_json(found)
        return
    for key, value in found.items():
        if value is not None:
            say(f"{key:<11} {json.dumps(value, ensure_ascii=True) if key == 'data' else _shown(value)}")


def _shown(value: object) -> str:
    from orchestrator.domain.inert import one_line

    return one_line(str(value))


def list_messages(
    sender: Annotated[
        str | None, typer.Option("--from", metavar="WHO", help="Only from this sender.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="WHO", help="Only to this recipient.")] = None,
    kind: Annotated[str | None, typer.Option("--type", metavar="TYPE", help="Only of this type.")] = None,
    last: Annotated[int, typer.Option("--last", "-n", min=1, max=100_000, help="The newest N.")] = 20,
    team: Team = None,
    as_json: AsJson = False,
) -> None:
    """List the newest messages; `lifecycle log` shows events too."""
    from orchestrator.commands import team_msg

    found = read_session(
        team, lambda tx, row: team_msg.newest(tx, row, sender=sender, to=to, type=kind, last=last)
    )
    if as_json:
        print_json(found)
        return
    table(
        ("ID", "AT", "FROM", "TO", "TYPE", "SUMMARY"),
        [(m["id"], m["ts"], m["from"], m["to"], m["type"], m["summary"]) for m in found],
    )


def status(team: Team = None, as_json: AsJson = False) -> None:
    """Show each member: last seen, last action, number of messages."""
    from orchestrator.commands import team_msg

    found = read_session(team, team_msg.status)
    if as_json:
        print_json(found)
        return
    table(
        ("MEMBER", "LAST SEEN", "LAST ACTION", "MESSAGES"),
        [(m["member"], m["last_seen"], m["last_action"], m["messages"]) for m in found],
    )


def state(
    role: Annotated[
        str | None, typer.Option("--role", metavar="ROLE", help="Only this role's field.")
    ] = None,
    team: Team = None,
    as_json: AsJson = False,
) -> None:
    """Show the shared memory: one field per role, always as JSON."""
    from orchestrator.commands import team_msg

    print_json(read_session(team, lambda tx, row: team_msg.state(tx, row, role)))


def delete(
    message: Annotated[str | None, typer.Option("--id", metavar="ID", help="A message.")] = None,
    team: Team = None,
) -> None:
    """Refused: the history is append-only."""
    _refuse("delete")


def clear(team: Team = None) -> None:
    """Refused: the history is append-only."""
    _refuse("clear")


def _refuse(operation: str) -> None:
    from orchestrator.commands import team_msg

    team_msg.refuse(operation)


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        rich_markup_mode=None,
        no_args_is_help=True,
        help="The message log of a session: log, read, list, status, broadcast, state.",
    )
    for command in (log, read, status, broadcast, state):
        group.command()(command)
    group.command("list")(list_messages)
    group.command("get_state", hidden=True)(state)
    group.command(hidden=True)(delete)
    group.command(hidden=True)(clear)
    app.add_typer(group, name="msg")
