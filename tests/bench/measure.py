"""What a figure is, how its spread is told, and on what machine it was measured."""

from __future__ import annotations

import os
import platform
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WIDTHS = (77, 12, 15, 7, 6, 6, 0)  # of the columns of the table
TINY = "BENCH_TINY"  # in the environment: for what a figure starts, too


def times(full: int, tiny: int = 1) -> int:
    """How often, how many: `tiny` where a run only shows that the figure can be measured."""
    return tiny if os.environ.get(TINY) else full


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table: the samples of one thing in one unit, and the bound that their median must keep.

    With `share` it is another quantile that must keep it: 0.95 for all but the slowest twentieth.
    """

    name: str
    unit: str
    samples: Sequence[float]
    below: float | None = None
    above: float | None = None
    note: str = ""
    more: dict[str, Any] = field(default_factory=dict)
    share: float = 0.5

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def met(self) -> bool | None:
        """None where nothing is asked."""
        if self.below is None and self.above is None:
            return None
        found = self.median if self.share == 0.5 else self.quantile(self.share)
        return (self.below is None or found < self.below) and (self.above is None or found > self.above)

    def quantile(self, share: float) -> float:
        ordered = sorted(self.samples)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "unit": self.unit,
            "median": self.median,
            "p5": self.quantile(0.05),
            "p95": self.quantile(0.95),
            "least": min(self.samples),
            "most": max(self.samples),
            "samples": len(self.samples),
            "below": self.below,
            "above": self.above,
            "met": self.met,
            "note": self.note,
            **self.more,
        }


def row(*cells: str) -> str:
    """A line of the table in Markdown, its columns in line as far as one can tell beforehand."""
    return f"| {' | '.join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True))} |"


HEAD = (
    row("figure", "median", "p5 - p95", "samples", "asked", "met", "")
    + "\n|"
    + "|".join("-" * (width + 1) + (":" if 1 <= n <= 4 else "-") for n, width in enumerate(WIDTHS))
    + "|"
)


def of_figure(found: Figure) -> str:
    asked = (
        f"< {found.below:g}"
        if found.below is not None
        else f"> {found.above:g}"
        if found.above is not None
        else ""
    )
    met = {None: "", True: "yes", False: "**no**"}[found.met]
    return row(
        found.name,
        f"{_short(found.median)} {found.unit}",
        f"{_short(found.quantile(0.05))} - {_short(found.quantile(0.95))}",
        str(len(found.samples)),
        asked,
        met,
        found.note,
    )


def of_failure(name: str, cause: Exception) -> str:
    """Where a figure's rows would stand, with the first line of the cause."""
    said = str(cause).strip().partition("\n")[0].replace("|", "/")
    return row(name, "**failed**", "", "", "", "", f"{type(cause).__name__}: {said}")


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def machine() -> dict[str, Any]:
    """Facts a figure means little without, the cost of one synced write among them."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "load_before": os.getloadavg()[0],
        "fsync_us": round(statistics.median(_syncs()) * 1e6),
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "?")


def _syncs(count: int = 100) -> list[float]:
    """Seconds of a 4 KiB write and its sync, over and over in one place."""
    taken = []
    with tempfile.TemporaryFile() as file:
        for _ in range(count):
            begun = time.perf_counter()
            os.pwrite(file.fileno(), b"x" * 4096, 0)
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - begun)
    return taken
