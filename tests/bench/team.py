"""A project in a scratch folder with sessions to work on, a coordinator, and a worker host that measures itself."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from orchestrator import wakeup
from orchestrator.commands.start import start
from orchestrator.config import load_pack
from orchestrator.store.store import Store
from orchestrator.views.layout import StartOptions, plan
from tests import factories as make
from tests import invariants

ROOT = Path(__file__).resolve().parents[2]
REQUEST = "Build a URL shortener. It must expire links after 30 days. It must export statistics as CSV."
PACK = """\
extends: default
pipelines:
  fork:
    tasks:
      - {key: RESEARCH-001}
      - {key: DRAFT-001, blocked_by: [RESEARCH-001]}
      - {key: DRAFT-002, blocked_by: [RESEARCH-001]}
      - {key: QUALITY-001, blocked_by: [DRAFT-001, DRAFT-002]}
"""


class Team:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store: Store = make.make_store(folder)
        (folder / ".workflow" / "config.toml").write_text("idle_exit_seconds = 600\n")
        packs = folder / ".workflow" / "packs"
        packs.mkdir()
        (packs / "fork.yaml").write_text(PACK)
        self.pack = load_pack(folder, {"LIFECYCLE_CONFIG_DIR": str(folder / "nothing-of-a-user")})
        self._out = folder / "worker.json"

    def begin(
        self, sessions: int, *, mode: str = "spec-only", discuss: str = "off", beats: bool = False
    ) -> list[str]:
        """Start sessions; with `beats` their first task is offered, and no coordinator can lead beside us."""
        planned = plan(REQUEST, StartOptions(mode=mode, discuss=discuss), self.pack, self.folder)
        found = [
            start(self.store, planned, project=self.folder, max_attempts=3).session for _ in range(sessions)
        ]
        if beats:
            lead = make.lead(self.store)
            for session in found:
                make.one_beat(self.store, session, lead)
            self.store.checkpoint()  # as the coordinator does each minute: the log is written over, and does not grow
        return found

    def work(
        self, tasks: int, *, slots: int, kind: str = "noop", feed: int = 0, together: int = 1
    ) -> dict[str, Any]:
        """Let a worker host do so many tasks, and start `feed` more sessions one after another; what it measured.

        No no-op reports before `together` slots have one.
        """
        code = self.spawn(tasks, slots=slots, kind=kind, feed=feed, together=together).wait(600)
        assert code == 0, (self.folder / ".workflow" / "logs" / "workers.jsonl").read_text()[-3000:]
        found: dict[str, Any] = json.loads(self._out.read_text())
        return found

    def spawn(
        self,
        tasks: int,
        *,
        slots: int,
        kind: str = "noop",
        dawdle: float = 0.0,
        feed: int = 0,
        together: int = 1,
    ) -> subprocess.Popen[bytes]:
        """A worker host that ends when it has done so many tasks."""
        options = {
            "project": self.folder,
            "slots": slots,
            "work": kind,
            "tasks": tasks,
            "out": self._out,
            "dawdle": dawdle,
            "feed": feed,
            "together": together,
        }
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.bench.worker", *_options(options)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.store.path)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    @contextmanager
    def ears(self) -> Iterator[None]:
        """Listen for wakes in the coordinator's place, and do nothing about them."""
        waker = wakeup.Waker(self.store.project_id, "daemon")
        over = threading.Event()

        def listen() -> None:
            while not over.is_set():
                waker.wait(60)

        listener = threading.Thread(target=listen)
        listener.start()
        try:
            yield
        finally:
            over.set()
            waker.wake_self()
            listener.join()
            waker.close()

    @contextmanager
    def coordinator(self) -> Iterator[int]:
        """Its pid."""
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.bench.coordinator", str(self.folder)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        try:
            yield process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _options(values: Mapping[str, Any]) -> list[str]:
    return [word for name, value in values.items() for word in (f"--{name}", str(value))]


@contextmanager
def team() -> Iterator[Team]:
    """A team whose database keeps every invariant at its end."""
    with TemporaryDirectory(prefix="lifecycle-bench-") as folder:
        made = Team(Path(folder))
        try:
            yield made
        finally:
            made.store.close()
        invariants.check(made.store.path)
