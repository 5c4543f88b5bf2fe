"""The real coordinator daemon, without the worker host that it would start: a benchmark brings its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from orchestrator import log
from orchestrator.config import load_settings
from orchestrator.coordinator.daemon import Daemon
from orchestrator.project import Project
from orchestrator.store.store import Store


def main() -> int:
    project = Project(Path(sys.argv[1]))
    settings = load_settings(project.root, os.environ, {})
    logger = log.configure(project.logs / "daemon.jsonl")
    store = Store(project.file, synchronous=settings.synchronous, checkpointer=True)
    daemon = Daemon(project, store, settings, logger)
    daemon._supervisor.ensure = lambda *_: None  # type: ignore[method-assign]
    return daemon.run()


if __name__ == "__main__":
    sys.exit(main())
