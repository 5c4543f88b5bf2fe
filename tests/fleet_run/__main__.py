"""`python -m tests.fleet_run [--tasks N] [--hosts N] [--blows N] [--seed S] [--temporal]`: a fleet under blows.

A project on a PostgreSQL server of its own, `lifecycle server` with TLS, and joined hosts in network namespaces of their
own. Exit code 1 when a task was lost or done twice, an invariant is broken, two agents of a task were at work at
once, or an interrupted task was not begun again in time. It needs root.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from tests.fleet_run.drawn import Shape
from tests.fleet_run.judged import spread
from tests.fleet_run.namespaces import why_not
from tests.fleet_run.storm import Outcome, blows, remove, storm


def main() -> int:
    usual = Shape()
    parser = argparse.ArgumentParser(prog="tests.fleet_run", description=__doc__)
    for name in ("tasks", "hosts", "blows", "slots"):
        parser.add_argument(f"--{name}", type=int, default=getattr(usual, name))
    parser.add_argument("--at-once", type=int, default=usual.at_once, help="sessions open at the same time")
    parser.add_argument("--lease", type=float, default=usual.lease, help="seconds")
    parser.add_argument(
        "--whole", type=int, default=usual.whole, help="of so many sessions one is taken through all phases"
    )
    parser.add_argument("--seed", type=int, default=1, help="which blow falls when")
    parser.add_argument(
        "--temporal", action="store_true", help="a Temporal server delivers, and is struck too"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there too")
    parser.add_argument("--keep", action="store_true", help="keep the folder also when all is well")
    given = parser.parse_args()
    if (reason := why_not()) is not None:
        parser.error(reason)
    shape = Shape(**{each.name: getattr(given, each.name) for each in fields(Shape)})
    folder = Path(tempfile.mkdtemp(prefix="fleet-", dir="/tmp"))  # sockets below it need short paths
    print(f"seed {given.seed}: {folder}", file=sys.stderr, flush=True)
    outcome = storm(folder, given.seed, shape)
    print(table(outcome))
    if given.json:
        given.json.write_text(json.dumps(as_json(outcome), indent=2, ensure_ascii=False) + "\n")
    if outcome.faults:
        print(f"the folder is kept: {folder}", file=sys.stderr)
        return 1
    if not given.keep:
        remove(folder)
    return 0


def as_json(outcome: Outcome) -> dict[str, Any]:
    found = outcome.found
    return {
        "seed": outcome.seed,
        **asdict(outcome.shape),
        "seconds": round(outcome.seconds, 1),
        "load": [round(each, 1) for each in outcome.load],
        "struck": dict(blows(outcome.struck)),
        "missed": dict(outcome.missed),
        "status": dict(found.tasks),
        "outcomes": dict(found.runs),
        "opened_by": dict(found.opened),
        "asked_since_last_start": dict(outcome.asked),
        "agents": found.agents,
        "lost": found.lost,
        "completed_twice": found.twice,
        "broken_invariants": found.broken,
        "agents_at_once": found.overlaps,
        "not_again_in_time": found.late,
        "again": spread(found.delays),
        "faults": outcome.faults,
    }


def table(outcome: Outcome) -> str:
    found, shape = outcome.found, outcome.shape
    done = found.tasks["completed"]
    how = "a Temporal server delivers" if shape.temporal else "hosts ask for work"
    seconds = [each.seconds for each in found.delays]
    longest = f"{len(seconds)}, at most {max(seconds, default=0):.1f} s later"
    rows = [
        (
            f"{shape.hosts} hosts, {how}",
            f"{done} tasks in {outcome.seconds:.0f} s, {done / outcome.seconds:.1f} /s",
        ),
        ("blows", _counts(blows(outcome.struck))),
        *([("blows that met nobody", _counts(outcome.missed))] if outcome.missed else []),
        ("runs", f"{_counts(found.runs)}; opened by: {_counts(found.opened)}"),
        ("agents that were processes", f"{found.agents}"),
        ("tasks lost", f"{found.lost}"),
        ("tasks completed twice", f"{found.twice}"),
        ("invariants broken", f"{found.broken}"),
        ("two agents of one task at once", f"{found.overlaps}"),
        ("interrupted tasks begun again", longest),
        (f"of them not within {shape.again_seconds:g} s", f"{found.late}"),
        ("asked of the server since its last start", _counts(outcome.asked)),
        ("load before and after", f"{outcome.load[0]:.1f}, {outcome.load[1]:.1f}"),
    ]
    lines = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)]
    for by, numbers in spread(found.delays).items():
        lines.append(
            f"| begun again after: {by} | {numbers['interrupted']:.0f} tasks, median {numbers['median']} s, "
            f"at most {numbers['most']} s |"
        )
    return "\n".join([*lines, *(f"FAULT {fault}" for fault in outcome.faults)])


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))


if __name__ == "__main__":
    sys.exit(main())
