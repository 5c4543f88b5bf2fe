"""The audit of frontend work: rules over changed lines, a real browser, an agent that is checked by code, a verdict (QA-FE).

What is audited is fixed when it begins: everything from the session's base to its head, in every round.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from orchestrator.domain import secrets
from orchestrator.domain.agent_kinds import BUILTIN, RULES
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import (
    AgentError,
    AgentLimited,
    AgentOverloaded,
    AgentUnavailable,
    CassetteUnusable,
)
from orchestrator.domain.evidence import HIGH, MEDIUM, Finding
from orchestrator.domain.frontend_audit import (
    PASS,
    ROUNDS,
    audit_verdict,
    dimension_of,
    score,
)
from orchestrator.domain.review_verdicts import counted
from orchestrator.door.desk import Verdict
from orchestrator.lifecycle.audit_rounds import round_of
from workers.agents.protocol import Agent
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.evidence.agent_findings import Noted, merged, verify
from workers.evidence.browser_check import Browsed, browse, without_repeats
from workers.evidence.candidate_checks import worst_first
from workers.evidence.candidate_evidence import CandidateEvidence
from workers.evidence.changed_files import Changes, names_of, read_blobs, read_changes
from workers.evidence.declared import Declared
from workers.evidence.frontend_checks import frontend_checks
from workers.evidence.frontend_rules import Answered, Frontend, answer_all
from workers.evidence.review_chunks import chunked
from workers.evidence.style_declarations import read_styles
from workers.git.session_work import SessionWork
from workers.landing.design_tokens import DesignTokens, tokens_of
from workers.landing.reviewed_session import session_work
from workers.roles import Produced
from workers.roles.audit_record import Audited, audit_files, base_seen_before, record_path
from workers.roles.frontend_audit_prompt import ask_about_frontend
from workers.roles.review_record import counted_files
from workers.roles.second_look import look_again

WISDOM = 20  # findings that go into wisdom/issues
NOTHING = "nothing of the frontend has changed"


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The verdict on the frontend. Raises TreeError, GitError, LeaseLost, AgentLimited."""
    return _FrontendAudit(context, calls, session_work(context)).produce()


@dataclass
class _FrontendAudit:
    context: RunContext
    calls: AgentCalls
    work: SessionWork
    agents: list[str] = field(default_factory=list)
    without: str = ""  # why no agent took part

    def __post_init__(self) -> None:
        row = self.work.row()
        self.base, self.head = self.work.compared_with(row), row.head
        self.number = round_of(self.context.payload, self.context.row.revision_of)

    def produce(self) -> Produced:
        answered = answer_all(self.frontend)
        rules = [finding for each in answered for finding in each.findings]
        self.context.check()
        browsed = self._browsed()
        self.context.check()
        rules += without_repeats(browsed.findings, rules, self.frontend.checks.by_axe)
        claims, notes = self._asked(rules) if self.frontend.files else ([], [])
        claims = look_again(self.context, self.calls, self._agents(), claims, self.frontend.changes)
        known = secrets.known(self.calls.environ)
        return self._produced(worst_first(merged([*rules, *claims]), known), notes, answered, browsed)

    def _browsed(self) -> Browsed:
        """What a browser sees of the pages, where one can."""
        if not self.frontend.files:
            return Browsed(NOTHING)
        checkout = self.work.open_some_tree(self.context.row).checkout
        bench = CandidateEvidence.of(self.context, self.calls, self.work, checkout, Declared()).bench
        tree_of = self.work.private.tree_of
        name = f"{self.context.row.key}-r{self.number}"
        known = base_seen_before(self.context)
        return browse(bench, self.frontend, tree_of(self.base), tree_of(self.head), name, known)

    @cached_property
    def tokens(self) -> DesignTokens:
        return tokens_of(self.context, self.work.private.git, self.work.row().base)

    @cached_property
    def frontend(self) -> Frontend:
        """The changed files of the frontend, with the variables that the rest of the tree defines."""
        git, checks = self.work.private.git, frontend_checks()
        changes = read_changes(git, self.base, self.head)
        sheets = {
            path: id for path, id in names_of(git, self.head).items() if path.endswith((".css", ".scss"))
        }
        bodies, _ = read_blobs(git, sheets.values())
        texts = [body.decode("utf-8", "replace") for body in bodies.values()]
        return Frontend(
            Changes([each for each in changes.files if checks.covers(each.path)]),
            checks,
            self.tokens.names,
            {each.name for text in texts for each in read_styles(text) if each.name.startswith("--")},
            calm=any("prefers-reduced-motion" in text for text in texts),
            token_file=self.tokens.file,
        )

    def _asked(self, rules: Sequence[Finding]) -> tuple[list[Finding], list[Noted]]:
        """What agents found, verified; what could not be is a note."""
        agents = self._agents()
        if not agents:
            names = ", ".join(each.partition(":")[0] for each in self.calls.skipped)
            self.without = f"not usable: {names}" if names else "the role has no other agent than rules"
            return [], []
        findings: list[Finding] = []
        notes: list[Noted] = []
        changes = self.frontend.changes
        for pieces in chunked(Changes([file.changed for file in self.frontend.files])).chunks:
            self.context.check()
            try:
                answer, agent = ask_about_frontend(
                    self.context, self.calls, agents, pieces, rules, sorted(self.tokens.names)
                )
            except (AgentLimited, AgentOverloaded, CassetteUnusable):
                raise  # it is asked later: an audit by half is not wanted
            except AgentError as error:
                self.context.check()
                self.without = error.why or error.what
                if isinstance(error, AgentUnavailable):
                    break
                continue
            self.agents.append(agent)
            for found in (verify(each, changes, dimension_of) for each in answer.findings):
                (notes if isinstance(found, Noted) else findings).append(found)  # type: ignore[arg-type]
        return findings, notes

    def _agents(self) -> Sequence[Agent]:
        if self.calls.replays:
            return list(self.calls.agents)
        return [agent for agent in self.calls.agents if agent.name != BUILTIN]

    def _produced(
        self,
        found: Sequence[Finding],
        notes: Sequence[Noted],
        answered: Sequence[Answered],
        browsed: Browsed,
    ) -> Produced:
        scores = score(found, has_tokens=bool(self.tokens.names))
        criticals = any(each.severity == "critical" for each in found)
        word = audit_verdict(scores.overall, has_critical=criticals, is_last=self.number >= ROUNDS)
        audited = Audited(
            number=self.number,
            verdict=word,
            scores=scores,
            base=self.base,
            head=self.head,
            findings=tuple(found),
            notes=tuple(notes),
            answered=tuple(answered),
            files=tuple(file.changed.path for file in self.frontend.files),
            tokens=self.tokens,
            browsed=browsed,
            agents=tuple(dict.fromkeys(self.agents)),
            without="" if self.agents or not self.frontend.files else self.without,
        )
        row = self.context.row
        return Produced(
            files=audit_files(self.context, audited),
            artifact=record_path(row.key, self.number).removesuffix(".json") + ".md",
            summary=self._summary(audited),
            message_type="qa_fe_passed" if word == PASS else "qa_fe_result",
            agent=audited.agents[0] if audited.agents else RULES,
            notes=_notes(audited),
            wisdom=[("issues", _issue(each)) for each in found if each.severity in (HIGH, MEDIUM)][:WISDOM],
            verdict=Verdict("review", audited.verdict_data(record_path(row.key, self.number))),
            shared={"verdict": word, "overall": scores.overall, "head": self.head},
        )

    def _summary(self, audited: Audited) -> str:
        numbers = ", ".join(f"{count} {severity}" for severity, count in counted(audited.findings).items())
        if not audited.files:
            return f"{audited.verdict}: {NOTHING}"
        points = f"{audited.verdict} in round {audited.number}: {audited.scores.overall:.1f} of 10 points"
        parts = [points, f"{numbers or 'no findings'} in {counted_files(len(audited.files))}"]
        if audited.without:
            parts.append("without an agent")
        if audited.browsed.why_not:
            parts.append(f"no browser has looked: {audited.browsed.why_not}")
        return ", ".join(parts)


def _notes(audited: Audited) -> list[str]:
    """What the audit went without."""
    found = [f"no agent took part: {audited.without}"] if audited.without else []
    if audited.files and audited.browsed.why_not:
        found.append(f"no browser has looked: {audited.browsed.why_not}")
    return found


def _issue(finding: Finding) -> str:
    place = f"{finding.place}: " if finding.place else ""
    return f"[{finding.severity}] {place}{finding.text} ({finding.rule})"
