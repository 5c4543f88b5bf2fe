"""Variables of the environment with which agents log in: those a person's shell hands over to a running coordinator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from orchestrator.domain.agent_kinds import KINDS
from orchestrator.domain.json_types import Json
from orchestrator.domain.model_providers import PROVIDERS

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings

# What clients and model APIs look at by themselves.
KEYS = {key for kind in KINDS.values() for key in kind.keys}
KEYS |= {key for provider in PROVIDERS.values() for key in provider.keys}


def handed_over(settings: Settings, values: Mapping[str, Json]) -> dict[str, str]:
    """Those of `values` that may be handed over: keys, and what the settings name for an agent.

    Whoever takes them asks too: anything of the user's can write to our sockets, and what it sends must not change where we
    look for programs, modules and folders.
    """
    own = {name for agent in settings.agents.values() for name in (*agent.env, agent.key_env) if name}
    return {name: str(values[name]) for name in sorted(own.union(KEYS)) if name in values}
