"""The discussant: a round as a task of its own (DISCUSS): of a document, where its product is the record alone, or of an
analysis."""

from __future__ import annotations

from orchestrator.domain.analysis import ROUND
from orchestrator.domain.errors import LifecycleError
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.roles import Produced, analysis_round


class ArtifactMissing(LifecycleError):
    """There is no artifact to discuss."""


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """Nothing but the name of what is discussed: the artifact is read, not changed. The discuss phase does the rest.

    A round of an analysis is made here. Raises AgentError.
    """
    if ROUND in context.payload:
        return analysis_round.produce(context, calls)
    around = context.pack.rounds[context.row.discussed_in]
    if around.artifact not in context.artifacts:
        raise ArtifactMissing(why=around.artifact, fix=f"lifecycle why {context.row.key}")
    return Produced(
        files={},
        artifact=around.artifact,
        summary=f"{around.key} on {around.artifact}",
        message_type="discussion_ready",
        agent="discuss",
    )
