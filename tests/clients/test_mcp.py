"""The real clients call team_msg through the server of their run; the models are a stand-in on loopback."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.store import messages
from tests import factories as make
from tests import invariants
from tests.mcp_clients import http_server
from tests.stand_in.model_server import FakeModelServer
from workers.agents.programs.mcp import SERVER, StdioServer, server_for

CLIENTS = os.environ.get("LIFECYCLE_TEST_CLIENTS", "")  # read before the tests' environment is cleaned
pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(not CLIENTS, reason="LIFECYCLE_TEST_CLIENTS names no folder with the real clients"),
]
WORDS = "half of it is done"
RULES = [
    {
        "match": "tell the team",
        "tools": True,
        "steps": [
            {"call": {"name": "team_msg", "args": {"operation": "log", "from": "user", "summary": WORDS}}},
            {"text": "told: $LAST_TOOL_RESULT"},
        ],
    }
]
PROMPT = "Please tell the team how far you are."


@dataclass(frozen=True)
class Http:
    """A server that runs already."""

    url: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


Given = StdioServer | Http
Invocation = tuple[list[str], dict[str, str]]  # arguments, environment


def claude(home: Path, url: str, server: Given) -> Invocation:
    config = home / "servers.json"
    if isinstance(server, Http):
        told: dict[str, Any] = {"type": "http", "url": server.url, "headers": server.headers}
    else:
        told = {"type": "stdio", **server}
    config.write_text(json.dumps({"mcpServers": {SERVER: told}}))
    arguments = ["-p", "--model", "sonnet", "--setting-sources", "", "--output-format", "json"]
    arguments += ["--strict-mcp-config", "--mcp-config", str(config), "--allowedTools", f"mcp__{SERVER}"]
    return [*arguments, "--", PROMPT], {
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_MAX_RETRIES": "1",
    }


CODEX = """
model = "fake-model"
model_provider = "fake"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[features]
plugins = false
apps = false
[mcp_servers.{name}]
default_tools_approval_mode = "approve"
required = true
{server}
"""


def codex(home: Path, url: str, server: Given) -> Invocation:
    folder = home / "codex"
    folder.mkdir()
    if isinstance(server, Http):
        told = [f"url = {json.dumps(server.url)}", 'bearer_token_env_var = "TEAM_TOKEN"']
        more = {"TEAM_TOKEN": server.token}
    else:
        told = [f"{name} = {json.dumps(server[name])}" for name in ("command", "args")]
        told += [f"[mcp_servers.{SERVER}.env]"]
        told += [f"{name} = {json.dumps(value)}" for name, value in server["env"].items()]
        more = {}
    (folder / "config.toml").write_text(CODEX.format(url=url, name=SERVER, server="\n".join(told)))
    arguments = ["exec", "--json", "--skip-git-repo-check", "-s", "read-only", PROMPT]
    return arguments, {"CODEX_HOME": str(folder), "FAKE_KEY": "dummy", **more}


def gemini(home: Path, url: str, server: Given) -> Invocation:
    told: dict[str, Any] = (
        {"httpUrl": server.url, "headers": server.headers} if isinstance(server, Http) else {**server}
    )
    folder = home / ".gemini"
    folder.mkdir()
    settings = {
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 2},
        "privacy": {"usageStatisticsEnabled": False},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "mcpServers": {SERVER: {**told, "trust": True}},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return ["-m", "gemini-2.5-pro", "-o", "json", "-p", PROMPT], {
        "GEMINI_CLI_HOME": str(home),
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "1",
    }


def qwen(home: Path, url: str, server: Given) -> Invocation:
    told: dict[str, Any] = (
        {"httpUrl": server.url, "headers": server.headers} if isinstance(server, Http) else {**server}
    )
    config = home / "servers.json"
    config.write_text(json.dumps({"mcpServers": {SERVER: {**told, "trust": True}}}))
    settings = home / "settings.json"
    settings.write_text(json.dumps({"tools": {"toolSearch": {"enabled": False}}}))
    arguments = [
        "--safe-mode",
        "-o",
        "stream-json",
        "--approval-mode",
        "default",
        "--mcp-config",
        str(config),
    ]
    return [*arguments, PROMPT], {
        "OPENAI_API_KEY": "dummy",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": "fake-model",
        "QWEN_CODE_NO_RELAUNCH": "1",
        "QWEN_CODE_SYSTEM_SETTINGS_PATH": str(settings),
        "QWEN_USAGE_STATISTICS_ENABLED": "false",
    }


def opencode(home: Path, url: str, server: Given) -> Invocation:
    told: dict[str, Any]
    if isinstance(server, Http):
        told = {"type": "remote", "url": server.url, "headers": server.headers}
    else:
        command = [server["command"], *server["args"]]
        told = {"type": "local", "command": command, "environment": server["env"]}
    config = {
        "autoupdate": False,
        "permission": {"*": "deny", f"{SERVER}_*": "allow"},
        "mcp": {SERVER: {**told, "enabled": True}},
        "provider": {
            "fake": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{url}/v1", "apiKey": "dummy"},
                "models": {"fake-model": {}},
            }
        },
    }
    arguments = ["run", "--format", "json", "--pure", "--title", "t", "-m", "fake/fake-model", PROMPT]
    return arguments, {
        "OPENCODE_CONFIG_CONTENT": json.dumps(config),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    }


@pytest.fixture
def models() -> Iterator[FakeModelServer]:
    with FakeModelServer(RULES) as server:
        yield server


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("client", [claude, codex, gemini, qwen, opencode])
def test_the_client_of_a_run_speaks_on_its_bus(
    client: Callable[[Path, str, Given], Invocation], transport: str, tmp_path: Path, models: FakeModelServer
) -> None:
    project, home, work = (tmp_path / name for name in ("project", "home", "work"))
    for folder in (project, home, work):
        folder.mkdir()
    store = make.make_store(project)
    session = make.make_session(store)
    host = make.make_host(store, seconds=3600.0)
    make.one_beat(store, session, make.lead(store))
    run = make.claim(store, host)
    assert run is not None

    with serving(transport, run.run, project) as server:
        arguments, environment = client(home, models.url, server)
        done = subprocess.run(
            [str(Path(CLIENTS) / client.__name__), *arguments],
            cwd=work,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(home),
                "LANG": "C.UTF-8",
                "TERM": "dumb",
                **environment,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=150,
        )

    said = [row for row in store.read(lambda tx: messages.after(tx, session)) if row.kind == "message"]
    assert [(row.sender, row.summary) for row in said] == [(run.role, f"[{run.role}] {WORDS}")], (
        done.stdout[-3_000:],
        done.stderr[-3_000:],
        models.log,
    )
    assert "MSG-" in done.stdout
    store.close()
    invariants.check(store.path)


@contextmanager
def serving(transport: str, run: str, project: Path) -> Iterator[Given]:
    server = server_for(run, project)
    if transport == "stdio":
        yield server
        return
    with http_server(project, "--run", run, env=server["env"]) as (url, _):
        yield Http(url, server["env"]["LIFECYCLE_MCP_TOKEN"])
