"""`msg`: the team bus, operation for operation and argument for argument the MCP tool team_msg.

It is the fallback of agents that have no MCP: an operation gets what the tool gets, and prints what the tool returns.
"""

from __future__ import annotations

import json
import os
from typing import Annotated, Any

import typer

from orchestrator.cli.look import look_at
from orchestrator.cli.opening import changing, wake
from orchestrator.cli.options import AsJson
from orchestrator.cli.output import print_json, say, table
from orchestrator.domain.errors import NotAllowedNow, UnknownName, UsageError

TEXT_LIMIT = 20_000  # characters of a summary
DATA_LIMIT = 200_000  # characters of the data's JSON
NAME_LIMIT = 60

Team = Annotated[
    str | None,
    typer.Option(
        "--session", "--team", "-s", metavar="ID", help="The bus: a session's id or its first letters."
    ),
]
Sender = Annotated[str, typer.Option("--from", metavar="WHO", help="Who speaks.")]
MessageType = Annotated[
    str, typer.Option("--type", metavar="TYPE", help="Unknown types are taken and marked.")
]
Summary = Annotated[str, typer.Option("--summary", metavar="TEXT", help="What is said.")]
Reference = Annotated[str | None, typer.Option("--ref", metavar="PATH", help="The artifact it is about.")]
Data = Annotated[str | None, typer.Option("--data", metavar="JSON", help="Anything more, as JSON.")]


def log(
    summary: Summary,
    sender: Sender = "user",
    to: Annotated[str, typer.Option("--to", metavar="WHO", help="For whom.")] = "coordinator",
    kind: MessageType = "state_update",
    ref: Reference = None,
    data: Data = None,
    team: Team = None,
    as_json: AsJson = False,
) -> None:
    """Append a message to the bus."""
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
    """Append a message for everyone."""
    _append(team, sender, "all", kind, summary, ref, data, as_json)


def _append(
    team: str | None,
    sender: str,
    to: str,
    kind: str,
    summary: str,
    ref: str | None,
    data: str | None,
    as_json: bool,
) -> None:
    from orchestrator.coordinator import find
    from orchestrator.domain import secrets
    from orchestrator.store import messages

    for name, value in (("--from", sender), ("--to", to), ("--type", kind)):
        if not value or len(value) > NAME_LIMIT or not value.replace("-", "").replace("_", "").isalnum():
            raise UsageError(f"{name} {value!r} is no name", why="letters, digits, - and _, at most 60")
    if not summary.strip():
        raise UsageError("the summary is empty", fix="say something with --summary")
    if len(summary) > TEXT_LIMIT or len(ref or "") > TEXT_LIMIT:
        raise UsageError(
            "the message is too long", why=f"at most {TEXT_LIMIT} characters", fix="put it in --ref"
        )
    known = secrets.known(os.environ)  # an agent may say what it was given
    summary, ref, value = secrets.mask_all((_clean(summary), ref and _clean(ref), _value(data)), known)
    with changing() as opened:

        def unit(tx: Any) -> tuple[str, int]:
            session = find.alive(find.session(tx, team, finished=True))
            return session.id, messages.say(tx, session.id, sender, kind, summary, to=to, ref=ref, data=value)

        session, number = opened.store.write(unit)
        wake(opened)
    if as_json:
        print_json({"session": session, "id": f"MSG-{number:03d}"})
    else:
        say(f"MSG-{number:03d}")


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _value(data: str | None) -> Any:
    if data is None:
        return None
    if len(data) > DATA_LIMIT:
        raise UsageError("--data is too long", why=f"at most {DATA_LIMIT} characters")
    try:
        return json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            "--data is not JSON", why=str(error), fix="""for example --data '{"options": []}'"""
        ) from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def read(
    message: Annotated[str, typer.Option("--id", metavar="ID", help="MSG-001, or its number.")],
    team: Team = None,
    as_json: AsJson = False,
) -> None:
    """Show one message with all it carries."""
    from orchestrator.coordinator.projector import message_line
    from orchestrator.store import messages

    digits = message.upper().removeprefix("MSG-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise UsageError(f"{message!r} is no message id", why="an id looks like MSG-001")

    def one(tx: Any, row: Any) -> Any:
        found = messages.one(tx, row.id, int(digits))
        if found is None:
            raise UnknownName("message", message, [f"MSG-001 to MSG-{row.messages:03d}"])
        return message_line(found)

    found = look_at(team, one)
    if as_json:
        print_json(found)
        return
    for key, value in found.items():
        if value is not None:
            say(f"{key:<11} {json.dumps(value, ensure_ascii=True) if key == 'data' else _shown(value)}")


def _shown(value: Any) -> str:
    from orchestrator.domain.inert import one_line

    return one_line(str(value))


def list_messages(
    sender: Annotated[str | None, typer.Option("--from", metavar="WHO", help="Only from them.")] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="WHO", help="Only for them.")] = None,
    kind: Annotated[str | None, typer.Option("--type", metavar="TYPE", help="Only of this type.")] = None,
    last: Annotated[int, typer.Option("--last", "-n", min=1, max=100_000, help="The newest so many.")] = 20,
    team: Team = None,
    as_json: AsJson = False,
) -> None:
    """List the newest messages; events of the session's history are in `lifecycle log`."""
    from orchestrator.coordinator.look import bus_messages

    found = look_at(
        team, lambda tx, row: bus_messages(tx, row.id, sender=sender, to=to, type=kind, last=last)
    )
    if as_json:
        print_json(found)
        return
    table(
        ("ID", "AT", "FROM", "TO", "TYPE", "SUMMARY"),
        [(m["id"], m["ts"], m["from"], m["to"], m["type"], m["summary"]) for m in found],
    )


def status(team: Team = None, as_json: AsJson = False) -> None:
    """Show who spoke: last seen, last action, how often."""
    from orchestrator.coordinator.look import members

    found = look_at(team, lambda tx, row: members(tx, row.id))
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
    """Show the shared memory: one field a role. It is JSON with or without --json."""
    from orchestrator.store import records

    found = look_at(team, lambda tx, row: records.shared_of(tx, row.id))
    if role is not None:
        if role not in found:
            raise UnknownName("field", role, found)
        found = found[role]
    print_json(found)


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
    raise NotAllowedNow(
        f"{operation} is not possible: the bus is append-only",
        why="it is the session's history, and what was acknowledged stays readable",
        fix="filter with `lifecycle msg list`; `lifecycle delete SESSION` removes an ended session as a whole",
    )


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        rich_markup_mode=None, no_args_is_help=True, help="The team bus: log, read, list, status ..."
    )
    for command in (log, read, status, broadcast, state):
        group.command()(command)
    group.command("list")(list_messages)
    group.command("get_state", hidden=True)(state)
    group.command(hidden=True)(delete)
    group.command(hidden=True)(clear)
    app.add_typer(group, name="msg")
