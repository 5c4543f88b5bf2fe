"""A session with five thousand tasks: everything about it grows with the number of tasks, nothing with its square."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands.start import start
from orchestrator.coordinator import projector
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.model import TaskDef
from orchestrator.store import messages, sessions, tasks
from orchestrator.store.store import Store, Tx
from orchestrator.views import check, session_line
from orchestrator.views.why import why
from tests import factories

MANY = 5_000
SOME = 100
LINEAR = 2.4  # twice the tasks may cost this much more; with the square it were four


def key(number: int) -> str:
    return f"DRAFT-{chr(ord('a') + number // 900)}-{number % 900 + 1:03d}"


def chain(count: int) -> list[TaskDef]:
    first = [TaskDef(key(0), "writer", "DRAFT")]
    return first + [TaskDef(key(n), "writer", "DRAFT", blocked_by=(key(n - 1),)) for n in range(1, count)]


def wide(count: int) -> list[TaskDef]:
    return [TaskDef(key(n), "writer", "DRAFT") for n in range(count)]


def make(store: Store, shape: Callable[[int], list[TaskDef]], count: int) -> str:
    planned = factories.make_plan(f"A session of {count} tasks")
    planned = replace(planned, pipeline=replace(planned.pipeline, tasks=tuple(shape(count))))
    return start(store, planned, project=Path("/p"), max_attempts=3).session


class Work:
    """Counts what SQLite's machine and Python do: instructions by the ten, and calls."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.sql = 0
        self.calls = 0

    def _step(self) -> int:
        self.sql += 1
        return 0

    def _call(self, frame: object, event: str, argument: object) -> None:
        self.calls += event == "call"

    def of(self, work: Callable[[], object]) -> tuple[int, int]:
        """(SQL, Python) of one piece of work."""
        self.sql = self.calls = 0
        backend = self._store.backend
        with backend._write_lock:
            backend._writer().set_progress_handler(self._step, 10)
        with backend._readers.connection() as connection:
            connection.set_progress_handler(self._step, 10)
        sys.setprofile(self._call)
        try:
            work()
        finally:
            sys.setprofile(None)
        return self.sql, self.calls


def views(store: Store, session: str) -> dict[str, Callable[[], object]]:
    def read(unit: Callable[[Tx, Any], object]) -> Callable[[], object]:
        def both(tx: Tx) -> object:
            return unit(tx, sessions.get(tx, session))

        return lambda: store.read(both)

    return {
        "check": read(check.overview),
        "list": read(lambda tx, row: session_line.listing(tx)),
        "why": read(lambda tx, row: why(tx, row, tasks.task(tx, row.id, key(SOME - 1)))),  # type: ignore[arg-type]
        "log": read(lambda tx, row: messages.last(tx, row.id, 50)),
        "project": lambda: projector.project(store, session),
    }


def costs(
    folder: Path, measured: Callable[[Store, int], dict[str, Callable[[], object]]]
) -> list[dict[str, Any]]:
    found = []
    for count in (SOME, 2 * SOME):
        store = factories.make_store(folder / str(count))
        work = Work(store)
        found.append({name: work.of(each) for name, each in measured(store, count).items()})
        store.close()
    return found


def assert_linear(small: dict[str, Any], large: dict[str, Any]) -> None:
    ratios = {
        f"{name} {what}": large[name][index] / max(1, small[name][index])
        for name in small
        for index, what in enumerate(("sql", "python"))
    }
    assert {name: ratio for name, ratio in ratios.items() if ratio > LINEAR} == {}, (small, large)


@pytest.mark.parametrize("shape", [chain, wide])
def test_a_look_at_twice_the_tasks_costs_twice_as_much(
    tmp_path: Path, shape: Callable[[int], list[TaskDef]]
) -> None:
    assert_linear(*costs(tmp_path, lambda store, count: views(store, make(store, shape, count))))


def test_working_off_twice_the_tasks_costs_twice_as_much(tmp_path: Path) -> None:
    def measured(store: Store, count: int) -> dict[str, Callable[[], object]]:
        session = make(store, chain, count)
        lead = factories.lead(store)
        host = factories.make_host(store)
        return {"work": lambda: work_off(store, session, lead, host)}

    assert_linear(*costs(tmp_path, measured))


def test_working_off_twice_the_tasks_that_all_wait_at_once_costs_twice_as_much(tmp_path: Path) -> None:
    def measured(store: Store, count: int) -> dict[str, Callable[[], object]]:
        session = make(store, wide, count)
        factories.one_beat(store, session, factories.lead(store))
        host = factories.make_host(store)
        return {"work": lambda: work_on_offers(store, host, count)}

    assert_linear(*costs(tmp_path, measured))


def work_on_offers(store: Store, host: str, count: int) -> None:
    """Only the last reports have something for a beat to decide."""
    wakes = []
    row = factories.claim(store, host)
    while row is not None:
        reported = factories.finish(store, row, files={})
        wakes.append(reported.advance.wake)
        row = reported.next
    assert wakes == [False] * (count - 2) + [True] * 2


def work_off(store: Store, session: str, lead: Leadership, host: str) -> None:
    done = 0
    while factories.one_beat(store, session, lead).ended is None:
        row = factories.claim(store, host)
        while row is not None:
            done += 1
            row = factories.finish(store, row, files={}).next
    assert done in (SOME, 2 * SOME)


@pytest.mark.long
def test_five_thousand_tasks_in_one_session_can_be_looked_at(tmp_path: Path) -> None:
    store = factories.make_store(tmp_path)
    session = make(store, chain, MANY)
    store.close()
    last = key(MANY - 1)

    shown = {
        command: subprocess.run(
            [sys.executable, "-P", "-m", "orchestrator", *command.split()],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
        for command in ("check", f"why {last}", "log", "list", "tasks --json")
    }

    assert [each.returncode for each in shown.values()] == [0] * len(shown), [
        e.stderr for e in shown.values()
    ]
    assert f"0/{MANY}" in shown["check"].stdout
    assert last in shown[f"why {last}"].stdout
    assert session in shown["list"].stdout
    assert shown["tasks --json"].stdout.count('"role"') == MANY
