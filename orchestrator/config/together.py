"""The one check of everything configured: settings and packs, each against the other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.config import pack_files, sources
from orchestrator.domain.dataclass import replace
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.json_types import Json
from orchestrator.domain.pipelines import Pack, with_agents

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings


def load(
    project: Path | None, environ: Mapping[str, str], flags: Mapping[str, Json] | None
) -> tuple[Pack, Settings]:
    files, given = pack_files(project, environ), sources(project, environ, flags)
    faults: list[str] = []
    pack, settings = None, None
    try:
        pack = files.checked(given.agents)
    except ConfigError as error:
        faults += error.faults
    try:
        settings = given.settings(files.names)
    except ConfigError as error:
        faults += error.faults
    if pack is None or settings is None:
        raise ConfigError(faults)
    pack = with_agents(pack, settings.roles, settings.perspectives)
    if settings.consensus_threshold is not None:
        pack = replace(pack, gates=replace(pack.gates, consensus_threshold=settings.consensus_threshold))
    return pack, settings
