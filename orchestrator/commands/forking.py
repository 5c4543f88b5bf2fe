"""fork with validated arguments, for MCP and the web."""

from __future__ import annotations

from orchestrator import project as app
from orchestrator.commands import command_arguments as given
from orchestrator.commands import fork
from orchestrator.commands.caller import Caller, exclude
from orchestrator.domain.json_types import JsonObject
from orchestrator.views import budget

_CAPS = ("max_usd", "max_tokens", "max_turns", "max_minutes")


def begin(caller: Caller, asked: given.SessionFork) -> JsonObject:
    """The fork and its plan; with `plan` nothing is changed. Raises LifecycleError as `lifecycle fork` does."""
    exclude(asked, "plan", "key")
    exclude(asked, "again", "key")
    caps = {name: cap for name in _CAPS if (cap := getattr(asked, name)) is not None}
    budget.check_lowered(app.read_settings(caller.project), caps)
    wanted = fork.ForkRequest(
        asked.session, asked.at, caller.who, asked.agent, asked.mode, asked.key, asked.again, caps or None
    )
    if asked.plan:
        store = app.open_for_reading(caller.project)
        try:
            view = fork.prepare(caller.project, store, wanted).view
        finally:
            store.close()
        return {"session": None, "created": False, "plan": view, "warnings": []}
    with caller.changing() as (store, settings):
        prepared = fork.prepare(caller.project, store, wanted)
        made = fork.begin(caller.project, store, prepared)
        warnings = caller.wake(store, settings, made.session)
    return {"session": made.session, "created": made.created, "plan": prepared.view, "warnings": warnings}
