"""What the coordinator, the hosts and a person may do, told a second time: small, in plain Python, without the store.

The state machine does each step to the real store and to this model, and compares. Where the order of things is the
product's own choice (which of several advances, the order of a chain of rework), the model says what is allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from copy import deepcopy
from dataclasses import dataclass, field

SATISFIED = ("completed", "skipped")
OPEN = ("pending", "in_progress", "failed")
APPROVALS = (
    "checkpoint",
    "signoff_blocked",
    "revision_exhausted",
)  # none of these may get lost behind another pause
WAYS = {  # pause reason -> the commands of rework that answer it
    "checkpoint": ("revise", "recheck", "feedback"),
    "signoff_blocked": ("revise", "recheck", "feedback"),
    "revision_exhausted": ("revise", "feedback"),
    "discussion_blocked": ("revise",),
    "task_failed": ("revise", "recheck", "feedback"),
    "agent_unavailable": ("revise", "recheck", "feedback"),
    "user": ("revise", "recheck", "feedback"),
}


class Refused(Exception):
    """The step must be refused, and nothing may change."""


@dataclass
class Clock:
    """Two clocks that a test moves: they stand still within a step."""

    wall_micros: int = 1_750_000_000_000_000
    lease_micros: int = 5_000_000_000

    def wall(self) -> int:
        return self.wall_micros

    def monotonic(self) -> int:
        return self.lease_micros

    def tick(self) -> None:
        """Let the next step have a time of its own; no lease notices."""
        self.wall_micros += 1

    def pass_seconds(self, seconds: float) -> None:
        self.wall_micros += round(seconds * 1_000_000)
        self.lease_micros += round(seconds * 1_000_000)


@dataclass
class Task:
    key: str
    role: str
    prefix: str
    phase: str
    round: str | None
    checkpoint: bool
    seq: int
    waits: set[str]
    base: str  # the original's key
    number: int = 0  # of the revision
    made_for: bool = False
    status: str = "pending"
    attempts: int = 0
    limit: int = 3
    epoch: int = 0
    offered: int | None = None
    due: int | None = None
    words: tuple[str, ...] = ()


@dataclass
class Session:
    id: str
    sequential: bool
    standalone: bool
    tasks: dict[str, Task]
    status: str = "active"
    reason: str | None = None
    owed: list[str] = field(default_factory=list)  # approvals asked for while it was paused already
    gate: str | None = None

    def pause(self, reason: str) -> None:
        if self.status == "active":
            self.status, self.reason = "paused", reason
            for task in self.tasks.values():
                task.offered = None
        elif self.status == "paused" and reason in APPROVALS:
            self.owed.append(reason)

    def go_on(self) -> None:
        self.status, self.reason = "active", None
        if self.owed:
            self.pause(self.owed.pop(0))

    def ready(self) -> list[Task]:
        return [task for task in self.tasks.values() if task.status == "pending" and not self.unmet(task)]

    def unmet(self, task: Task) -> int:
        return sum(self.tasks[key].status not in SATISFIED for key in task.waits)

    def versions(self, base: str) -> list[Task]:
        return [task for task in self.tasks.values() if task.base == base]

    def open_versions(self, base: str) -> list[Task]:
        return [task for task in self.versions(base) if task.status in OPEN]

    def behind(self, base: str) -> set[str]:
        """Keys of the originals that wait for `base` or a version of it, over any number of steps."""
        found: set[str] = set()
        todo = {base}
        while todo:
            here = todo.pop()
            after = {
                task.key
                for task in self.tasks.values()
                if task.number == 0 and any(self.tasks[key].base == here for key in task.waits)
            }
            todo |= after - found - {base}
            found |= after - {base}
        return found


@dataclass
class Run:
    id: str
    session: str
    key: str
    host: str
    until: int
    open: bool = True


@dataclass
class Host:
    name: str
    until: int
    dead: bool = False
    draining: bool = False


@dataclass
class Leader:
    holder: str
    epoch: int
    until: int
    dead: bool = False


class Model:
    def __init__(self, clock: Clock, lease_micros: int) -> None:
        self.clock = clock
        self.lease = lease_micros
        self.sessions: dict[str, Session] = {}
        self.hosts: dict[str, Host] = {}
        self.runs: dict[str, Run] = {}
        self.leader: Leader | None = None

    @property
    def now(self) -> int:
        return self.clock.lease_micros

    def of(self, run: Run) -> tuple[Session, Task]:
        session = self.sessions[run.session]
        return session, session.tasks[run.key]

    def open_runs(self, session: str) -> list[Run]:
        return [run for run in self.runs.values() if run.open and run.session == session]

    # who leads

    def take_lead(self, holder: str) -> int | None:
        old = self.leader
        if old is not None and not old.dead and self.now < old.until:
            return None
        self.leader = Leader(holder, old.epoch + 1 if old else 1, self.now + self.lease)
        return self.leader.epoch

    def leads(self, holder: str, epoch: int) -> bool:
        found = self.leader
        return found is not None and (found.holder, found.epoch) == (holder, epoch) and self.now < found.until

    def keep_lead(self) -> None:
        assert self.leader is not None
        self.leader.until = self.now + self.lease

    def end_lead(self) -> None:
        assert self.leader is not None
        self.leader.until = self.now

    # hosts and their runs

    def add_host(self, name: str) -> None:
        self.hosts[name] = Host(name, self.now + self.lease)

    def serves(self, host: str) -> bool:
        found = self.hosts[host]
        return self.now < found.until and not found.draining

    def holds(self, host: str, run: str) -> bool:
        """The fence."""
        found = self.runs[run]
        return found.open and found.host == host and self.now < found.until

    def renew(self, host: str, named: Collection[str], draining: bool) -> tuple[bool, set[str]]:
        found = self.hosts[host]
        if self.now >= found.until:
            return False, set(named)
        kept = {run for run in named if self.holds(host, run)}
        found.until, found.draining = self.now + self.lease, draining
        for run in kept:
            self.runs[run].until = found.until
        return True, set(named) - kept

    def end_host(self, host: str) -> None:
        self.hosts[host].until = self.now
        for run in self.runs.values():
            if run.open and run.host == host:
                run.until = self.now

    def claimable(self, host: str, roles: Iterable[str]) -> tuple[str, str] | None:
        """(session, task) that a claim must get."""
        offers = [
            (task.offered, task.seq, session.id, task.key)
            for session in self.sessions.values()
            for task in session.tasks.values()
            if task.offered is not None and task.role in roles
        ]
        return min(offers)[2:] if offers and self.serves(host) else None

    def offer(self, task: Task) -> None:
        task.offered, task.epoch = self.clock.wall_micros, task.epoch + 1

    def open(self, run: str, session: str, key: str, host: str) -> None:
        task = self.sessions[session].tasks[key]
        task.status, task.offered, task.due = "in_progress", None, None
        self.runs[run] = Run(run, session, key, host, self.hosts[host].until)

    def may_advance(self, session: Session, task: Task, host: str, roles: Collection[str]) -> bool:
        """Whether a report may start `task` itself, on its own host."""
        return (
            session.status == "active"
            and task in session.ready()
            and task.offered is None
            and (task.due is None or task.due <= self.clock.wall_micros)
            and self.serves(host)
            and task.role in roles
            and not (session.sequential and self.open_runs(session.id))
        )

    def complete(self, run: str, severity: str | None, gate: str | None) -> str | None:
        """The report of a held run; the key of the revision that its verdict makes."""
        self.runs[run].open = False
        session, task = self.of(self.runs[run])
        task.status = "completed"
        session.gate = gate or session.gate
        reason = "checkpoint" if task.checkpoint else None
        made = None
        if severity == "HIGH" and task.round == "DISCUSS-006":
            reason = "signoff_blocked"
        elif severity == "HIGH" and task.number:
            reason = "revision_exhausted"
        elif severity == "HIGH":
            made = self.revision(session, task.key, {task.key}, made_for=True).key
            for waiting in session.tasks.values():
                if task.key in waiting.waits and waiting.status == "pending" and waiting.key != made:
                    waiting.waits.add(made)
                    waiting.offered = None
        if reason:
            session.pause(reason)
        return made

    def fail(self, run: str, counted: bool, delay: int, pause: str | None = None) -> None:
        """The report of a held run that failed (counted) or is given back."""
        self.runs[run].open = False
        session, task = self.of(self.runs[run])
        self._give_back(session, task, counted, delay)
        if pause:
            session.pause(pause)
        elif task.status == "failed":
            session.pause("task_failed")

    def overdue(self) -> list[Run]:
        return [
            run
            for run in self.runs.values()
            if run.open and (run.until <= self.now or self.hosts[run.host].dead)
        ]

    def reap(self) -> set[str]:
        """Runs that are lost now."""
        lost = self.overdue()
        for run in lost:
            self.fail(run.id, counted=True, delay=0)
        return {run.id for run in lost}

    def _give_back(self, session: Session, task: Task, counted: bool, delay: int = 0) -> None:
        task.attempts += counted
        task.status = "failed" if counted and task.attempts >= task.limit else "pending"
        task.due = self.clock.wall_micros + delay if delay and task.status == "pending" else None

    def release(self, session: Session, task: Task) -> None:
        for run in self.open_runs(session.id):
            if run.key == task.key:
                run.open = False
                self._give_back(session, task, counted=False)

    # the coordinator

    def beat(self, session: Session) -> tuple[set[str], str | None]:
        """Keys to offer, and how the session ends."""
        if session.status != "active":
            return set(), None
        ready, running = session.ready(), self.open_runs(session.id)
        due = [t for t in ready if t.offered is None and (t.due is None or t.due <= self.clock.wall_micros)]
        if session.sequential:
            busy = running or any(task.offered is not None for task in ready)
            due = [] if busy else sorted(due, key=lambda task: task.seq)[:1]
        for task in due:
            self.offer(task)
        if ready or running:
            return {task.key for task in due}, None
        states = {task.status for task in session.tasks.values()}
        ended = "task_failed" if "failed" in states else "stalled" if "pending" in states else "completed"
        if ended == "completed":
            session.status = ended
        else:
            session.pause(ended)
        return set(), ended

    # a person

    def resume(
        self, session: Session, force: bool, retry: str | None, skip: str | None, decide: bool
    ) -> None:
        """Reaping comes first; a refusal takes it back."""
        if session.status == "cancelled":
            raise Refused
        before = deepcopy((self.sessions, self.runs))
        try:
            self._go_on(session, force, retry, skip, decide)
        except Refused:
            self.sessions, self.runs = before
            raise

    def _go_on(
        self, session: Session, force: bool, retry: str | None, skip: str | None, decide: bool
    ) -> None:
        self.reap()
        if session.status == "completed":
            raise Refused
        if (retry and session.tasks[retry].status != "failed") or (
            skip and session.tasks[skip].status not in ("pending", "failed")
        ):
            raise Refused
        if decide != (session.reason == "discussion_blocked"):
            raise Refused
        if session.reason == "checkpoint" and session.gate == "FAIL" and not force:
            raise Refused
        again = [retry] if retry else []
        if session.reason == "task_failed" and not retry and not skip:
            again = [task.key for task in session.tasks.values() if task.status == "failed"]
        for key in again:
            task = session.tasks[key]
            task.status, task.limit, task.due = "pending", task.attempts + 3, None
        if skip:
            session.tasks[skip].status, session.tasks[skip].offered = "skipped", None
        if session.reason:
            session.go_on()

    def pause(self, session: Session) -> None:
        if session.status != "active":
            raise Refused
        session.pause("user")

    def cancel(self, session: Session) -> None:
        if session.status in ("cancelled", "completed"):
            raise Refused
        session.status, session.reason, session.owed = "cancelled", None, []
        for run in self.open_runs(session.id):
            run.open = False
        for task in session.tasks.values():
            if task.status in OPEN:
                task.status, task.offered = "cancelled", None

    def may_rework(self, session: Session, command: str) -> None:
        if session.status == "cancelled":
            raise Refused
        if session.reason and command not in WAYS.get(session.reason, ()):
            raise Refused

    def revise(self, session: Session, base: str, force: bool) -> set[str]:
        """Keys of the revisions it must make."""
        made = sum(version.made_for for version in session.versions(base))
        if session.open_versions(base) or session.tasks[base].status != "completed":
            raise Refused
        if made >= 2 and not force:
            raise Refused
        behind = session.behind(base)
        phase = session.tasks[base].phase
        chain = {base} | {key for key in behind if session.tasks[key].phase == phase}
        if (
            base == "DISCUSS-006"
        ):  # what signs the check off is scored again too: every chain ends in a recheck
            chain.add("QUALITY-001")
        redone = {
            key
            for key in chain
            if session.tasks[key].status == "completed" and not session.open_versions(key)
        }
        return self._rework(session, redone, behind | chain, made_for=base, running=True)

    def recheck(self, session: Session) -> set[str]:
        check = session.tasks["QUALITY-001"]
        if check.status != "completed" or session.open_versions(check.key):
            raise Refused
        behind = session.behind(check.key)
        talks = {key for key in behind if session.tasks[key].prefix == "DISCUSS"}
        redone = {check.key} | {key for key in talks if session.tasks[key].status == "completed"}
        return self._rework(session, redone, behind, made_for=None, running=False)

    def _rework(
        self, session: Session, redone: set[str], behind: set[str], made_for: str | None, running: bool
    ) -> set[str]:
        waiting = [version for key in behind for version in session.open_versions(key)]
        order = sorted(redone, key=lambda key: (-len(session.behind(key) & redone), session.tasks[key].seq))
        made: list[Task] = []
        for key in order:
            made.append(self.revision(session, key, {made[-1].key if made else key}, key == made_for))
        for version in waiting:
            if version.status == "in_progress":
                if not running:
                    continue
                self.release(session, version)
            version.waits.add(made[-1].key)
            version.offered = None
        self._reopen(session)
        return {task.key for task in made}

    def revision(self, session: Session, key: str, waits: set[str], made_for: bool = False) -> Task:
        old = session.tasks[key]
        number = len(session.versions(key))
        new = Task(
            key=f"{key}-R{number}",
            role=old.role,
            prefix=old.prefix,
            phase=old.phase,
            round=old.round,
            checkpoint=old.checkpoint,
            seq=len(session.tasks) + 1,
            waits=waits,
            base=key,
            number=number,
            made_for=made_for,
        )
        session.tasks[new.key] = new
        return new

    def feedback(self, session: Session, words: str, document: str | None) -> set[str]:
        """Keys of the revisions it must make; `document` is the one the words name."""
        impl = [task.status for task in session.tasks.values() if task.phase == "impl"]
        if any(s in (*SATISFIED, "in_progress") for s in impl) and any(s in OPEN for s in impl):
            return set()
        if document is None:
            written = [t for t in session.tasks.values() if t.prefix in ("RESEARCH", "DRAFT")]
            unfinished = [t for t in written if t.number == 0 and session.open_versions(t.key)]
            completed = [t for t in written if t.status == "completed"]
            takers = {task.base for task in (*unfinished, *completed)}
            if not takers:
                return set()
            if len(takers) > 1:
                raise Refused
            document = takers.pop()
        current = session.open_versions(document)
        if current:
            if current[0].status == "in_progress":
                self.release(session, current[0])
            current[0].words += (words,)
            self._reopen(session)
            return set()
        if session.tasks[document].status == "completed":
            return self.revise(session, document, force=False)
        return set()

    def _reopen(self, session: Session) -> None:
        if session.status == "completed":
            session.status = "active"
        elif session.reason not in (None, "user"):
            session.go_on()
