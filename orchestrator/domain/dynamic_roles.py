"""Which roles do what a request of dynamic mode asks for: merged, limited, with the reasons (docs/dynamic.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.dynamic import (
    CODE,
    DOCUMENT,
    PLAN,
    ROLES,
    Capability,
    Complexity,
    DynamicRules,
    Wanted,
    behind,
    complexity_of,
    edges_of,
    wanted,
)
from orchestrator.domain.json_types import JsonObject

MOST = 5  # roles of a session
SHARED = 0.5  # of their words above which two roles are one
PERSPECTIVES = 4  # of one role's discussions at most
PATH = "task-analysis.json"


@dataclass(frozen=True, slots=True)
class GeneratedRole:
    """A role that was made for a request; each of its capabilities is its alone."""

    name: str
    capabilities: tuple[str, ...]
    words: frozenset[str]
    tier: int  # the lowest of its capabilities
    trivial: bool = False  # one task, and no look at the project


@dataclass(frozen=True, slots=True)
class TaskAnalysis:
    """What a request asks for, who does it, and in which order."""

    request: str
    wanted: tuple[Wanted, ...]
    edges: Mapping[str, tuple[str, ...]]
    roles: tuple[GeneratedRole, ...]
    complexity: Complexity
    warnings: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()  # which roles became one, and why

    def capability(self, name: str) -> Capability:
        return next(each.capability for each in self.wanted if each.name == name)

    def role_of(self, capability: str) -> GeneratedRole:
        return next(role for role in self.roles if capability in role.capabilities)

    def work_of(self, capability: str) -> str:
        """What makes its result; a plan that no code follows is a document."""
        work = self.capability(capability).work
        codes = any(each.capability.work == CODE for each in self.wanted)
        return DOCUMENT if work == PLAN and not codes else work

    def perspectives_of(self, role: GeneratedRole) -> tuple[str, ...]:
        """From where the results of a role are discussed."""
        return views_of([self.capability(each) for each in role.capabilities])

    def inner_loop(self, role: GeneratedRole) -> bool:
        """Whether two of its tasks come one after the other."""
        own = set(role.capabilities)
        return any(own & behind(self.edges, name) for name in own)

    def artifact_of(self, capability: str) -> str | None:
        """Where its result is written; None for code and tests, which are commits and evidence."""
        key = f"{self.capability(capability).prefix}-001"
        known = {DOCUMENT: f"artifacts/{key}.md", "findings": f"artifacts/{key}.md", PLAN: "plan/plan.json"}
        return known.get(self.work_of(capability))

    def as_json(self) -> JsonObject:
        """The content of task-analysis.json."""
        scored = self.complexity
        return {
            "request": self.request,
            "capabilities": [
                {
                    "name": each.name,
                    "prefix": each.capability.prefix,
                    "tier": each.capability.tier,
                    "words": list(each.words),
                }
                for each in self.wanted
            ],
            "dependency_graph": {name: list(blockers) for name, blockers in self.edges.items()},
            "roles": [self.role_json(role) for role in self.roles],
            "complexity": {
                "capabilities": scored.capabilities,
                "span": scored.span,
                "parallel": scored.parallel,
                "depth": scored.depth,
                "score": scored.score,
                "level": scored.level,
            },
            "artifacts": [path for each in self.wanted if (path := self.artifact_of(each.name))],
            "merged": list(self.merged),
            "warnings": list(self.warnings),
        }

    def role_json(self, role: GeneratedRole) -> JsonObject:
        return {
            "name": role.name,
            "prefix": ", ".join(self.capability(each).prefix for each in role.capabilities),
            "capabilities": list(role.capabilities),
            "kind": ", ".join(dict.fromkeys(self.work_of(each) for each in role.capabilities)),
            "inner_loop": self.inner_loop(role),
            "perspectives": list(self.perspectives_of(role)),
        }


def views_of(capabilities: Iterable[Capability]) -> tuple[str, ...]:
    """The perspectives of a role that does these."""
    return tuple(dict.fromkeys(name for each in capabilities for name in each.perspectives))[:PERSPECTIVES]


def analyse(request: str, rules: DynamicRules, *, as_it_is: bool = False) -> TaskAnalysis:
    """What the request asks for and who does it. Raises VagueRequest; `as_it_is`: a vague one is one general task."""
    found = wanted(request, rules, as_it_is=as_it_is)
    edges, warnings = edges_of(found)
    scored = complexity_of(found, edges)
    roles, merged = roles_of(found, scored.most_roles)
    return TaskAnalysis(request, found, edges, roles, scored, tuple(warnings), tuple(merged))


def roles_of(found: Sequence[Wanted], most: int) -> tuple[tuple[GeneratedRole, ...], list[str]]:
    """At most `most` roles for the capabilities, in the order of their names, and what was merged.

    Roles that more than half of their words would choose alike are one; a trivial one is done by its neighbour; beyond the
    limit the last in the order go.
    """
    told: list[str] = []
    roles: list[GeneratedRole] = []
    for each in found:  # a pack may give several capabilities to one role
        roles = _with(roles, _alone(each), told)
    roles = sorted(roles, key=_rank)
    for first in list(roles):
        for other in list(roles):
            if first in roles and other in roles and _rank(first) < _rank(other) and _alike(first, other):
                roles = _merged(roles, other, first, "they were chosen by the same words", told)
                first = next(role for role in roles if first.capabilities[0] in role.capabilities)
    for role in list(roles):
        if role.trivial and role in roles and len(roles) > 1:
            why = f"the {role.name}'s one task needs no look at the project"
            roles = _merged(roles, role, _nearest(roles, role), why, told)
    while len(roles) > min(most, MOST):
        roles = _merged(
            roles, roles[-1], _nearest(roles, roles[-1]), f"at most {min(most, MOST)} roles", told
        )
    return tuple(roles), told


def _alone(each: Wanted) -> GeneratedRole:
    known = each.capability
    return GeneratedRole(known.role, (known.name,), frozenset(each.words), known.tier, not known.explores)


def _with(roles: list[GeneratedRole], new: GeneratedRole, told: list[str]) -> list[GeneratedRole]:
    same = next((role for role in roles if role.name == new.name), None)
    return [*roles, new] if same is None else _merged([*roles, new], new, same, "one role does both", told)


def _rank(role: GeneratedRole) -> int:
    return ROLES.index(role.name)


def _alike(one: GeneratedRole, other: GeneratedRole) -> bool:
    fewer = min(len(one.words), len(other.words))
    return fewer > 0 and len(one.words & other.words) > SHARED * fewer


def _nearest(roles: Sequence[GeneratedRole], role: GeneratedRole) -> GeneratedRole:
    """The role whose work it goes on with or, where there is none, leads to: of the nearest tier, the first in the order."""
    others = [each for each in roles if each != role]
    return min(others, key=lambda each: (abs(each.tier - role.tier), each.tier > role.tier, _rank(each)))


def _merged(
    roles: Sequence[GeneratedRole], gone: GeneratedRole, into: GeneratedRole, why: str, told: list[str]
) -> list[GeneratedRole]:
    name = min(gone.name, into.name, key=ROLES.index)
    told.append(f"{name} does {', '.join((*into.capabilities, *gone.capabilities))}: {why}")
    both = replace(
        into,
        name=name,
        capabilities=(*into.capabilities, *gone.capabilities),
        words=into.words | gone.words,
        tier=min(into.tier, gone.tier),
        trivial=False,
    )
    return sorted((both if each == into else each for each in roles if each != gone), key=_rank)
