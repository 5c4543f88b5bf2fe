"""Who edits a tree."""

from __future__ import annotations

from orchestrator.domain.errors import AgentUnavailable
from workers.agents.protocol import Agent, edits_files
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext

FIRST_AGENT = 2  # attempts of the first agent; then it is the next one's turn


def coding_agents(context: RunContext, calls: AgentCalls) -> list[Agent]:
    """The agent that edits files and is asked first; after two attempts the next one. Raises AgentUnavailable."""
    if calls.replays:
        return list(calls.agents)
    able = [agent for agent in calls.agents if edits_files(agent)]
    if not able:
        raise AgentUnavailable(
            f"no agent that edits files can do the work of the {context.row.role}",
            why="; ".join(calls.skipped),
            fix="install a coding agent, or set `edits_files` of one of yours; `lifecycle agents` shows them",
        )
    return able[1:2] if context.row.attempts >= FIRST_AGENT and len(able) > 1 else able[:1]


def has_coding_agent(calls: AgentCalls) -> bool:
    """Whether anybody here edits files, whoever does the work of the current role."""
    able = (agent for agent in calls.router.agents.values() if edits_files(agent))
    return calls.replays or any(agent.available() is None for agent in able)
