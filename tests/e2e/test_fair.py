"""Many sessions, few slots: all are begun before any is finished, and none waits for long (invariant 31)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from orchestrator.project import Project, open_for_writing, read_settings
from tests import factories as make
from tests.e2e.support import Lifecycle

SESSIONS, SLOTS = 20, 4


@pytest.mark.long
def test_twenty_sessions_at_once_on_four_slots_all_start_before_any_finishes(project: Lifecycle) -> None:
    found = Project(project.folder)
    store = open_for_writing(found, read_settings(found))
    names = [make.make_session(store, f"Build a catalogue number {n} for a museum") for n in range(SESSIONS)]
    store.close()

    assert project.run("daemon", "start").code == 0
    project.wait(
        lambda: not project.rows("SELECT 1 FROM sessions WHERE status <> 'completed'"),
        "all are completed",
        150,
    )

    first_start = dict(project.rows("SELECT session_id, min(opened_at) FROM runs GROUP BY session_id"))
    first_end = min(row[0] for row in project.rows("SELECT finished_at FROM sessions"))
    assert set(first_start) == set(names) and max(first_start.values()) < first_end
    ended = [
        row[0]
        for row in project.rows(
            "SELECT session_id FROM runs WHERE outcome = 'completed' ORDER BY closed_at, id"
        )
    ]
    longest = max(
        later - earlier - 1
        for name in names
        for earlier, later in pairwise(index for index, session in enumerate(ended) if session == name)
    )
    assert longest <= SESSIONS + SLOTS
    assert project.rows("SELECT max(n) FROM (SELECT count(*) n FROM hosts)")[0][0] == 1
