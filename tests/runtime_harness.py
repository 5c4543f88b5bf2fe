"""One host's runtime, driven in the test's own thread: a real store, a real router, agents that say what a test has."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from orchestrator.config import load_settings, resources
from orchestrator.coordinator.leadership import Leadership
from orchestrator.domain.model import RunOutcome
from orchestrator.domain.prices import Prices
from orchestrator.door.local_desk import LocalDesk
from orchestrator.lifecycle import report
from orchestrator.store import artifacts, decisions, records, sessions, tasks, transitions
from orchestrator.store.rows import AgentCall, Run, Session, Task, Verdict
from orchestrator.store.store import Store
from tests import factories as make
from tests.patience import patient
from workers.agents.protocol import AgentReply, AgentRequest
from workers.agents.routing import Router
from workers.builtin import BuiltinAgent
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.documents.content import Critique
from workers.host.live_runs import LiveRun, LiveRuns
from workers.run.runtime import Runtime
from workers.run.settings_watcher import WorkerConfig

REQUEST = "Build a URL shortener. It must expire links after 30 days. It must export statistics as CSV."
HOST = "h-1"


def says(rating: int, **more: Any) -> Critique:
    return Critique(rating=rating, **more)


class Told:
    """Answers by `TASK/what`, what, or `*`, where what is a perspective or a kind: with content, an exception to raise, a
    reply, or a function of the request that gives one of these. It leaves the rest to the built-in agent."""

    def __init__(self, name: str = "told", answers: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.answers = dict(answers or {})
        self.requests: list[AgentRequest] = []

    def available(self) -> str | None:
        return None

    @property
    def asked(self) -> list[str]:
        return [request.perspective or request.kind for request in self.requests]

    def request(self, task: str, what: str) -> AgentRequest:
        """The one request of that task."""
        (found,) = [r for r in self.requests if r.task == task and what == (r.perspective or r.kind)]
        return found

    def ask(self, request: AgentRequest) -> AgentReply:
        self.requests.append(request)
        what = request.perspective or request.kind
        names = (f"{request.task}/{what}", what, "*")
        answer = next((self.answers[name] for name in names if name in self.answers), None)
        if callable(answer) and not isinstance(answer, type):
            answer = answer(request)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, AgentReply):
            return answer
        if answer is None:
            return replace(BuiltinAgent().ask(request), agent=self.name)
        return AgentReply(text="", data=answer, agent=self.name)

    def work(self, request: AgentRequest) -> AgentReply:
        raise NotImplementedError


class RuntimeHarness:
    """A session, and a runtime that does its tasks when told to."""

    def __init__(
        self,
        folder: Path,
        *agents: Any,
        request: str = REQUEST,
        settings: Mapping[str, Any] | None = None,
        roles: Mapping[str, list[str]] | None = None,
        instructions: Callable[[str], str] | None = None,
        lease_seconds: float = make.LEASE,
        run_seconds: float = make.LEASE,
        again: bool = False,
        **wishes: Any,
    ) -> None:
        """`again`: go on with what a process that died has left in `folder`, as its host. `run_seconds`: the lease of a run,
        which nobody renews."""
        if again:
            self.store = Store(folder / ".workflow" / "lifecycle.db")
            self.session = self.store.read(sessions.all_sessions)[0].id
            self._lead = Leadership("d-test", 1)
        else:
            self.store = make.make_store(folder)
            self.session = make.make_session(self.store, request, **wishes)
            make.make_host(self.store, HOST, seconds=lease_seconds)
            self._lead = make.lead(self.store)
        self.lives = LiveRuns()
        self.run_seconds = run_seconds
        self.settings = load_settings(
            None, {}, {"backoff_seconds": [0.001], "critics": "separate", **(settings or {})}
        )
        self.project = folder / "project"
        self.project.mkdir(exist_ok=True)
        known = {agent.name: agent for agent in (BuiltinAgent(), *agents)}
        router = Router(known, own=[agent.name for agent in agents], roles=roles)
        self.setup = WorkerConfig(self.settings, router, Prices())
        self.runtime = Runtime(
            desk=LocalDesk(self.store),
            config=lambda: self.setup,
            roles=make.ALL_ROLES,
            lives=self.lives,
            project=self.project,
            instructions=instructions or _instructions,
            draining=lambda: False,
            log=structlog.get_logger(),
        )

    def beat(self) -> None:
        time.sleep(0.002)  # past the retry's delay
        make.one_beat(self.store, self.session, self._lead)

    def claim(self) -> Run:
        self.beat()
        row = make.claim(self.store, HOST)
        assert row is not None, "nothing is offered"
        return row

    def live(self, row: Run) -> LiveRun:
        return self.lives.add(row, time.monotonic() + self.run_seconds)

    def settle(self) -> None:
        """Wait until done is what a run leaves for a moment later, such as refs."""
        done = threading.Event()
        self.runtime.bell.later(done.set)
        assert done.wait(patient(30)), "what is done later is not done"

    def run(self, row: Run | None = None) -> Run | None:
        """One run, of the oldest offer unless told; the run it advanced to."""
        return self.runtime.execute(self.live(row or self.claim()))

    def until(self, key: str) -> Run:
        """Do the tasks before `key`; its open run."""
        following: Run | None = self.claim()
        while following is not None and following.key != key:
            following = self.run(following) or self.claim()
        assert following is not None
        return following

    def agent_calls(self, row: Run) -> AgentCalls:
        return self.runtime._load(self.live(row), structlog.get_logger())

    def context(self, row: Run) -> RunContext:
        return self.agent_calls(row).run

    # looks

    def state(self) -> Session:
        found = self.store.read(lambda tx: sessions.get(tx, self.session))
        assert found is not None
        return found

    def task(self, key: str) -> Task:
        found = self.store.read(lambda tx: tasks.task(tx, self.session, key))
        assert found is not None
        return found

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.store.path)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def calls(self) -> list[AgentCall]:
        return self.store.read(lambda tx: records.calls_of(tx, self.session))

    def verdict(self, key: str) -> Verdict:
        found = self.store.read(lambda tx: records.verdicts_of(tx, self.session))
        return next(row for row in found if row.task == key and row.kind == "discuss")

    def replies(self) -> list[tuple[str, str]]:
        """(run, perspective) of every stored reply."""
        return self.rows("SELECT run_id, perspective FROM critiques ORDER BY created_at")

    def issues(self) -> list[str]:
        found = self.store.read(lambda tx: records.wisdom_of(tx, self.session))
        return [row.data for row in found if row.name == "issues"]

    def text(self, path: str) -> str:
        """The newest version of an artifact."""

        def look(tx: Any) -> str:
            row = next(row for row in artifacts.newest(tx, self.session) if row.path == path)
            return artifacts.body(tx, row.sha256).decode()

        return self.store.read(look)

    def said(self) -> list[tuple[str, str]]:
        return self.rows("SELECT type, summary FROM messages WHERE kind = 'message' ORDER BY number")

    # what others do

    def lose(self, run: str) -> None:
        """Take a run away as if its host had died."""
        row = self.rows("SELECT task_id FROM runs WHERE id = ?", run)[0]
        self.store.write(
            lambda tx: transitions.revoke(tx, run, row[0], RunOutcome.LOST, "its host died", counted=True)
        )

    def fail(self, row: Run, counted: bool = True) -> None:
        self.store.write(lambda tx: report.fail(tx, row, "died", counted=counted, backoff=(), timings={}))

    def decide(self, subject: str, words: str) -> None:
        self.store.write(lambda tx: decisions.decide(tx, self.session, subject, "me", words))

    def learn(self, file: str, words: str) -> None:
        self.store.write(lambda tx: records.add_wisdom(tx, self.session, file, "me", words))

    def sql(self, statement: str) -> None:
        connection = sqlite3.connect(self.store.path)
        with connection:
            connection.execute(statement)
        connection.close()

    def set_payload(self, key: str, payload: dict[str, Any]) -> None:
        task = self.task(key)
        assert self.store.write(lambda tx: transitions.set_payload(tx, task.id, payload))


def _instructions(role: str) -> str:
    return (resources() / "config" / "roles" / f"{role}.md").read_text(encoding="utf-8")
