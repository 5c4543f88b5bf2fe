"""Examines agents for a person: which version is installed, and whether one really answers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Timer

from orchestrator.domain import secrets
from orchestrator.domain.errors import AgentError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.prices import MICROS, Cost
from workers.agents.programs.external import ExternalAgent
from workers.agents.programs.process import agent_environment
from workers.agents.protocol import Agent, AgentRequest, Timeouts, Usage, is_metered

VERSION_SECONDS = 10.0
PROBE_TIMEOUTS = Timeouts(start=30.0, silence=30.0, turn=60.0, total=60.0)
PROBES_SECONDS = 120.0  # for all of them: agents have limits of their own, and some wait for others to end
WORD = "ready"
QUESTION = f"Answer with the single word: {WORD}"

Priced = Callable[[str, Usage], tuple[Usage, Cost]]  # what a call of that agent used and cost


def inspect_agents(agents: Mapping[str, Agent], probe: Priced | None = None) -> list[JsonObject]:
    """Each agent with `fault`, `version` (of a client that can tell it) and, with `probe`, what a real question came to."""
    over = Event()
    timer = Timer(PROBES_SECONDS, over.set)
    timer.start()
    try:
        with ThreadPoolExecutor(max_workers=8) as pool:
            return list(pool.map(lambda item: _inspect(item[0], item[1], probe, over), agents.items()))
    finally:
        timer.cancel()


def _inspect(name: str, agent: Agent, probe: Priced | None, over: Event) -> JsonObject:
    fault = agent.available()
    found: JsonObject = {"name": name, "usable": fault is None, "fault": fault, "version": None}
    if fault is not None:
        return found
    if isinstance(agent, ExternalAgent):
        found["version"] = _version(agent)
    if probe is not None and is_metered(agent):  # one that is free is a part of us, and always answers
        found["probe"] = _answer(name, agent, probe, over)
        found["usable"] = found["probe"]["answered"]
        found["fault"] = found["probe"]["fault"]
    return found


def _version(agent: ExternalAgent) -> str | None:
    program = shutil.which(agent.program, path=agent.environ.get("PATH")) if agent.version else None
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *agent.version],
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


def _answer(name: str, agent: Agent, priced: Priced, over: Event) -> JsonObject:
    known = secrets.known(os.environ)
    begun = time.monotonic()
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
            timeouts=PROBE_TIMEOUTS,
            stop=over,
        )
        fault, says = None, None
        try:
            reply = agent.ask(request)
        except AgentError as error:
            told = error.usage or Usage()
            fault = _LATE.format(name) if over.is_set() else secrets.mask("; ".join(error.lines()), known)
        else:
            told = reply.usage
            says = secrets.mask(reply.text, known)[:60]
            if not _is_right(reply.text):
                fault = f"{name} answered something else than it was asked for: {says!r}"
    used, cost = priced(name, told)
    return {
        "answered": fault is None,
        "fault": fault,
        "says": says,
        "seconds": round(time.monotonic() - begun, 1),
        "model": used.model,
        "tokens_in": used.tokens_in,
        "tokens_out": used.tokens_out,
        "usd": None if cost.micros is None else cost.micros / MICROS,
        "cost_source": cost.source,
    }


def _is_right(text: str) -> bool:
    """Whether it is the word that was asked for, alone but for marks around it."""
    return re.sub(r"[\W_]+", " ", text).strip().casefold() == WORD


_LATE = f"{{}} did not answer within {PROBES_SECONDS:g} s; ask it by itself"
