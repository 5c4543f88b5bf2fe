"""How long an idle coordinator stays: shorter when its machine or control group is short of memory."""

from __future__ import annotations

from orchestrator.domain.dataclass import dataclass

SHORT_SHARE = 0.10  # less of the memory than this available: others need ours more
SHORT_STALL_PERCENT = 5.0  # of the last minute some process waited for memory: the same
SHORT_STAY_SECONDS = 30.0  # without work, then; long enough for somebody who reads the result and goes on


@dataclass(frozen=True, slots=True)
class Memory:
    """What the kernel says of the machine or of one control group."""

    available: int  # bytes that can be had without writing any out
    total: int  # bytes
    stalled: float = 0.0  # percent of the last minute in which some process waited for memory

    @property
    def is_short(self) -> bool:
        return self.available < SHORT_SHARE * self.total or self.stalled >= SHORT_STALL_PERCENT


def stay_seconds(asked: float, found: list[Memory]) -> float:
    """Seconds without work after which the coordinator exits; as configured if the memory is unknown."""
    return min(asked, SHORT_STAY_SECONDS) if any(each.is_short for each in found) else asked
