"""Which tasks can be done: what each makes, from what, and whose work it is.

A pipeline that asks for more is refused before a session is made of it, not after three attempts at a task.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.domain import ids
from orchestrator.domain.agent_kinds import OTHERS
from orchestrator.domain.graph import Fault, Place
from orchestrator.domain.model import TaskDef
from orchestrator.domain.pipelines import Pack, PipelineDef, Role
from orchestrator.domain.plain_values import unknown


@dataclass(frozen=True, slots=True)
class Work:
    artifact: str  # path below the session directory
    needs: tuple[str, ...] = ()  # tasks that make what it is written from


WORK = {
    "RESEARCH-001": Work("spec/discovery-context.json"),
    "DRAFT-001": Work("spec/product-brief.md", ("RESEARCH-001",)),
    "DRAFT-002": Work("spec/requirements/_index.md", ("RESEARCH-001", "DRAFT-001")),
    "DRAFT-003": Work("spec/architecture/_index.md", ("RESEARCH-001", "DRAFT-001", "DRAFT-002")),
    "DRAFT-004": Work("spec/epics/_index.md", ("RESEARCH-001", "DRAFT-001", "DRAFT-002", "DRAFT-003")),
    "QUALITY-001": Work("spec/readiness-report.md"),
}
AGAIN = {
    "RESEARCH": "RESEARCH-001",
    "QUALITY": "QUALITY-001",
}  # whatever their number, they make the same, anew
BUILT = {  # the roles whose work is built, with the prefixes it is built for
    "coordinator": (),
    "analyst": ("RESEARCH",),
    "writer": ("DRAFT", "IMPROVE"),
    "reviewer": ("QUALITY",),
    "discussant": ("DISCUSS",),
}


def work_faults(data: Mapping[str, Any], pack: Pack, found: Sequence[Fault]) -> list[Fault]:
    """What nobody can do, in a pack of this `data`. What has a fault already (`found`) is not judged a second time."""
    faulty = {fault.place[:2] for fault in found}
    if any(place[:1] in (("roles",), ("rounds",), ("perspectives",)) for place in faulty):
        return []
    faults = [fault for role in pack.roles.values() for fault in _role(role, pack)]
    told: set[tuple[str, str]] = set()
    for name, pipeline in pack.pipelines.items():
        if ("pipelines", name) in faulty or not all(pack.roles[role].installed for role in pipeline.roles):
            continue  # a mode whose roles are not built is listed, and refused when it is asked for
        for key, part, text in _pipeline(pack, pipeline):
            if (key, text) not in told:
                told.add((key, text))
                faults.append(Fault((*_place(data, name, key), *part), f"{key}: {text}"))
    return faults


def agent_faults(data: Mapping[str, Any], agents: Collection[str]) -> list[Fault]:
    """The agents that a pack names and nobody knows."""
    named: list[tuple[Place, Any]] = []
    for role, given in _entries(data, "roles"):
        order = given.get("agents") if isinstance(given, Mapping) else None
        named += [
            (("roles", role, "agents", index), name)
            for index, name in enumerate(_listed(order))
            if name != OTHERS
        ]
    for view, given in _entries(data, "perspectives"):
        if isinstance(given, Mapping):
            named.append((("perspectives", view, "agent"), given.get("agent")))
    for agent, chain in _entries(data, "fallback"):
        named.append((("fallback", agent), agent))
        named += [
            (("fallback", agent, index), name) for index, name in enumerate(_listed(chain)) if name != OTHERS
        ]
    return [
        Fault(place, unknown("agent", name, agents))
        for place, name in named
        if isinstance(name, str) and name not in agents
    ]


def _role(role: Role, pack: Pack) -> Iterator[Fault]:
    place: Place = ("roles", role.name)
    if role.installed and role.name not in BUILT:
        yield Fault((*place, "installed"), f"the work of {role.name} is not built; built: {', '.join(BUILT)}")
    if role.instructions not in (None, f"roles/{role.name}.md"):
        yield Fault((*place, "instructions"), f"would not be read; a role's are in roles/{role.name}.md")
    for prefix in BUILT.get(role.name, ()):
        owner = pack.owners.get(prefix)
        if owner != role.name:
            yield Fault((*place, "prefixes"), f"must hold {prefix}: {role.name} alone can do these tasks")


def _pipeline(pack: Pack, pipeline: PipelineDef) -> Iterator[tuple[str, Place, str]]:
    """(task, place within it, text) of each fault."""
    behind: dict[str, set[str]] = {}
    for task in pipeline.tasks:  # blockers come first
        behind[task.key] = {each for key in task.blocked_by for each in (key, *behind.get(key, ()))}
        work = WORK.get(AGAIN.get(task.prefix, task.key))
        if task.prefix == "DISCUSS":
            yield task.key, ("key",), "a discussion is no task of its own: make it the `round` of a task"
        elif work is None:
            yield task.key, ("key",), f"nothing makes it; tasks that can be done: {', '.join(WORK)}"
        else:
            yield from _needs(task, work, behind, pipeline)
            yield from _round(task, work, pack)


def _needs(
    task: TaskDef, work: Work, behind: Mapping[str, Collection[str]], pipeline: PipelineDef
) -> Iterator[tuple[str, Place, str]]:
    missing = [key for key in work.needs if key not in behind[task.key]]
    if missing and not pipeline.needs_spec:
        yield task.key, (), f"is written from {', '.join(missing)} and must wait for it (`blocked_by`)"


def _round(task: TaskDef, work: Work, pack: Pack) -> Iterator[tuple[str, Place, str]]:
    around = pack.rounds.get(task.round or "")
    if around is None:
        return
    if around.after != task.key:
        yield (
            task.key,
            ("round",),
            f"{around.key} is about {ids.shown(around.after)} (`after`), not this task",
        )
    elif around.artifact != work.artifact:
        yield (
            task.key,
            ("round",),
            f"{around.key} is about {ids.shown(around.artifact)}, and it makes {work.artifact}",
        )


def _place(data: Mapping[str, Any], pipeline: str, key: str) -> Place:
    """Where a pipeline names a task: in its tasks, else in its parts."""
    given = data["pipelines"][pipeline]
    for index, task in enumerate(_listed(given.get("tasks"))):
        if task.get("key") == key:
            return ("pipelines", pipeline, "tasks", index)
    return ("pipelines", pipeline, "parts")


def _entries(data: Mapping[str, Any], section: str) -> list[tuple[str, Any]]:
    given = data.get(section)
    return list(given.items()) if isinstance(given, Mapping) else []


def _listed(given: object) -> list[Any]:
    return list(given) if isinstance(given, list) else []
