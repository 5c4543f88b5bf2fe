"""Compare with others: the same chains of six steps that do nothing, each durable, by every peer on this machine.

`python -m tests.bench.peers [names] [--json FILE]`. Linux only. Progress is told on
standard error, the table is given on standard output.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.bench.peers import floor, ours, table
from tests.bench.peers.install import ensure
from tests.bench.peers.peers import PEERS, Peer
from tests.bench.peers.processes import Failed
from tests.bench.peers.run import Figures, Run

ROOT = Path(__file__).resolve().parents[3]
OURS, LIMIT = "ours", "limit"
BATCH = 16
Measure = Callable[[Path, bool], Figures]  # in an empty folder; whether this run kills the worker too


def main() -> None:
    wanted = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))  # so that what runs is ended too
    wanted.cache.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=wanted.cache) as scratch:
        facts = table.machine(Path(scratch))
        todo = plan(wanted.names, wanted.cache, wanted.window, Path(scratch))
        lines = [line for line, _ in todo]
        try:
            for number in range(wanted.runs):  # in turn, so that a slow minute of the machine is everybody's
                for line, measure in todo:
                    attempt(line, measure, Path(scratch), last=number == wanted.runs - 1)
        finally:  # what was measured is told even when it is cut short
            print(table.describe(facts, wanted.runs), table.markdown(lines), *ratios(lines), sep="\n\n")
    if wanted.json:
        found = {"machine": facts, "lines": [table.as_json(line) for line in lines]}
        wanted.json.write_text(json.dumps(found, indent=2) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-peers", description="Compare with others.")
    names = [peer.name for peer in PEERS] + [OURS, LIMIT]
    parser.add_argument("names", nargs="*", metavar="peer", help=f"of {', '.join(names)}; all without one")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--runs", type=int, default=3, help="of each; the table has their medians (3)")
    parser.add_argument(
        "--window", type=float, default=20, help="seconds a killed worker's chain is given (20)"
    )
    parser.add_argument(
        "--cache", type=Path, default=ROOT / ".bench", help="where environments are kept (.bench)"
    )
    wanted = parser.parse_args()
    if unknown := set(wanted.names) - set(names):
        parser.error(f"no such peer: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    wanted.names = wanted.names or names
    wanted.cache = wanted.cache.resolve()
    return wanted


def plan(names: list[str], cache: Path, window: float, scratch: Path) -> list[tuple[table.Line, Measure]]:
    """A line of the table for each name, and what measures it."""
    todo: list[tuple[table.Line, Measure]] = []
    if OURS in names:
        todo.append(
            (table.Line("**Team Lifecycle**", "SQLite WAL, FULL"), lambda folder, kill: ours.measure())
        )
    for peer in PEERS:
        if peer.name in names:
            line = table.Line(f"{peer.name} {peer.version}", peer.durability)
            todo.append((line, partial(run_peer, peer, cache, window)))
    if LIMIT in names:
        same = ours.work(scratch)
        for batch in (1, BATCH):
            for work in (floor.Work(), same):
                todo.append((limit_line(work, batch), partial(run_floor, work, batch)))
    return todo


def limit_line(work: floor.Work, batch: int) -> table.Line:
    statements = "three statements" if work == floor.Work() else f"as many statements as ours ({work})"
    together = f", {batch} completions a commit" if batch > 1 else ""
    return table.Line(f"*limit: plain sqlite3, {statements}{together}*", "SQLite WAL, FULL")


def run_peer(peer: Peer, cache: Path, window: float, folder: Path, kill: bool) -> Figures:
    with Run(peer, ensure(peer, cache), folder) as run:
        return run.measure(kill_window=window if kill else None)


def run_floor(work: floor.Work, batch: int, folder: Path, kill: bool) -> Figures:
    ran = subprocess.run(
        floor.command(folder, work, batch), cwd=ROOT, capture_output=True, text=True, check=True
    )
    return Figures(**json.loads(ran.stdout))


def attempt(line: table.Line, measure: Measure, scratch: Path, *, last: bool) -> None:
    """A peer that failed once is not tried again."""
    if line.skipped:
        return
    print(f"{line.name} ...", file=sys.stderr, flush=True)
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        line.runs.append(measure(folder, last))
    except Failed as reason:
        line.skipped = str(reason)
    shutil.rmtree(folder)


def ratios(lines: list[table.Line]) -> list[str]:
    """How near we come to each limit."""
    own = next(
        (rate for line in lines if "Lifecycle" in line.name and (rate := line.spread("tasks_per_s"))), None
    )
    return [
        f"- {own[0] / limit[0]:.2f} of the tasks/s of the {line.name.strip('*')}"
        for line in lines
        if own and line.name.startswith("*limit") and (limit := line.spread("tasks_per_s"))
    ]


if __name__ == "__main__":
    main()
