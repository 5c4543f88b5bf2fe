"""What a session may cost, from what the same work of the same agents cost before; never invented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.middle import median

Past = Mapping[tuple[str, str], Sequence[int]]  # (work, agent) -> micro-dollars, one for each time


@dataclass(frozen=True, slots=True)
class Estimate:
    """`micros` is the sum of what is known; `missing` names the work that has no history."""

    micros: int
    times: int  # how often work was seen that this rests on
    missing: tuple[tuple[str, str], ...]  # (work, agent)


def estimate(parts: Sequence[tuple[str, str]], past: Past) -> Estimate:
    """The sum of medians over `parts`: (work, agent), as often as each is to be done."""
    known = [part for part in parts if past.get(part)]
    return Estimate(
        micros=round(sum(median(past[part]) for part in known)),
        times=sum(len(past[part]) for part in set(known)),
        missing=tuple(dict.fromkeys(part for part in parts if not past.get(part))),
    )
