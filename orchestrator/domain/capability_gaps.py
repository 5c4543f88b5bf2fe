"""Work that a generated role found outside of its own: who does it (docs/dynamic.md). Nothing waits for a person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.dynamic import CODE, DOCUMENT, GENERAL, KIND, PLAN, ROLES, Capability, DynamicRules
from orchestrator.domain.dynamic_roles import MOST
from orchestrator.domain.dynamic_session import may_of
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.pipelines import Pack, Role
from orchestrator.domain.text import mentions

MOST_TASKS = 10  # that gaps add to a session

Kind = Literal["task", "role", "fit", "note"]


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who does what a gap names: a role that can already, a new role, the best fit, or nobody."""

    kind: Kind
    capability: Capability
    why: str
    role: Role | None = None  # as it is from now on; None for nobody


def capability_named(name: str, text: str, rules: DynamicRules) -> Capability:
    """The capability that a gap means: by its name, a role's or a prefix, else by the words of its task."""
    wanted = name.strip().lower()
    for each in rules.capabilities.values():
        if wanted in (each.name, each.role, each.prefix.lower()):
            return each
    words = f"{name} {text}"
    found = (
        each for each in rules.capabilities.values() if any(mentions(words, word) for word in each.words)
    )
    return next(found, rules.capabilities[GENERAL])


def assignment(pack: Pack, capability: Capability, made: int, *, can_code: bool = True) -> Assignment:
    """Who does a gap of this capability; `made`: tasks that gaps have added before; `can_code`: an agent edits files."""
    if made >= MOST_TASKS:
        return Assignment("note", capability, f"gaps have added {made} tasks already")
    roles = {name: role for name, role in pack.roles.items() if role.kind == KIND}
    owner = next((role for role in roles.values() if capability.prefix in role.works), None)
    work = DOCUMENT if capability.work == PLAN else capability.work
    if (work if owner is None else owner.works[capability.prefix]) == CODE and not can_code:
        return Assignment("note", capability, "no agent here edits files: it stays an open question")
    if owner is not None:
        return Assignment("task", capability, f"the {owner.name} does {capability.name}", owner)
    if len(roles) < MOST:
        name = _free_name(capability, roles)
        if name is not None:
            return Assignment(
                "role", capability, f"nobody did {capability.name}", _made(pack, name, capability, work)
            )
    fitting = [role for role in roles.values() if work in role.works.values()]
    if fitting:
        best = min(
            fitting, key=lambda role: (_distance(role, capability, pack.dynamic), ROLES.index(role.name))
        )
        why = f"{len(roles)} roles are there, and the {best.name} fits best"
        return Assignment("fit", capability, why, _with(best, capability.prefix, work))
    return Assignment("note", capability, f"{len(roles)} roles are there, and none can do {capability.name}")


def without(snapshot: JsonObject, decisions: Iterable[Mapping[str, Json]]) -> JsonObject:
    """A session's snapshot without what these decisions on gaps have added to its roles: as it was before them."""
    roles = dict(snapshot["roles"])
    for made in decisions:
        role = roles.get(made["role"])
        if made["decision"] == "role":
            roles.pop(made["role"], None)
        elif made["decision"] == "fit" and role is not None:
            prefix = snapshot["dynamic"]["capabilities"][made["capability"]]["prefix"]
            works = {name: work for name, work in role["works"].items() if name != prefix}
            may, may_not = may_of(works.values())
            changed = {"works": works, "prefixes": tuple(works), "may": may, "may_not": may_not}
            roles[made["role"]] = {**role, **changed}
    return {**snapshot, "roles": roles}


def _free_name(capability: Capability, roles: Collection[str]) -> str | None:
    return next((name for name in (capability.role, ROLES[-1]) if name not in roles), None)


def _made(pack: Pack, name: str, capability: Capability, work: str) -> Role:
    agents = next(role.agents for role in pack.roles.values() if role.kind == KIND)
    blank = Role(name=name, kind=KIND, installed=True, agents=agents)
    return _with(blank, capability.prefix, work)


def _with(role: Role, prefix: str, work: str) -> Role:
    works: Mapping[str, str] = {**role.works, prefix: work}
    may, may_not = may_of(works.values())
    return replace(role, prefixes=tuple(works), works=works, may=may, may_not=may_not)


def _distance(role: Role, capability: Capability, rules: DynamicRules) -> int:
    tiers = [each.tier for each in rules.capabilities.values() if each.prefix in role.works]
    return min((abs(tier - capability.tier) for tier in tiers), default=len(ROLES))
