"""A user's project on disk, and a program that is asked something in it."""

from __future__ import annotations

import os
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.command_agent import command_agent
from workers.agents.programs.external import ExternalAgent
from workers.agents.protocol import AgentReply, AgentRequest, Protected, Timeouts


@dataclass
class Place:
    """A project with a file, a link into it from elsewhere, and a document of a session."""

    root: Path
    run: str

    @property
    def folder(self) -> Path:
        return self.root / ".workflow" / "runs" / self.run

    @property
    def document(self) -> Path:
        return self.root / ".workflow" / ".team" / "TLS-x" / "spec" / "brief.md"

    def ask(self, script: str, *arguments: str, home: Path | None = None, **more: Any) -> AgentReply:
        return self.agent(script, *arguments, home=home, **more.pop("agent", {})).ask(self.request(**more))

    def agent(self, script: str, *arguments: str, home: Path | None = None, **more: Any) -> ExternalAgent:
        words = [
            sys.executable,
            "-S",
            "-c",
            "import os, subprocess, sys\n" + textwrap.dedent(script),
            *arguments,
        ]
        environ = {"PATH": os.environ["PATH"], "HOME": str(home or self.root.parent)}
        return command_agent("mine", words, environ=environ, **more)

    def request(self, **more: Any) -> AgentRequest:
        values: dict[str, Any] = {
            "kind": "critique",
            "prompt": "Judge this.",
            "schema": None,
            "facts": {},
            "workdir": self.folder,
            "session": "TLS-x",
            "task": "DRAFT-001",
            "role": "writer",
            "run": self.run,
            "timeouts": Timeouts(turn=20, total=30),
            "folder": self.folder.with_name("loop-1"),
            "protected": Protected(self.root, self.root / ".workflow" / "lifecycle.db"),
        }
        return AgentRequest(**{**values, **more})

    def tree(self) -> dict[str, Any]:
        """Everything but the run's own folders, with its bytes."""
        found = [path for path in self.root.rglob("*") if "runs" not in path.parts]
        return {str(path): path.read_bytes() if path.is_file() else path.is_dir() for path in found}
