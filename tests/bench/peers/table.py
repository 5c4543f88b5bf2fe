"""Medians of several runs with their spread, the machine they were made on, and both as a table."""

from __future__ import annotations

import os
import platform
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.peers.run import Figures

HEAD = (
    "",
    "durable by default as",
    "hop, median ms",
    "hop, p95 ms",
    "tasks/s",
    "memory MB",
    "cold start s",
    "a killed worker's chain is finished",
)


@dataclass(slots=True)
class Line:
    """A row of the table: its runs, or why there are none."""

    name: str
    durability: str
    runs: list[Figures] = field(default_factory=list)
    skipped: str | None = None

    def spread(self, figure: str) -> tuple[float, float, float] | None:
        """Median, lowest and highest."""
        values = [value for run in self.runs if (value := getattr(run, figure)) is not None]
        return (median(values), min(values), max(values)) if values else None

    @property
    def killed(self) -> str | None:
        return next((run.killed for run in self.runs if run.killed), None)


NUMBERS = tuple(each.name for each in fields(Figures) if each.name != "killed")


def as_json(line: Line) -> dict[str, Any]:
    if line.skipped:
        return {"name": line.name, "durability": line.durability, "skipped": line.skipped}
    found = {figure: line.spread(figure) for figure in NUMBERS}
    return {
        "name": line.name,
        "durability": line.durability,
        "runs": len(line.runs),
        "killed": line.killed,
        **{
            name: value and dict(zip(("median", "min", "max"), value, strict=True))
            for name, value in found.items()
        },
    }


def markdown(lines: Sequence[Line]) -> str:
    rows = [HEAD, ("---",) * len(HEAD), *(_cells(line) for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(line: Line) -> tuple[str, ...]:
    if line.skipped:
        return (line.name, line.durability, f"skipped: {line.skipped}", *[""] * (len(HEAD) - 3))
    numbers = (_number(line.spread(figure)) for figure in NUMBERS)
    return (line.name, line.durability, *numbers, line.killed or "-")


def _number(spread: tuple[float, float, float] | None) -> str:
    if spread is None:
        return "-"
    middle, low, high = map(_short, spread)
    return f"{middle} ({low} - {high})"


def _short(value: float) -> str:
    """Three digits that count, thousands with a comma."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def machine(folder: Path) -> dict[str, Any]:
    """What a reader must know to compare."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "fsync_ms": round(_fsync_ms(folder), 3),
        "load": os.getloadavg()[0],
        "date": time.strftime("%Y-%m-%d"),
    }


def _fsync_ms(folder: Path) -> float:
    """The median of flushing a page to the disk the runs use."""
    seconds = []
    with (folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(200):
            file.write(bytes(4096))
            before = time.perf_counter()
            os.fsync(file.fileno())
            seconds.append(time.perf_counter() - before)
    return median(seconds) * 1000


def describe(facts: dict[str, Any], runs: int) -> str:
    return (
        f"{facts['date']}: {facts['cores']} cores ({facts['processor']}), {facts['memory_gb']} GB, {facts['system']}, "
        f"Python {facts['python']}, SQLite {facts['sqlite']}, fsync {facts['fsync_ms']} ms, "
        f"load {facts['load']:.1f} at the start. Medians of {runs} run(s), in brackets lowest and highest."
    )
