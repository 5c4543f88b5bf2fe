"""What the agent of a joined host's run may ask: the tools of its run, as beside the database (decision 0059).

It shows the run's id and a token that its host was given for that run. No token of a host, person or other run does here,
and this one does nothing elsewhere. Every tool asks its scope for the session within the unit that reads or writes: a run
that has ended, or whose host was revoked, is refused there.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict

from pydantic import ValidationError
from pydantic_core import from_json

from orchestrator.commands.command_arguments import Arguments
from orchestrator.domain.errors import UsageError
from orchestrator.door.wire import NotReadable
from orchestrator.mcp_server.scope import AT_THE_CLONE, WORKER_TOOLS, Worker
from orchestrator.mcp_server.tool_context import ServedContext
from orchestrator.mcp_server.tools import TOOLS, Tool
from orchestrator.project import Project
from orchestrator.store import agent_tokens, tasks
from orchestrator.store.rows import RunOwner
from orchestrator.store.store import Store, Tx

QUESTION = 1024 * 1024  # bytes: the longest message and its data
SCOPES = 1_000  # runs whose writes are counted; the one that was silent for longest is forgotten
_TOOLS = {tool.name: tool for tool in TOOLS if tool.name in WORKER_TOOLS}


class AgentDoor:
    """Answers agents on a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._project = Project(store.workflow.parent)
        self._scopes: OrderedDict[str, Worker] = OrderedDict()
        self._lock = threading.Lock()

    def holder(self, shown: str) -> RunOwner | None:
        """The run whose token is shown, open or not; None for any other. Raises StoreError."""
        run, _, token = shown.partition(".")

        def known(tx: Tx) -> RunOwner | None:
            found = tasks.run(tx, run) if agent_tokens.is_of(tx, run, token) else None
            return found if found is not None and found.boot == tx.boot else None

        return self._store.read(known)

    def answer(self, run: RunOwner, name: str, body: bytes) -> bytes:
        """What the tool answers. Raises LifecycleError."""
        tool = _TOOLS.get(name)
        if tool is None:
            raise NotReadable(f"there is no tool {name[:60]!r}", why=f"known: {', '.join(sorted(_TOOLS))}")
        context = ServedContext(self._project, self._scope(run), store=self._store)
        asked = _read(tool, body)
        if name == AT_THE_CLONE:
            context.scope.admit(context.read)
            return json.dumps({"answer": None}).encode()
        return json.dumps({"answer": tool.call(context, asked)}).encode()

    def _scope(self, run: RunOwner) -> Worker:
        """One for all that a run asks: it counts what was written."""
        with self._lock:
            scope = self._scopes.setdefault(run.id, Worker(run))
            self._scopes.move_to_end(run.id)
            if len(self._scopes) > SCOPES:
                self._scopes.popitem(last=False)
            return scope


def _read(tool: Tool, body: bytes) -> Arguments:
    """The arguments. Raises UsageError."""
    try:
        return tool.arguments.model_validate(from_json(body, allow_inf_nan=False))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        told = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in faults[:5])
        raise UsageError(
            f"the arguments of {tool.name} are not valid",
            why="; ".join(told),
            fix="give them as the tool's schema says",
        ) from error
    except ValueError as error:
        raise NotReadable(why=str(error)[:200]) from error
