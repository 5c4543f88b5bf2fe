"""Pack and settings checked against each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator import config
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.pipelines import Pack, with_agents
from orchestrator.domain.reading import unknown

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings


def load(
    project: Path | None, environ: Mapping[str, str], flags: Mapping[str, Any] | None
) -> tuple[Pack, Settings]:
    faults: list[str] = []
    pack, settings = None, None
    try:
        pack = config.load_pack(project, environ)
    except ConfigError as error:
        faults += error.faults
    try:
        settings = config.load_settings(project, environ, flags)
    except ConfigError as error:
        faults += error.faults
    if pack is None or settings is None:
        raise ConfigError(faults)
    if faults := _strangers(pack, settings):
        raise ConfigError(faults)
    pack = with_agents(pack, settings.roles, settings.perspectives)
    if settings.consensus_threshold is not None:
        pack = replace(pack, gates=replace(pack.gates, consensus_threshold=settings.consensus_threshold))
    return pack, settings


def _strangers(pack: Pack, settings: Settings) -> list[str]:
    """Names in the settings that nothing else knows."""
    shipped = {agent for role in pack.roles.values() for agent in role.agents}
    shipped |= {agent for view in pack.perspectives.values() for agent in view.agents}
    agents = shipped | set(settings.agents)
    faults: list[str] = []
    for section, kind, given, known in (
        ("roles", "role", settings.roles, pack.roles),
        ("perspectives", "perspective", settings.perspectives, pack.perspectives),
    ):
        names: Collection[str] = known
        faults += [f"{section}.{name}: {unknown(kind, name, names)}" for name in given if name not in names]
        faults += [
            f"{section}.{name}: {unknown('agent', agent, agents)}"
            for name, order in given.items()
            for agent in order
            if agent not in agents
        ]
    return faults
