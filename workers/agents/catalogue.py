"""The program file of each kind of agent: `workers/agents/programs/NAME.py`, whose `DIALECT` speaks to it.

What a kind is called, sees, takes and reports stands in orchestrator/domain/agent_kinds.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from orchestrator.domain.agent_kinds import KINDS
from workers.agents.programs.external import ExternalAgent
from workers.agents.protocol import Timeouts

if TYPE_CHECKING:
    from orchestrator.config.settings import AgentSettings
    from workers.agents.programs.dialect import MakeDialect
    from workers.agents.slots import AgentSlots


def program_agent(
    name: str, given: AgentSettings, environ: Mapping[str, str], timeouts: Timeouts | None, slots: AgentSlots
) -> ExternalAgent:
    """The agent that the settings describe, of a kind that is a program."""
    kind = KINDS[given.kind]
    program = given.command[0] if given.command else kind.name
    make: MakeDialect = import_module(f"workers.agents.programs.{kind.name}").DIALECT
    return ExternalAgent(
        name,
        program,
        make(program, given, environ),
        environ=environ,
        env=[*kind.sees, *given.env, *([given.key_env] if given.key_env else [])],
        version=kind.version if kind.is_client else (),
        timeouts=timeouts,
        edits_files=given.edits_files or kind.is_client,
        confine=given.confine,
        slots=slots,
    )
