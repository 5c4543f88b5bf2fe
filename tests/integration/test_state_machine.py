"""Any order of steps, by anybody alive, dead or deposed: the store does what the model says, and keeps its invariants.

The common run is short and the same every time. `make states` tries other orders, as many as EXAMPLES says.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from orchestrator.commands import manage, resume, rework
from orchestrator.commands.reworked import Reworked
from orchestrator.commands.start import start
from orchestrator.config import load_pack
from orchestrator.coordinator import reconcile
from orchestrator.coordinator.beat import beat
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.errors import LeaseLost, NotAllowedNow, NotLeader, UsageError
from orchestrator.domain.model import AdvanceKind
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.pipelines import Pack
from orchestrator.lifecycle import report
from orchestrator.store import claims, leases, queries, sessions
from orchestrator.store.rows import Run
from orchestrator.views.layout import StartOptions, plan
from tests import factories as make
from tests import invariants
from tests.model import Clock, Model, Refused, Session, Task
from tests.patience import patient

T = TypeVar("T")
EXAMPLES = int(os.environ.get("EXAMPLES", "0"))  # 0: the common run
STEPS = 50
LEASE = int(make.LEASE)  # seconds
BACKOFF = 20
SLOTS = 50
ROLES = {"all": make.ALL_ROLES, "writer": ("writer",), "others": ("analyst", "discussant", "reviewer")}
PIPELINES = """\
extends: default
pipelines:
  wide:
    tasks:
      - {key: RESEARCH-001, round: DISCUSS-001}
      - {key: DRAFT-001, round: DISCUSS-002, blocked_by: [RESEARCH-001]}
      - {key: DRAFT-002, round: DISCUSS-003, blocked_by: [RESEARCH-001]}
      - {key: DRAFT-003, round: DISCUSS-004, blocked_by: [DRAFT-001, DRAFT-002]}
      - {key: QUALITY-001, round: DISCUSS-006, blocked_by: [DRAFT-003]}
  short:
    tasks:
      - {key: DRAFT-001, round: DISCUSS-002}
      - {key: QUALITY-001, round: DISCUSS-006, blocked_by: [DRAFT-001]}
  reviews:
    phase: impl
    tasks:
      - {key: REVIEW-001}
      - {key: REVIEW-002}
  gated:
    parts: [short, reviews]
    checkpoint: true
"""
RATINGS: dict[str | None, dict[str, Any]] = {  # severity -> what the perspectives said
    None: {"ratings": {"product": 4, "technical": 4}},
    "LOW": {"ratings": {"product": 3, "technical": 3}, "threshold": 4.0},
    "MEDIUM": {"ratings": {"product": 2, "technical": 3}},
    "HIGH": {"ratings": {"product": 1, "technical": 2}},
}
FEEDBACK = {"the vision is too wide": "DRAFT-001", "it is not what I want": None}

modes = st.sampled_from(["spec-only", "wide", "gated"])
talks = st.sampled_from(["inline", "inline", "standalone", "off"])
some = st.integers(0, 40)  # one of many, counted from the newest
few = st.sampled_from([0, 0, 0, 0, 1, 1, 2, 3, 4, 5])
leaders = st.sampled_from([0, 0, 0, 1, 2])
posers = st.sampled_from([None, None, None, None, None, 0, 1])
seldom = st.sampled_from([False, False, False, True])
severities = st.sampled_from([None, None, "LOW", "MEDIUM", "HIGH", "HIGH"])
gates = st.sampled_from(["PASS", "PASS", "REVIEW", "FAIL"])
MOVES: dict[str, tuple[int, dict[str, Any]]] = {  # how often, and with what
    "works_well": (5, {"steps": st.integers(0, 12), "severity": severities, "gate": gates}),
    "beats": (3, {}),
    "claims": (3, {"which": few}),
    "completes": (4, {"which": few, "severity": severities, "gate": gates, "draining": seldom}),
    "completes_late": (2, {"which": some, "other": posers, "severity": severities}),
    "fails": (
        3,
        {
            "which": few,
            "other": posers,
            "counted": st.booleans(),
            "pause": st.sampled_from([None, None, None, PauseReason.AGENT_UNAVAILABLE]),
        },
    ),
    "completes_in_a_pause": (2, {"severity": severities, "gate": gates}),
    "notes": (1, {"which": few, "other": posers, "do": st.sampled_from(["phase", "produced"])}),
    "time_passes": (
        3,
        {
            "seconds": st.sampled_from([1, LEASE - 1, LEASE, LEASE + 1, BACKOFF, 3 * LEASE]),
            "keep": st.sampled_from([True, True, False]),
        },
    ),
    "renews": (
        3,
        {"which": few, "runs": st.lists(few, max_size=4), "all_own": st.booleans(), "draining": seldom},
    ),
    "changes_hosts": (
        3,
        {
            "do": st.sampled_from(["restart", "restart", "kill", "usurp", "end"]),
            "which": few,
            "roles": st.sampled_from(list(ROLES)),
            "gone": st.booleans(),
        },
    ),
    "changes_leaders": (
        3,
        {
            "do": st.sampled_from(["lead", "kill", "kill and lead", "keep", "leave", "beat", "beat"]),
            "which": leaders,
            "of": some,
        },
    ),
    "reaps": (2, {"which": leaders}),
    "begins": (1, {"mode": modes, "discuss": talks, "sequential": st.booleans()}),
    "pauses": (2, {"which": some}),
    "resumes": (
        4,
        {
            "which": some,
            "force": st.booleans(),
            "retry": seldom,
            "skip": seldom,
            "task": some,
            "odd": seldom,
        },
    ),
    "cancels": (1, {"which": some}),
    "reworks": (
        4,
        {
            "do": st.sampled_from(["revise", "revise", "recheck", "feedback"]),
            "which": some,
            "task": some,
            "force": seldom,
            "words": st.sampled_from(list(FEEDBACK)),
        },
    ),
}
# One rule instead of many: hypothesis leaves whole rules out of a run, and without work nothing happens.
moves = st.sampled_from([name for name, (weight, _) in MOVES.items() for _ in range(weight)]).flatmap(
    lambda name: st.tuples(st.just(name), st.fixed_dictionaries(MOVES[name][1]))
)


@cache
def pack() -> Pack:
    with tempfile.TemporaryDirectory() as folder:
        packs = Path(folder) / ".workflow" / "packs"
        packs.mkdir(parents=True)
        (packs / "mine.yaml").write_text(PIPELINES)
        return load_pack(Path(folder), {})


class Lifecycles(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="states-")
        root = Path(self.folder.name)
        self.pack = pack()
        self.root = root
        self.clock = Clock()
        # What is acknowledged survives a power cut elsewhere: here nobody pulls the plug.
        self.store = make.make_store(root, clock=self.clock, synchronous="OFF")
        self.looking = sqlite3.connect(self.store.path, isolation_level=None)
        self.looking.row_factory = sqlite3.Row
        self.model = Model(self.clock, LEASE * 1_000_000)
        self.rows: list[Run] = []  # every run ever opened, so that zombies act too
        self.hosts: list[str] = []
        self.roles: dict[str, tuple[str, ...]] = {}
        self.leads: list[Leadership] = []

    def teardown(self) -> None:
        try:
            self.everything_ends()
        finally:
            self.looking.close()
            self.store.close()
            self.folder.cleanup()

    # helpers

    def session(self, which: int) -> Session:
        known = list(self.model.sessions.values())
        return known[-1 - which % len(known)]

    def task(self, session: Session, which: int, *states: str) -> Task:
        """One of the tasks in these states; any, now and then and when there is none."""
        fit = [task for task in session.tasks.values() if task.status in states and which % 4]
        known = fit or list(session.tasks.values())
        return known[which % len(known)]

    def row(self, which: int) -> Run:
        return self.rows[-1 - which % len(self.rows)]

    def agree(
        self,
        predicted: Callable[[], T],
        real: Callable[[], Any],
        refusal: type[Exception] | tuple[type[Exception], ...],
    ) -> T | None:
        """Both do it, or both refuse it."""
        self.clock.tick()
        try:
            expected = predicted()
        except Refused:
            with pytest.raises(refusal):
                real()
            return None
        self.answer = real()
        return expected

    def opened(self, row: Run) -> None:
        self.model.open(row.run, row.session_id, row.key, row.host)
        assert row.epoch == self.model.sessions[row.session_id].tasks[row.key].epoch
        self.rows.append(row)

    # sessions begin

    @rule(move=moves)
    def move(self, move: tuple[str, dict[str, Any]]) -> None:
        name, given = move
        if name in ("completes", "completes_late", "fails", "notes") and not self.rows:
            return
        getattr(self, name)(**given)

    @initialize(mode=modes, discuss=talks, sequential=st.booleans())
    def begin(self, mode: str, discuss: str, sequential: bool) -> None:
        self.restart_host(None, "all", True)
        self.lead()
        self.begins(mode, discuss, sequential)

    def begins(self, mode: str, discuss: str, sequential: bool) -> None:
        if len(self.model.sessions) == 3:
            return
        self.clock.tick()
        wishes = StartOptions(
            mode=mode, discuss=discuss, execution="sequential" if sequential else "parallel"
        )  # type: ignore[arg-type]
        planned = plan("Build a URL shortener", wishes, self.pack, self.root)
        begun = start(self.store, planned, project=self.root, max_attempts=3)
        again = {task.key: task for task in planned.pipeline.tasks}
        self.model.sessions[begun.session] = Session(
            begun.session,
            sequential,
            discuss == "standalone",
            {
                key: Task(
                    key, t.role, t.prefix, t.phase, t.round, t.checkpoint_after, seq, set(t.blocked_by), key
                )
                for seq, (key, t) in enumerate(again.items(), 1)
            },
        )

    # hosts live, die and come back

    def changes_hosts(self, do: str, which: int, roles: str, gone: bool) -> None:
        if do == "restart":
            self.restart_host(which, roles, gone)
        elif do == "kill":
            self.kill_host(which)
        elif do == "usurp":
            self.take_the_name_of_a_host(which)
        else:
            self.end_host(which)

    def restart_host(self, which: int | None, roles: str, gone: bool) -> None:
        """A new incarnation of a host; the old one is known dead, or only thought to be."""
        self.clock.tick()
        if which is not None and gone:
            self.kill_host(which)
        name = f"h-{len(self.hosts)}"
        make.make_host(self.store, name, roles=ROLES[roles], slots=SLOTS, seconds=LEASE)
        self.model.add_host(name)
        self.hosts.append(name)
        self.roles[name] = ROLES[roles]

    def kill_host(self, which: int) -> None:
        name = self.hosts[-1 - which % len(self.hosts)]
        self.model.hosts[name].dead = True
        self.looking.execute(  # its pid belongs to another process now
            "UPDATE hosts SET process_start = -1 WHERE incarnation = ?", (name,)
        )

    def take_the_name_of_a_host(self, which: int) -> None:
        """An incarnation is one process: nobody else may call himself so."""
        with pytest.raises(NotAllowedNow):
            make.make_host(self.store, self.hosts[-1 - which % len(self.hosts)], pid=1)

    def end_host(self, which: int) -> None:
        self.clock.tick()
        name = self.hosts[-1 - which % len(self.hosts)]
        self.store.write(lambda tx: leases.end_host(tx, name))
        self.model.end_host(name)

    def renews(self, which: int, runs: list[int], all_own: bool, draining: bool) -> None:
        """It may name runs of others, runs that ended, and leave out its own."""
        self.clock.tick()
        name = self.hosts[-1 - which % len(self.hosts)]
        named = {self.row(n).run for n in runs} if self.rows else set()
        if all_own:
            named |= {run.id for run in self.model.runs.values() if run.open and run.host == name}
        draining = draining and not all_own
        alive, gone = self.store.write(
            lambda tx: leases.renew(tx, name, sorted(named), LEASE, draining=draining)
        )
        assert (alive, set(gone)) == self.model.renew(name, named, draining)

    def time_passes(self, seconds: int, keep: bool) -> None:
        """`keep`: the newest host and the leader renewed just before."""
        if keep:
            self.renews(0, [], True, False)
            self.keep_lead(0)
        self.clock.pass_seconds(seconds)

    # daemons lead, are deposed, and act on

    def changes_leaders(self, do: str, which: int, of: int) -> None:
        if "kill" in do:
            self.kill_leader()
        if "lead" in do:
            self.lead()
        elif do == "keep":
            self.keep_lead(which)
        elif do == "leave":
            self.leave_lead(which)
        elif do == "beat":
            self.one_beat(self.leads[-1 - which % len(self.leads)], self.session(of))

    def lead(self) -> None:
        self.clock.tick()
        holder = f"d-{len(self.leads)}"
        epoch = self.model.take_lead(holder)
        if epoch is None:
            with pytest.raises(AssertionError):
                make.lead(self.store, holder, seconds=LEASE)
            return
        taken = make.lead(self.store, holder, seconds=LEASE)
        assert taken.epoch == epoch
        self.leads.append(taken)

    def kill_leader(self) -> None:
        if self.model.leader is not None:
            self.model.leader.dead = True
            self.looking.execute("UPDATE leases SET process_start = -1")

    def keep_lead(self, which: int) -> None:
        by = self.leads[-1 - which % len(self.leads)]
        self.act_as(
            by,
            lambda: self.model.keep_lead(),
            lambda: self.store.write(lambda tx: leases.keep_lead(tx, by.holder, by.epoch, LEASE)),
        )

    def leave_lead(self, which: int) -> None:
        """A deposed leader's goodbye must not end the new one's lease."""
        self.clock.tick()
        by = self.leads[-1 - which % len(self.leads)]
        self.store.write(lambda tx: leases.leave_lead(tx, by.holder, by.epoch))
        if self.model.leads(by.holder, by.epoch):
            self.model.end_lead()
        until = self.looking.execute("SELECT until FROM leases").fetchone()[0]
        assert self.model.leader is not None and until == self.model.leader.until

    def act_as(self, by: Leadership, predicted: Callable[[], T], real: Callable[[], Any]) -> T | None:
        def expected() -> T:
            if not self.model.leads(by.holder, by.epoch):
                raise Refused
            return predicted()

        return self.agree(expected, real, NotLeader)

    def beats(self) -> None:
        for session in list(self.model.sessions.values()):
            self.one_beat(self.leads[-1], session)

    def one_beat(self, by: Leadership, session: Session) -> None:
        expected = self.act_as(
            by,
            lambda: self.model.beat(session),
            lambda: self.store.write(lambda tx: beat(tx, session.id, by)),
        )
        if expected is not None:
            assert (set(self.answer.offered), self.answer.ended) == expected
            assert self.answer.ended != "stalled", "no step here makes an edge that cannot be satisfied"

    def reaps(self, which: int) -> None:
        self.reap_as(self.leads[-1 - which % len(self.leads)])

    def reap_as(self, by: Leadership) -> None:
        if not self.model.overdue():
            assert reconcile.reap(self.store, by) == []
            return
        lost = self.act_as(by, lambda: self.model.reap(), lambda: reconcile.reap(self.store, by))
        if lost is not None:
            assert {each.run for each in self.answer} == lost

    # runs

    def claims(self, which: int) -> None:
        self.claim(self.hosts[-1 - which % len(self.hosts)])

    def claim(self, host: str) -> Run | None:
        self.clock.tick()
        return self.claimed(host, make.claim(self.store, host, self.roles[host]))

    def claimed(self, host: str, row: Run | None) -> Run | None:
        """A claim got what the model says: the offer that has waited longest."""
        expected = self.model.claimable(host, self.roles[host])
        assert (row and (row.session_id, row.key)) == expected
        if row is not None:
            self.opened(row)
        return row

    def notes(self, which: int, other: int | None, do: str) -> None:
        row = self.posing(self.row(which), other)
        if do == "phase":
            self.fenced(row, lambda tx: claims.note_phase(tx, row.run, row.host, "produce"))
        else:
            self.fenced(row, lambda tx: claims.note_produced(tx, row.run, row.host, "d", "a", {}))

    def posing(self, row: Run, other: int | None) -> Run:
        """The run, as another host would say it is its own."""
        return row if other is None else row._replace(host=self.hosts[-1 - other % len(self.hosts)])

    def fenced(self, row: Run, unit: Callable[[Any], T]) -> T | None:
        self.clock.tick()
        if self.model.holds(row.host, row.run):
            return self.store.write(unit)
        with pytest.raises(LeaseLost):
            self.store.write(unit)
        return None

    def completes(self, which: int, severity: str | None, gate: str, draining: bool) -> None:
        self.report(self.row(which), severity, gate, draining)

    def completes_late(self, which: int, other: int | None, severity: str | None) -> None:
        self.report(self.posing(self.row(which), other), severity, "PASS")

    def completes_in_a_pause(self, severity: str | None, gate: str) -> None:
        row = next((row for row in reversed(self.rows) if self.model.holds(row.host, row.run)), None)
        if row is None or self.model.sessions[row.session_id].status != "active":
            return
        which = list(reversed(self.model.sessions)).index(row.session_id)
        self.pauses(which)
        self.report(row, severity, gate)
        self.resumes(which, force=False, retry=False, skip=False, task=0, odd=False)

    def report(self, row: Run, severity: str | None, gate: str, draining: bool = False) -> Run | None:
        """The run this report started, if any."""
        if row.round is None:
            severity = None
        session = self.model.sessions[row.session_id]
        if (
            severity == "HIGH"
            and row.prefix == "DISCUSS"
            and row.round != "DISCUSS-006"
            and not row.revision_no
        ):
            self.asks(row)
            return None
        self.clock.tick()
        given: dict[str, Any] = {"roles": self.roles[row.host], "draining": draining}
        if row.round is not None:
            said = RATINGS[severity]
            given["discussed"] = make.discussed(
                row, said["ratings"], threshold=said.get("threshold", 3.0), standalone=row.prefix == "DISCUSS"
            )
        if row.prefix == "QUALITY":
            given["gate"] = {"gate": gate, "score": 50.0, "data": {}}
        if not self.model.holds(row.host, row.run):
            with pytest.raises(LeaseLost):
                make.finish(self.store, row, **given)
            return None
        done = make.finish(self.store, row, **given)
        made = self.model.complete(row.run, severity, gate if row.prefix == "QUALITY" else None)
        if draining or severity == "HIGH":
            assert done.advance.kind is AdvanceKind.REPORT
        if done.advance.kind is AdvanceKind.YIELD and done.advance.task:
            self.model.offer(session.tasks[done.advance.task])
            return self.claimed(row.host, done.next)
        if done.advance.kind is AdvanceKind.REPORT:
            return self.claimed(row.host, done.next) if not draining else None
        if done.next is None:
            return None
        following = session.tasks[done.next.key]
        assert not made and self.model.may_advance(session, following, row.host, self.roles[row.host])
        following.epoch += 1
        self.opened(done.next)
        return done.next

    def asks(self, row: Run) -> None:
        """A round of its own that is blocked gives its run back and waits for a person."""
        pause = PauseReason.DISCUSSION_BLOCKED
        self.give_back(row, counted=False, pause=pause)

    def fails(self, which: int, other: int | None, counted: bool, pause: PauseReason | None) -> None:
        self.give_back(self.posing(self.row(which), other), counted, pause)

    def give_back(self, row: Run, counted: bool, pause: PauseReason | None) -> None:
        def unit(tx: Any) -> str:
            return report.fail(
                tx, row, "died", counted=counted, backoff=(BACKOFF,), timings={}, pause=pause, detail={}
            )

        status = self.fenced(row, unit)
        if status is not None:
            self.model.fail(row.run, counted, BACKOFF * 1_000_000 if counted else 0, pause)
            assert status == self.model.of(self.model.runs[row.run])[1].status

    def works_well(self, steps: int, severity: str | None, gate: str) -> None:
        self.work_well(steps, None, gate)
        self.work_well(1, severity, gate)

    def work_well(self, steps: int, severity: str | None, gate: str) -> None:
        """What happens when nothing happens: an able leader, an able host, and reports one after the other."""
        by, host = self.able()
        row: Run | None = None
        for _ in range(steps):
            for session in list(self.model.sessions.values()):
                self.one_beat(by, session)
            row = row or self.claim(host)
            row = row or next((row for row in reversed(self.rows) if self.model.holds(host, row.run)), None)
            if row is None:
                return
            row = self.report(row, severity, gate)
            severity = None

    def able(self) -> tuple[Leadership, str]:
        self.lead()
        if not self.model.leads(self.leads[-1].holder, self.leads[-1].epoch):
            self.kill_leader()
            self.lead()
        host = self.hosts[-1]
        if self.roles[host] != make.ALL_ROLES or not self.model.serves(host) or self.model.hosts[host].dead:
            self.restart_host(None, "all", False)
        return self.leads[-1], self.hosts[-1]

    # a person

    def pauses(self, which: int) -> None:
        session = self.session(which)
        self.agree(
            lambda: self.model.pause(session),
            lambda: manage.pause(self.store, session.id, who="ann"),
            NotAllowedNow,
        )

    def resumes(self, which: int, force: bool, retry: bool, skip: bool, task: int, odd: bool) -> None:
        session = self.session(which)
        again = self.task(session, task, "failed").key if retry else None
        over = self.task(session, task, "pending", "failed").key if skip else None
        decide = (session.reason == "discussion_blocked") != odd
        answer = resume.Answer("ann", force=force, retry=again, skip=over, decide="so" if decide else None)
        self.agree(
            lambda: self.model.resume(session, force, again, over, decide),
            lambda: resume.resume(self.store, session.id, answer, more_attempts=3),
            UsageError,
        )

    def cancels(self, which: int) -> None:
        if len(self.model.sessions) < 3:
            return
        session = self.session(which)
        self.agree(
            lambda: self.model.cancel(session),
            lambda: manage.cancel(self.store, session.id, who="ann"),
            NotAllowedNow,
        )

    def reworks(self, do: str, which: int, task: int, force: bool, words: str) -> None:
        session = self.session(which)
        key = self.task(session, task, "completed").key
        given: dict[str, Any] = {"who": "ann", "max_attempts": 3}
        model: dict[str, Callable[[], set[str]]] = {
            "revise": lambda: self.model.revise(session, session.tasks[key].base, force),
            "recheck": lambda: self.model.recheck(session),
            "feedback": lambda: self.model.feedback(session, words, FEEDBACK[words]),
        }
        real: dict[str, Callable[[], Reworked]] = {
            "revise": lambda: rework.revise(self.store, session.id, key, "deeper", force=force, **given),
            "recheck": lambda: rework.recheck(self.store, session.id, **given),
            "feedback": lambda: rework.feedback(self.store, session.id, words, **given)[0],
        }

        def predicted() -> set[str]:
            self.model.may_rework(session, do)
            return model[do]()

        expected = self.agree(predicted, real[do], (NotAllowedNow, rework.UnclearFeedback))
        if expected is not None:
            assert set(self.answer.made) == expected

    # what must hold after each step

    @invariant()
    def all_is_well(self) -> None:
        self.the_store_is_as_the_model_says()
        self.nothing_waits_for_nobody()
        invariants.check(self.store.path)

    def the_store_is_as_the_model_says(self) -> None:
        for row in self.looking.execute("SELECT * FROM sessions"):
            session = self.model.sessions[row["id"]]
            assert (row["status"], row["pause_reason"], row["gate"]) == (
                session.status,
                session.reason,
                session.gate,
            )
        waits: dict[int, set[int]] = {}
        for edge in self.looking.execute("SELECT * FROM edges"):
            waits.setdefault(edge["task_id"], set()).add(edge["blocker_id"])
        found = {row["id"]: row for row in self.looking.execute("SELECT * FROM tasks")}
        assert len(found) == sum(len(session.tasks) for session in self.model.sessions.values())
        for row in found.values():
            session = self.model.sessions[row["session_id"]]
            task = session.tasks[row["key"]]
            assert (row["status"], row["attempts"], row["max_attempts"], row["epoch"], row["offered_at"]) == (
                task.status,
                task.attempts,
                task.limit,
                task.epoch,
                task.offered,
            ), row["key"]
            assert {found[b]["key"] for b in waits.get(row["id"], ())} == task.waits, row["key"]
            assert task.status == "cancelled" or row["unmet"] == session.unmet(task), row["key"]
            assert task.status != "pending" or row["not_before"] == task.due, row["key"]
            assert all(words in row["payload"] for words in task.words), row["key"]
        held = {run.id: run.until for run in self.model.runs.values() if run.open}
        assert held == dict(
            map(tuple, self.looking.execute("SELECT id, lease_until FROM runs WHERE outcome IS NULL"))
        )

    def nothing_waits_for_nobody(self) -> None:
        """An active session has a mark, or something that will make one: an offer, an open run, a retry (no lost wake)."""
        waiting = {row["id"] for row in self.looking.execute("SELECT id FROM sessions WHERE needs_beat = 1")}
        for session in self.model.sessions.values():
            if session.status == "active" and session.id not in waiting:
                tasks_ = session.tasks.values()
                assert any(
                    task.status == "in_progress" or task.offered is not None or task.due is not None
                    for task in tasks_
                ), session.id
                idle = [task.key for task in session.ready() if task.offered is None and task.due is None]
                assert session.sequential or not idle, (session.id, idle)

    def everything_ends(self) -> None:
        """Restarted and with no more faults, every session comes to an end or a pause, and each pause can be answered."""
        if not self.leads:
            return  # hypothesis stopped before the first step
        for which in range(len(self.hosts)):
            self.kill_host(which)
        self.restart_host(None, "all", False)
        self.kill_leader()
        self.lead()
        self.clock.tick()
        self.reap_as(self.leads[-1])
        self.store.write(queries.mark_idle_sessions)
        for _ in range(60):
            self.until_quiet()
            paused = [s for s in self.model.sessions.values() if s.status == "paused"]
            if not paused:
                break
            for session in paused:
                self.answer_pause(session)
            self.the_store_is_as_the_model_says()
        assert {s.status for s in self.model.sessions.values()} <= {"completed", "cancelled"}
        self.all_is_well()

    def until_quiet(self) -> None:
        """Beats for marked sessions and good work, until nothing moves: in bounded beats."""
        by = self.leads[-1]
        everything = sum(len(session.tasks) for session in self.model.sessions.values())
        for _ in range(6 * everything + 10):
            self.clock.tick()
            self.renews(0, [], True, False)
            self.keep_lead(0)
            marked = self.store.read(sessions.needing_beat)
            for name in marked:
                self.one_beat(by, self.model.sessions[name])
            row = self.claim(self.hosts[-1])
            moved = row is not None
            while row is not None:
                row = self.report(row, None, "PASS")
            if moved or marked or self.store.read(sessions.needing_beat):
                continue
            due = self.store.read(queries.next_retry)
            if due is None:
                assert not [s.id for s in self.model.sessions.values() if s.status == "active"]
                return
            self.clock.wall_micros = due
            self.store.write(queries.mark_due)
        raise AssertionError("the beats have no end")

    def answer_pause(self, session: Session) -> None:
        blocked = session.reason == "discussion_blocked"
        answer = resume.Answer("ann", force=True, decide="so" if blocked else None)
        self.agree(
            lambda: self.model.resume(session, True, None, None, blocked),
            lambda: resume.resume(self.store, session.id, answer, more_attempts=3),
            UsageError,
        )


Lifecycles.TestCase.settings = settings(
    max_examples=EXAMPLES or 24,
    stateful_step_count=STEPS,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    # Shrinking a failure takes minutes: that is left to `make states`. Explaining it traces each line, and takes an hour.
    phases=(Phase.generate, Phase.shrink) if EXAMPLES else (Phase.generate,),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.timeout(0 if EXAMPLES else patient(100))
class TestLifecycles(Lifecycles.TestCase):  # type: ignore[misc, valid-type]
    pass


def test_an_approval_asked_for_during_a_pause_is_still_asked_for_after_it() -> None:
    state = Lifecycles()
    state.begin("gated", "inline", False)
    state.work_well(1, None, "PASS")
    assert state.rows[-1].key == "QUALITY-001"

    state.completes_in_a_pause(None, "PASS")

    state.all_is_well()
    assert [session.reason for session in state.model.sessions.values()] == ["checkpoint"]
    state.teardown()


def test_feedback_on_a_failed_task_is_input_of_its_next_attempt() -> None:
    state = Lifecycles()
    state.begin("gated", "inline", False)
    state.beats()
    for _ in range(3):
        state.claims(0)
        state.fails(0, None, True, None)
        state.time_passes(BACKOFF, True)
        state.beats()

    state.reworks("feedback", 0, 0, False, "the vision is too wide")

    state.all_is_well()
    assert [session.tasks["DRAFT-001"].words for session in state.model.sessions.values()] == [
        ("the vision is too wide",)
    ]
    state.teardown()
