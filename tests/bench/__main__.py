"""`python -m tests.bench [NAMES] [--json FILE]`: measure, and print a table with the facts of the machine.

Exit code 1 when a bound is not kept. Other work on the machine spoils the figures: run it alone.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench import engine, processes, scale, thinking
from tests.bench.measure import Figure, machine, table

FIGURES: dict[str, Callable[[], Iterator[Figure]]] = {
    "hop-alone": engine.hop_alone,
    "hop-single": engine.hop_single,
    "hop-busy": engine.hop_busy,
    "hop-beat": engine.hop_by_beat,
    "throughput": engine.throughput,
    "throughput-led": engine.throughput_led,
    "phases": engine.phases,
    "many-sessions": scale.many_sessions,
    "long-session": scale.long_session,
    "idle": processes.idle,
    "cold-start": processes.cold_start,
    "daemon-start": processes.daemon_start,
    "thinking": thinking.session,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(FIGURES)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there too")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in FIGURES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(FIGURES)}")
    facts = machine()
    sys.stderr.write(f"{facts}\n")
    found: list[Figure] = []
    for name in given.names or FIGURES:
        begun = time.monotonic()
        found += FIGURES[name]()
        sys.stderr.write(f"{name}: {time.monotonic() - begun:.0f} s\n")
    sys.stdout.write(table(found) + "\n")
    if given.json:
        given.json.write_text(
            json.dumps({"machine": facts, "figures": [each.as_json() for each in found]}, indent=2) + "\n"
        )
    return int(any(each.met is False for each in found))


if __name__ == "__main__":
    sys.exit(main())
