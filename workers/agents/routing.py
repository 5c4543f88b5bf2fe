"""Which agents do the work of a role or speak for a perspective, in order; what is not usable is skipped, with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import TYPE_CHECKING

from orchestrator.domain.agent_kinds import BUILTIN, CLIENTS, KINDS, with_own
from orchestrator.domain.budget import needs_editing
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pipelines import Pack
from workers.agents.protocol import Agent, Timeouts, edits_files
from workers.agents.slots import AgentSlots

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings
    from workers.agents.probing import Priced

Note = Callable[[str], None]
Faults = dict[str, str | None]  # agent -> why it cannot be used; None: it can


class Router:
    """`roles` and `perspectives` are the user's orders; they go before the pack's."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        *,
        own: Iterable[str] = (),
        roles: Mapping[str, Iterable[str]] | None = None,
        perspectives: Mapping[str, Iterable[str]] | None = None,
        accounts: Mapping[str, str] | None = None,
        slots: AgentSlots | None = None,
        note: Note = lambda _: None,
    ) -> None:
        """`accounts`: by agent, where several share one. `slots`: those of the agents that are programs."""
        self.agents = dict(agents)
        self._accounts = dict(accounts or {})
        self._own = tuple(own)  # agents the user configured, in that order
        self._roles = {name: tuple(order) for name, order in (roles or {}).items()}
        self._perspectives = {name: tuple(order) for name, order in (perspectives or {}).items()}
        self._slots = slots
        self._note = note

    def make_room(self, asked: int) -> None:
        """So many agents are about to be asked at the same time."""
        if self._slots is not None:
            self._slots.make_room(asked)

    def for_role(
        self, pack: Pack, role: str, note: Note | None = None, *, first: str | None = None
    ) -> list[Agent]:
        """Usable agents of a role, first choice first. Empty only when its order leaves out the built-in one.

        `first`: the agent that a user has chosen for the task.
        """
        if role not in pack.roles:
            raise UnknownName("role", role, sorted(pack.roles))
        asked = pack.roles[role]
        order = asked.order_in(self._roles) or self._with_own(asked.agents)
        return self._usable(order if first is None else (first, *order), note, {})

    def for_perspective(
        self,
        pack: Pack,
        perspective: str,
        note: Note | None = None,
        *,
        first: str | None = None,
        faults: Faults | None = None,
    ) -> list[Agent]:
        """The perspective's first agent, its fallback chain, and the built-in one; before them `first`.

        `faults` keeps what is wrong with each agent for the next perspective of the same discussion.
        """
        if perspective not in pack.perspectives:
            raise UnknownName("perspective", perspective, sorted(pack.perspectives))
        order = self._perspectives.get(perspective) or self._with_own(pack.perspectives[perspective].agents)
        return self._usable(
            (*([first] if first else ()), *order, BUILTIN), note, {} if faults is None else faults
        )

    def account(self, agent: str) -> str:
        """The account an agent uses: its limit holds for all that share it."""
        return self._accounts.get(agent, agent)

    def _with_own(self, order: Iterable[str]) -> tuple[str, ...]:
        """The user's own agents that the order does not name: just before the built-in one, else at its end."""
        return with_own(order, self._own)

    def _usable(self, order: Iterable[str], note: Note | None, faults: Faults) -> list[Agent]:
        found: list[Agent] = []
        for name in dict.fromkeys(order):
            agent = self.agents.get(name)
            if name not in faults:  # to look for a program takes a dozen system calls
                faults[name] = f"{name}: no such agent is configured" if agent is None else agent.available()
            fault = faults[name]
            if agent is not None and fault is None:
                found.append(agent)
                continue
            for tell in (self._note, note):
                if tell is not None:
                    tell(fault or name)
        return found


def build_router(
    settings: Settings, environ: MutableMapping[str, str], note: Note, *, builtin: Agent
) -> Router:
    """All agents of the settings and the built-in one; `environ` may change later and is read at each call."""
    from orchestrator.config.settings import AgentSettings
    from workers.agents.api.agent import ApiAgent
    from workers.agents.catalogue import program_agent

    slots = AgentSlots(settings.slots, settings.agent_processes)
    agents: dict[str, Agent] = {BUILTIN: builtin}
    given = {name: AgentSettings(kind=name) for name in CLIENTS} | dict(settings.agents)
    for name, each in given.items():
        if name in settings.agents_off:
            continue
        timeouts = Timeouts.of(each.limits) if each.limits else None
        started_as = KINDS[each.kind].started_as
        if started_as == "builtin":
            agents[name] = builtin
        elif started_as == "api":
            agents[name] = ApiAgent.of(name, each, environ, timeouts)
        else:
            agents[name] = program_agent(name, each, environ, timeouts, slots)
    own = [name for name in settings.agents if name not in CLIENTS and name != BUILTIN]
    accounts = {
        name: each.account or (each.kind if KINDS[each.kind].is_client else name)
        for name, each in given.items()
    }
    return Router(
        agents,
        own=own,
        roles=settings.roles,
        perspectives=settings.perspectives,
        accounts=accounts,
        slots=slots,
        note=note,
    )


def describe(router: Router, pack: Pack, probe: Priced | None = None) -> JsonObject:
    """For `lifecycle agents` and `doctor`: every agent with its fault, and whom each role and perspective would use.

    `probe`: ask each usable one a real question, which may cost what this says.
    """
    from workers.agents.probing import inspect_agents

    return {
        "agents": [
            each
            | {
                "account": router.account(each["name"]),
                "edits_files": edits_files(router.agents[each["name"]]),
            }
            for each in inspect_agents(router.agents, probe)
        ],
        "roles": {
            name: [
                agent.name
                for agent in router.for_role(pack, name)
                if edits_files(agent) or not needs_editing(role)
            ]
            for name, role in pack.roles.items()
            if role.agents and role.installed
        },
        "perspectives": {
            name: [agent.name for agent in router.for_perspective(pack, name)] for name in pack.perspectives
        },
    }
