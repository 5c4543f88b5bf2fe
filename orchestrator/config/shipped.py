"""The shipped pack, read once a process."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from orchestrator.config import resources
from orchestrator.domain.documents import Catalogue

if TYPE_CHECKING:
    from orchestrator.domain.pipelines import Pack


@cache
def shipped_pack() -> Pack:
    """Roles, rounds, documents and pipelines without anybody's packs."""
    from orchestrator.config.yaml_packs import read

    return read(resources() / "config", []).pack()


def shipped_documents() -> Catalogue:
    """The catalogue of documents without anybody's packs."""
    return shipped_pack().documents
