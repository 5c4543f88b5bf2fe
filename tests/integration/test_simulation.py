"""Hosts, zombies and coordinators in virtual time: the record stays right, and no two agents of a task run at once.

Real are the store, the host with its deadlines and its watchdog, the beats and the reaping; simulated are only the clock,
the processes (they stall, for longer than a lease too) and the agents, of which one is a span of time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import pytest
import structlog

import workers.host.host
import workers.host.live_runs
from orchestrator.config import load_settings
from orchestrator.coordinator import reconcile
from orchestrator.coordinator.beat import beat
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.errors import LeaseLost, NotLeader
from orchestrator.door.local_desk import LocalDesk
from orchestrator.lifecycle import finished_run, report
from orchestrator.store import leases, queries, sessions
from orchestrator.store.clock import process_start
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests import invariants
from tests.model_world import Process, World
from workers.host.host import Host
from workers.host.live_runs import LiveRun

T = TypeVar("T")
SEEDS = int(os.environ.get("SEEDS", "0")) or 12
FAULTS_UNTIL = 400.0  # virtual seconds; then everybody works well
END = 4_000.0
DYING = 0.5  # seconds at most until everything of a killed agent is gone
SETTINGS = load_settings(None, {}, {})
LEASE = SETTINGS.lease_seconds


@dataclass
class Agent:
    """One agent process and its guardian, which keeps the deadline whatever happens to the host."""

    world: World
    guarded: bool
    began: float
    finish: float
    deadline: float = float("inf")
    stopped: float = float("inf")

    def extend(self, seconds: float) -> None:
        if self.guarded and self.world.now < self.deadline:
            self.deadline = self.world.now + seconds

    def stop(self, reason: str = "stopped") -> None:
        self.stopped = min(self.stopped, self.world.now)

    @property
    def killed(self) -> float:
        return min(self.deadline, self.stopped)

    @property
    def ended(self) -> float:
        return min(self.finish, self.killed + DYING)


class SlowStore:
    """The store, as far away as a busy machine is: before and after each transaction anything may happen."""

    def __init__(self, store: Store, world: World, latency: Callable[[], float]) -> None:
        self.path, self.file = store.path, store.file
        self._store = store
        self._world = world
        self._latency = latency

    def write(
        self, unit: Callable[[Tx], T], *, about: str | Sequence[str] = (), use_ballast: bool = False
    ) -> T:
        self._world.sleep(self._latency())
        answer = self._store.write(unit, about=about)
        self._world.sleep(self._latency())
        return answer

    def read(self, unit: Callable[[Tx], T]) -> T:
        return self._store.read(unit)

    def in_units(self, sessions: Sequence[str]) -> list[Sequence[str]]:
        return self._store.in_units(sessions)


class SimulatedHost(Host):
    def _wake_self(self) -> None:  # its slots look again by themselves
        pass


class Glance:
    """Stands for the watchdog's lock and its end: the real watchdog looks once, and says when it would look again."""

    def __init__(self) -> None:
        self.wait_for: float | None = None
        self.seen = False

    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...
    def notify_all(self) -> None: ...

    def wait(self, seconds: float | None) -> None:
        self.wait_for, self.seen = seconds, True

    def is_set(self) -> bool:
        seen, self.seen = self.seen, False
        return seen


@dataclass
class Simulation:
    store: Store
    world: World
    guarded: bool
    agents: dict[tuple[str, str], list[Agent]] = field(default_factory=dict)
    hosts: int = 0
    began: float = 0.0

    @property
    def calm(self) -> bool:
        return self.world.now >= self.began + FAULTS_UNTIL

    def latency(self) -> float:
        chance = self.world.random.random()
        if self.calm or chance > 0.06:
            return self.world.random.uniform(0.001, 0.05)
        return self.world.random.uniform(1, 2 * LEASE)

    # a daemon

    def daemon(self, name: str) -> None:
        store = cast(Store, SlowStore(self.store, self.world, self.latency))
        started = 0
        while True:
            started += 1
            holder = f"{name}-{started}"
            epoch = store.write(
                lambda tx, holder=holder: leases.take_lead(  # type: ignore[misc]
                    tx, holder, pid=os.getpid(), started=process_start(os.getpid()) or 0, lease_seconds=LEASE
                )
            )
            try:
                while epoch is not None:
                    self.coordinate(store, Leadership(holder, epoch))
                    self.world.sleep(2)
            except NotLeader:
                continue
            self.world.sleep(5)

    def coordinate(self, store: Store, by: Leadership) -> None:
        store.write(lambda tx: leases.keep_lead(tx, by.holder, by.epoch, LEASE))
        reconcile.reap(store, by)
        store.write(queries.mark_due)
        for session in store.read(sessions.needing_beat):
            store.write(lambda tx, session=session: beat(tx, session, by))  # type: ignore[misc]

    # a host

    def host(self, process: Process) -> None:
        """Incarnation after incarnation: one that was fenced is followed by another."""
        self.hosts += 1
        store = cast(Store, SlowStore(self.store, self.world, self.latency))
        host = SimulatedHost(
            LocalDesk(store), SETTINGS, make.ALL_ROLES, 2, lambda live: self.execute(store, host, live), LOG
        )
        host.incarnation = f"h-{self.hosts}"
        host._register()
        process.spawn(lambda: self.renewing(host))
        if self.guarded:
            process.spawn(lambda: self.watching(host))
        for _ in range(2):
            process.spawn(lambda: self.slot(host))
        while not host._fenced:
            self.world.sleep(1)
        self.host(process)

    def renewing(self, host: Host) -> None:
        while not host._fenced:
            self.world.sleep(SETTINGS.renew_seconds)
            host._renew()

    def watching(self, host: Host) -> None:
        while not host._fenced:
            glance, lock = Glance(), host.live._changed
            host.live._changed = cast(Any, glance)
            host.live.watchdog(cast(threading.Event, glance))
            host.live._changed = lock
            self.world.sleep(min(1.0, glance.wait_for or 1.0))

    def slot(self, host: Host) -> None:
        following: Run | None = None
        while not host.is_draining():
            row = following or host._ask()
            following = host._one(row) if row is not None else None
            if row is None:
                self.world.sleep(1)

    def execute(self, store: Store, host: Host, live: LiveRun) -> Run | None:
        world, row = self.world, live.row
        world.sleep(self.latency())
        if self.guarded and live.is_over:
            raise LeaseLost(run=row.run)
        agent = Agent(world, self.guarded, world.now, world.now + world.random.uniform(1, 1.5 * LEASE))
        self.agents.setdefault((row.session_id, row.key), []).append(agent)
        host.live.watch(row.run, agent)
        while world.now < agent.ended:
            world.sleep(min(2.0, agent.ended - world.now))
        if agent.killed < agent.finish:
            raise LeaseLost(run=row.run)
        done = finished_run.Report(row, "draft_ready", "done", None, row.role == "writer", {}, {})
        return store.write(lambda tx: report.complete(tx, done, make.ALL_ROLES, draining=False)).next

    # what goes wrong

    def trouble(self, processes: dict[str, Process]) -> None:
        while not self.calm:
            self.world.sleep(self.world.random.uniform(5, 60))
            process = self.world.random.choice(list(processes.values()))
            process.stalled_until = self.world.now + self.world.random.uniform(1, 2.5 * LEASE)

    def overlaps(self) -> int:
        """Pairs of agents of one task that ran at the same time."""
        found = 0
        for agents in self.agents.values():
            spans = sorted((agent.began, agent.ended) for agent in agents)
            found += sum(later[0] < earlier[1] for n, earlier in enumerate(spans) for later in spans[n + 1 :])
        return found


LOG = structlog.wrap_logger(None, processors=[], wrapper_class=structlog.make_filtering_bound_logger(50))


def simulate(folder: Path, seed: int, *, guarded: bool) -> int:
    """One seed to its end; the physical overlaps. Raises AssertionError when the record is not right."""
    world = World(seed)
    store = make.make_store(folder, clock=world.clock, synchronous="OFF")
    simulation = Simulation(store, world, guarded, began=world.now)
    virtual = SimpleNamespace(monotonic=lambda: world.now)
    begun = [make.make_session(store, mode="spec-only", discuss="off") for _ in range(2)]
    processes = {
        name: Process(world, name) for name in ("daemon-1", "daemon-2", "host-1", "host-2", "host-3")
    }

    def done() -> bool:
        return all(row.status != "active" for row in store.read(sessions.all_sessions))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers.host.host, "time", virtual)
        patch.setattr(workers.host.live_runs, "time", virtual)
        try:
            for name, process in processes.items():
                act = (
                    (lambda name=name: simulation.daemon(name))
                    if "daemon" in name
                    else (lambda process=process: simulation.host(process))
                )  # type: ignore[misc]
                process.spawn(act)
            Process(world, "trouble").spawn(lambda: simulation.trouble(processes))
            world.run(world.now + END, done)
        finally:
            world.end()
    invariants.check(store.path)
    for session in begun:
        row = store.read(lambda tx, session=session: sessions.get(tx, session))  # type: ignore[misc]
        assert row is not None and row.status != "active", f"seed {seed}: {session} did not come to an end"
    store.close()
    return simulation.overlaps()


@pytest.mark.long
def test_no_two_agents_of_a_task_run_at_once_whatever_stalls(tmp_path: Path) -> None:
    overlaps = {seed: simulate(tmp_path / str(seed), seed, guarded=True) for seed in range(SEEDS)}

    assert not any(overlaps.values()), overlaps


def test_without_the_watchdog_agents_do_overlap_and_the_record_stays_right(tmp_path: Path) -> None:
    overlaps = [simulate(tmp_path / str(seed), seed, guarded=False) for seed in range(5)]

    assert any(overlaps), "the simulation would not notice"
