"""The one place that deletes history: a named command, which leaves a row that says so."""

from __future__ import annotations

import uuid

from orchestrator.domain.errors import NotAllowedNow
from orchestrator.store.decisions import answered
from orchestrator.store.sql import (
    Delete,
    artifacts,
    bindparam,
    contents,
    delete,
    findings,
    of_session,
    products,
    runs,
    select,
    table_of,
    verdicts,
)
from orchestrator.store.sql import sessions as session_table
from orchestrator.store.statements import Change, change
from orchestrator.store.store import Tx
from orchestrator.store.work_trees import left_trees


def _of_runs(name: str) -> Change:
    def build() -> Delete:
        table = table_of(name)
        return delete(table).where(table.c.run_id.in_(select(runs.c.id).where(of_session(runs))))

    return Change(build, f"retention.{name}")


def _of_session(name: str) -> Change:
    def build() -> Delete:
        table = table_of(name)
        return delete(table).where(of_session(table))

    return Change(build, f"retention.{name}")


_OF_RUNS = [_of_runs(name) for name in ("products", "critiques", "agent_tokens")]


@change
def _findings() -> Delete:
    return delete(findings).where(
        findings.c.verdict_id.in_(select(verdicts.c.id).where(verdicts.c.session_id == bindparam("session")))
    )


_OF_SESSION = [
    _of_session(name)
    for name in (
        "verdicts",
        "agent_calls",
        "artifacts",
        "links",
        "checks",
        "candidates",
        "commits",
        "trees",
        "works",
        "runs",
        "edges",
        "tasks",
        "messages",
        "projections",
        "decisions",
        "memory",
        "snapshots",
    )
]


@change
def _session() -> Delete:
    return delete(session_table).where(session_table.c.id == bindparam("session"))


@change
def _unused() -> Delete:
    return delete(contents).where(
        contents.c.sha256.not_in(select(artifacts.c.sha256)),
        contents.c.sha256.not_in(select(products.c.sha256)),
    )


def delete_session(tx: Tx, session: str, who: str, key: str | None = None, digest: str = "") -> None:
    """Delete every row of the session and contents that no other one uses; note who did it in `commands`.

    `key`, `digest`: of the command, where its caller named it.

    Raises NotAllowedNow while folders of its private trees are here: without their rows nobody could prove whose they are.
    A host on another machine removes its own, once it hears of the deletion.
    """
    left = left_trees(tx, session)
    if left:
        raise NotAllowedNow(
            "the session still has private trees",
            why=", ".join(str(each.path) for each in left[:5]),
            fix="delete it when the coordinator has cleaned them up",
        )
    for statement in (*_OF_RUNS, _findings, *_OF_SESSION, _session):
        tx.send(statement, session=session)
    tx.send(_unused)
    answer = {"session": session, "by": who}
    answered(tx, key or uuid.uuid4().hex, "delete", session, digest if key else "", answer)
