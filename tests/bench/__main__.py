"""`python -m tests.bench [NAMES] [--json FILE]`: measure, and print each row of the table as soon as it is known.

A figure that fails is named with its cause, and loses no other. Exit code 1 when one failed or a bound is not kept.
Other work on the machine spoils the figures: run it alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tests.bench import building, door, engine, fleet_costs, processes, scale, store_postgres, thinking, trees
from tests.bench.measure import HEAD, TINY, Figure, machine, of_failure, of_figure

Measure = Callable[[], Iterator[Figure]]
FIGURES: dict[str, Measure] = {
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
    "door-claim": door.claims,
    "door-idle": door.idle_host,
    "door-waiting": door.waiting_hosts,
    "fleet-costs": fleet_costs.costs,
    "store-postgres": store_postgres.against_driver,
    "thinking": thinking.session,
    "trees": trees.trees,
    "fan-out": building.fan_out,
}


def main(words: Sequence[str] | None = None, figures: Mapping[str, Measure] = FIGURES) -> int:
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(figures)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there too")
    parser.add_argument(
        "--costs", type=Path, metavar="FILE", help="write what `tests.bench.fleet --costs` reads there"
    )
    parser.add_argument(
        "--tiny", action="store_true", help="only show that each can be measured: tiny numbers, no bounds"
    )
    given = parser.parse_args(words)
    unknown = [name for name in given.names if name not in figures]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; there are: {', '.join(figures)}")
    if given.tiny:
        os.environ[TINY] = "1"
    facts = machine()
    sys.stderr.write(f"{facts}\n")
    found: list[Figure] = []
    failed: dict[str, str] = {}
    print(HEAD, flush=True)
    for name in given.names or figures:
        begun = time.monotonic()
        try:
            for figure in figures[name]():
                if given.tiny:
                    figure = replace(figure, below=None, above=None)
                print(of_figure(figure), flush=True)
                found.append(figure)
        except Exception as error:
            traceback.print_exc()
            print(of_failure(name, error), flush=True)
            failed[name] = f"{type(error).__name__}: {error}"
        sys.stderr.write(f"{name}: {time.monotonic() - begun:.0f} s\n")
    if given.json:
        everything = {"machine": facts, "figures": [each.as_json() for each in found], "failed": failed}
        given.json.write_text(json.dumps(everything, indent=2) + "\n")
    if given.costs:
        fleet_costs.written(given.costs, found)
    return int(bool(failed) or any(each.met is False for each in found))


if __name__ == "__main__":
    sys.exit(main())
