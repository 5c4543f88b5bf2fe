"""The operations of a session's message log (docs/domain.md, section 15), for `lifecycle msg` and the MCP tool team_msg.

Every function takes a transaction and a session's row, which the caller has found by its own rules: a person may name any
session, a worker's agent has one.
"""

from __future__ import annotations

import json

from orchestrator.coordinator.projector import message_line
from orchestrator.domain import secrets
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.errors import NotAllowedNow, UnknownName, UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store import messages, records
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import lookup
from orchestrator.views.check import bus_messages, members

TEXT_LIMIT = 20_000  # characters of a summary
DATA_LIMIT = 200_000  # characters of the data's JSON
NAME_LIMIT = 60
EVERYONE = "all"


@dataclass(frozen=True, slots=True)
class Said:
    """A message as its sender wrote it."""

    summary: str
    sender: str = "user"
    to: str = "coordinator"
    type: str = "state_update"
    ref: str | None = None
    data: Json = None

    def check(self) -> None:
        """Raises UsageError."""
        for name, value in (("from", self.sender), ("to", self.to), ("type", self.type)):
            if not value or len(value) > NAME_LIMIT or not value.replace("-", "").replace("_", "").isalnum():
                raise UsageError(
                    f"{name} {value[: 2 * NAME_LIMIT]!r} is not a valid name",
                    why=f"letters, digits, - and _, at most {NAME_LIMIT}",
                    fix=f"give another {name}",
                )
        if not self.summary.strip():
            raise UsageError("the summary is empty", fix="write a text")
        if len(self.summary) > TEXT_LIMIT or len(self.ref or "") > TEXT_LIMIT:
            raise UsageError(
                "the message is too long",
                why=f"at most {TEXT_LIMIT} characters",
                fix="put it in a file and name the file in ref",
            )
        _check_data(self.data)

    def masked(self, known: secrets.Known) -> Said:
        """The same message without the secrets that its sender may know."""
        summary, ref, data = secrets.mask_all((self.summary, self.ref, self.data), known)
        return replace(self, summary=summary, ref=ref, data=data)


def append(tx: Tx, session: Session, said: Said) -> JsonObject:
    """Append a message to the session's log (`log`, or `broadcast` to everyone). Raises UsageError, NotAllowedNow."""
    said.check()
    lookup.alive(session)
    ref = said.ref and _clean(said.ref)
    number = messages.say(
        tx, session.id, said.sender, said.type, _clean(said.summary), to=said.to, ref=ref, data=said.data
    )
    return {"session": session.id, "id": _id(number)}


def _id(number: int) -> str:
    return f"MSG-{number:03d}"


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _check_data(value: Json) -> None:
    try:
        text = json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise UsageError("the data is not JSON", why=str(error), fix='for example {"options": []}') from error
    if len(text) > DATA_LIMIT:
        raise UsageError(
            "the data is too long",
            why=f"at most {DATA_LIMIT} characters of JSON",
            fix="put it into a file, and its path into ref",
        )


def parse_data(text: str | None) -> Json:
    """The data given as JSON text. Raises UsageError."""
    if text is None:
        return None
    if len(text) > DATA_LIMIT:
        raise UsageError(
            "the data is too long",
            why=f"at most {DATA_LIMIT} characters of JSON",
            fix="put it into a file, and its path into ref",
        )
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise UsageError("the data is not JSON", why=str(error), fix='for example {"options": []}') from error


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def read(tx: Tx, session: Session, message: str) -> JsonObject:
    """One message in full. Raises UsageError, UnknownName."""
    digits = message.upper().removeprefix("MSG-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
        raise UsageError(
            f"{message[:NAME_LIMIT]!r} is not a message id",
            why="an id looks like MSG-001",
            fix="`lifecycle msg list` shows the ids",
        )
    found = messages.one(tx, session.id, int(digits))
    if found is None:
        raise UnknownName("message", message, [f"MSG-001 to {_id(session.messages)}"])
    return message_line(found)


def newest(
    tx: Tx,
    session: Session,
    *,
    sender: str | None = None,
    to: str | None = None,
    type: str | None = None,
    last: int = 20,
) -> list[JsonObject]:
    """`list`: the newest matching messages, oldest first."""
    return bus_messages(tx, session.id, sender=sender, to=to, type=type, last=last)


def status(tx: Tx, session: Session) -> list[JsonObject]:
    """`status`: each member with last seen, last action and number of messages."""
    return members(tx, session.id)


def state(tx: Tx, session: Session, role: str | None = None) -> Json:
    """The shared memory, one field a role, or one role's field. Raises UnknownName."""
    found = records.shared_of(tx, session.id)
    if role is None:
        return found
    if role not in found:
        raise UnknownName("field", role, found)
    return found[role]


def refuse(operation: str) -> None:
    """`delete` and `clear`. Raises NotAllowedNow, always."""
    raise NotAllowedNow(
        f"{operation} is not possible: the message log is append-only",
        why="it is the session's history",
        fix="filter with `lifecycle msg list`; `lifecycle delete SESSION` removes an ended session as a whole",
    )
