"""An agent that edits files can write to its own tree, and not to the user's project or to the trees of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import replace
from orchestrator.domain.errors import AgentUnavailable
from workers.agents.programs.process import Confinement, RunResult
from workers.agents.programs.read_only import confinement
from workers.agents.protocol import AgentRequest

CAN_WRITE = "it could write to the project and to the trees of others ({})"


def run_editing(
    agent: str,
    request: AgentRequest,
    env: Mapping[str, str],
    own: Sequence[Path],
    run: Callable[[Confinement | None], RunResult],
    confine: bool,
) -> RunResult:
    """The result of a run that can write to `own` and to nothing else that is protected.

    Where that cannot be had, `request.unconfined` lets it run with a note. Raises AgentUnavailable without it.
    """
    assert request.protected is not None
    if not confine:
        return replace(run(None), changed=(CAN_WRITE.format("`confine = false`"),))
    found = confinement(request.protected, env, own, database=bool(request.mcp))
    if isinstance(found, Confinement):
        result = run(found)
        if result.ended.ended_by != "unconfined":
            return result
        found = result.ended.error
    if not request.unconfined:
        raise AgentUnavailable(
            f"{agent} could write to the project here, so it was not started",
            why=found,
            fix="docs/evidence.md says what the sandbox needs; or set `work.unconfined = true`",
        )
    return replace(run(None), changed=(CAN_WRITE.format(found),))
