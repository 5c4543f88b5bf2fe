"""Clients of the real MCP server, each a process of its own: what a test calls, and what it got."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from workers.agents.programs.mcp import StdioServer


@dataclass(frozen=True)
class Refused(Exception):
    """A tool error: what, why and fix."""

    what: str
    why: str = ""
    fix: str = ""

    def __str__(self) -> str:
        return self.what


class Agent:
    """One connected client, called from the test's own thread."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self._client = client

    def tools(self) -> dict[str, Any]:
        found = self._portal.call(self._client.list_tools).tools
        assert len({tool.name for tool in found}) == len(found)
        return {tool.name: tool for tool in found}

    def text(self, tool: str, **arguments: Any) -> tuple[bool, str]:
        """Whether it is an error, and the answer as it came."""
        done = self._portal.call(self._client.call_tool, tool, arguments)
        (content,) = done.content
        return bool(done.is_error), content.text

    def call(self, tool: str, **arguments: Any) -> Any:
        """The answer. Raises Refused. `sender` stands for `from`, which Python keeps for itself."""
        if "sender" in arguments:
            arguments["from"] = arguments.pop("sender")
        failed, text = self.text(tool, **arguments)
        answer = json.loads(text)
        if failed:
            raise Refused(**answer["error"])
        return answer

    def msg(self, operation: str, **arguments: Any) -> Any:
        return self.call("team_msg", operation=operation, **arguments)


@contextmanager
def connected(transport: Any, mode: str = "auto") -> Iterator[Agent]:
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(transport, mode=mode)) as client,
    ):
        yield Agent(portal, client)


@contextmanager
def over_stdio(server: StdioServer, mode: str = "auto") -> Iterator[Agent]:
    with connected(StdioServerParameters(**server), mode) as agent:
        yield agent


@contextmanager
def over_http(url: str, authorization: str, mode: str = "auto") -> Iterator[Agent]:
    client = httpx2.AsyncClient(headers={"authorization": authorization}, timeout=60)
    with connected(streamable_http_client(url, http_client=client), mode) as agent:
        yield agent


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "orchestrator", "mcp", *arguments]


def for_person(project: Path) -> StdioServer:
    """The server that a person's client would start."""
    name, *arguments = command("--project", str(project))
    passed = {name: os.environ[name] for name in ("LIFECYCLE_CONFIG_DIR",) if name in os.environ}
    return {"command": name, "args": arguments, "env": passed}


@contextmanager
def http_server(
    project: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """The address and the value of the header that it printed, "" when it printed none."""
    process = subprocess.Popen(
        command("--http", "--project", str(project), *arguments),
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        given = "LIFECYCLE_MCP_TOKEN" in (env or {})
        yield url, "" if given else process.stdout.readline().strip().removeprefix("Authorization: ")
    finally:
        process.terminate()
        process.communicate(timeout=30)
