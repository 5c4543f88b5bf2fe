"""session_fork and session_compare: a second session from a state of another one, and two sessions side by side."""

from __future__ import annotations

from orchestrator import project as app
from orchestrator.commands import command_arguments as given
from orchestrator.commands import compare, forking
from orchestrator.domain.json_types import JsonObject
from orchestrator.mcp_server.tool_context import ToolContext


def session_fork(context: ToolContext, asked: given.SessionFork) -> JsonObject:
    return forking.begin(context.caller(), asked)


def session_compare(context: ToolContext, asked: given.SessionCompare) -> JsonObject:
    store = app.open_for_reading(context.project)
    try:
        return compare.compared(store, context.project.root, asked.a, asked.b, diff=asked.diff)
    finally:
        store.close()
