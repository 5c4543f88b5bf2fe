"""`python -m tests.chaos [--seed S] [--seeds N]`: run seeds one after the other, and say what came of them."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.chaos.plan import SHORT, Shape
from tests.chaos.storm import Outcome, as_json, storm


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--seed", type=int, help="the first seed")
    parser.add_argument("--seeds", type=int, help="how many; one when --seed is given, else 5")
    parser.add_argument("--short", action="store_true", help="as short as in the common run")
    parser.add_argument("--keep", action="store_true", help="keep the folders also when all is well")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    first = 1 if given.seed is None else given.seed
    count = given.seeds or (5 if given.seed is None else 1)
    shape = SHORT if given.short else Shape()
    outcomes = [one(seed, shape, keep=given.keep) for seed in range(first, first + count)]
    figures = as_json(outcomes)
    print(json.dumps(figures, indent=2, ensure_ascii=False) if given.json else summary(figures))
    return 1 if figures["faults"] else 0


def one(seed: int, shape: Shape, *, keep: bool) -> Outcome:
    """Run a seed in a folder of its own, which stays only when something was wrong."""
    folder = Path(tempfile.mkdtemp(prefix=f"chaos-{seed}-"))
    say(f"seed {seed}: {folder}")
    outcome = storm(folder, seed, shape)
    say(
        f"seed {seed}: {outcome.blows.total()} blows, {outcome.found['session completed']} sessions completed, "
        f"{outcome.found['run completed']} runs completed, {outcome.found['run lost']} lost, "
        f"{outcome.seconds:.0f} s (to converge {outcome.converged:.0f}), {len(outcome.faults)} faults"
    )
    for fault in outcome.faults:
        say(f"  FAULT {fault}")
    if outcome.faults:
        say(f"  the folder is kept: {folder}\n  to repeat: make chaos SEED={seed}")
    elif not keep:
        shutil.rmtree(folder)
    return outcome


def summary(figures: dict[str, Any]) -> str:
    lines = [f"seeds      {figures['seeds'][0]} to {figures['seeds'][-1]}"]
    lines += [f"kills      {figures['kills']}, and {figures['stops']} stops"]
    lines += [f"  {name:<20} {count}" for name, count in figures["blows"].items()]
    lines += [f"commands   {_counts(figures['commands'])}"]
    for group in ("session", "task", "run"):
        counts = {
            name.removeprefix(f"{group} "): n
            for name, n in figures["found"].items()
            if name.startswith(group)
        }
        lines.append(f"{group + 's':<10} {_counts(counts)}")
    lines += [
        f"agent calls {figures['agent_calls']}",
        f"tasks lost {figures['tasks_lost']}, run twice to completion {figures['tasks_run_twice_to_completion']}",
        f"seconds    {figures['seconds']}, longest to converge {figures['longest_to_converge']}",
        f"seeds with faults: {', '.join(figures['faults']) or 'none'}",
    ]
    return "\n".join(lines)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.items())


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
