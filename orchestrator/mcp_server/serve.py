"""The tools behind the protocol, and the protocol over standard input and output."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection
from functools import partial

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic import ValidationError

from orchestrator import __version__
from orchestrator.commands.command_arguments import Arguments
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.inert import inert_json, one_line
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.mcp_server.tool_context import ToolContext
from orchestrator.mcp_server.tools import TOOLS, Tool

ERROR_LIMIT = 2_000  # characters of each part of an error, which may quote the caller
_log = logging.getLogger(__name__)


def call(context: ToolContext, tool: Tool, arguments: JsonObject) -> types.CallToolResult:
    """The tool's answer as JSON text; a refusal is a tool error with what, why and fix, and has changed nothing."""
    return answered(tool, arguments, partial(tool.call, context))


def answered(tool: Tool, arguments: JsonObject, do: Callable[[Arguments], Json]) -> types.CallToolResult:
    """`call`, with what is done for arguments that are valid."""
    try:
        answer = do(tool.arguments.model_validate(arguments))
    except LifecycleError as error:
        return _failed(error.what, error.why, error.fix)
    except ValidationError as error:
        faults = (
            f"{'.'.join(map(str, found['loc']))}: {found['msg']}"
            for found in error.errors(include_url=False, include_input=False, include_context=False)
        )
        return _failed(f"the arguments of {tool.name} are not valid", "; ".join(faults), "see its schema")
    except OSError as error:
        _log.exception("%s: the operating system refused it", tool.name)
        return _failed(error.strerror or "the operating system refused it", "", "`lifecycle doctor`")
    except Exception as error:  # the server continues; the error is in its log
        _log.exception("%s failed", tool.name)
        return _failed(
            f"{tool.name} failed with an internal error", type(error).__name__, "see the server's log"
        )
    return _result(answer)


def _result(value: Json, *, error: bool = False) -> types.CallToolResult:
    text = inert_json(json.dumps(value, ensure_ascii=False))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=error)


def _failed(what: str, why: str, fix: str) -> types.CallToolResult:
    parts = {"what": what, "why": why, "fix": fix}
    told = {name: one_line(text, ERROR_LIMIT) for name, text in parts.items() if text}
    return _result({"error": told}, error=True)


def build(context: ToolContext) -> Server[dict[str, object]]:
    """A server with only the tools of the context's scope."""
    return build_for(context.scope.tools, context.scope.instructions, partial(call, context))


def build_for(
    names: Collection[str],
    instructions: str,
    answer: Callable[[Tool, JsonObject], types.CallToolResult],
) -> Server[dict[str, object]]:
    """A server with the tools of these names, each answered in a thread."""
    tools = {tool.name: tool for tool in TOOLS if tool.name in names}

    async def list_tools(_: object, __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_shown(tool) for tool in tools.values()])

    async def call_tool(_: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            return _failed(f"unknown tool {params.name[:60]!r}", f"known: {', '.join(tools)}", "")
        return await anyio.to_thread.run_sync(partial(answer, tool, params.arguments or {}))

    return Server(
        "team-lifecycle",
        version=__version__,
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _shown(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(by_alias=True),
        annotations=types.ToolAnnotations(
            read_only_hint=not tool.writes, destructive_hint=False, open_world_hint=False
        ),
    )


def serve_stdio(server: Server[dict[str, object]]) -> None:
    """Serve until standard input ends. Standard output carries only the protocol; other output goes to standard error."""

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)
