"""An agent of kind `command`, as a test makes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orchestrator.config.settings import AgentSettings
from workers.agents.programs.command import Plain
from workers.agents.programs.external import ExternalAgent


def command_agent(name: str, argv: Sequence[str], **more: Any) -> ExternalAgent:
    """An agent that runs `argv`; a script in it may be longer than the settings allow."""
    given = AgentSettings(command=list(argv))
    return ExternalAgent(name, argv[0], Plain(argv[0], given, {}), **more)
