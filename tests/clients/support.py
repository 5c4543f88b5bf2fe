"""The real clients with the stand-in for their models: what they may see, and what they are asked."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from orchestrator.config import load_settings
from tests.stand_in.model_server import FakeModelServer
from workers.agents.programs.external import ExternalAgent
from workers.agents.protocol import AgentRequest, Protected, Timeouts
from workers.agents.routing import build_router
from workers.builtin import BuiltinAgent

CLIENTS = ("claude", "codex", "gemini", "qwen", "opencode")
BIN = os.environ.get("LIFECYCLE_TEST_CLIENTS", "")
MISSING = [name for name in CLIENTS if not BIN or shutil.which(name, path=BIN) is None]
RUN = f"clients-test-{os.getpid()}"  # another one who tests leaves its own


class Rated(BaseModel):
    strengths: list[str] = Field(min_length=1)
    rating: int = Field(ge=1, le=5)


GOOD = {"strengths": ["short"], "rating": 4}


def environment(home: Path) -> dict[str, str]:
    """No login, no settings and no history of anybody."""
    (home / "codex").mkdir(parents=True, exist_ok=True)
    return {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "CODEX_HOME": str(home / "codex"),
        "ANTHROPIC_API_KEY": "not-a-key",
        "OPENAI_API_KEY": "not-a-key",
        "GEMINI_API_KEY": "not-a-key",
    }


def settings_of(name: str, url: str) -> dict[str, Any]:
    served = url if name in ("claude", "gemini") else f"{url}/v1"
    model = {"claude": "sonnet", "gemini": "gemini-2.5-pro"}.get(name, "fake-model")
    return {"model": model, "base_url": served}


def agent(name: str, url: str, home: Path) -> ExternalAgent:
    settings = load_settings(None, {}, {"agents": {name: settings_of(name, url)}})
    found = build_router(settings, environment(home), lambda _: None, builtin=BuiltinAgent()).agents[name]
    assert isinstance(found, ExternalAgent)
    return found


def request(folder: Path, prompt: str, **given: Any) -> AgentRequest:
    values: dict[str, Any] = {
        "kind": "critique",
        "prompt": prompt,
        "schema": Rated,
        "facts": {},
        "workdir": folder,
        "session": "TLS-clients",
        "task": "DRAFT-001",
        "role": "writer",
        "run": RUN,
        "timeouts": Timeouts(start=30, silence=30, turn=60, total=120),
        "stop": threading.Event(),
        "folder": folder / "loop",
        "protected": Protected(folder.parent, folder.parent / ".workflow" / "lifecycle.db"),
    }
    return AgentRequest(**{**values, **given})


def server(rules: list[dict[str, Any]]) -> FakeModelServer:
    return FakeModelServer(rules)
