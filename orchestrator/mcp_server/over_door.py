"""The server of a run's agent on a machine without the database: each call is a request at the door (decision 0059).

A request is sent once: what was not answered may have been done, and a message that is sent again would be there twice. The
agent is told, and can read the log. The repository is explored here, in the clone, once the door has admitted the run.
"""

from __future__ import annotations

import json
import threading
from functools import partial
from pathlib import Path

import mcp_types as types
from mcp.server.lowlevel import Server

from orchestrator.commands.command_arguments import Arguments
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.door import wire
from orchestrator.door.http_connections import ANSWER_SECONDS, Connections
from orchestrator.mcp_server.arguments import Explore
from orchestrator.mcp_server.scope import AT_THE_CLONE, WORKER_TOOLS, Worker
from orchestrator.mcp_server.serve import answered, build_for
from orchestrator.mcp_server.tools import Tool, explored

_EXPLORING = threading.Lock()  # one exploration at a time
LONGEST_ANSWER = 16 * 1024 * 1024  # bytes


def server_at_door(connections: Connections, clone: Path) -> Server[dict[str, object]]:
    """A server with the tools of a run, whose token the connections show."""

    def answer(tool: Tool, arguments: JsonObject) -> types.CallToolResult:
        return answered(tool, arguments, partial(_asked, connections, clone, tool))

    return build_for(WORKER_TOOLS, Worker.instructions, answer)


def _asked(connections: Connections, clone: Path, tool: Tool, asked: Arguments) -> Json:
    """Raises LifecycleError."""
    question = asked.model_dump_json(by_alias=True, exclude_unset=True).encode()
    try:
        status, _, body = connections.ask(
            wire.AGENT_PREFIX + tool.name, question, ANSWER_SECONDS, longest=LONGEST_ANSWER
        )
    finally:
        connections.close()  # on a kept one, a request whose answer is lost would be sent again
    if status != 200:
        raise wire.error_of(status, body)
    try:
        answer: Json = json.loads(body)["answer"]
    except (ValueError, TypeError, KeyError) as error:
        raise wire.NotReadable(why=str(error)) from error
    if tool.name != AT_THE_CLONE:
        return answer
    assert isinstance(asked, Explore)
    with _EXPLORING:
        return explored(clone, asked)
