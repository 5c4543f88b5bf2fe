"""`python -m tests.bench.paired [NAMES] [--base COMMIT]`: the figures of this tree beside those of a commit before it.

Both are measured in turn on this machine, so that a busy minute strikes both; what is compared is the ratio, round by round.
Exit code 1 when the median ratio of a figure is worse by more than a quarter, or one could not be measured.
"""

from __future__ import annotations

import argparse
import json
import os
import site
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from tests.bench.measure import machine

ROOT = Path(__file__).resolve().parents[2]
HISTORY = Path(__file__).with_name("history.jsonl")
NAMES = ("hop-alone", "throughput", "phases", "idle", "cold-start", "daemon-start")
ROUNDS = 3
WORSE = 1.25
MORE_IS_BETTER = ("/s", "x")  # units

Medians = Mapping[str, tuple[str, float]]  # figure -> its unit and median, of one run


@dataclass(frozen=True, slots=True)
class Pair:
    """One figure in both trees: `ratios` are round by round, above 1 where it is worse than before."""

    name: str
    unit: str
    before: float  # median of the rounds
    now: float
    ratios: tuple[float, ...]

    @property
    def worse(self) -> bool:
        return statistics.median(self.ratios) > WORSE

    def line(self) -> str:
        low, middle, high = min(self.ratios), statistics.median(self.ratios), max(self.ratios)
        verdict = "**worse**" if self.worse else "better" if middle < 1 / WORSE else ""
        return (
            f"| {self.name} | {self.before:.3g} {self.unit} | {self.now:.3g} {self.unit} "
            f"| {middle:.2f} ({low:.2f} - {high:.2f}) | {verdict} |"
        )


def pairs(before: Sequence[Medians], now: Sequence[Medians]) -> list[Pair]:
    """What both trees measured in every round; a figure that one of them lacks has nothing to be compared with."""
    rounds = list(zip(before, now, strict=True))
    shared = [name for name in now[0] if all(name in each for pair in rounds for each in pair)]
    return [_pair(name, rounds) for name in shared]


def _pair(name: str, rounds: Sequence[tuple[Medians, Medians]]) -> Pair:
    unit = rounds[0][1][name][0]
    values = [(was[name][1], found[name][1]) for was, found in rounds]
    ratios = tuple(_ratio(was, found, unit) for was, found in values)
    return Pair(name, unit, *(statistics.median(side) for side in zip(*values, strict=True)), ratios)


def _ratio(was: float, found: float, unit: str) -> float:
    if not was or not found:  # such as a share of a core that rounds to nothing
        return 1.0
    return was / found if unit in MORE_IS_BETTER else found / was


def unpack(commit: str, folder: Path) -> str:
    """The commit's files and an environment that imports them, with the libraries of this one; its full id."""
    asked = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"]
    known = subprocess.run(asked, capture_output=True, text=True)
    if known.returncode:
        raise SystemExit(f"{commit} is no commit here; `git log --oneline` lists them")
    archive = subprocess.run(
        ["git", "-C", str(ROOT), "archive", known.stdout.strip()], capture_output=True, check=True
    )
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    venv.create(folder / ".venv", symlinks=True)
    (own,) = (folder / ".venv" / "lib").glob("python3*/site-packages")
    # Only the folders themselves: a .pth file within the second, which names this tree, is not read.
    own.joinpath("tree.pth").write_text("\n".join([str(folder), *site.getsitepackages()]) + "\n")
    return known.stdout.strip()


def measure(tree: Path, python: Path, names: Sequence[str]) -> Medians:
    """One run of the benchmarks in a tree. Raises SystemExit with what was said when a figure failed."""
    with tempfile.TemporaryDirectory(prefix="lifecycle-bench-") as folder:
        file = Path(folder) / "figures.json"
        ran = subprocess.run(
            [str(python), "-m", "tests.bench", *names, "--json", str(file)],
            cwd=tree,
            env={key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"},
            capture_output=True,
            text=True,
        )
        found = json.loads(file.read_text()) if file.exists() else {"failed": {"all": ran.stderr[-500:]}}
    if found["failed"]:
        raise SystemExit(f"could not be measured in {tree}: {found['failed']}")
    return {each["name"]: (each["unit"], each["median"]) for each in found["figures"]}


def entry(base: str, facts: Mapping[str, Any], found: Sequence[Pair]) -> dict[str, Any]:
    """A line of the history: figures of different machines compare by their ratios alone."""
    head = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return {
        "day": time.strftime("%Y-%m-%d"),
        "base": base,
        "head": head,
        "machine": dict(facts),
        "figures": [{**asdict(each), "worse": each.worse} for each in found],
    }


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make bench-check", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"figures; without one: {' '.join(NAMES)}")
    parser.add_argument("--base", default="HEAD~1", help="the commit before (HEAD~1)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often both are measured ({ROUNDS})")
    parser.add_argument("--note", action="store_true", help=f"add the result to {HISTORY.relative_to(ROOT)}")
    given = parser.parse_args(words)
    if given.rounds < 1:
        parser.error("--rounds: at least 1")
    names = given.names or NAMES
    facts = machine()
    sys.stderr.write(f"{facts}\n")
    with tempfile.TemporaryDirectory(prefix="lifecycle-base-") as folder:
        tree = Path(folder)
        base = unpack(given.base, tree)
        before, now = [], []
        for number in range(1, given.rounds + 1):
            before.append(measure(tree, tree / ".venv" / "bin" / "python", names))
            now.append(measure(ROOT, Path(sys.executable), names))
            sys.stderr.write(f"round {number} of {given.rounds}\n")
    found = pairs(before, now)
    print(f"| figure | {base[:8]} | this tree | ratio, above 1 is worse | |\n|---|---:|---:|---:|---|")
    for each in found:
        print(each.line())
    if given.note:
        with HISTORY.open("a") as file:
            file.write(json.dumps(entry(base, facts, found)) + "\n")
    return int(any(each.worse for each in found))


if __name__ == "__main__":
    sys.exit(main())
