"""Places stretches of time on an axis: long ones in which nothing happens are folded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from orchestrator.domain.dataclass import dataclass

MICROS = 1_000_000
FOLDED_SECONDS = 60  # idle time shorter than this is never folded
FOLDED_SHARE = (
    0.1  # of the time in which something happened: a shorter idle stretch is no obstacle to reading
)
FOLD_WIDTH = 24  # pixels of a folded stretch
SHORTEST_BAR = 3  # pixels: an attempt of a millisecond is still seen


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when something went on, in microseconds; `end` is None while it still does."""

    begin: int
    end: int | None


@dataclass(frozen=True, slots=True)
class Bar:
    x: int
    width: int


@dataclass(frozen=True, slots=True)
class Fold:
    """An idle stretch that is left out."""

    x: int
    width: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Axis:
    """A bar for each span, in their order, and what lies between them."""

    width: int
    bars: tuple[Bar, ...]
    folds: tuple[Fold, ...]


def axis(spans: Sequence[Span], now: int, width: int = 800) -> Axis:
    """The spans on an axis of about `width` pixels; what still goes on ends at `now`."""
    ends = [(span.begin, max(span.begin, now if span.end is None else span.end)) for span in spans]
    busy = _busy(ends)
    if not busy:
        return Axis(width, (), ())
    worked = sum(end - begin for begin, end in busy)
    longest = max(FOLDED_SECONDS * MICROS, int(worked * FOLDED_SHARE))
    gaps = [(end, begin) for (_, end), (begin, _) in pairwise(busy)]
    folded = [(begin, end) for begin, end in gaps if end - begin > longest]
    shown = busy[-1][1] - busy[0][0] - sum(end - begin for begin, end in folded)
    scale = max(1, width - FOLD_WIDTH * len(folded) - SHORTEST_BAR) / max(1, shown)
    stops = [busy[0][0], *(end for _, end in folded)]  # where the axis goes on after a fold
    before = [0]  # time shown until each stop
    for (idle, _), stop in zip(folded, stops, strict=False):
        before.append(before[-1] + idle - stop)

    def place(at: int) -> int:
        part = bisect_right(stops, at) - 1
        return round((before[part] + at - stops[part]) * scale) + part * FOLD_WIDTH

    bars = tuple(Bar(place(begin), max(SHORTEST_BAR, place(end) - place(begin))) for begin, end in ends)
    folds = tuple(Fold(place(begin), FOLD_WIDTH, (end - begin) / MICROS) for begin, end in folded)
    return Axis(max([width, *(bar.x + bar.width for bar in bars)]), bars, folds)


def _busy(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The stretches in which something went on, in order, none touching the next."""
    found: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found
