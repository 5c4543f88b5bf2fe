"""`python -m tests.web_load [NAMES] [--minutes N] [--storm SECONDS]`: the dashboard under load, as a table with bounds.

Exit code 1 when a bound is not kept. Processor times are comparable on a busy machine as well; times on the wall are not.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.bench.measure import HEAD, TINY, Figure, machine, of_failure, of_figure
from tests.web_load import blows, crowd, fuzzed, pages, real_server
from tests.web_load.crowd import Crowd

Measure = Callable[[Crowd], Iterator[Figure]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="make web-long", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long the streams are open")
    parser.add_argument("--storm", type=float, default=300.0, help="seconds of blows")
    parser.add_argument("--tiny", action="store_true", help="only show that each can be measured")
    given = parser.parse_args()
    measures: dict[str, Measure] = {
        "server-time": pages.server_time,
        "sizes": pages.sizes,
        "idle": real_server.idle,
        "streams": partial(real_server.streams, minutes=given.minutes),
        "screen": real_server.to_the_screen,
        "fuzz": fuzzed.figures,
        "blows": partial(blows.figures, seconds=given.storm),
    }
    if unknown := set(given.names) - measures.keys():
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are: {', '.join(measures)}")
    if given.tiny:
        os.environ[TINY] = "1"
    wanted = {name: measures[name] for name in given.names or measures}
    print(f"{machine()}, a million squares {_squares_ms():.0f} ms", flush=True)
    with tempfile.TemporaryDirectory(prefix="web-long-") as folder:
        count, tasks = (300, 400) if given.tiny else (crowd.SESSIONS, crowd.TASKS)
        made = crowd.build(Path(folder) / "p", count, tasks)
        print(HEAD, flush=True)
        failed = [name for name, measure in wanted.items() if not _measured(name, measure, made, given.tiny)]
    if failed:
        print(f"beyond its bounds, or failed: {', '.join(failed)}")
    return 1 if failed else 0


def _measured(name: str, measure: Measure, made: Crowd, tiny: bool) -> bool:
    """Print its rows; whether it keeps its bounds."""
    begun, kept = time.monotonic(), True
    try:
        for figure in measure(made):
            print(of_figure(figure), flush=True)
            kept = kept and (tiny or figure.met is not False)
    except Exception as error:  # one that fails loses no other
        traceback.print_exc()
        print(of_failure(name, error), flush=True)
        kept = False
    sys.stderr.write(f"{name}: {time.monotonic() - begun:.0f} s\n")
    return kept


def _squares_ms() -> float:
    """How fast the machine is now, by processor time: others on it make it slower."""
    begun = time.process_time()
    sum(number * number for number in range(1_000_000))
    return (time.process_time() - begun) * 1000


if __name__ == "__main__":
    sys.exit(main())
