"""A coding agent in the test's own process: it plans as a fixture does and makes edits that a test gives it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.store import tasks, transitions
from tests import factories as make
from tests.git_world import git
from tests.plans import coding_pack
from tests.runtime_harness import HOST, RuntimeHarness
from tests.work.repositories import Fixture, Patch, apply, build
from tests.work.scripted_agent import fitted
from workers.agents.protocol import AgentReply, AgentRequest
from workers.builtin import BuiltinAgent

Deed = Patch | Callable[[Path], None]


@dataclass
class Editing:
    """Its turns in each plan task, one after the other; the last one is repeated."""

    fixture: Fixture
    turns: Mapping[str, Sequence[Deed]] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # instead of an honest answer
    name: str = "editing"
    edits_files: bool = True
    requests: list[AgentRequest] = field(default_factory=list)

    def available(self) -> str | None:
        return None

    def ask(self, request: AgentRequest) -> AgentReply:
        self.requests.append(request)
        if request.kind == "plan":
            return self._said(request, fitted(self.fixture.plan_answer(), request.prompt))
        return BuiltinAgent().ask(request)

    def work(self, request: AgentRequest) -> AgentReply:
        assert request.tree is not None
        key = str(request.facts["plan_task"]["id"]) if "plan_task" in request.facts else request.task  # type: ignore[index]
        before = sum(each.task == request.task and each.edits for each in self.requests)
        self.requests.append(request)
        deeds = self.turns.get(key) or [self.fixture.gold[key]]
        deed = deeds[min(before, len(deeds) - 1)]
        if callable(deed):
            deed(request.tree)
        else:
            apply(deed, request.tree)
        return self._said(request, self.answers.get(key) or self.fixture.answer(key))

    def _said(self, request: AgentRequest, answer: Mapping[str, Any]) -> AgentReply:
        assert request.schema is not None
        return AgentReply("", request.schema.model_validate(answer), self.name)


def building(folder: Path, agent: Editing, **settings: Any) -> RuntimeHarness:
    """A session in the fixture's repository whose first task is its plan."""
    given = {"work": {"trees": str(folder / "trees"), **settings}}
    harness = RuntimeHarness(
        folder,
        agent,
        request=agent.fixture.request,
        settings=given,
        mode="impl-only",
        pack=coding_pack(),
        roles={role: [agent.name] for role in ("planner", "executor", "tester")},
    )
    harness.runtime.environ = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    build(agent.fixture, harness.project)
    return harness


def until_idle(harness: RuntimeHarness) -> list[str]:
    """Do every task that can be done; the tasks in the order of their runs."""
    done: list[str] = []
    while True:
        harness.beat()
        row = make.claim(harness.store, HOST)
        if row is None:
            return done
        while row is not None:
            done.append(row.key)
            row = harness.run(row)


def without_review(harness: RuntimeHarness) -> None:
    """Let the session end without its review."""
    skip(harness, "REVIEW-001")


def skip(harness: RuntimeHarness, key: str) -> None:
    """Let the session go on without a task that has not begun."""
    row = harness.store.read(lambda tx: tasks.task(tx, harness.session, key))
    assert row is not None
    assert harness.store.write(lambda tx: transitions.skip(tx, row.id))


def landed(harness: RuntimeHarness) -> list[str]:
    """The subjects of the published branch, from the oldest, without the user's own."""
    harness.settle()
    branch = f"lifecycle/{harness.session}"
    out = git(harness.project, "log", "--format=%s", "--reverse", f"main..{branch}")
    return out.splitlines()
