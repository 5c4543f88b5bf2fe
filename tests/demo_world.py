"""A small project for pictures of the dashboard: a clinic's booking, with fixed times, told by the real rules.

Its agents and what they cost are made up; everything else is what the product makes of it: tasks, verdicts, pauses,
gates, versions and expected costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.coordinator.projector import project
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.prices import Cost, Usage
from orchestrator.store import artifacts, decisions, records, sessions
from orchestrator.store.clock import SystemClock
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from orchestrator.wakeup import Waker
from tests import factories

BRIEF = "spec/product-brief.md"
REQUIREMENTS = "spec/requirements/_index.md"
AGENTS = {"RESEARCH": "claude", "DRAFT": "claude", "QUALITY": "codex", "DISCUSS": "gemini"}
MODELS = {"claude": "claude-sonnet-4-5", "codex": "gpt-5-codex", "gemini": "gemini-2.5-pro"}
RATINGS = (
    {"product": 4, "technical": 4, "quality": 3, "risk": 4, "coverage": 5},
    {"product": 4, "technical": 3, "quality": 4, "risk": 3, "coverage": 4},
    {"product": 5, "technical": 4, "quality": 2, "risk": 4, "coverage": 3},
    {"product": 4, "technical": 4, "quality": 4, "risk": 3, "coverage": 4},
    {"product": 4, "technical": 5, "quality": 4, "risk": 4, "coverage": 5},
)
SCORES = {"completeness": 84.0, "consistency": 91.0, "traceability": 76.0, "depth": 68.0, "coverage": 88.0}
WEAK = {
    "depth": ["REQ-004 says nothing about what happens when the text message gateway fails"],
    "traceability": ["no story covers the monthly report"],
}

BRIEF_TEXT = """# Walk-in queue

<!-- section: problem -->
## Problem

Our four walk-in clinics lose about 30 patients a day, because the line at the desk is longer than people are willing
to stand in. Nobody knows how long the wait is.

<!-- section: target_users -->
## Target users

- Patients, often older people, some without a smartphone
- Receptionists, who run the desk and cannot leave it
- Doctors, eight in each clinic

<!-- section: goals_and_metrics -->
## Goals and metrics

| Goal | Metric |
| --- | --- |
| Fewer patients give up | under 5 lost per clinic and day |
| Shorter lines at the desk | median under 40 seconds |
| Patients join by phone | 60 % of them |

<!-- section: scope -->
## Scope

```mermaid
flowchart LR
    join["Join the queue"]
    wait["See the waiting time"]
    call["Be called"]
    visit["Visit"]
    join --> wait
    wait --> call
    call --> visit
```

Payments and medical records are left out of the first version.
"""
REQUIREMENTS_TEXT = """# Requirements

## REQ-001: Join from a phone

Patients join a clinic's queue from a web page without an account.

## REQ-002: Estimated waiting time

The page shows the estimated waiting time, updated at least once a minute.

## REQ-003: Add a walk-in patient

Receptionists add a patient by hand in under 15 seconds.

## REQ-004: Text messages

A message is sent when three people are ahead, and again when it is the patient's turn.
"""
FINDING = "what happens when the gateway is down"
REQUESTS = (
    "Walk-in queue for our four clinics",
    "Online shop for spare parts of old bicycles",
    "An app that reminds tenants of waste collection",
)
TEXTS = {"RESEARCH-001": (BRIEF, BRIEF_TEXT), "DRAFT-002": (REQUIREMENTS, REQUIREMENTS_TEXT)}
CHANGED = BRIEF_TEXT.replace("under 5 lost", "under 3 lost").replace(
    "- Doctors, eight in each clinic", "- Doctors, eight in each clinic\n- The clinic manager, who reports waiting times"
)  # fmt: skip
STORY = """
## REQ-005: Wall display

A display in the waiting room shows who is called.
"""


class SteppedClock(SystemClock):
    """The wall's time is what it was set to; leases follow the kernel's clock."""

    def __init__(self) -> None:
        self.now = int(datetime(2026, 11, 23, 8, 30, tzinfo=UTC).timestamp()) * 1_000_000

    def wall(self) -> int:
        return self.now

    def step(self, seconds: float) -> None:
        self.now += int(seconds * 1_000_000)


@dataclass
class Demo:
    folder: Path
    store: Store
    paused: str  # at its checkpoint, with documents that changed since an approval
    blocked: str  # by a discussion
    running: str


@contextmanager
def demo_world(folder: Path) -> Iterator[Demo]:
    """The project in `folder`; while it is open, somebody coordinates it, so that no process is started."""
    clock = SteppedClock()
    store = factories.make_store(folder, clock=clock)
    lead = factories.lead(store)
    host = factories.make_host(store, seconds=3600.0)
    heard = Waker(store.path, "daemon")
    try:
        told = _Teller(store, clock, lead, host)
        waits, stuck, works = REQUESTS
        paused = told.session(waits)
        told.work(paused)
        told.approve(paused)
        told.write(paused, BRIEF, CHANGED)
        told.write(paused, REQUIREMENTS, REQUIREMENTS_TEXT + STORY)
        blocked = told.session(stuck)
        told.work(blocked, low="DRAFT-002")
        running = told.session(works)
        told.work(running, until="DRAFT-003")
        for each in (paused, blocked, running):
            project(store, each)
        yield Demo(folder, store, paused, blocked, running)
    finally:
        heard.close()
        store.close()


@dataclass
class _Teller:
    store: Store
    clock: SteppedClock
    lead: factories.Leadership
    host: str

    def session(self, request: str) -> str:
        self.clock.step(60)
        return factories.make_session(self.store, request, mode="full-lifecycle")

    def work(self, session: str, *, until: str | None = None, low: str = "") -> None:
        """Work off what the session has until it waits; leave the task `until` running."""
        rounds = 0
        while True:
            factories.one_beat(self.store, session, self.lead)
            row = factories.claim(self.store, self.host)
            if row is None:
                return
            while row is not None:
                if row.key == until:
                    return
                self.clock.step(95 + 35 * len(row.key))
                ratings = RATINGS[rounds % len(RATINGS)]
                rounds += bool(row.round)
                if low and row.key.startswith(low):
                    ratings = {"product": 2, "technical": 1, "quality": 4, "risk": 2, "coverage": 5}
                row = self._finish(session, row, ratings)

    def _finish(self, session: str, row: Run, ratings: dict[str, int]) -> Run | None:
        self._call(session, row, "task", None, AGENTS.get(row.prefix, "claude"))
        if row.round:
            for number, (name, rating) in enumerate(ratings.items()):
                agent = ("gemini", "codex", "claude")[number % 3]
                self._call(session, row, "critique", name, agent)
                self._criticise(row, name, rating, agent)
        gate = None
        if row.prefix == "QUALITY":
            dimensions = {
                name: {
                    "score": score,
                    "weak": [{"where": "", "says": says} for says in WEAK.get(name, ())],
                }
                for name, score in SCORES.items()
            }
            gate = {"gate": "REVIEW", "score": 81.4, "data": {"dimensions": dimensions}}
        extra = {"missing_requirements": (FINDING,)} if min(ratings.values()) < 3 else {}
        found = factories.discussed(row, ratings, **extra) if row.round else None
        path, text = TEXTS.get(row.key, (f"spec/{row.key.lower()}.md", f"# {row.key}\n\nMade up.\n"))
        done = factories.finish(self.store, row, files={path: text.encode()}, discussed=found, gate=gate)
        return done.next

    def _call(self, session: str, row: Run, purpose: str, perspective: str | None, agent: str) -> None:
        size = sum(map(ord, f"{row.key}{perspective}")) % 9 + 2

        def unit(tx: Tx) -> None:
            begun = {"session_id": session, "task_id": row.id, "run_id": row.run, "agent": agent}
            digest = f"{row.key}-{perspective}"
            call = records.begin_call(
                tx, {**begun, "purpose": purpose, "perspective": perspective, "prompt_digest": digest}
            )
            usage = Usage(model=MODELS[agent], tokens_in=3_100 * size, tokens_out=420 * size)
            records.end_call(tx, call, "answered", usage, Cost(17_300 * size, "reported"))

        self.store.write(unit)
        self.clock.step(7 * size)

    def _criticise(self, row: Run, name: str, rating: int, agent: str) -> None:
        reply = {"perspective": name, "rating": rating}
        self.store.write(lambda tx: records.add_critique(tx, row.run, name, agent, reply, []))

    def approve(self, session: str) -> None:
        def unit(tx: Tx) -> None:
            digest = sessions.subject_digest(tx, session, PauseReason.CHECKPOINT)
            decisions.decide(tx, session, "approve_checkpoint QUALITY-001", "ana", "", digest=digest)

        self.store.write(unit)
        self.clock.step(300)

    def write(self, session: str, path: str, text: str) -> None:
        def unit(tx: Tx) -> None:
            body = text.encode()
            digest = artifacts.put(tx, body)
            artifacts.register(
                tx, session, path, digest, len(body), "document", author="writer", task=None, run=None
            )

        self.store.write(unit)
        self.clock.step(60)
