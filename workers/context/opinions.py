"""Asking for an opinion that nothing depends on: without an answer the rules stand alone, and that is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel

from orchestrator.domain.agent_kinds import BUILTIN
from orchestrator.domain.errors import AgentError, AgentLimited, AgentOverloaded, CassetteUnusable
from orchestrator.domain.json_types import Json
from workers.agents.prompts import Prompt
from workers.agents.protocol import Agent
from workers.context.agent_calls import AgentCalls

M = TypeVar("M", bound=BaseModel)


def opinion(
    calls: AgentCalls,
    kind: str,
    prompt: Prompt,
    schema: type[M],
    facts: Mapping[str, Json],
    *,
    waits: bool = False,
) -> tuple[M, str] | None:
    """An agent's answer and its name; None where no agent but the built-in one is there, or none answers.

    `waits`: an account at its limit is waited for, since nobody waits for this task. Raises AgentLimited and AgentOverloaded
    then, and always CassetteUnusable, BudgetReached.
    """
    context = calls.run
    agents = asked(calls)
    if not agents:
        return None
    try:
        answer, reply = calls.ask(kind, prompt, schema, facts, agents)
    except CassetteUnusable:
        raise
    except AgentError as error:
        context.check()
        if waits and isinstance(error, AgentLimited | AgentOverloaded):
            raise
        context.notes.append(f"no agent answered, the rules alone say what follows: {error.what}")
        return None
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    return answer, reply.agent


def asked(calls: AgentCalls) -> Sequence[Agent]:
    """The agents that have an opinion: all but the built-in one, whose rules have said what they find."""
    if calls.replays:
        return list(calls.agents)
    return [agent for agent in calls.agents if agent.name != BUILTIN]
