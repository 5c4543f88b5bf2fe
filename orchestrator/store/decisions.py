"""What a person decided, and commands that are applied once."""

from __future__ import annotations

from orchestrator.domain.command_keys import KEPT_DAYS, KEPT_FOR_GOOD
from orchestrator.domain.errors import KeyReused
from orchestrator.domain.json_types import Json
from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.store.rows import Decision
from orchestrator.store.sql import Delete, bindparam, commands, decisions, delete, select
from orchestrator.store.statements import Insertion, Selection, change, columns, fixed, query
from orchestrator.store.store import Tx

_DECIDE = Insertion("decisions")


@query(Decision)
def _decisions() -> Selection:
    return (
        select(*columns(decisions, Decision))
        .where(decisions.c.session_id == bindparam("session"))
        .order_by(decisions.c.id)
    )


class AnsweredCommand(NamedTuple):
    id: str
    name: str
    session_id: str | None
    digest: str
    answer: Json
    at: int


@query(AnsweredCommand)
def _command() -> Selection:
    return select(*columns(commands, AnsweredCommand)).where(commands.c.id == bindparam("command"))


_ANSWERED = Insertion("commands")
_DAY = 86_400 * 1_000_000  # microseconds
_FORGOTTEN = 1_000  # keys that one transaction removes


@change
def _forget() -> Delete:
    old = (
        select(commands.c.id)
        .where(commands.c.at < bindparam("before"), *(commands.c.name != name for name in KEPT_FOR_GOOD))
        .order_by(commands.c.at)
        .limit(_FORGOTTEN)
    )
    return delete(commands).where(commands.c.id.in_(old))


@query(str)
def _deleted() -> Selection:
    return select(commands.c.session_id).where(
        commands.c.name == fixed("delete"),
        commands.c.session_id >= bindparam("low"),
        commands.c.session_id < bindparam("high"),
    )


def decide(
    tx: Tx,
    session: str,
    subject: str,
    who: str,
    words: str,
    *,
    digest: str | None = None,
    forced: bool = False,
) -> int:
    """Record a person's decision on `subject`, bound to the digest of what was decided on."""
    return tx.insert(
        _DECIDE,
        session_id=session,
        subject=subject,
        who=who,
        words=words,
        digest=digest,
        forced=int(forced),
        at=tx.now,
    )


def decisions_of(tx: Tx, session: str) -> list[Decision]:
    return tx.rows(_decisions, session=session)


def answer_of(tx: Tx, command: str, digest: str) -> Json:
    """The answer this command id got before, None when it is new. Raises KeyReused when it named another command."""
    row = tx.row(_command, command=command)
    if row is None:
        return None
    if row.digest != digest:
        made = f"it made {row.session_id}" if row.name in ("start", "fork") else f"it was for {row.name}"
        of = "" if row.session_id is None or row.name in ("start", "fork") else f" of {row.session_id}"
        raise KeyReused(f"key {command!r} was used for another command", why=made + of)
    return row.answer


def answered(tx: Tx, command: str, name: str, session: str | None, digest: str, answer: Json) -> None:
    tx.insert(_ANSWERED, id=command, name=name, session_id=session, digest=digest, answer=answer, at=tx.now)


def deleted_with_prefix(tx: Tx, prefix: str) -> list[str]:
    """The ids of deleted sessions that begin with `prefix`: links, notices and keys of commands may still name them."""
    return tx.rows(_deleted, low=prefix, high=prefix + "\U0010ffff")


def forget_old_keys(tx: Tx) -> int:
    """Remove the keys of commands that were applied more than KEPT_DAYS ago; how many."""
    return tx.run(_forget, before=tx.now - KEPT_DAYS * _DAY)
