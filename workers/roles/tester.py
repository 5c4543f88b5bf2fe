"""The tester: runs the tests of what has landed against those of the base, and mends what has broken (TEST)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property

from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.errors import AgentError, AgentUnavailable, WorkRefused
from orchestrator.domain.evidence import CRITICAL, Finding
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import Plan
from orchestrator.domain.review_verdicts import UNVERIFIED
from orchestrator.door.desk import Verdict
from orchestrator.door.work_desk import Work
from workers.agents import prompts
from workers.agents.protocol import Agent
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.context.written_documents import stamp
from workers.documents.frame import to_json
from workers.evidence.candidate_evidence import CandidateEvidence, Tested
from workers.evidence.declared import Declared
from workers.evidence.earlier_versions import with_earlier_versions
from workers.evidence.judgement import Judged
from workers.evidence.set_logic import counted_tests
from workers.git.candidates import Candidate, changes_between
from workers.git.session_work import OpenTree, SessionWork
from workers.landing.change_loop import Change, ChangeLoop, Turn, blocking_lines, what_tests_said
from workers.landing.coding_agents import coding_agents
from workers.landing.reviewed_session import is_review, session_work
from workers.landing.work_answers import WorkAnswer
from workers.landing.work_plans import plan_of
from workers.roles import Produced

ITERATIONS = 10  # turns of the agent
SAME = 3  # equal sets of failures that end the loop
PASS, FIX_REQUIRED = "PASS", "FIX_REQUIRED"
GOAL = (
    "Tests of the repository fail that passed before this team's changes, or new ones fail. The current folder is a private "
    "copy. Find the cause and mend the source; change a test only where the plan says that it may change. Never weaken, skip "
    "or delete a test. Commit nothing."
)


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The verdict on the head, after the agent's repairs where there are some. Raises TreeError, GitError, LeaseLost."""
    work = session_work(context)
    return _TestRound(context, calls, work, work.row(), plan_of(context)).produce()


@dataclass
class _TestRound:
    context: RunContext
    calls: AgentCalls
    work: SessionWork
    begun: Work  # as it was when the round began
    plan: Plan
    iterations: list[JsonObject] = field(default_factory=list)
    last: Tested | None = None

    def produce(self) -> Produced:
        tree = self.work.open_some_tree(self.context.row)
        tested = self._tested(tree, self.begun.head)
        self.context.check()
        if tested.unverified and not tested.findings and self.context.settings.work.required:
            raise WorkRefused("no tests could be run, and they are required", why=tested.unverified)
        if not tested.findings or is_review(self.context):
            return self._produced(None, tested)  # the commits of a review are the user's: nothing is mended
        agents = self._agents()
        if not agents:
            return self._produced(None, tested, "no agent that edits files could mend it")
        loop = ChangeLoop(
            self.context,
            self.work,
            lambda turn, opened: self._ask(agents, tested, turn, opened),
            self._judge,
            f"Mend what the tests of {self.context.session.title} found",
            {},
            ITERATIONS,
            tree,
        )
        try:
            change = loop.run()
        except WorkRefused as refused:
            return self._produced(None, self.last or tested, refused.why)
        except AgentError as error:
            self.context.check()
            return self._produced(
                None, self.last or tested, f"{error.what}: {error.why}" if error.why else error.what
            )
        return self._landed(loop, change)

    def _landed(self, loop: ChangeLoop, change: Change) -> Produced:
        assert self.last is not None
        made = self._produced(change, self.last)
        return replace(
            made, relanded=lambda: self._landed(loop, loop.relanded(change)), after=self.work.follow
        )

    def _agents(self) -> Sequence[Agent]:
        try:
            return coding_agents(self.context, self.calls)
        except AgentUnavailable as error:
            self.context.notes.append(error.what)
            return []

    def _ask(
        self, agents: Sequence[Agent], first: Tested, turn: Turn, tree: OpenTree
    ) -> tuple[WorkAnswer, str]:
        findings = turn.findings or first.findings
        prompt = prompts.render(
            GOAL,
            instructions=self.context.instructions,
            task=self.context.row.key,
            language=self.context.session.language,
            schema=WorkAnswer,
            shared=[("The request", self.context.session.request)],
            material=[
                ("Findings of the tests", "\n".join(blocking_lines(findings))),
                ("What the tests said", what_tests_said(findings)),
                ("Tests that may change", json.dumps(self._may_change(), ensure_ascii=False)),
                ("Files that others have landed meanwhile", "\n".join(turn.others)),
                ("Files in conflict", "\n".join(turn.conflicts)),
            ],
        )
        facts: JsonObject = {"turn": turn.number}
        answer, reply = self.calls.ask("tests", prompt, WorkAnswer, facts, agents, tree=tree.checkout.work)
        return answer, reply.agent

    def _judge(self, candidate: Candidate, answer: WorkAnswer, tree: OpenTree) -> Judged:
        """The candidate's own files, and its tests against those of the session's base."""
        evidence = self._evidence(tree)
        tested = evidence.tested(self._since_base(candidate.tree), bites=False)
        self.last = tested
        run = tested.now.run
        self.iterations.append(
            {"n": len(self.iterations) + 1, "tree": candidate.tree, "failed": sorted(run.bad) if run else []}
        )
        findings = [*evidence.checked(candidate), *self._outside(candidate), *tested.findings]
        if (
            len(self.iterations) >= SAME
            and len({str(each["failed"]) for each in self.iterations[-SAME:]}) == 1
        ):
            raise WorkRefused("the same tests fail again and again", why="; ".join(_lines(findings)))
        return Judged(tuple(findings), tested.summary(), unverified=tested.unverified)

    def _outside(self, candidate: Candidate) -> list[Finding]:
        """Edits of what was there before the session and the session has not touched: a repair stays within its diff."""
        git = self.work.private.git
        touched = {change.path for change in changes_between(git, self.base, self.begun.head)}
        declared = Declared(tests_may_change=self._may_change())
        outside = (
            change.path.decode("utf-8", "backslashreplace")
            for change in candidate.changes
            if (change.path_before or change.path) not in touched and change.status != "A"
        )
        return [
            Finding(
                "paths",
                CRITICAL,
                "outside_session",
                f"{path} is changed, and nothing that this session has built is in it",
                path,
                fix="undo this change, and mend what the session has changed",
                blocks=True,
            )
            for path in outside
            if declared.reason_to_change(path) is None
        ]

    def _tested(self, tree: OpenTree, commit: str) -> Tested:
        evidence = self._evidence(tree)
        candidate = self._since_base(self.work.private.tree_of(commit))
        tested = evidence.tested(candidate, bites=False)
        return with_earlier_versions(evidence, candidate, tested) if is_review(self.context) else tested

    def _since_base(self, tree: str) -> Candidate:
        """Everything since the session's base as one candidate."""
        base = self.base
        return Candidate(base, tree, tree, changes_between(self.work.private.git, base, tree))

    @cached_property
    def base(self) -> str:
        return self.work.compared_with(self.begun)

    def _evidence(self, tree: OpenTree) -> CandidateEvidence:
        declared = Declared(tests_may_change=self._may_change())
        return CandidateEvidence.of(self.context, self.calls, self.work, tree.checkout, declared)

    def _may_change(self) -> dict[str, str]:
        """The tests that may change, with the reason: those that the plan names; of a user's own commits all."""
        if is_review(self.context):
            since = changes_between(self.work.private.git, self.begun.base, self.begun.head)
            return {each.path.decode("utf-8", "surrogateescape"): "the user's own change" for each in since}
        return {each.path: each.reason for task in self.plan.tasks for each in task.tests_may_change}

    def _produced(self, change: Change | None, tested: Tested, why: str = "") -> Produced:
        row = self.context.row
        landing = None if change is None else change.landing
        head = self.begun.head if landing is None else landing.commit
        open_findings = () if change is not None else tested.findings
        fails = any(each.blocks for each in open_findings)
        word = FIX_REQUIRED if fails else UNVERIFIED if tested.unverified else PASS
        summary = tested.summary()
        record: JsonObject = {
            "schema": 1,
            "session": row.session_id,
            "task": row.key,
            "run": row.run,
            "generated_at": stamp(row.opened_at),
            "subject": {"commit": head, "base": self.base},
            "verdict": word,
            "why": why or tested.unverified or None,
            **summary,
            "iterations": self.iterations,
            "findings": [each.as_json() for each in tested.findings],
        }
        path = f"qa/test-{row.key}.json"
        return Produced(
            files={path: (to_json(record), "evidence")},
            artifact=path,
            summary=_summary(word, summary, why or tested.unverified),
            message_type="fix_required" if word == FIX_REQUIRED else "test_result",
            agent=change.agent if change else "rules",
            landing=landing,
            verdict=Verdict(
                "test",
                {
                    "verdict": word,
                    "head": head,
                    "open": [each.as_json() for each in open_findings],
                    "passed": summary["passed"],
                    "failed": summary["failed"],
                    "preexisting": len(summary["preexisting"]),
                    "why": why or tested.unverified or None,
                },
            ),
        )


def _lines(findings: Sequence[Finding]) -> list[str]:
    return blocking_lines(findings[:12])


def _summary(word: str, tests: JsonObject, why: str) -> str:
    counted = "" if tests["passed"] is None else f": {tests['passed']} pass, {tests['failed']} fail"
    more = [
        f"{len(tests[name])} {one if len(tests[name]) == 1 else many}"
        for name, one, many in (
            ("preexisting", "of them failed before the change too", "of them failed before the change too"),
            ("regressions", "regression", "regressions"),
            ("missing", "not run any more", "not run any more"),
            ("flaky", "flaky", "flaky"),
        )
        if tests[name]
    ]
    if tests["fewer"]:
        more.append(f"{counted_tests(tests['fewer'], 'fewer ')} than before")
    return f"{word}{counted}" + "".join(f", {each}" for each in more) + (f"; {why}" if why else "")
