"""session_fork and session_compare: a second session from a state of another one, and two sessions side by side."""

from __future__ import annotations

from orchestrator import project as app
from orchestrator.commands import command_arguments as given
from orchestrator.commands import compare, fork
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.mcp_server.scope import Person
from orchestrator.mcp_server.tool_context import ToolContext
from orchestrator.views import budget

_CAPS = ("max_usd", "max_tokens", "max_turns", "max_minutes")


def session_fork(context: ToolContext, asked: given.SessionFork) -> JsonObject:
    for one, other in (("plan", "key"), ("again", "key")):
        if getattr(asked, one) and asked.key is not None:
            raise UsageError(f"{one} and {other} exclude each other", fix="give only one of them")
    caps = {name: cap for name in _CAPS if (cap := getattr(asked, name)) is not None}
    budget.check_lowered(app.read_settings(context.project), caps)
    wanted = fork.ForkRequest(
        asked.session,
        asked.at,
        Person.decides(),
        asked.agent,
        asked.mode,
        asked.key,
        asked.again,
        caps or None,
    )
    if asked.plan:
        store = app.open_for_reading(context.project)
        try:
            view = fork.prepare(context.project, store, wanted).view
        finally:
            store.close()
        return {"session": None, "created": False, "plan": view, "warnings": []}
    with app.changing(context.project) as (store, settings):
        prepared = fork.prepare(context.project, store, wanted)
        made = fork.begin(context.project, store, prepared)
        warnings = context.caller().wake(store, settings)
    return {
        "session": made.session,
        "created": made.created,
        "plan": prepared.view,
        "warnings": warnings,
    }


def session_compare(context: ToolContext, asked: given.SessionCompare) -> JsonObject:
    store = app.open_for_reading(context.project)
    try:
        return compare.compared(store, context.project.root, asked.a, asked.b, diff=asked.diff)
    finally:
        store.close()
