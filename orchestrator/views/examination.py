"""What one examination of `doctor` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: Literal["ok", "note", "fault"]
    says: str
    fix: str = ""
