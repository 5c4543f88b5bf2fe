"""The one place that deletes history: a named command, which leaves a row that says so."""

from __future__ import annotations

import uuid

from sqlalchemy import bindparam, delete, select

from orchestrator.store import sessions
from orchestrator.store.prepared import Prepared
from orchestrator.store.project_tables import contents
from orchestrator.store.store import Tx
from orchestrator.store.tables import (
    agent_calls,
    artifacts,
    critiques,
    decisions,
    edges,
    findings,
    memory,
    messages,
    of_session,
    products,
    projections,
    runs,
    snapshots,
    tasks,
    verdicts,
)
from orchestrator.store.tables import sessions as session_table

_OF_RUNS = [
    Prepared(
        lambda table=table: delete(table).where(  # type: ignore[misc]
            table.c.run_id.in_(select(runs.c.id).where(of_session(runs)))
        )
    )
    for table in (products, critiques)
]
_FINDINGS = Prepared(
    lambda: delete(findings).where(
        findings.c.verdict_id.in_(select(verdicts.c.id).where(verdicts.c.session_id == bindparam("session")))
    )
)
_OF_SESSION = [
    Prepared(lambda table=table: delete(table).where(of_session(table)))  # type: ignore[misc]
    for table in (
        verdicts,
        agent_calls,
        artifacts,
        runs,
        edges,
        tasks,
        messages,
        projections,
        decisions,
        memory,
        snapshots,
    )
]
_SESSION = Prepared(lambda: delete(session_table).where(session_table.c.id == bindparam("session")))
_UNUSED = Prepared(
    lambda: delete(contents).where(
        contents.c.sha256.not_in(select(artifacts.c.sha256)),
        contents.c.sha256.not_in(select(products.c.sha256)),
    )
)


def delete_session(tx: Tx, session: str, who: str) -> None:
    """Delete every row of the session and contents that no other one uses; note who did it in `commands`."""
    for statement in (*_OF_RUNS, _FINDINGS, *_OF_SESSION, _SESSION):
        tx.run(statement, session=session)
    tx.run(_UNUSED)
    sessions.answered(tx, uuid.uuid4().hex, "delete", session, "", {"session": session, "by": who})
