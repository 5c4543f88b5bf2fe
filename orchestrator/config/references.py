"""Names in the settings: each must be one that something else knows, in an order that leads to somebody."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from orchestrator.config.agent_options import Found
from orchestrator.domain.agent_kinds import BUILTIN, CLIENTS
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import Json
from orchestrator.domain.plain_values import unknown

if TYPE_CHECKING:
    from orchestrator.config.settings import AgentSettings

ASK_NOBODY = {  # roles whose work asks no agent by the role's order
    "coordinator": "the coordinator asks no agent",
    "discussant": "who discusses is set by perspective, in [perspectives]",
}


@dataclass(frozen=True, slots=True)
class Names:
    """What the pack knows."""

    roles: frozenset[str]
    perspectives: frozenset[str]


def faults(
    values: Mapping[str, Json],
    agents: Mapping[str, AgentSettings],
    known: Collection[str] | None,
    names: Names | None,
) -> Iterator[Found]:
    """Each unknown or useless name with its place. `known` agents or `names` of None: they cannot be judged now."""
    off = _texts(values.get("agents_off"))
    for index, name in enumerate(off):
        if name == BUILTIN:
            yield (
                ("agents_off", index),
                "the built-in agent cannot be switched off; name other agents in [roles]",
            )
        elif known is not None and name not in known:
            yield ("agents_off", index), unknown("agent", name, known)
    for section, kind in (("roles", "role"), ("perspectives", "perspective")):
        orders = values.get(section)
        for name, order in orders.items() if isinstance(orders, Mapping) else ():
            if names is not None and name not in (here := getattr(names, section)):
                yield (section, name), unknown(kind, name, here)
            elif section == "roles" and name in ASK_NOBODY:
                yield (section, name), f"has no effect: {ASK_NOBODY[name]}"
            yield from _order((section, name), order, off, known)
    yield from _prices(values.get("prices"), agents, known)


def _order(
    place: tuple[str, str], order: object, off: Collection[str], known: Collection[str] | None
) -> Iterator[Found]:
    named = _texts(order)
    if order == []:
        yield place, "names nobody; leave it out, and the pack's order holds"
    for name in named:
        if known is not None and name not in known:
            yield place, unknown("agent", name, known)
    if place[0] == "roles" and named and all(name in off for name in named):  # a perspective falls back
        yield place, "names only agents that `agents_off` switches off"


def _prices(
    prices: object, agents: Mapping[str, AgentSettings], known: Collection[str] | None
) -> Iterator[Found]:
    """A price is a model's: one for an agent would never be used."""
    models = {agent.model for agent in agents.values()}
    for name in prices if isinstance(prices, Mapping) else ():
        if name in (*CLIENTS, BUILTIN) and name not in models:
            yield ("prices", name), "is an agent, and prices are by model; name the model it uses"


def _texts(given: object) -> list[str]:
    return [item for item in given if isinstance(item, str)] if isinstance(given, list) else []
