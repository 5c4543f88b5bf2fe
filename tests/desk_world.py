"""A desk on a store with a clock that stands, for the tests of what is asked at the door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from orchestrator.domain.errors import LeaseLost
from orchestrator.door.desk import Desk, Report, Run, new_run_id
from orchestrator.store import leases
from orchestrator.store.store import Store
from tests import factories as make

ROLES = make.ALL_ROLES
START = 1_000_000_000  # microseconds
LEASE = 20  # seconds
Write = Callable[[Desk, Run], object]
TABLES = (
    "agent_calls",
    "artifacts",
    "candidates",
    "checks",
    "commits",
    "critiques",
    "edges",
    "findings",
    "links",
    "memory",
    "messages",
    "products",
    "runs",
    "sessions",
    "tasks",
    "trees",
    "verdicts",
    "works",
)


class DeskWorld:
    """What hosts do at the desk, and what others do meanwhile."""

    def __init__(self, store: Store, clock: make.SetClock, desk: Desk) -> None:
        self.store = store
        self.clock = clock
        self.desk = desk

    def host(self, name: str = "h-1") -> str:
        self.desk.register(name, roles=ROLES, slots=2, lease_seconds=LEASE)
        return name

    def offered(self, request: str = "Build a URL shortener", **wishes: Any) -> str:
        """A session whose first task is offered."""
        session = make.make_session(self.store, request, **wishes)
        self.beat(session)
        return session

    def beat(self, session: str) -> None:
        leader = self.store.read(leases.leader)
        by = make.lead(self.store) if leader is None else make.Leadership(leader.holder, leader.epoch)
        make.one_beat(self.store, session, by)

    def claimed(self, host: str = "h-1") -> Run:
        run = self.desk.claim(host, ROLES, new_run_id())
        assert run is not None, "nothing is offered"
        return run

    def pass_lease(self) -> None:
        """To the very end of the leases."""
        self.clock.micros += LEASE * leases.SECOND

    def refuses(self, writes: Mapping[str, Write], run: Run) -> None:
        """None of these is done for `run`, and none leaves a trace."""
        before = self.rows()
        for name, write in writes.items():
            with pytest.raises(LeaseLost):
                write(self.desk, run)
            assert self.rows() == before, name

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Everything that a run can write."""

        def every(tx: Any) -> dict[str, list[tuple[Any, ...]]]:
            found = {}
            for table in TABLES:
                tx.opened.cursor.execute(f"SELECT * FROM {table}")
                found[table] = sorted((tuple(row) for row in tx.opened.cursor.fetchall()), key=repr)
            return found

        return self.store.read(every)


def done(run: Run, **given: Any) -> Report:
    """The report of a run that completed its task."""
    values: dict[str, Any] = {
        "message_type": "draft_ready",
        "summary": f"{run.key} complete",
        "ref": None,
        "inner_loop": run.role == "writer",
        "accumulator": {"task": run.key},
        "timings": {"produce": 1.0},
        **given,
    }
    return Report(row=run, **values)
