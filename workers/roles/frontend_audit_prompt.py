"""What an agent is asked about the frontend of a change, and the form of its answer."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from orchestrator.domain.evidence import Finding
from orchestrator.domain.json_types import JsonObject
from workers.agents import prompts
from workers.agents.protocol import Agent
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.evidence.agent_findings import AgentFinding, Word
from workers.evidence.review_chunks import Piece

KIND = "audit"
KNOWN = 60  # findings of rules that are told
GOAL = (
    "Audit the frontend of the change below in five dimensions: quality, accessibility, design, experience, delivery. In "
    "each file `+` marks new lines and `-` removed ones; the numbers are those of the file as it is now. Report only what is "
    "wrong because of this change and can be shown by a line of it. Copy that line exactly into `quote`: a finding whose "
    "quote is not found is thrown away. critical: some people cannot use it at all, or it breaks the page. high: a fault "
    "that users meet. medium: a likely fault. low: the rest. Report nothing that the findings of the rules and the browser "
    "say already, no praise and no questions of taste. No finding is a good answer."
)


class AuditFinding(AgentFinding):
    """One thing that is wrong with the frontend."""

    dimension: Word = Field(description="quality, accessibility, design, experience or delivery")


class AuditAnswer(BaseModel):
    """What an audit of some changed files found."""

    model_config = ConfigDict(extra="ignore")

    findings: list[AuditFinding] = Field(default=[], max_length=60)


def ask_about_frontend(
    context: RunContext,
    calls: AgentCalls,
    agents: Sequence[Agent],
    pieces: Sequence[Piece],
    rules: Sequence[Finding],
    tokens: Sequence[str],
) -> tuple[AuditAnswer, str]:
    """What an agent says of these files, and who. Raises AgentError, BudgetReached."""
    paths = list(dict.fromkeys(piece.path for piece in pieces))
    known = [f"[{each.severity}] {each.place}: {each.text} ({each.rule})" for each in rules][:KNOWN]
    prompt = prompts.render(
        GOAL,
        instructions=context.instructions,
        task=context.row.key,
        language=context.session.language,
        schema=AuditAnswer,
        shared=[("The request", context.session.request)],
        material=[
            ("Findings of the rules and the browser", "\n".join(known)),
            ("Variables of the design tokens", "\n".join(tokens)),
            *((f"Changed file {number}", piece.text) for number, piece in enumerate(pieces, 1)),
        ],
    )
    facts: JsonObject = {"paths": paths}
    answer, reply = calls.ask(KIND, prompt, AuditAnswer, facts, agents)
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    return answer, reply.agent
