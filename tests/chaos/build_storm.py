"""`python -m tests.chaos.build_storm [--kills N] [--seed S]`: SIGKILL while requests are built in several lanes.

Whatever is struck (git, agents, tests, guardians, hosts, the daemon): no commit is lost, no plan task lands twice, the
user's repository is as it was, and when nothing is struck any more every session is completed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.processes import Found, everyone, read
from tests.e2e.support import Lifecycle
from tests.git_world import as_left, git
from tests.patience import patient
from tests.work.building import assert_built, assert_nothing_lost, begin, building, subjects
from tests.work.lanes import lanes
from tests.work.repositories import Fixture
from tests.work.scenarios import honest

TARGETS = {"git": 5, "agent": 3, "test": 4, "guardian": 2, "host": 3, "daemon": 2}
LANES = 4
THINKING, TESTING = 0.3, 0.3  # seconds an agent and a run of tests take at least
SEARCH = 2.0  # seconds to look for a process of a kind before another kind is tried
PEACE = 240.0  # seconds in which everything must come to its end when nothing is struck any more
SETTINGS = {"max_attempts": 99, "slots": LANES, "lease_seconds": 4}


@dataclass
class Storm:
    """What was struck, what was seen to have landed, and how the sessions ended."""

    project: Lifecycle
    fixture: Fixture
    before: dict[str, str]
    dice: random.Random
    struck: Counter[str] = field(default_factory=Counter)
    landed: set[tuple[str, int, str]] = field(default_factory=set)

    def rage(self, kills: int) -> None:
        """Strike so often; a session that is over is followed by another."""
        while self.struck.total() < kills:
            self._keep_going()
            time.sleep(self.dice.uniform(0.0, 0.7))  # where in the work it strikes is what is left to chance
            self._strike()
            self.landed |= set(self.project.rows("SELECT session_id, number, commit_id FROM commits"))

    def calm(self) -> None:
        """Let everything come to its end. Raises AssertionError for what was lost, done twice or left."""
        sessions = [row[0] for row in self.project.rows("SELECT id FROM sessions")]
        for session in sessions:
            done = self.project.run("resume", session, timeout=PEACE)
            assert done.code in (0, 2), done.err  # 2: it was completed already
            self.project.wait(lambda: self._is_over(session), f"{session} is completed", PEACE)  # noqa: B023
        now = set(self.project.rows("SELECT session_id, number, commit_id FROM commits"))
        assert self.landed <= now, f"lost: {self.landed - now}"
        for session in sessions:
            self._await_branch(session)
            assert_built(self.project, self.fixture, self.before, session)
        self.project.wait(lambda: not self.project.marked(), "no process of a run lives on", 30)
        assert self.project.run("gc").code == 0
        assert self.project.rows("SELECT id, state FROM trees WHERE removed_at IS NULL") == []

    def _is_over(self, session: str) -> bool:
        return self.project.status(session) == ("completed", None)

    def _await_branch(self, session: str) -> None:
        """A git that was killed leaves a lock in the user's repository; it is removed once it cannot be the user's."""
        branch = f"refs/heads/lifecycle/{session}"

        def has_followed() -> bool:
            known = git(self.project.folder, "for-each-ref", branch).strip()
            return bool(known) and len(subjects(self.project, session)) == len(self.fixture.tasks)

        self.project.wait(has_followed, f"{branch} has followed", PEACE)

    def _keep_going(self) -> None:
        """What a person does who sees that nothing goes on."""
        sessions = self.project.database.exists() and self.project.rows("SELECT status FROM sessions")
        if not sessions or all(status == "completed" for (status,) in sessions):
            started = self.project.run(*begin(self.project), "--detach")
            assert started.code == 0, started.err
            return
        if self.project.status()[0] == "paused":
            assert_nothing_lost(self.project, self.before)
            self.project.run("resume", self.project.session(), "--detach")
        if not self._living("daemon"):
            self.project.run("daemon", "start")

    def _strike(self) -> None:
        (kind,) = self.dice.choices(list(TARGETS), list(TARGETS.values()))
        until = time.monotonic() + patient(SEARCH)
        while time.monotonic() < until:
            found = self._living(kind)
            if found and kill(self.dice.choice(found)):
                self.struck[kind] += 1
                return

    def _living(self, kind: str) -> list[Found]:
        folder = os.fsencode(self.project.folder.parent) + b"/"
        if kind == "git":
            return [one for one in everyone() if one.command.startswith(b"git\0") and _works_in(one, folder)]
        if kind in ("daemon", "host"):
            word = b"daemon" if kind == "daemon" else b"serve"
            return [
                one
                for one in everyone()
                if one.run is None and folder in one.command and word in one.command.split(b"\0")
            ]
        runs = {row[0] for row in self.project.rows("SELECT id FROM runs WHERE outcome IS NULL")}
        program = {"agent": b"scripted_agent.py", "test": b"unittest_report.py", "guardian": b"guardian.py"}
        return [one for one in everyone() if one.run in runs and program[kind] in one.command]


def _works_in(one: Found, folder: bytes) -> bool:
    with suppress(OSError):
        return folder in Path(f"/proc/{one.pid}/environ").read_bytes()
    return False


def kill(one: Found) -> bool:
    """SIGKILL to it and to no other process that got its number; whether it was there."""
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(one.pid)
        try:
            if read(one.pid) != one:
                return False
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            return True
        finally:
            os.close(descriptor)
    return False


def storm(folder: Path, seed: int, kills: int) -> Storm:
    """A project built in several lanes and struck so often. Raises AssertionError."""
    fixture = lanes(LANES, seconds=TESTING)
    scenario = honest(fixture, seconds=THINKING)
    with building(folder, fixture, scenario, SETTINGS) as project:
        found = Storm(project, fixture, as_left(project.folder), random.Random(seed))
        found.rage(kills)
        found.calm()
        return found


def main(words: Iterable[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.build_storm", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(list(words))
    folder = Path(tempfile.mkdtemp(prefix=f"build-storm-{given.seed}-"))
    print(f"seed {given.seed}: {folder}, kept if something is wrong", file=sys.stderr, flush=True)
    begun = time.monotonic()
    found = storm(folder, given.seed, given.kills)
    outcomes = found.project.rows("SELECT outcome, count(*) FROM runs GROUP BY outcome ORDER BY outcome")
    figures = {
        "struck": dict(found.struck),
        "sessions": found.project.rows("SELECT count(*) FROM sessions")[0][0],
        "commits": found.project.rows("SELECT count(*) FROM commits")[0][0],
        "runs": dict(outcomes),
        "seconds": round(time.monotonic() - begun),
    }
    print(json.dumps(figures, indent=2))
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
