"""The history of ratings: a row a perspective, a column each time a round was held."""

from __future__ import annotations

from pathlib import Path

from orchestrator.commands import rework
from orchestrator.domain.prices import Usage
from orchestrator.store import records, tasks
from orchestrator.store.store import Tx
from orchestrator.views.rounds import history
from tests import factories
from tests.e2e.cli_world import work_off


def test_a_revision_has_a_column_of_its_own_and_who_was_not_asked_has_no_cell(tmp_path: Path) -> None:
    store = factories.make_store(tmp_path)
    session = factories.make_session(store)
    work_off(store, session)
    rework.revise(store, session, "DRAFT-001", "bolder", force=False, who="ann", max_attempts=3)
    work_off(store, session)

    def replies(tx: Tx) -> None:
        for verdict in records.verdicts_of(tx, session):
            if verdict.kind == "discuss" and verdict.task.startswith("DRAFT-001"):
                rated = {"DRAFT-001": 2, "DRAFT-001-R1": 5}[verdict.task]
                records.add_critique(tx, verdict.run_id, "product", "claude", {"rating": rated}, [])
                call = records.begin_call(
                    tx,
                    {
                        "session_id": session,
                        "task_id": verdict.task_id,
                        "run_id": verdict.run_id,
                        "agent": "claude",
                        "purpose": "critique",
                        "perspective": "product+risk",
                        "prompt_digest": "d",
                    },
                )
                usage = Usage(model=f"model-{rated}")
                records.end_call(tx, call, "answered", usage)
            if verdict.task == "DRAFT-001-R1":
                records.add_critique(tx, verdict.run_id, "risk", "codex", {"rating": "high"}, [])

    store.write(replies)
    found = store.read(lambda tx: history(tx, session))
    every = store.read(lambda tx: tasks.all_tasks(tx, session))
    store.close()

    discussed = [row.key for row in every if row.round]
    assert sorted(each["task"] for each in found["columns"]) == sorted(discussed)
    first, second = (
        each["column"] for each in found["columns"] if each["task"] in ("DRAFT-001", "DRAFT-001-R1")
    )
    assert (first, second) == ("DISCUSS-002 DRAFT-001", "DISCUSS-002 DRAFT-001-R1")
    assert {row["perspective"]: row["cells"] for row in found["rows"]} == {
        "product": {
            first: {"rating": 2, "agent": "claude", "model": "model-2"},
            second: {"rating": 5, "agent": "claude", "model": "model-5"},
        },
        "risk": {second: {"rating": None, "agent": "codex", "model": "model-5"}},
    }
