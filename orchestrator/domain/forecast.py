"""What tasks are likely to take, by what the same work took before in this project; never invented."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.middle import median
from orchestrator.domain.prices import MICROS


@dataclass(frozen=True, slots=True)
class PastTask:
    """What one completed task took, over all its attempts."""

    kind: str  # its key, of a revision that of the original
    prefix: str
    calls: int  # of agents that are paid for
    tokens: int | None  # None: some call told none
    micros: int | None  # of a dollar; None: the price of some call is unknown
    seconds: float
    agent: str | None = None  # who completed it, where that is asked


@dataclass(frozen=True, slots=True)
class Forecast:
    """What tasks are likely to take: sums of what is known, and how many of them are unknown."""

    tasks: int = 0
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    minutes: float = 0.0
    unseen: int = 0  # tasks of which nothing like them was done before
    untold: int = 0  # ... whose tokens are unknown
    unpriced: int = 0  # ... whose price is unknown

    def less(self, other: Forecast) -> Forecast:
        """What is saved where `other` is done instead of this."""
        return Forecast(
            self.tasks - other.tasks,
            self.calls - other.calls,
            self.tokens - other.tokens,
            round(self.usd - other.usd, 6),
            round(self.minutes - other.minutes, 3),
            self.unseen - other.unseen,
            self.untold - other.untold,
            self.unpriced - other.unpriced,
        )


def forecast(tasks: Iterable[tuple[str, str]], past: Sequence[PastTask]) -> Forecast:
    """The sum over `tasks` (kind, prefix): the median of the same kind, else of the same prefix."""
    listed = [(_like(kind, prefix, past)) for kind, prefix in tasks]
    seen = [like for like in listed if like]
    return Forecast(
        tasks=len(listed),
        calls=sum(round(median(each.calls for each in like)) for like in seen),
        tokens=round(sum(_median(like, lambda each: each.tokens) or 0 for like in seen)),
        usd=round(sum(_median(like, lambda each: each.micros) or 0 for like in seen) / MICROS, 6),
        minutes=round(sum(median(each.seconds for each in like) for like in seen) / 60, 3),
        unseen=len(listed) - len(seen),
        untold=sum(_median(like, lambda each: each.tokens) is None for like in seen),
        unpriced=sum(_median(like, lambda each: each.micros) is None for like in seen),
    )


def _like(kind: str, prefix: str, past: Sequence[PastTask]) -> list[PastTask]:
    return [each for each in past if each.kind == kind] or [each for each in past if each.prefix == prefix]


def _median(like: Iterable[PastTask], of: Callable[[PastTask], int | None]) -> float | None:
    known = [value for each in like if (value := of(each)) is not None]
    return median(known) if known else None
