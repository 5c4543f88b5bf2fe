"""Every address of the API with values that its OpenAPI document allows and some that it does not, by schemathesis.

Names are often those of a project, a session and a task that are there. No answer may be a server error.
It is installed into an environment of its own, outside of the product's; where that is not possible the part is left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import Figure, times
from tests.e2e.web_server import TOKEN
from tests.web_load.crowd import BRIEF, Crowd, build
from tests.web_load.real_server import served

ROOT = Path(__file__).parents[2]
SECONDS = 900


def figures(crowd: Crowd) -> Iterator[Figure]:
    """How many operations were tried, and how many answered as none may."""
    program = _installed()
    if program is None:
        sys.stderr.write("schemathesis cannot be installed here: this part was left out\n")
        return
    folder = crowd.folder.parent / "fuzz" / "p"
    folder.mkdir(parents=True)
    made = build(folder, 110, 40)
    known = {"p": "p", "session": made.waiting, "task": made.task, "round": "DISCUSS-001", "path": BRIEF}
    lines = [f'"path.{name}" = "{value}"' for name, value in known.items()]
    (folder.parent / "schemathesis.toml").write_text("\n".join(["[parameters]", *lines, ""]))
    with served(folder) as (_, server, _):
        done = subprocess.run(
            [
                program,
                "run",
                f"http://127.0.0.1:{server.port}/api/v1/openapi.json",
                "--header",
                f"Authorization: Bearer {TOKEN}",
                "--checks",
                "not_a_server_error",
                "--max-examples",
                str(times(40, 3)),
                "--exclude-path-regex",
                "/events$",
                "--no-color",
            ],
            cwd=folder.parent,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert server.process.poll() is None, "the server has ended"
    print(done.stdout[-3_000:], file=sys.stderr)
    cases = re.search(r"(\d+) generated", done.stdout)
    failures = re.search(r"(\d+) (?:unique )?failures?", done.stdout)
    assert cases is not None, done.stdout[-3_000:] + done.stderr[-2_000:]
    yield Figure("requests by schemathesis", "", [float(cases[1])])
    yield Figure("server errors among them", "", [float(failures[1]) if failures else 0.0], below=0.5)


def _installed() -> Path | None:
    """The program `st`; None where it cannot be installed."""
    folder = ROOT / ".web-load"
    program = folder / "bin" / "st"
    if not program.exists():
        venv.create(folder, with_pip=True)
        done = subprocess.run(
            [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "schemathesis>=4"],
            env=dict(os.environ),
        )
        if done.returncode:
            return None
    return program
