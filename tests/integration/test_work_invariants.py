"""The invariants of landed work notice what each of them is about: rows of a sound build, changed one at a time."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests import invariants
from tests.work.editing import Editing, building, until_idle
from tests.work.lanes import lanes

DAMAGE = {
    "47 a completed task of a plan landed one commit, or tests showed that nothing had to be changed": (
        "DELETE FROM commits",
    ),
    "54 where tests can be run, those of every landed tree were; evidence of an imported one is where it landed": (
        "UPDATE checks SET tree_id = '0' || tree_id WHERE kind = 'tests'",
    ),
    "54 a verdict is about what has landed": (
        "UPDATE verdicts SET data = json_set(data, '$.head', 'elsewhere')",
    ),
    "58 at most two fix rounds for the same work": (
        "UPDATE tasks SET prefix = 'IMPL', payload = json_set(payload, '$.fix', json('{}'))",
    ),
    "60 a task is worked on in at most three turns an attempt, and one more for each of two merges": (
        "CREATE TEMP TABLE again AS SELECT * FROM agent_calls WHERE purpose = 'implementation'",
        *[
            "UPDATE again SET id = id + 1000, call = lower(hex(randomblob(16)))",
            "INSERT INTO agent_calls SELECT * FROM again",
        ]
        * 5,
    ),
    "61 a link is verified by a check in which its test passed": (
        "UPDATE checks SET data = replace(data, '\"passed\"', '\"failed\"')",
    ),
}


@pytest.mark.long
def test_each_invariant_of_landed_work_notices_its_damage(tmp_path: Path) -> None:
    harness = building(tmp_path, Editing(lanes(1)))
    until_idle(harness)
    assert harness.state().status == "completed", harness.state().pause_detail
    invariants.check(harness.store.path)

    for number, (sentence, statements) in enumerate(DAMAGE.items()):
        damaged = tmp_path / f"damaged-{number}.db"
        with sqlite3.connect(harness.store.path) as sound, sqlite3.connect(damaged) as copy:
            sound.backup(copy)
            copy.execute("PRAGMA ignore_check_constraints = ON")
            for statement in statements:
                copy.execute(statement)
        assert sentence in invariants.offenders(damaged), sentence
