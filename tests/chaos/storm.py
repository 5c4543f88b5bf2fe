"""One seed: a project with a daemon, two hosts and clients; blows at random instants; then peace, and the verdict."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.chaos import history, verdict
from tests.chaos import plan as plans
from tests.chaos.client import Client
from tests.chaos.plan import BOTH, LEASE, Blow, Shape
from tests.chaos.processes import Found, SecondHost, Struck, living, read, strike
from tests.e2e.support import Lifecycle, agent_toml

AGENT = Path(__file__).with_name("agent.py")
SETTINGS = {
    "lease_seconds": LEASE,
    "renew_seconds": 0.4,
    "watchdog_margin_seconds": 0.6,
    "reconcile_seconds": 0.4,
    "backoff_seconds": [0.05, 0.2],
    "drain_seconds": 5,
    "idle_exit_seconds": 300,
    "slots": 3,
    "discuss_seconds": 20,
}
LIMITS = "limits = { start = 8, silence = 8, turn = 8, total = 16 }\n"
SLOW_TO_START = (
    "daemon",
    "host",
    "second host",
)  # mostly struck when they are at work, else they would never be
PATIENCE = 1.5  # times its length that a storm waits for victims
LINGERS = 0.3  # seconds after which an agent counts as slow: struck sooner, it would be done before anyone is missing
INIT = 2  # the lane of whoever keeps the daemon running
TICK = 0.01  # seconds between two looks
GONE = 15.0  # seconds after which no process of a closed run may live (invariant 37)
LOOKED = 5  # the invariants are looked at after every so many blows
FOR_PEOPLE = {
    "checkpoint",
    "signoff_blocked",
    "revision_exhausted",
    "discussion_blocked",
    "task_failed",
    "user",
}


@dataclass
class Outcome:
    """What came of a seed; without faults all is well."""

    seed: int
    folder: Path
    blows: Counter[str] = field(default_factory=Counter)  # "KILL daemon" -> how many
    missed: Counter[str] = field(default_factory=Counter)  # blows for which there was nobody
    found: Counter[str] = field(
        default_factory=Counter
    )  # "session completed", "task skipped", "run lost" ...
    commands: Counter[str] = field(default_factory=Counter)  # ok, fail, unknown
    calls: int = 0  # of the probing agent
    lost: int = 0
    twice: int = 0
    seconds: float = 0.0
    converged: float = 0.0  # seconds from the last blow's end
    faults: list[str] = field(default_factory=list)


class Storm:
    def __init__(self, folder: Path, seed: int, shape: Shape) -> None:
        self._seed = seed
        self._shape = shape
        self._plan = plans.make(seed, shape)
        self._dice = random.Random(f"{seed} keeper")
        self._probe = folder / "probe"
        (self._probe / "locks").mkdir(parents=True)
        agent = agent_toml("prober", [sys.executable, "-I", "-S", str(AGENT), str(self._probe), str(seed)])
        self.project = Lifecycle(folder / "p", SETTINGS, agent + LIMITS)
        self._client = Client(self.project, folder, f"s{seed}")
        self._second = SecondHost(self.project, slots=2)
        self._killed: set[int] = set()  # hosts that went with their guardian
        self._stopped: list[Struck] = []
        self._log = (folder / "storm.log").open("w")
        self._look_again = 0.0
        self._seen: dict[int, float] = {}  # guardian -> since when
        self.outcome = Outcome(seed, folder)

    def run(self) -> Outcome:
        begun = time.monotonic()
        try:
            self._begin()
            self._rage()
            self._in_flight("when the last blow had fallen")
            calm = time.monotonic()
            self._say("calm")
            self._revive(float("inf"))
            if random.Random(f"{self._seed} alone").random() < 0.5:
                self._second.dismiss()  # then all that is left depends on the daemon's own host
            if self._converge():
                self.outcome.converged = time.monotonic() - calm
                self._end()
                self._judge()
        finally:
            self._revive(float("inf"))
            self._second.end(0.0)
            self._client.close()
            self._log.close()
            self.project.close()
        self.outcome.seconds = time.monotonic() - begun
        return self.outcome

    def _begin(self) -> None:
        started = self.project.run("daemon", "start")
        assert started.code == 0, started.err
        self._second.keep(time.monotonic(), 0.0)

    def _say(self, what: str) -> None:
        """Wall clock, as in the other logs."""
        print(datetime.now(UTC).strftime("%H:%M:%S.%f")[:-3], what, file=self._log, flush=True)

    # the storm

    def _rage(self) -> None:
        begun = time.monotonic()
        errands, blows = list(self._plan.errands), list(self._plan.blows)
        while True:
            now = time.monotonic() - begun
            self._tend()
            for errand in [each for each in errands if each.at <= now]:
                if not self._client.busy(errand.lane):
                    errands.remove(errand)
                    self._client.run(errand)
            due = [each for each in blows if each.at <= now]
            for blow in self._fall(due):
                blows.remove(blow)
            if (now > self._shape.seconds and not blows) or now > PATIENCE * self._shape.seconds:
                self.outcome.missed = Counter(blow.target for blow in blows)
                return
            time.sleep(TICK)

    def _tend(self) -> None:
        """What goes on by itself: clients, the second host, the end of a stop."""
        self._client.collect()
        self._second.keep(time.monotonic(), self._dice.uniform(0.1, 0.8))
        self._keep_daemon(time.monotonic())
        self._revive(time.monotonic())

    def _keep_daemon(self, now: float) -> None:
        """Start the daemon some time after it was seen missing, as an init system would."""
        if now < self._look_again or self._client.busy(INIT):
            return
        self._look_again = now + self._dice.uniform(0.2, 1.5)
        if not self._leads():
            self._client.send(INIT, "daemon", ["daemon", "start"])

    def _revive(self, now: float) -> None:
        for struck in [each for each in self._stopped if each.until <= now]:
            self._stopped.remove(struck)
            struck.revive()

    def _fall(self, due: list[Blow]) -> list[Blow]:
        """Strike; the blows that fell. One that finds nobody of its kind waits until somebody is there."""
        if not due:
            return []
        there = living(self.project, self._second.pid)
        now = time.monotonic()
        there[BOTH] = [
            each for each in there["guardian"] if now - self._seen.setdefault(each.pid, now) > LINGERS
        ]
        there["cli"] = [Found(flight.process.pid, b"") for flight in self._client.flights]
        at_work = {row[0] for row in self.project.rows("SELECT pid FROM leases UNION SELECT pid FROM hosts")}
        fallen = []
        for blow in due:
            dice = random.Random(blow.dice)
            candidates = there[blow.target]
            if blow.target in SLOW_TO_START and dice.random() < 0.8:
                candidates = [each for each in candidates if each.pid in at_work]
            if candidates and self._strike(blow, dice.choice(candidates)):
                fallen.append(blow)
                there[blow.target] = []
        return fallen

    def _strike(self, blow: Blow, victim: Found) -> bool:
        if blow.target == "cli":
            return self._strike_client(blow, victim.pid)
        until = None if blow.stopped is None else time.monotonic() + blow.stopped
        struck = strike(victim, until)
        if not struck:
            return False
        if isinstance(struck, Struck):
            self._stopped.append(struck)
        self._count(blow, victim.pid)
        if blow.target == BOTH:
            self._kill_host(victim.parent)
        return True

    def _kill_host(self, pid: int) -> None:
        host = read(pid)
        if host is not None and b"serve" in host.command and strike(host, None):
            self.outcome.blows["KILL host with its guardian"] += 1
            self._killed.add(pid)
            self._say(f"KILL its host {pid}")

    def _strike_client(self, blow: Blow, pid: int) -> bool:
        flight = next(each for each in self._client.flights if each.process.pid == pid)
        if flight.process.poll() is not None:
            return False
        flight.struck = True
        if blow.stopped is None:
            flight.process.kill()
        else:
            pidfd = os.pidfd_open(pid)  # not waited for since: the pid is its own
            signal.pidfd_send_signal(pidfd, signal.SIGSTOP)
            self._stopped.append(Struck(pidfd, time.monotonic() + blow.stopped))
        self._count(blow, pid)
        return True

    def _count(self, blow: Blow, pid: int) -> None:
        how = "KILL" if blow.stopped is None else "STOP" if blow.stopped < LEASE else "STOP+"
        self.outcome.blows[f"{how} {blow.target}"] += 1
        self._say(f"{how} {blow.target} {pid}" + (f" for {blow.stopped:.1f} s" if blow.stopped else ""))
        if self.outcome.blows.total() % LOOKED == 0:
            self._in_flight(f"after a {how} to the {blow.target}")

    def _in_flight(self, when: str) -> None:
        """What must always hold, holds now too."""
        broken = verdict.broken_invariants(self.project.database)
        self.outcome.faults += [f"{when}: {fault}" for fault in broken]

    # peace

    def _converge(self) -> bool:
        """Everything goes on to its end by itself, but for what only a person can answer: the client answers that."""
        until = time.monotonic() + self._shape.peace
        failed: Counter[str] = Counter()
        looked = 0.0
        while time.monotonic() < until:
            self._tend()
            if time.monotonic() - looked > 1.0 and not self._client.busy(0):
                looked = time.monotonic()
                if not self._client.again() and not self._answer(failed) and self._rests():
                    return True
            time.sleep(TICK)
        self.outcome.faults += self._stuck()
        return False

    def _leads(self) -> bool:
        now = time.monotonic_ns() // 1000
        return bool(self.project.rows("SELECT 1 FROM leases WHERE until > ?", now))

    def _answer(self, failed: Counter[str]) -> bool:
        """Answer one pause as a person would; False when none waits."""
        waiting = self.project.rows(
            "SELECT id, pause_reason, pause_detail ->> '$.task' FROM sessions WHERE status = 'paused' ORDER BY id"
        )
        if not waiting:
            return False
        session, reason, task = waiting[0]
        if reason not in FOR_PEOPLE:
            self.outcome.faults.append(f"{session} is paused {reason}, though nothing is wrong")
        options: list[str] = ["--force"] if reason == "checkpoint" else []
        if reason == "discussion_blocked":
            options = ["--decide", "Take the first option"]
        kind = "resume"
        if reason == "task_failed":
            failed[session] += 1
            if failed[session] > 3:
                kind, options = "skip", ["--skip", task]
        self._client.send(0, kind, ["resume", session, *options])
        return True

    def _rests(self) -> bool:
        return not self._client.flights and not self.project.rows(
            "SELECT 1 FROM sessions WHERE status NOT IN ('completed', 'cancelled') OR projected < messages"
        )

    def _stuck(self) -> list[str]:
        faults = []
        for (session,) in self.project.rows(
            "SELECT id FROM sessions WHERE status NOT IN ('completed', 'cancelled')"
        ):
            shown = self.project.run("check", session)
            faults.append(f"{session} has not come to an end in {self._shape.peace:.0f} s:\n{shown.out}")
        return faults or [
            f"not at rest in {self._shape.peace:.0f} s: clients {[each.id for each in self._client.flights]}"
        ]

    def _end(self) -> None:
        """`daemon stop` and the end of our host leave no process behind."""
        stopped = self.project.run("daemon", "stop")
        if stopped.code != 0:
            self.outcome.faults.append(f"daemon stop gave {stopped.code}: {stopped.err}")
        code = self._second.end(30.0)
        struck = code == -signal.SIGKILL and self._second.pid in self._killed
        if code not in (0, 3, -signal.SIGTERM) and not struck:  # the third: it was asked before it had begun
            self.outcome.faults.append(f"the second host ended with {code}")
        for what, processes in (("of a run", self.project.marked), ("of the project", self.project.pids)):
            until = time.monotonic() + GONE
            while (left := processes()) and time.monotonic() < until:
                time.sleep(TICK)
            self.outcome.faults += [f"a process {what} lives on: {_command(pid)}" for pid in left]

    def _judge(self) -> None:
        out = self.outcome
        out.faults += self._client.faults
        out.faults += verdict.at_rest(self.project)
        out.faults += verdict.against_history(self.project, self._client.file)
        out.faults += verdict.overlaps(self._probe)
        out.faults += verdict.tracebacks(self.project)
        out.found = verdict.digest_of(self.project.database)
        out.lost = len([fault for fault in out.faults if "are lost" in fault])
        out.twice = len(verdict.twice(self.project))
        out.commands = Counter(call.outcome for call in history.read(self._client.file))
        log = self._probe / "log"
        out.calls = log.read_text().count('"start"') if log.exists() else 0


def _command(pid: int) -> str:
    try:
        return f"{pid} {Path(f'/proc/{pid}/cmdline').read_bytes()!r}"
    except OSError:
        return f"{pid}, gone meanwhile"


def storm(folder: Path, seed: int, shape: Shape) -> Outcome:
    return Storm(folder, seed, shape).run()


def as_json(outcomes: list[Outcome]) -> dict[str, Any]:
    """The figures of all seeds together."""
    blows: Counter[str] = sum((each.blows for each in outcomes), Counter())
    found: Counter[str] = sum((each.found for each in outcomes), Counter())
    return {
        "seeds": [each.seed for each in outcomes],
        "kills": sum(n for name, n in blows.items() if name.startswith("KILL")),
        "stops": sum(n for name, n in blows.items() if name.startswith("STOP")),
        "blows": dict(sorted(blows.items())),
        "missed": sum(each.missed.total() for each in outcomes),
        "commands": dict(sorted(sum((each.commands for each in outcomes), Counter()).items())),
        "found": dict(sorted(found.items())),
        "agent_calls": sum(each.calls for each in outcomes),
        "tasks_lost": sum(each.lost for each in outcomes),
        "tasks_run_twice_to_completion": sum(each.twice for each in outcomes),
        "seconds": round(sum(each.seconds for each in outcomes), 1),
        "longest_to_converge": round(max((each.converged for each in outcomes), default=0.0), 1),
        "faults": {str(each.seed): each.faults for each in outcomes if each.faults},
    }
