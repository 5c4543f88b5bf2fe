"""The second look at critical findings of agents: whoever reads them then is asked to refute them (docs/review.md).

A quote shows that a line is there, not that it is wrong. One reading alone does not block what others have tested.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from orchestrator.domain.dataclass import replace
from orchestrator.domain.errors import AgentError, AgentLimited, AgentOverloaded, CassetteUnusable
from orchestrator.domain.evidence import CRITICAL, HIGH, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from workers.agents import prompts
from workers.agents.protocol import Agent
from workers.context.agent_calls import SECOND_LOOK, AgentCalls
from workers.context.run_context import RunContext
from workers.evidence.agent_findings import TEXT, Line
from workers.evidence.changed_files import Changes

AROUND = 40  # lines of the file above and below the line of a claim
MOST = 12  # claims in one question; more are not looked at, and do not block
GOAL = (
    "Somebody reviewed a change and claims that the lines below must not be merged. Be their opponent: look for the reason "
    "why each claim is wrong, in the lines around it. A claim is confirmed only where the lines that you see prove it: name "
    "the input or the state with which it happens, and what then goes wrong. What may be right elsewhere, a matter of taste, "
    "a risk without a case, or a claim about code that is not shown is not confirmed."
)


class Looked(BaseModel):
    """What the second look says of one claim."""

    model_config = ConfigDict(extra="ignore")

    number: int = Field(ge=1, le=MOST)
    confirmed: bool = Field(description="whether the lines that are shown prove the claim")
    why: Line = Field(description="the input with which it goes wrong; or why the claim does not hold")


class SecondLook(BaseModel):
    """What the second look says of each claim."""

    model_config = ConfigDict(extra="ignore")

    claims: list[Looked] = Field(default=[], max_length=MOST)


def look_again(
    context: RunContext,
    calls: AgentCalls,
    agents: Sequence[Agent],
    found: Sequence[Finding],
    changes: Changes,
) -> list[Finding]:
    """The findings; a critical one of an agent that the second look does not confirm is high, with the reason.

    Another agent than the one that was asked first looks, where there is one; else the same in a new conversation.
    Raises AgentLimited, AgentOverloaded, CassetteUnusable, BudgetReached: it is asked later.
    """
    doubted = [each for each in found if each.severity == CRITICAL and each.source == "agent"]
    if not doubted:
        return list(found)
    looked = _looked(context, calls, agents, doubted[:MOST], changes)
    kept: dict[Finding, Finding] = {}
    for number, each in enumerate(doubted, 1):
        said = looked.get(number)
        if said is None or not said.confirmed:
            why = one_line(said.why, 300) if said else "nobody looked again"
            words = f"{each.text} (claimed as critical; not confirmed by a second look: {why})"
            kept[each] = replace(each, severity=HIGH, text=one_line(words, TEXT + 400))
    return [kept.get(each, each) for each in found]


def _looked(
    context: RunContext,
    calls: AgentCalls,
    agents: Sequence[Agent],
    doubted: Sequence[Finding],
    changes: Changes,
) -> dict[int, Looked]:
    """What an agent says of each claim, by its number; empty where none answers."""
    prompt = prompts.render(
        GOAL,
        instructions=context.critic_instructions,
        task=context.row.key,
        language=context.session.language,
        schema=SecondLook,
        shared=[("The request", context.session.request)],
        material=[
            (
                f"Claim {number}, and the lines around it",
                f"{each.place}: {each.text}\n{_around(each, changes)}",
            )
            for number, each in enumerate(doubted, 1)
        ],
    )
    facts: JsonObject = {"claims": [each.place for each in doubted]}
    try:
        answer, reply = calls.ask(SECOND_LOOK, prompt, SecondLook, facts, [*agents[1:], *agents[:1]])
    except (AgentLimited, AgentOverloaded, CassetteUnusable):
        raise
    except AgentError as error:
        context.check()
        context.notes.append(f"no second look at critical claims: {error.what}")
        return {}
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    return {each.number: each for each in answer.claims}


def _around(finding: Finding, changes: Changes) -> str:
    """The lines of the file as it is now, with their numbers; for removed lines those of the file before."""
    file = changes.by_path[finding.path]
    lines = file.lines if finding.line else file.lines_before
    first = max(1, finding.line - AROUND)
    last = finding.line + AROUND if finding.line else 2 * AROUND
    return "\n".join(f"{number} | {line}" for number, line in enumerate(lines, 1) if first <= number <= last)
