"""What one examination of `doctor` says."""

from __future__ import annotations

from typing import Literal

from orchestrator.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: Literal["ok", "note", "fault"]
    says: str
    fix: str = ""
