"""A virtual environment for each peer, made when it is first needed and again when its versions change."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.peers.peers import Peer
from tests.bench.peers.processes import Failed


def ensure(peer: Peer, cache: Path) -> Path:
    """The peer's environment. Raises Failed with pip's last words."""
    venv = cache / "venvs" / peer.name
    stamp = venv / "installed"
    wanted = "\n".join(peer.requirements)
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(venv, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(venv)])
        _run(
            [
                str(venv / "bin" / "pip"),
                "install",
                "--quiet",
                "--disable-pip-version-check",
                *peer.requirements,
            ]
        )
        stamp.write_text(wanted)
    return venv


def _run(argv: Sequence[str]) -> None:
    ran = subprocess.run(argv, capture_output=True, text=True)
    if ran.returncode:
        said = (ran.stderr or ran.stdout).strip().splitlines() or ["it said nothing"]
        raise Failed(f"it could not be installed: {said[-1][:200]}")
