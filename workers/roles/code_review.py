"""The review of code: rules, an agent's reading that is checked by code, and the criteria, up to a verdict (REVIEW).

What was reviewed is fixed when it begins: from the session's base to its head. A later review of the same task has an
agent read only what has landed since; the rules are asked about everything again, and what the agent found before is
looked for where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from orchestrator.domain import secrets
from orchestrator.domain.agent_kinds import BUILTIN, RULES
from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.errors import (
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentUnavailable,
    CassetteUnusable,
)
from orchestrator.domain.evidence import CRITICAL, HIGH, MEDIUM, Finding
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import Plan
from orchestrator.domain.review_verdicts import FIX, UNVERIFIED, counted, review_verdict, to_fix
from orchestrator.door.desk import Verdict
from workers.agents.protocol import Agent
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.evidence.agent_findings import Noted, ReviewAnswer, is_still_there, merged, verify
from workers.evidence.candidate_checks import causes_first, worst_first
from workers.evidence.changed_files import Changes, read_changes
from workers.evidence.criteria_review import (
    CriterionReview,
    criteria_findings,
    review_criteria,
    uncovered_requirements,
)
from workers.evidence.declared import Declared
from workers.evidence.people_changes import of_person
from workers.evidence.review_chunks import chunked
from workers.git.publishing import is_ancestor
from workers.git.session_work import SessionWork
from workers.landing.pull_request import PATH as PULL_REQUEST
from workers.landing.pull_request import with_review
from workers.landing.review_checks import check_reviewed
from workers.landing.reviewed_session import is_review, session_work
from workers.landing.work_plans import plan_of
from workers.roles import Produced
from workers.roles.review_prompt import Asked, ask_about
from workers.roles.review_record import (
    Reviewed,
    Reviewing,
    counted_files,
    must_requirements,
    previous_review,
    records_of,
    review_files,
    skipped_tasks,
    test_findings,
    tests_of,
)
from workers.roles.second_look import look_again

WISDOM = 20  # findings that go into wisdom/issues


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The verdict on what was added since the base. Raises TreeError, GitError, LeaseLost, AgentLimited."""
    return _CodeReview(context, calls, session_work(context), plan_of(context)).produce()


@dataclass
class _CodeReview:
    context: RunContext
    calls: AgentCalls
    work: SessionWork
    plan: Plan
    left_out: dict[str, str] = field(default_factory=dict)  # files that no agent read, with the reason
    read: set[str] = field(default_factory=set)  # files that an agent read
    said: dict[str, list[str]] = field(default_factory=dict)  # dimension -> what agents said of it
    settled: set[str] = field(default_factory=set)
    agents: list[str] = field(default_factory=list)
    without: str = ""  # why no agent took part

    def __post_init__(self) -> None:
        row = self.work.row()
        self.base, self.head = self.work.compared_with(row), row.head
        self.before = previous_review(self.context)
        since = str(self.context.payload.get("since") or self.before.head or self.base)
        # a review from before a rebase is of other lines: all is read again
        self.since = since if is_ancestor(self.work.private, self.base, since) else self.base

    @cached_property
    def changes(self) -> Changes:
        """Everything since the base."""
        return read_changes(self.work.private.git, self.base, self.head)

    @cached_property
    def delta(self) -> Changes:
        """What an agent reads: what has landed since the review before."""
        if self.since == self.base:
            return self.changes
        return read_changes(self.work.private.git, self.since, self.head)

    def produce(self) -> Produced:
        rules = self._rules()
        self.context.check()
        claims, notes = self._asked(rules)
        records = records_of(self.context)
        links = self.context.desk.links(self.context.row.session_id)
        skipped = skipped_tasks(self.context)
        criteria = review_criteria(self.plan, records, links, self.changes, skipped)
        landed = {str(each.get("plan_task")) for each in records if each.get("commit")}
        missing = uncovered_requirements(
            self.plan, must_requirements(self.context), criteria, landed, skipped
        )
        claims = look_again(self.context, self.calls, self._agents(), claims, self.changes)
        unproved = criteria_findings(criteria, self._why_untested())
        found = merged([*rules, *self._open_before(), *claims, *unproved, *missing])
        if not self.changes.files:
            text = (
                f"nothing differs between {self.base[:12]} and {self.head[:12]}: there is nothing to approve"
            )
            found.append(Finding("tree", MEDIUM if skipped else CRITICAL, "empty_diff", text))
        return self._produced(causes_first(worst_first(found, self._known)), notes, criteria)

    def _why_untested(self) -> str:
        """Why the newest round of tests tells nothing; empty where it does, or there is none."""
        tests = tests_of(self.context)
        return str(tests["why"] or "") if tests and tests["verdict"] == UNVERIFIED else ""

    # phases

    @cached_property
    def _known(self) -> secrets.Known:
        return secrets.known(self.calls.environ)

    def _rules(self) -> list[Finding]:
        """What rules and linters find in everything since the base; of a person's commits what the tests found, too."""
        found = check_reviewed(self.context, self.calls, self.work, self.base, self.head, self._declared())
        if not is_review(self.context):
            return found
        tests = (
            replace(each, severity=CRITICAL) if each.blocks else each for each in test_findings(self.context)
        )
        return [*tests, *of_person(found, self.changes)]

    def _declared(self) -> Declared:
        """All that the plan's tasks may do, together."""
        tasks = self.plan.tasks
        return Declared(
            files=frozenset(each.path for task in tasks for each in task.files),
            tests_may_change={each.path: each.reason for task in tasks for each in task.tests_may_change},
            new_dependencies=frozenset(name for task in tasks for name in task.new_dependencies),
        )

    def _asked(self, rules: Sequence[Finding]) -> tuple[list[Finding], list[Noted]]:
        """What agents found in the delta, verified; what could not be is a note."""
        agents = self._agents()
        split = chunked(self.delta)
        self.left_out |= split.left_out
        if not agents:
            names = ", ".join(each.partition(":")[0] for each in self.calls.skipped)
            self.without = f"not usable: {names}" if names else "the reviewer has no other agent than rules"
        findings: list[Finding] = []
        notes: list[Noted] = []
        for number, pieces in enumerate(split.chunks if agents else (), 1):
            self.context.check()
            asked = Asked(pieces, number, len(split.chunks), rules, self.before.open_of_agents)
            try:
                answer, agent = ask_about(self.context, self.calls, agents, self.plan, asked)
            except (AgentLimited, AgentOverloaded, CassetteUnusable):
                raise  # it is asked later: a review by half is not wanted
            except AgentError as error:
                self.context.check()
                self.left_out |= {piece.path: error.what for piece in pieces}
                if isinstance(error, AgentUnavailable):
                    self.without = error.why or error.what
                    break
                continue
            self._take(answer, agent, {piece.path for piece in pieces})
            for found in (verify(each, self.delta) for each in answer.findings):
                if isinstance(found, Noted):
                    notes.append(found)
                else:
                    findings.append(found)
        self.left_out = {path: why for path, why in self.left_out.items() if path not in self.read}
        return findings, notes

    def _take(self, answer: ReviewAnswer, agent: str, paths: set[str]) -> None:
        self.read |= paths
        self.agents.append(agent)
        for dimension, sentence in answer.dimensions.model_dump().items():
            if sentence.strip():
                self.said.setdefault(dimension, []).append(sentence.strip())
        self.settled |= {each.id for each in answer.settled}

    def _agents(self) -> Sequence[Agent]:
        if self.calls.replays:
            return list(self.calls.agents)
        return [agent for agent in self.calls.agents if agent.name != BUILTIN]

    def _open_before(self) -> list[Finding]:
        """Findings of agents in the review before that are there still; one is settled only by a change of its file."""
        return [
            finding
            for id, finding in self.before.open_of_agents.items()
            if is_still_there(finding, self.changes)
            and not (id in self.settled and finding.path in self.delta.by_path)
        ]

    # the report

    def _produced(
        self, found: Sequence[Finding], notes: Sequence[Noted], criteria: Sequence[CriterionReview]
    ) -> Produced:
        word = review_verdict(found)
        reviewed = Reviewed(
            verdict=word,
            base=self.base,
            since=self.since,
            head=self.head,
            findings=tuple(found),
            notes=tuple(notes),
            criteria=tuple(criteria),
            said=self.said,
            agents=tuple(dict.fromkeys(self.agents)),
            without="" if self.agents else self.without,
        )
        reviewing = Reviewing(self.context, self.work, self.plan, self.changes, self.read, self.left_out)
        files, listed = review_files(reviewing, reviewed, self.before)
        must_fix = to_fix(found, str(self.context.session.options.get(FIX, CRITICAL)))
        row = self.context.row
        if (page := self.context.text(PULL_REQUEST)) is not None:
            files = {**files, PULL_REQUEST: (with_review(page, row.key, word, found), "report")}
        return Produced(
            files=files,
            artifact=f"qa/review-{row.key}.md",
            summary=self._summary(word, found, notes, criteria),
            message_type="fix_required" if must_fix else "review_result",
            agent=reviewed.agents[0] if reviewed.agents else RULES,
            notes=[f"no agent took part: {self.without}"] if not self.agents else [],
            wisdom=[("issues", _issue(each)) for each in found if each.severity in (HIGH, MEDIUM)][:WISDOM],
            verdict=Verdict(
                "review",
                {
                    "verdict": word,
                    "agents": list(reviewed.agents),
                    "head": self.head,
                    "open": [each.as_json() for each in must_fix],
                    "findings": listed,
                    "criteria": self._must(criteria),
                    "subject": {"base": self.base, "since": self.since, "head": self.head},
                },
            ),
            shared={"verdict": word, "head": self.head},
        )

    def _must(self, criteria: Sequence[CriterionReview]) -> list[JsonObject]:
        """The criteria of what must be done: of Must requirements and of no requirement; all where no priority is known."""
        specified = self.context.desk.specified(self.context.row.session_id)
        must = frozenset[str]() if specified is None else specified.ground.must
        refs = {
            criterion.id: set(criterion.refs) or task.cited
            for task in self.plan.tasks
            for criterion in task.criteria
        }
        return [
            {"id": each.id, "text": each.text, "met": each.met}
            for each in criteria
            if not must or not refs[each.id] or not must.isdisjoint(refs[each.id])
        ]

    def _summary(
        self,
        word: str,
        found: Sequence[Finding],
        notes: Sequence[Noted],
        criteria: Sequence[CriterionReview],
    ) -> str:
        numbers = ", ".join(f"{count} {severity}" for severity, count in counted(found).items())
        parts = [f"{word}: {numbers or 'no findings'} in {counted_files(len(self.changes.files))}"]
        if criteria:
            met = sum(each.met == "met" for each in criteria)
            parts.append(f"{met} of {len(criteria)} criteria met")
        if notes:
            parts.append(
                f"{len(notes)} claim{'' if len(notes) == 1 else 's'} of agents could not be verified"
            )
        if not self.agents:
            parts.append("by rules alone")
        return ", ".join(parts)


def _issue(finding: Finding) -> str:
    place = f"{finding.place}: " if finding.place else ""
    return f"[{finding.severity}] {place}{finding.text} ({finding.rule})"
