"""Looks at agents for a person: which version is installed, and whether one really answers."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from orchestrator.domain.errors import AgentError
from workers.agents.external import ExternalAgent
from workers.agents.process import agent_environment
from workers.agents.protocol import Agent, AgentRequest, Limits

VERSION_SECONDS = 10.0
PROBE = Limits(start=30.0, silence=30.0, turn=60.0, total=60.0)
QUESTION = "Answer with the single word: ready"


def look_at(agents: Mapping[str, Agent], *, probe: bool) -> list[dict[str, Any]]:
    """Each agent with `fault`, `version` (of a client that can tell it) and, with `probe`, what a real question came to."""
    with ThreadPoolExecutor(max_workers=8) as pool:
        return list(pool.map(lambda item: _look(item[0], item[1], probe), agents.items()))


def _look(name: str, agent: Agent, probe: bool) -> dict[str, Any]:
    fault = agent.available()
    found: dict[str, Any] = {"name": name, "usable": fault is None, "fault": fault, "version": None}
    if fault is not None or not isinstance(agent, ExternalAgent):
        return found
    found["version"] = _version(agent)
    if probe:
        found["probe"] = _answer(agent)
        found["usable"] = found["probe"]["answered"]
        found["fault"] = found["probe"]["fault"]
    return found


def _version(agent: ExternalAgent) -> str | None:
    program = shutil.which(agent.program, path=agent.environ.get("PATH")) if agent.is_client else None
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "--version"],
            env=agent_environment(agent.environ, (), {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None  # it is only not told
    lines = done.stdout.decode("utf-8", "replace").split("\n")
    return lines[0].strip()[:60] or None


def _answer(agent: ExternalAgent) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="lifecycle-probe-") as folder:
        request = AgentRequest(
            kind="probe",
            prompt=QUESTION,
            schema=None,
            facts={},
            workdir=Path(folder),
            session="",
            task="",
            role="",
            run="probe",
            limits=PROBE,
        )
        try:
            reply = agent.ask(request)
        except AgentError as error:
            return {"answered": False, "fault": "; ".join(error.lines())}
    return {"answered": True, "fault": None, "says": reply.text[:60]}
