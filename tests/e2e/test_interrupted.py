"""Ctrl-C while a program is being loaded: the exit code is 130, nothing is half done and no traceback is shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.support import Lifecycle, lifecycle

# Python loads this as it starts; the import of that number, counted from our first one, meets the signal.
INTERRUPTS = """
import os, signal, sys

class Interrupt:
    left = int(os.environ["INTERRUPT_AT"])
    begun = False

    def find_spec(self, name, path=None, target=None):
        self.begun = self.begun or name.startswith("orchestrator.") and name != "orchestrator.__main__"
        self.left -= self.begun
        if self.begun and self.left == 0:
            os.write(2, b"interrupted in " + name.encode())
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
"""
COMMANDS = {
    "check": ["orchestrator", "check"],
    "start": ["orchestrator", "start", "Build a shop", "--detach"],
    "mcp": ["orchestrator", "mcp"],
    "daemon": ["orchestrator", "daemon", "run"],
    "worker host": ["workers", "serve", "--project", "."],
    "exploration": ["workers", "explore", "--project", "."],
}


def interrupted(life: Lifecycle, site: Path, arguments: list[str], at: int) -> tuple[int, str]:
    """Exit code and standard error of a program that gets SIGINT at its import number `at`."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", *arguments],
        cwd=life.folder,
        env={
            **life.environment,
            "PYTHONPATH": f"{site}:{life.environment['PYTHONPATH']}",
            "INTERRUPT_AT": str(at),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_12_an_interrupt_while_a_program_is_loaded_leaves_no_traceback(
    tmp_path: Path, arguments: list[str]
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(INTERRUPTS)
    with lifecycle(tmp_path / "p") as life:
        for at in (1, 2, 3, 5, 10, 20, 40, 60, 80, 120, 160, 200):
            code, said = interrupted(life, site, arguments, at)

            assert "interrupted in" in said, at  # else the number is too high, and the test shows nothing
            assert "Traceback" not in said, (at, said)
            # A coordinator that leads already was asked to end, and does: it loads its timers behind its first round.
            assert code == (0 if "coordinator of" in said else 130), (at, said)
        assert not life.database.exists() or not life.rows("SELECT id FROM sessions")


def test_12_an_interrupted_command_says_how_to_come_back(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(INTERRUPTS)
    with lifecycle(tmp_path / "p") as life:
        _, said = interrupted(life, site, COMMANDS["start"], 200)

        assert "lifecycle check" in said
