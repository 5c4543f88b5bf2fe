"""Which agents do the work of a role or speak for a perspective, in order; what is not usable is skipped, with a reason."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any

from orchestrator.domain.errors import UnknownName
from orchestrator.domain.pipelines import Pack
from workers.agents.protocol import Agent, Limits

BUILTIN = "builtin"
SHIPPED = ("claude", "codex", "gemini")  # named by the shipped packs whether installed or not
Note = Callable[[str], None]


class Router:
    """`roles` and `perspectives` are the user's orders; they go before the pack's."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        *,
        own: Iterable[str] = (),
        roles: Mapping[str, Iterable[str]] | None = None,
        perspectives: Mapping[str, Iterable[str]] | None = None,
        note: Note = lambda _: None,
    ) -> None:
        self.agents = dict(agents)
        self._own = tuple(own)  # agents the user configured, in that order
        self._roles = {name: tuple(order) for name, order in (roles or {}).items()}
        self._perspectives = {name: tuple(order) for name, order in (perspectives or {}).items()}
        self._note = note

    def for_role(self, pack: Pack, role: str, note: Note | None = None) -> list[Agent]:
        """Usable agents of a role, first choice first. Empty only when its order leaves out the built-in one."""
        if role not in pack.roles:
            raise UnknownName("role", role, sorted(pack.roles))
        order = self._roles.get(role) or self._with_own(pack.roles[role].agents)
        return self._usable(order, note)

    def for_perspective(self, pack: Pack, perspective: str, note: Note | None = None) -> list[Agent]:
        """The perspective's first agent, its fallback chain, and the built-in one."""
        if perspective not in pack.perspectives:
            raise UnknownName("perspective", perspective, sorted(pack.perspectives))
        order = self._perspectives.get(perspective) or self._with_own(pack.perspectives[perspective].agents)
        return self._usable((*order, BUILTIN), note)

    def _with_own(self, order: Iterable[str]) -> tuple[str, ...]:
        """The user's own agents come after the named ones and before the built-in one."""
        named = [name for name in order if name != BUILTIN]
        return (*named, *(name for name in self._own if name not in named), BUILTIN)

    def _usable(self, order: Iterable[str], note: Note | None) -> list[Agent]:
        found: list[Agent] = []
        for name in dict.fromkeys(order):
            agent = self.agents.get(name)
            fault = f"{name}: no such agent is configured" if agent is None else agent.available()
            if agent is not None and fault is None:
                found.append(agent)
                continue
            for tell in (self._note, note):
                if tell is not None:
                    tell(fault or name)
        return found


def build_router(settings: Any, environ: MutableMapping[str, str], note: Note) -> Router:
    """All agents of the settings; `environ` may change later and is read at each call."""
    from workers.agents.api import ApiAgent
    from workers.agents.builtin import BuiltinAgent
    from workers.agents.command import CommandAgent

    slots = threading.BoundedSemaphore(settings.agent_processes)
    agents: dict[str, Agent] = {BUILTIN: BuiltinAgent()}
    for name, given in settings.agents.items():
        if given.kind == "builtin":
            agents[name] = agents[BUILTIN]
            continue
        limits = given.limits and Limits(
            **{key: getattr(given.limits, key) for key in ("start", "silence", "turn", "total")}
        )
        if given.kind == "api":
            agents[name] = ApiAgent.of(name, given, environ, limits)
            continue
        agents[name] = CommandAgent(
            name,
            given.command,
            environ=environ,
            env=given.env,
            limits=limits,
            edits_files=given.edits_files,
            slots=slots,
        )
    own = [name for name in settings.agents if name not in SHIPPED and name != BUILTIN]
    return Router(agents, own=own, roles=settings.roles, perspectives=settings.perspectives, note=note)


def describe(router: Router, pack: Pack) -> dict[str, Any]:
    """For `lifecycle agents` and `doctor`: every agent with its fault, and whom each role and perspective would use."""
    return {
        "agents": [
            {"name": name, "usable": fault is None, "fault": fault}
            for name, agent in router.agents.items()
            for fault in [agent.available()]
        ],
        "roles": {
            name: [agent.name for agent in router.for_role(pack, name)]
            for name, role in pack.roles.items()
            if role.agents and role.installed
        },
        "perspectives": {
            name: [agent.name for agent in router.for_perspective(pack, name)] for name in pack.perspectives
        },
    }
