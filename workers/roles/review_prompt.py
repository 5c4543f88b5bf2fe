"""What an agent is asked about one chunk of a change: the files between fences, and what they should do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import Finding
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import Plan
from workers.agents import prompts
from workers.agents.protocol import Agent
from workers.context.advised import TITLE, concerns_text
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.evidence.agent_findings import ReviewAnswer
from workers.evidence.review_chunks import Piece
from workers.roles.review_record import criteria_of, tasks_of, texts_of

KIND = "review"
KNOWN = 40  # findings of rules that are told
GOAL = (
    "Review the change below in four dimensions: quality, security, architecture, requirements. In each file `+` marks new "
    "lines and `-` removed ones; the numbers are those of the file as it is now. Report only what is wrong because of this "
    "change and can be shown by a line of it. Copy that line exactly into `quote`: a finding whose quote is not found is "
    "thrown away. critical: it must not be merged (data loss, a hole, a requirement broken). high: a fault that users meet. "
    "medium: a likely fault or a test that is missing. low: the rest. Report nothing that the findings of the rules say "
    "already, no praise and no questions of taste. No finding is a good answer."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about a change."""

    pieces: Sequence[Piece]
    number: int
    of: int
    rules: Sequence[Finding]
    before: Mapping[str, Finding]  # open findings of the review before, by id


def ask_about(
    context: RunContext, calls: AgentCalls, agents: Sequence[Agent], plan: Plan, asked: Asked
) -> tuple[ReviewAnswer, str]:
    """What an agent says of the chunk, and who. Raises AgentError, BudgetReached."""
    paths = list(dict.fromkeys(piece.path for piece in asked.pieces))
    concerned = tasks_of(context, plan, paths)
    known = [_line(each) for each in asked.rules if each.path in paths][:KNOWN]
    before = {id: each for id, each in asked.before.items() if each.path in paths or asked.number == 1}
    prompt = prompts.render(
        GOAL,
        instructions=context.instructions,
        task=f"{context.row.key}, part {asked.number} of {asked.of}",
        language=context.session.language,
        schema=ReviewAnswer,
        shared=[("The request", context.session.request)],
        material=[
            ("The plan tasks that these files belong to", _json([each.as_json() for each in concerned])),
            ("What they refer to", "\n".join(texts_of(context, concerned))),
            ("What tests show of their criteria", _json(criteria_of(context, concerned))),
            (TITLE, concerns_text(context)),
            ("Findings of the rules", "\n".join(known)),
            (
                "Open findings of the review before: name those in `settled` that the change settles",
                "\n".join(f"{id}: {_line(each)}" for id, each in before.items()),
            ),
            *((f"Changed file {number}", piece.text) for number, piece in enumerate(asked.pieces, 1)),
        ],
    )
    facts: JsonObject = {"paths": paths, "part": asked.number}
    answer, reply = calls.ask(KIND, prompt, ReviewAnswer, facts, agents)
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    return answer, reply.agent


def _json(value: Sequence[JsonObject]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) if value else ""


def _line(finding: Finding) -> str:
    return f"[{finding.severity}] {finding.place}: {finding.text} ({finding.rule})"
