"""One session's rows, out of a database and into another: every table that knows sessions, in an order that keeps
references whole. Row ids are the database's own, so they are given anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import StoreError
from orchestrator.domain.json_types import JsonObject
from orchestrator.store.backends.sqlite import REFUSED
from orchestrator.store.sql import (
    artifacts,
    bindparam,
    contents,
    findings,
    hosts,
    of_session,
    products,
    runs,
    select,
    table_of,
    verdicts,
)
from orchestrator.store.statements import Insertion, Query, Selection, Values, kinds, query
from orchestrator.store.store import Tx

Rows = dict[str, list[JsonObject]]


@dataclass(frozen=True, slots=True)
class Part:
    """How a table belongs to a session, and which of its columns are row ids that are given anew."""

    name: str  # of the table
    of_run: bool = False  # it knows its run, not its session
    own_id: bool = False  # its id is the database's and nobody refers to it
    tasks: tuple[str, ...] = ()  # columns that name a task's row


PARTS = (  # referred to before referring
    Part("sessions"),
    Part("snapshots"),
    Part("tasks"),
    Part("edges", tasks=("task_id", "blocker_id")),
    Part("runs", tasks=("task_id",)),
    Part("products", of_run=True),
    Part("critiques", of_run=True),
    Part("artifacts", own_id=True, tasks=("task_id",)),
    Part("messages"),
    Part("verdicts", tasks=("task_id",)),
    Part("agent_calls", own_id=True, tasks=("task_id",)),
    Part("decisions", own_id=True),
    Part("memory", own_id=True),
)


def _select(part: Part) -> Query[Values]:
    def build() -> Selection:
        table = table_of(part.name)
        mine = (
            table.c.run_id.in_(select(runs.c.id).where(of_session(runs)))
            if part.of_run
            else table.c.id == bindparam("session")
            if part.name == "sessions"
            else of_session(table)
        )
        return select(table).where(mine).order_by(*table.primary_key.columns)

    return Query(Values, build, f"transfer.{part.name}")


_SELECTS = {part.name: _select(part) for part in PARTS}
_INSERTS = {name: Insertion(name) for name in (*(part.name for part in PARTS), "findings")}


@query(Values)
def _hosts() -> Selection:
    return (
        select(hosts)
        .where(hosts.c.incarnation.in_(select(runs.c.host).where(of_session(runs))))
        .order_by(hosts.c.incarnation)
    )


_HOST = Insertion("hosts", unique=["incarnation"])


@query(Values)
def _findings() -> Selection:
    return (
        select(findings)
        .join(verdicts, verdicts.c.id == findings.c.verdict_id)
        .where(verdicts.c.session_id == bindparam("session"))
        .order_by(findings.c.verdict_id, findings.c.number)
    )


@query(str)
def _digests() -> Selection:
    return (
        select(contents.c.sha256)
        .where(
            contents.c.sha256.in_(
                select(artifacts.c.sha256).where(artifacts.c.session_id == bindparam("session"))
            )
            | contents.c.sha256.in_(
                select(products.c.sha256).join(runs, runs.c.id == products.c.run_id).where(of_session(runs))
            )
        )
        .order_by(contents.c.sha256)
    )


def rows_of(tx: Tx, session: str) -> Rows:
    """Every row of the session by table, as plain values."""
    found: Rows = {"hosts": [*tx.rows(_hosts, session=session)]}
    for part in PARTS:
        found[part.name] = [*tx.rows(_SELECTS[part.name], session=session)]
    found["findings"] = [*tx.rows(_findings, session=session)]
    return found


def digests_of(tx: Tx, session: str) -> list[str]:
    """Every content the session's rows refer to."""
    return tx.rows(_digests, session=session)


def columns() -> dict[str, set[str]]:
    """Table -> its columns: what a package must hold, no more and no less."""
    return {name: set(kinds(name)) for name in ("hosts", "findings", *(part.name for part in PARTS))}


class NotWhole(StoreError):
    """The rows do not make a whole session."""

    remedy = "export the session again: lifecycle export"


def insert_rows(tx: Tx, rows: Mapping[str, Iterable[JsonObject]]) -> None:
    """Insert a session's rows; its contents must be there already. Raises NotWhole."""
    try:
        _insert_all(tx, rows)
    except (
        *REFUSED,
        KeyError,
        TypeError,
        ValueError,
        OverflowError,
    ) as error:
        raise NotWhole(why=f"{type(error).__name__}: {error}") from error


def _insert_all(tx: Tx, rows: Mapping[str, Iterable[JsonObject]]) -> None:
    for row in rows["hosts"]:  # known here or long dead: it gets nothing to do
        tx.insert(_HOST, **{**row, "boot": "imported", "lease_until": 0})
    task_ids: dict[int, int] = {}
    verdict_ids: dict[int, int] = {}
    for part in PARTS:
        for row in rows[part.name]:
            old = row.get("id")
            new = _insert(tx, part, dict(row), task_ids)
            if part.name == "tasks":
                task_ids[int(old or 0)] = new
            elif part.name == "verdicts":
                verdict_ids[int(old or 0)] = new
    for row in rows["findings"]:
        tx.insert(_INSERTS["findings"], **{**row, "verdict_id": verdict_ids[row["verdict_id"]]})


def _insert(tx: Tx, part: Part, row: JsonObject, task_ids: Mapping[int, int]) -> int:
    if part.own_id or part.name in ("tasks", "verdicts"):
        del row["id"]
    for column in part.tasks:
        if row[column] is not None:
            row[column] = task_ids[row[column]]
    return tx.insert(_INSERTS[part.name], **row)
