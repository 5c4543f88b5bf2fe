"""Plant each listed bug in a copy of the repository and see which test notices: exit 1 when one survives or is stale."""

from __future__ import annotations

import argparse
import os
import queue
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.listed import ROOT, Mutant, mutants

SECONDS = 600  # for the tests of one mutant; one that hangs them was noticed
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", ".bench", ".clients", "demo", "dist"
)
CAUGHT = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


class Copy:
    """A copy of the repository with an interpreter of its own, which imports the copy and nothing of the checkout."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.root = folder / "copy"
        shutil.copytree(ROOT, self.root, symlinks=True, ignore=LEFT_OUT)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
        self.python = str(folder / "venv" / "bin" / "python")
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        ours = sysconfig.get_path("purelib")
        (site / "copy.pth").write_text(f"{self.root}\nimport site; site.addsitedir({ours!r})\n")
        self._must_be_imported(folder)

    def _must_be_imported(self, folder: Path) -> None:
        asked = "import orchestrator, workers; print(orchestrator.__file__); print(workers.__file__)"
        said = subprocess.run(
            [self.python, "-P", "-c", asked], cwd=folder, check=True, capture_output=True, text=True
        )
        for line in said.stdout.splitlines():
            if not Path(line).is_relative_to(self.root):
                raise SystemExit(f"{line} would be tested, not the copy in {self.root}")

    def test(self, tests: tuple[str, ...]) -> tuple[int, str]:
        """pytest's exit code and output; 1 when it did not end."""
        command = [
            self.python,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-o",
            "timeout=120",
            *tests,
        ]
        environment = {
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "1",
        }  # the same second may see two versions of a file
        try:
            done = subprocess.run(
                command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return 1, f"FAILED {tests[0]} (it did not end)"
        return done.returncode, done.stdout + done.stderr


@dataclass
class Outcome:
    mutant: Mutant
    good: bool
    words: str
    seconds: float


def judge(copy: Copy, mutant: Mutant) -> Outcome:
    """Plant one bug, run its tests, take it out again."""
    began = time.monotonic()
    file = copy.root / mutant.file
    text = file.read_text(encoding="utf-8")
    try:
        file.write_text(mutant.planted(text), encoding="utf-8")
    except ValueError as error:
        return Outcome(mutant, False, f"STALE: {error}", 0)
    try:
        for test in mutant.tests:
            code, output = copy.test((test,))
            if code != 0:
                break
    finally:
        file.write_text(text, encoding="utf-8")
    taken = time.monotonic() - began
    if code == 0:
        return Outcome(mutant, False, f"SURVIVED {', '.join(mutant.tests)}: {mutant.plants}", taken)
    if code != 1:
        return Outcome(mutant, False, f"the tests did not run (exit {code}): {output[-500:]}", taken)
    caught = CAUGHT.search(output)
    return Outcome(mutant, True, f"caught by {caught[1] if caught else mutant.tests}", taken)


def work(folder: Path, todo: queue.SimpleQueue[Mutant], outcomes: list[Outcome]) -> None:
    copy = Copy(folder)
    while True:
        try:
            mutant = todo.get_nowait()
        except queue.Empty:
            return
        outcome = judge(copy, mutant)
        outcomes.append(outcome)
        print(f"{outcome.mutant.id:28} {outcome.seconds:5.0f} s  {outcome.words}", flush=True)


def sound(folder: Path, chosen: list[Mutant]) -> bool:
    """Whether the tests pass where no bug is planted: else they would notice everything."""
    tests = tuple(dict.fromkeys(test for mutant in chosen for test in mutant.tests))
    code, output = Copy(folder).test(tests)
    if code != 0:
        print(f"the tests fail without a mutant:\n{output[-3000:]}")
    return code == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("ids", nargs="*", help="these mutants alone")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    known = {mutant.id: mutant for mutant in mutants()}
    if unknown := set(given.ids) - set(known):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    chosen = [known[name] for name in given.ids or known]
    began = time.monotonic()
    todo: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
    for mutant in chosen:
        todo.put(mutant)
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as name:
        if not sound(Path(name) / "sound", chosen):
            return 1
        workers = [
            threading.Thread(target=work, args=(Path(name) / f"job-{n}", todo, outcomes))
            for n in range(given.jobs)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    bad = [outcome for outcome in outcomes if not outcome.good]
    print(f"{len(outcomes) - len(bad)} of {len(chosen)} caught in {time.monotonic() - began:.0f} s")
    for outcome in bad:
        print(f"{outcome.mutant.id}: {outcome.words}")
    return 0 if len(outcomes) == len(chosen) and not bad else 1


if __name__ == "__main__":
    sys.exit(main())
