"""A tree, beside things that are none of its business, and programs that run over it in the sandbox."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import textwrap
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.agents.protocol import Timeouts
from workers.evidence import sandbox
from workers.evidence.sandbox import Confined, run_confined
from workers.host.marked_processes import marked

SECONDS = Timeouts(start=None, silence=None, turn=None, total=60.0)


@dataclass
class Bench:
    """A tree beside things that are none of its business, in a folder that is not below /tmp."""

    folder: Path
    run: str

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    def sandboxed(self, script: str, *words: str, **more: Any) -> Confined:
        program = self.tree / "program.py"
        program.write_text("import os, signal, subprocess, sys, time\n" + textwrap.dedent(script))
        readable = [Path(sys.prefix), *more.pop("readable", [])]  # the interpreter may be below /tmp
        values: dict[str, Any] = {
            "readable": readable,
            "cwd": self.tree,
            "env": sandbox.test_environment(os.environ, self.tree, self.folder / "run" / "tmp"),
            "writable": [self.tree, self.folder / "run" / "tmp"],
            "folder": self.folder / "run",
            "run": self.run,
            "timeouts": SECONDS,
            "stop": threading.Event(),
            "hidden": [],
        }
        return run_confined([sys.executable, "-S", str(program), *words], **{**values, **more})


def benches(place: str) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="bench ", dir=place) as name:
        found = Bench(Path(name), f"run-{uuid.uuid4().hex}")
        found.tree.mkdir()
        (found.folder / "run").mkdir()
        yield found
        for pid in marked("LIFECYCLE_RUN", found.run):  # a failed test must leave nothing
            os.kill(pid, signal.SIGKILL)
