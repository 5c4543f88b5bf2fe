"""How much room the project's disk has."""

from __future__ import annotations

import shutil
from pathlib import Path

from orchestrator.domain.dataclass import dataclass

FREE_BYTES = 200 * 1024 * 1024
FREE_SHARE = 0.05
FIX = "free some space: a full disk pauses every session"


@dataclass(frozen=True, slots=True)
class Room:
    free: int  # bytes
    total: int

    @property
    def says(self) -> str:
        return f"{self.free // 1024 // 1024} MiB free of {self.total // 1024 // 1024} MiB"

    @property
    def is_low(self) -> bool:
        return self.is_short or self.free < FREE_SHARE * self.total

    @property
    def is_short(self) -> bool:
        """Whether sessions are likely to pause for it soon."""
        return self.free < FREE_BYTES


def room_at(folder: Path) -> Room:
    usage = shutil.disk_usage(folder)
    return Room(usage.free, usage.total)
