"""What a task, a request, a renewal and rows cost where joined hosts work on PostgreSQL: `Costs` of the simulation, measured.

Each figure's `cost` names the one that it is. The machine's settings of PostgreSQL are the tests': a commit is not
synced, which leaves processor time and rows as they are.
"""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.door.desk import Desk, Run, new_run_id
from orchestrator.door.http_connections import Connections
from orchestrator.door.http_desk import HttpDesk
from orchestrator.store import leases
from orchestrator.store.store import Store
from tests import factories as make
from tests.bench.door import LEASE, PERIODS
from tests.bench.measure import Figure, times
from tests.bench.noop import noop_report
from tests.bench.processes import cpu_seconds
from tests.e2e.postgres_project import OnPostgres, on_postgres
from tests.e2e.support import lifecycle
from tests.postgres_server import Server, server

HOST = "h-far"
STEPS = 6  # tasks of a session
OF_A_HOST = ("renew", "register", "terms", "news", "bye", "over")  # not of a run
ASKED = re.compile(r'^lifecycle_door_requests_total\{operation="(\w+)".*\} (\S+)$', re.MULTILINE)


def costs() -> Iterator[Figure]:
    settings = {**PERIODS, "own_host": False}
    with (
        TemporaryDirectory(prefix="lifecycle-bench-") as folder,
        server() as postgres,
        on_postgres(Path(folder) / "p", postgres.database(), settings) as here,
    ):
        token = here.run("host", "add", "far", "--slots", "64").out.strip()
        process = here.spawn("server", "--port", "0", "--no-coordinator")
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with _store(here) as store:
            yield from _of_tasks(here, store, postgres, process.pid, _desk(url, token, Path(folder)))
            yield from _of_a_run(here, url, token, Path(folder))


@contextmanager
def _store(here: OnPostgres) -> Iterator[Store]:
    found = here.store()
    try:
        yield found
    finally:
        found.close()


def _desk(url: str, token: str, folder: Path) -> Desk:
    return HttpDesk(Connections(url, token), folder / "far").as_desk()


def _cost(name: str, what: str, unit: str, samples: Sequence[float], note: str = "") -> Figure:
    return Figure(what, unit, samples, note=note, more={"cost": name})


def _of_tasks(
    here: OnPostgres, store: Store, postgres: Server, served_by: int, desk: Desk
) -> Iterator[Figure]:
    """Sessions whose tasks are only claimed and reported."""
    by, sessions = make.lead(store), times(60, 10)
    desk.register(HOST, roles=ROLES_ELSEWHERE, slots=2, lease_seconds=LEASE)
    make.one_beat(store, make.make_session(store, "Build a first shop", discuss="off"), by)
    slot = Slot(desk)
    slot.work_off(STEPS)  # statements are prepared, pages are made
    before = _bytes(here)
    for number in range(sessions):
        make.one_beat(store, make.make_session(store, f"Build shop {number}", discuss="off"), by)
    begun = _bytes(here)
    yield _cost(
        "session_bytes", "rows of a begun session", "B", [(begun - before) / sessions], "with indexes"
    )
    parts, log = min(5, sessions), _log_position(here)
    tasks = sessions // parts * STEPS
    database, door = [], []
    for _ in range(parts):
        asked, spent = slot.asked, (_processor(postgres), cpu_seconds(served_by))
        slot.work_off(tasks)
        database.append(1_000 * (_processor(postgres) - spent[0]) / tasks)
        door.append(1_000 * (cpu_seconds(served_by) - spent[1]) / (slot.asked - asked))
    done = parts * tasks
    logged, grown = _log_position(here) - log, _bytes(here) - begun
    yield _cost("postgres_ms", "PostgreSQL's processor time of a task", "ms", database, "claim and report")
    yield _cost("door_ms", "the server's processor time of a request", "ms", door, "the same, without TLS")
    yield _cost("wal_bytes", "write-ahead log of a task", "B", [logged / done], "without images of pages")
    yield _cost("row_bytes", "rows of a completed task", "B", [grown / done], "no documents; with indexes")
    renewed = []
    for _ in range(5):
        spent_before = _processor(postgres)
        for _ in range(renewals := times(60, 2)):
            desk.renew(HOST, [], lease_seconds=LEASE, draining=False)
        renewed.append(1_000 * (_processor(postgres) - spent_before) / renewals)
    yield _cost("renewal_ms", "PostgreSQL's processor time of a renewal", "ms", renewed)
    store.write(lambda tx: leases.leave_lead(tx, by.holder, by.epoch))  # for a coordinator that goes on


class Slot:
    """Does one task after another; `asked` counts the requests."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._row: Run | None = None
        self.asked = 0

    def work_off(self, tasks: int) -> None:
        for number in range(tasks):
            if number % 50 == 0:
                runs = [] if self._row is None else [self._row.run]
                self._desk.renew(HOST, runs, lease_seconds=LEASE, draining=False)
                self.asked += 1
            if self._row is None:
                self._row = self._desk.claim(HOST, ROLES_ELSEWHERE, new_run_id())
                self.asked += 1
            assert self._row is not None, f"{number} of {tasks} tasks were offered"
            self._row = self._desk.report(noop_report(self._row), ROLES_ELSEWHERE, draining=False).next
            self.asked += 1


def _of_a_run(here: OnPostgres, url: str, token: str, folder: Path) -> Iterator[Figure]:
    """How many requests a run makes that a joined host takes through all phases, with the built-in agent."""
    with lifecycle(folder / "clone", PERIODS) as clone:
        file = folder / "token"
        file.write_text(token)
        clone.spawn("host", "join", url, "--token-file", str(file), "--folder", str(clone.folder))
        before = _asked(url)
        done = here.run("start", "Build a real shop", "--mode", "spec-only", "--discuss", "off", timeout=600)
        assert done.code == 0, done.err
        asked = _asked(url) - before
        yield _cost(
            "requests",
            "asked of the server by a run with all its phases",
            "requests",
            [asked / STEPS],
            "no discussions",
        )


def _asked(url: str) -> int:
    """What runs have asked the server so far."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=30) as answer:
        found = ASKED.findall(answer.read().decode())
    return sum(int(float(number)) for operation, number in found if operation not in OF_A_HOST)


def _processor(postgres: Server) -> float:
    return sum(cpu_seconds(pid) for pid in postgres.processes())


def _bytes(here: OnPostgres) -> int:
    """Of all tables and their indexes, without what was deleted."""
    with psycopg.connect(here.address, autocommit=True) as connection:
        connection.execute("VACUUM FULL")
    return int(here.rows("SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables")[0][0])


def _log_position(here: OnPostgres) -> int:
    return int(here.rows("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")[0][0])


def written(file: Path, figures: Iterable[Figure]) -> None:
    """The file that `python -m tests.bench.fleet --costs` reads, of those figures that are a cost."""
    found = {each.more["cost"]: each.median for each in figures if "cost" in each.more}
    file.write_text(json.dumps(found, indent=2) + "\n")
