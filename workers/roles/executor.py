"""The executor: carries out one task of the plan in a private tree, up to a commit that lands with its report (IMPL)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import UNFINISHED, TaskStatus
from orchestrator.domain.plan import Plan, PlanTask
from orchestrator.domain.plan_marks import PLAN_TASK
from orchestrator.lifecycle.fix_rounds import REBASE
from workers.agents import prompts
from workers.agents.prompts import Material
from workers.agents.protocol import Agent
from workers.context.advised import TITLE, concerns_text
from workers.context.agent_calls import AgentCalls
from workers.context.planned import is_as_approved
from workers.context.run_context import RunContext
from workers.documents.frame import to_json
from workers.evidence.candidate_evidence import CandidateEvidence
from workers.evidence.declared import Declared
from workers.evidence.judgement import Judged
from workers.evidence.merged_evidence import judge_merge, prepare_merge
from workers.git.candidates import Candidate, changes_between
from workers.git.session_work import Integration, OpenTree, SessionWork
from workers.landing.change_loop import Change, ChangeLoop, Turn, blocking_lines, what_tests_said
from workers.landing.change_record import landed_links, record_of
from workers.landing.coding_agents import coding_agents
from workers.landing.pull_request import PATH as PULL_REQUEST
from workers.landing.pull_request import pull_request
from workers.landing.reviewed_session import session_work
from workers.landing.work_answers import TeamWorkAnswer, WorkAnswer
from workers.landing.work_plans import declared_by, plan_of, task_of
from workers.roles import Produced

TURNS = 3  # of one attempt: the work, and two repairs
PURPOSE = "implementation"
TAKEN = frozenset({"answered", "mined", "error", "timeout", "crashed", "rubbish"})  # calls that were a turn
GOAL = (
    "Carry out the plan task below by editing the files of the current folder, which is a private copy of the repository. "
    "Write tests that show what changed. Commit nothing: what the folder holds when you end is what counts."
)
REPAIR = (
    "Your change was checked and cannot land yet. Repair what the checks found, and never by weakening, skipping or deleting "
    "tests. The files are as you left them, but for those that others have landed meanwhile."
)
MERGE = (
    "Others changed the same lines meanwhile. The files below hold both sides between conflict markers. Resolve them so that "
    "both changes stay, and remove the markers."
)


@dataclass(frozen=True)
class Craft:
    """What tells the roles that carry out plan tasks from each other; by default the executor's."""

    goal: str = GOAL
    complete: str = "impl_complete"  # type of the message of its last task
    declared: Callable[[RunContext, Plan, PlanTask], Declared] = lambda _context, _plan, task: declared_by(
        task
    )
    # What lies in the tree before the agent's turn, and what it is told besides.
    prepare: Callable[[RunContext, SessionWork, OpenTree], Material] = lambda *_: ()


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The change, ready to land. Raises WorkRefused, PersonAsked, AgentError, TreeError, GitError."""
    return carry_out(context, calls, Craft())


def carry_out(context: RunContext, calls: AgentCalls, craft: Craft) -> Produced:
    """`produce` for a role with a craft of its own."""
    return _Implementation.of(context, calls, craft).produce()


@dataclass(frozen=True)
class _Implementation:
    context: RunContext
    calls: AgentCalls
    craft: Craft
    plan: Plan
    task: PlanTask
    work: SessionWork
    agents: Sequence[Agent]
    known: dict[int, CandidateEvidence] = field(default_factory=dict)  # by the tree's row

    @classmethod
    def of(cls, context: RunContext, calls: AgentCalls, craft: Craft) -> _Implementation:
        plan = plan_of(context)
        task = task_of(context, plan)
        if PLAN_TASK in context.payload and not is_as_approved(context):
            context.notes.append("the plan was edited after its tasks were made; the edit is carried out")
        work = session_work(context)
        return cls(context, calls, craft, plan, task, work, coding_agents(context, calls))

    def produce(self) -> Produced:
        loop = ChangeLoop(
            self.context,
            self.work,
            self.ask,
            self.judge,
            self.task.title,
            {"Plan-Task": self.task.id, "Refs": " ".join(self.task.refs)},
            TURNS,
            prepare=self._prepare,
            judge_merge=self.judge_merge,
            prepare_merge=self.prepare_merge,
            turns_left=self._turns_left(),
            onto=self.onto,
        )
        return self._produced(loop, loop.run())

    def _prepare(self, tree: OpenTree) -> None:
        self.evidence(tree).prepare(self.onto or tree.row.base)

    @property
    def onto(self) -> str | None:
        """The user's commit that the session's work is brought onto; None where the task is another one."""
        return str(self.context.payload[REBASE]["onto"]) if REBASE in self.context.payload else None

    def _produced(self, loop: ChangeLoop, change: Change) -> Produced:
        row = self.context.row
        path, record = record_of(self.context, self.task.id, change)
        return Produced(
            files=self._files(path, record, change),
            artifact=path,
            summary=_summary(self.task, change),
            message_type=self.craft.complete if self._is_last() else "impl_progress",
            agent=change.agent,
            key_decisions=[f"{row.key}: {change.answer.summary}"],
            notes=[change.judged.unverified] if change.judged.unverified else [],
            landing=change.landing,
            links=(*change.judged.links, *landed_links(self.context, self.task, change)),
            relanded=lambda: self._produced(loop, loop.relanded(change)),
            after=self.work.follow if change.landing else None,
            gaps=[each.model_dump() for each in change.answer.capability_gaps],
        )

    def _files(self, path: str, record: JsonObject, change: Change) -> dict[str, tuple[bytes, str]]:
        files = {path: (to_json(record), "evidence")}
        if change.landing is not None:
            text = pull_request(self.context, self.plan, self._base_of_commits(), record)
            files[PULL_REQUEST] = (text, "report")
        return files

    def _base_of_commits(self) -> str | None:
        """What single commits of the session are reverted down to; None where the user's are among them."""
        row = self.work.row()
        rebased = self.onto is not None or self.work.compared_with(row) != row.base
        return None if rebased else row.base

    def ask(self, turn: Turn, tree: OpenTree) -> tuple[WorkAnswer, str]:
        """One turn of the agent in its tree."""
        more = self.craft.prepare(self.context, self.work, tree)
        schema = TeamWorkAnswer if self.context.pack.roles[self.context.row.role].works else WorkAnswer
        prompt = prompts.render(
            MERGE if turn.conflicts else REPAIR if turn.findings else self.craft.goal,
            instructions=self.context.instructions,
            task=f"{self.context.row.key}, plan task {self.task.id}",
            language=self.context.session.language,
            schema=schema,
            shared=[("The request", self.context.session.request), ("The plan", _plan_text(self.plan))],
            material=[
                ("The plan task", json.dumps(self.task.as_json(), ensure_ascii=False, indent=1)),
                *more,
                ("Done so far", "\n".join(_done(self.context))),
                (TITLE, concerns_text(self.context)),
                ("A person's decisions", "\n".join(decided(self.context))),
                ("Why the attempt before this one ended; its files are gone", self._ended_before(turn)),
                ("Findings of the checks", "\n".join(blocking_lines(turn.findings))),
                ("What the tests said", what_tests_said(turn.findings)),
                ("Files that others have landed meanwhile", "\n".join(turn.others)),
                ("Files in conflict", "\n".join(turn.conflicts)),
            ],
        )
        facts: JsonObject = {"plan_task": self.task.as_json(), "turn": turn.number}
        answer, reply = self.calls.ask(PURPOSE, prompt, schema, facts, self.agents, tree=tree.checkout.work)
        self.context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
        return answer, reply.agent

    def _ended_before(self, turn: Turn) -> str:
        """What the task's last attempt was refused for, on the first turn of the next one."""
        row = self.context.row
        if turn.number > 1 or not row.attempts:
            return ""
        rows = self.context.desk.tasks(row.session_id)
        return next((each.error or "" for each in rows if each.key == row.key), "")

    def judge(self, candidate: Candidate, answer: WorkAnswer, tree: OpenTree) -> Judged:
        """What the checks and tests say of the candidate."""
        if self.onto is not None:  # all that the session changes in the user's branch
            changes = changes_between(self.work.private.git, self.onto, candidate.tree)
            candidate = replace(candidate, base=self.onto, changes=changes)
        return self.evidence(tree).judge(candidate, answer.criteria, self.task, answer.no_change)

    def judge_merge(self, change: Change, onto: Integration, tree: OpenTree) -> Judged | None:
        """What the candidate's merge with the head adds; None where it has to be judged as a whole."""
        if self.onto is not None:
            return None
        whole = not self._tests_to_come()
        return judge_merge(self.evidence(tree), change.candidate, change.judged, onto, whole=whole)

    def prepare_merge(self, change: Change, onto: Integration, tree: OpenTree) -> None:
        """Run the tests that `judge_merge` will ask for if this merge comes to be."""
        if self.onto is None:
            whole = not self._tests_to_come()
            prepare_merge(self.evidence(tree), change.candidate, change.judged, onto, whole=whole)

    def evidence(self, tree: OpenTree) -> CandidateEvidence:
        """What finds out about candidates of the tree, and remembers it for the run."""
        if tree.row.id not in self.known:
            declared = self.craft.declared(self.context, self.plan, self.task)
            self.known[tree.row.id] = CandidateEvidence.of(
                self.context, self.calls, self.work, tree.checkout, declared, self.onto
            )
        return self.known[tree.row.id]

    def _turns_left(self) -> int:
        """What earlier attempts, which may have taken more than three for merges, leave of three for each attempt.

        A question that a person answered is no turn; neither is a call that an account's limit or a crash of ours cut off.
        """
        row = self.context.row
        calls = self.context.desk.calls(row.session_id)
        taken = sum(
            call.task == row.key and call.purpose == PURPOSE and call.outcome in TAKEN for call in calls
        )
        return TURNS * row.max_attempts + len(decided(self.context)) - taken

    def _tests_to_come(self) -> bool:
        """Whether a tester has yet to begin: in fullstack the frontend may land after it, and fe-only has none."""
        rows = self.context.desk.tasks(self.context.row.session_id)
        return any(
            each.prefix == "TEST" and each.status in (TaskStatus.PENDING, TaskStatus.FAILED) for each in rows
        )

    def _is_last(self) -> bool:
        """Whether no other task of this kind is left."""
        row = self.context.row
        rows = self.context.desk.tasks(row.session_id)
        return not any(
            each.prefix == row.prefix and each.key != row.key and each.status in UNFINISHED for each in rows
        )


def decided(context: RunContext) -> list[str]:
    """What a person answered to questions of this task."""
    return [
        each.words for each in context.decisions if each.subject == f"answer {context.row.key}" and each.words
    ]


def _done(context: RunContext) -> list[str]:
    return [str(entry["summary"]) for entry in context.accumulator if entry.get("summary")]


def _plan_text(plan: Plan) -> str:
    told = plan.as_json()
    kept = ("summary", "approach", "decisions", "shared_context", "test")
    tasks_told = [f"{task.id}: {task.title}" for task in plan.tasks]
    return json.dumps(
        {**{name: told[name] for name in kept}, "tasks": tasks_told}, ensure_ascii=False, indent=1
    )


def _summary(task: PlanTask, change: Change) -> str:
    if change.landing is None:
        return f"{task.id}: nothing had to be changed: {change.answer.no_change}"
    files = len(change.candidate.changes)
    tests = change.judged.tests or {}
    shown = f", {tests['passed']} tests pass" if tests.get("passed") is not None else ""
    said = f", unverified: {change.judged.unverified}" if change.judged.unverified else ""
    return f"{task.id} landed as {change.landing.commit[:12]}: {files} files{shown}{said}"
