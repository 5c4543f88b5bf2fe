"""The run itself: sessions are begun as others end, blows fall by the work that is done, and the records are judged."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from orchestrator import wakeup
from orchestrator.commands.start import start
from orchestrator.config import load_pack
from orchestrator.views.layout import StartOptions, plan
from tests.fleet_run import drawn, judged
from tests.fleet_run.drawn import Blow, Shape
from tests.fleet_run.judged import Found, Struck
from tests.fleet_run.machines import Fleet
from tests.fleet_run.namespaces import CENTRE, Network, network
from tests.patience import patient
from tests.postgres_server import Server, server
from tests.temporal_server import TemporalServer, temporal_server

REQUEST = "Build a URL shortener with an admin dashboard"
STEPS = 6  # tasks of a session
LOOK = 0.25  # seconds between two looks at the database
TICK = 0.02
ATTEMPTS = 20  # a task may be lost as often: that a person is asked after three is no part of this
PEACE = 60.0  # seconds in which something must have been done, and in which all ends
MOST_STUCK = 10  # sessions that wait for a person: more of them only repeat what one says
POSTGRES = {"autovacuum": "on", "shared_buffers": "128MB", "max_connections": "80"}
_PROGRESS = """
    SELECT (SELECT count(*) FROM tasks WHERE status = 'completed'), (SELECT count(*) FROM sessions WHERE status = 'active'),
    (SELECT count(*) FROM sessions WHERE status <> 'active' AND status <> 'completed'),
    (SELECT epoch FROM leases WHERE name = 'coordinator')"""
_WORKING = """
    SELECT h.token FROM runs r JOIN hosts h ON h.incarnation = r.host WHERE r.outcome IS NULL
    GROUP BY h.token, h.lease_until HAVING h.lease_until > (SELECT extract(epoch FROM clock_timestamp()) * 1000000)"""
_LEADER = """
    SELECT pid, epoch FROM leases
    WHERE name = 'coordinator' AND until > (SELECT extract(epoch FROM clock_timestamp()) * 1000000)"""


@dataclass(slots=True)
class Progress:
    tasks: int = 0
    active: int = 0
    stuck: int = 0  # sessions that are neither at work nor completed
    epoch: int = 0


@dataclass
class Outcome:
    """What came of a run."""

    seed: int
    shape: Shape
    folder: Path
    struck: list[Struck] = field(default_factory=list)
    missed: Counter[str] = field(default_factory=Counter)  # blows for which nobody was there until the end
    asked: Counter[str] = field(default_factory=Counter)  # of the server, since its last start
    seconds: float = 0.0
    load: tuple[float, float] = (0.0, 0.0)  # before and after
    found: Found = field(default_factory=Found)

    @property
    def faults(self) -> list[str]:
        return self.found.faults


class Storm:
    def __init__(
        self,
        folder: Path,
        seed: int,
        shape: Shape,
        postgres: Server,
        net: Network,
        engine: TemporalServer | None,
    ) -> None:
        self._postgres = postgres
        self._network = net
        self._engine = engine
        self._engine_busy: threading.Thread | None = None
        self._shape = shape
        self._address = postgres.database()
        self.fleet = Fleet(folder, shape, seed, self._address, net, engine)
        self._dice = random.Random(f"{seed} keeper")
        self._due = list(drawn.draw(seed, shape))
        self._coming: dict[int, tuple[str, float, int]] = {}  # of `struck`: what it waits for
        self._log = (folder / "storm.log").open("w")
        self.outcome = Outcome(seed, shape, folder)

    def run(self) -> Outcome:
        begun, before = time.monotonic(), os.getloadavg()[0]
        try:
            self.fleet.prepare()
            self._work()
            self._come_to_rest()
            self.outcome.asked = self.fleet.asked()
            ended = self.fleet.end()
            self.outcome.seconds = time.monotonic() - begun
            self.outcome.load = (before, os.getloadavg()[0])
            self.outcome.found = judged.judge(self.fleet, self.outcome.struck, self._shape)
            self.outcome.found.faults += ended
        finally:
            self.fleet.close()
            self._log.close()
        return self.outcome

    # what goes on by itself

    def _work(self) -> None:
        """Until every session has ended, or nothing is done any more."""
        store = self.fleet.centre.store()
        environment = {"LIFECYCLE_CONFIG_DIR": str(self.fleet.folder / "no-user-config")}
        pack = load_pack(self.fleet.centre.folder, environment)
        planned = plan(REQUEST, StartOptions(mode="spec-only", discuss="off"), pack, self.fleet.centre.folder)
        left = -(-self._shape.tasks // STEPS)
        last, moved, look_at = Progress(), time.monotonic(), 0.0
        try:
            while True:
                now = time.monotonic()
                self._tend(last)
                if now >= look_at:
                    look_at = now + LOOK
                    found = self._progress()
                    if found.tasks != last.tasks:
                        moved = now
                    last = found
                    if not left and not found.active:
                        break
                    for _ in range(
                        min(self._may_begin(left, found.tasks), self._shape.at_once - found.active)
                    ):
                        start(store, planned, project=self.fleet.centre.folder, max_attempts=ATTEMPTS)
                        left -= 1
                        wakeup.wake_daemon(store.project_id)
                    self._fall(found.tasks)
                    if found.stuck > MOST_STUCK or now - moved > patient(PEACE):
                        self._say(f"given up, nothing was done for {now - moved:.0f} s: {found}")
                        break
                time.sleep(TICK)
        finally:
            store.close()

    def _tend(self, last: Progress) -> None:
        self.fleet.keep(self._dice)
        now = time.monotonic()
        for number, (what, until, seen) in list(self._coming.items()):
            if what == drawn.CUT and now >= until:
                self._network.mend(seen)
            elif what == drawn.STOP and now >= until and seen:
                _signal(seen, signal.SIGCONT)
            is_back = {
                drawn.SERVER: lambda seen=seen: self.fleet.answers() > seen,
                drawn.COORDINATOR: lambda seen=seen: last.epoch > seen,
            }.get(what, lambda until=until: now >= until)
            if is_back():
                del self._coming[number]
                self.outcome.struck[number].back = time.time()

    def _come_to_rest(self) -> None:
        """What was cut or stopped is so no longer, and the server is up again: without work no coordinator has to be."""
        self.outcome.missed = Counter(f"{blow.what} {blow.target}" for blow in self._due)
        until = time.monotonic() + patient(PEACE)
        while time.monotonic() < until and any(
            what != drawn.COORDINATOR for what, _, _ in self._coming.values()
        ):
            self._tend(self._progress())
            time.sleep(TICK)
        if self._engine_busy is not None:
            self._engine_busy.join()

    def _progress(self) -> Progress:
        return Progress(*(value or 0 for value in self.fleet.centre.rows(_PROGRESS)[0]))

    def _say(self, what: str) -> None:
        print(f"{time.time():.3f} {what}", file=self._log, flush=True)

    # blows

    def _fall(self, tasks: int) -> None:
        """Those that are due; one that finds nobody of its kind waits until somebody is there."""
        for blow in [each for each in self._due if each.at <= tasks]:
            if self._strike(blow):
                self._due.remove(blow)

    def _may_begin(self, left: int, tasks: int) -> int:
        """How many of the sessions that are left: the last ones wait until each blow that is due can find somebody."""
        is_away = {drawn.HOST: len(self._within_reach()) < 2, drawn.SERVER: not self.fleet.server.is_up}
        waits = any(blow.at <= tasks and is_away.get(blow.target) for blow in self._due)
        return left - self._shape.at_once if waits else left

    def _within_reach(self) -> list[str]:
        """Hosts that are up and not cut off."""
        cut = {f"far-{seen}" for what, _, seen in self._coming.values() if what == drawn.CUT}
        return [name for name, host in self.fleet.hosts.items() if host.is_up and name not in cut]

    def _strike(self, blow: Blow) -> bool:
        if blow.target == drawn.HOST:
            return self._strike_host(blow)
        if blow.target == drawn.SERVER:
            return self._strike_server(blow)
        if blow.target == drawn.COORDINATOR:
            return self._strike_coordinator(blow)
        return self._strike_engine(blow) if blow.target == drawn.ENGINE else self._restart_database(blow)

    def _note(self, blow: Blow, name: str) -> int:
        self._say(f"{blow.what} {name} {blow.seconds:.1f}")
        self.outcome.struck.append(Struck(blow.what, blow.target, name, time.time(), seconds=blow.seconds))
        return len(self.outcome.struck) - 1

    def _strike_host(self, blow: Blow) -> bool:
        working = {token for (token,) in self.fleet.centre.rows(_WORKING)}
        there = [name for name in self._within_reach() if name in working]
        if len(there) < 2:  # whoever is left takes over what one of them has
            return False
        name = random.Random(blow.dice).choice(there)
        number = self._note(blow, name)
        until = time.monotonic() + blow.seconds
        if blow.what == drawn.CUT:
            machine = int(name.removeprefix("far-"))
            self._network.cut(machine)
            self._coming[number] = (drawn.CUT, until, machine)
        elif blow.what == drawn.STOP:
            self.fleet.hosts[name].stop(until)
            self._coming[number] = (drawn.STOP, until, 0)
        else:
            self.fleet.hosts[name].kill()
            self.outcome.struck[number].back = time.time()
        return True

    def _strike_server(self, blow: Blow) -> bool:
        if not self.fleet.server.is_up or drawn.SERVER in {what for what, _, _ in self._coming.values()}:
            return False
        number = self._note(blow, drawn.SERVER)
        until = time.monotonic() + blow.seconds
        if blow.what == drawn.STOP:
            self.fleet.server.stop(until)
            self._coming[number] = (drawn.STOP, until, 0)
        else:
            self._coming[number] = (drawn.SERVER, 0.0, self.fleet.answers())
            self.fleet.server.kill()
        return True

    def _strike_coordinator(self, blow: Blow) -> bool:
        leading = self.fleet.centre.rows(_LEADER)
        if not leading or drawn.COORDINATOR in {what for what, _, _ in self._coming.values()}:
            return False
        pid, epoch = leading[0]
        if not _signal(pid, signal.SIGSTOP if blow.what == drawn.STOP else signal.SIGKILL):
            return False
        number = self._note(blow, drawn.COORDINATOR)
        if blow.what == drawn.STOP:
            self._coming[number] = (drawn.STOP, time.monotonic() + blow.seconds, pid)
        else:
            self._coming[number] = (drawn.COORDINATOR, 0.0, epoch)
        return True

    def _strike_engine(self, blow: Blow) -> bool:
        """In a thread: it takes seconds to be up again, in which others are to be tended."""
        if self._engine is None or (self._engine_busy is not None and self._engine_busy.is_alive()):
            return False
        engine, number = self._engine, self._note(blow, drawn.ENGINE)

        def strike() -> None:
            if blow.what == drawn.STOP:
                engine.send(signal.SIGSTOP)
                time.sleep(blow.seconds)  # what the blow is
                engine.send(signal.SIGCONT)
            else:
                engine.kill()
                engine.start()
            self.outcome.struck[number].back = time.time()

        self._engine_busy = threading.Thread(target=strike)
        self._engine_busy.start()
        return True

    def _restart_database(self, blow: Blow) -> bool:
        number = self._note(blow, drawn.DATABASE)
        self._postgres.kill()
        self._postgres.start()
        with psycopg.connect(self._address) as connection:
            connection.execute("SELECT 1")
        self.outcome.struck[number].back = time.time()
        return True


def _signal(pid: int, number: signal.Signals) -> bool:
    """Whether there was such a process."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def storm(folder: Path, seed: int, shape: Shape) -> Outcome:
    with ExitStack() as stack:
        net = stack.enter_context(network(shape.hosts))
        postgres = stack.enter_context(server(**POSTGRES))
        engine = stack.enter_context(temporal_server(CENTRE, net.centre)) if shape.temporal else None
        return Storm(folder, seed, shape, postgres, net, engine).run()


def remove(folder: Path) -> None:
    shutil.rmtree(folder)


def blows(struck: Sequence[Struck]) -> Counter[str]:
    return Counter(f"{each.what} {each.target}" for each in struck)
