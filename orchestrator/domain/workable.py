"""Which tasks can be done: what each makes, from what, and whose work it is.

A pipeline that asks for more is refused before a session is made of it, not after three attempts at a task.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from orchestrator.domain import ids
from orchestrator.domain.agent_kinds import OTHERS
from orchestrator.domain.documents import MAKERS, DocumentDef
from orchestrator.domain.graph import Fault, Place
from orchestrator.domain.json_types import Json
from orchestrator.domain.model import TaskDef
from orchestrator.domain.pipelines import Pack, PipelineDef, Role
from orchestrator.domain.plain_values import unknown
from orchestrator.domain.review_verdicts import MODE

BUILT = {  # the roles whose work is built, with the prefixes it is built for
    "coordinator": (),
    "analyst": ("RESEARCH",),
    "writer": ("DRAFT", "IMPROVE"),
    "reviewer": ("QUALITY", "REVIEW"),
    "discussant": ("DISCUSS",),
    "planner": ("PLAN",),
    "executor": ("IMPL",),
    "tester": ("TEST",),
    "fe-developer": ("DEV-FE",),
    "fe-qa": ("QA-FE",),
    "explorer": ("EXPLORE", "ANALYZE"),
    "synthesizer": ("SYNTH",),
    "architect": ("ARCH",),
    "supervisor": ("SUPERVISE",),
    "dynamic": (),  # its roles are made for each request
}
# Tasks that make no document, and the prefix of those without which they have nothing to do.
FOLLOWS = {
    "PLAN": None,
    "IMPL": "PLAN",
    "TEST": "IMPL",
    "REVIEW": "IMPL",
    "DEV-FE": "PLAN",
    "QA-FE": "DEV-FE",
    "EXPLORE": None,
    "ANALYZE": "EXPLORE",
    "SYNTH": "ANALYZE",
    "ARCH": None,
    "SUPERVISE": None,
}


def work_faults(data: Mapping[str, Json], pack: Pack, found: Sequence[Fault]) -> list[Fault]:
    """The tasks of a pack that no role can do; places with an error already (`found`) are not checked again."""
    faulty = {fault.place[:2] for fault in found}
    if any(place[:1] in (("roles",), ("rounds",), ("perspectives",), ("documents",)) for place in faulty):
        return []
    faults = [fault for role in pack.roles.values() for fault in _role(role, pack)]
    faults = faults or [fault for document in pack.documents for fault in _maker(document, pack)]
    told: set[tuple[str, str]] = set()
    for name, pipeline in pack.pipelines.items():
        if ("pipelines", name) in faulty or not all(pack.roles[role].installed for role in pipeline.roles):
            continue  # a mode whose roles are not built is listed, and refused when it is asked for
        for key, part, text in _pipeline(pack, pipeline):
            if (key, text) not in told:
                told.add((key, text))
                faults.append(Fault((*_place(data, name, key), *part), f"{key}: {text}"))
    return faults


def agent_faults(data: Mapping[str, Json], agents: Collection[str]) -> list[Fault]:
    """The unknown agents that a pack names."""
    named: list[tuple[Place, Json]] = []
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
        yield Fault(
            (*place, "installed"), f"the role {role.name} is not available yet; available: {', '.join(BUILT)}"
        )
    if role.instructions not in (None, f"roles/{role.name}.md"):
        yield Fault((*place, "instructions"), f"would not be read; a role's are in roles/{role.name}.md")
    for prefix in BUILT.get(role.name, ()):
        owner = pack.owners.get(prefix)
        if owner != role.name:
            yield Fault((*place, "prefixes"), f"must hold {prefix}: {role.name} alone can do these tasks")


def _maker(document: DocumentDef, pack: Pack) -> Iterator[Fault]:
    """Whether the task of a document belongs to the role that makes such a document."""
    place: Place = ("documents", document.kind, "task")
    key = document.task if ids.is_key(document.task) else f"{document.task}-001"
    owner = pack.owners.get(ids.parse_key(key).stem) if ids.is_key(key) else None
    maker = MAKERS.get(document.model, "writer")
    if owner is None:
        known = ", ".join(sorted(pack.owners))
        yield Fault(place, f"{ids.shown(document.task)} is no task of a role; prefixes: {known}")
    elif owner != maker:
        yield Fault(place, f"{document.task} belongs to {owner}, and {maker} makes documents of its model")


def _pipeline(pack: Pack, pipeline: PipelineDef) -> Iterator[tuple[str, Place, str]]:
    """(task, place within it, text) of each fault."""
    behind: dict[str, set[str]] = {}
    for task in pipeline.tasks:  # blockers come first
        behind[task.key] = {each for key in task.blocked_by for each in (key, *behind.get(key, ()))}
        made = pack.documents.of_task(task.key)
        if task.prefix == "DISCUSS" and not pipeline.perspectives:
            yield task.key, ("key",), "a discussion is no task of its own: make it the `round` of a task"
        elif task.prefix == "DISCUSS":
            if not any(ids.parse_key(key).stem == "ANALYZE" for key in behind[task.key]):
                yield task.key, ("blocked_by",), "must wait for a task of ANALYZE, whose work it discusses"
        elif task.prefix in FOLLOWS and made is None:
            needed = None if pipeline.name == MODE else FOLLOWS[task.prefix]
            stems = {ids.parse_key(key).stem for key in behind[task.key]}
            if needed is not None and needed not in stems:
                yield task.key, ("blocked_by",), f"must wait for a task of {needed}, whose work it goes by"
        elif made is None:
            known = ", ".join(document.task for document in pack.documents)
            yield task.key, ("key",), f"makes no document; tasks (or their prefixes) that make one: {known}"
        else:
            yield from _needs(task, made, behind, pipeline, pack)
            yield from _round(task, made, pack)


def _needs(
    task: TaskDef, made: DocumentDef, behind: Mapping[str, Collection[str]], pipeline: PipelineDef, pack: Pack
) -> Iterator[tuple[str, Place, str]]:
    before = pack.documents.before(made.kind)
    missing = [each.task for each in before if not any(each.makes(key) for key in behind[task.key])]
    if missing and not pipeline.needs_spec:
        yield task.key, (), f"is written from {', '.join(missing)} and must wait for it (`blocked_by`)"


def _round(task: TaskDef, made: DocumentDef, pack: Pack) -> Iterator[tuple[str, Place, str]]:
    around = pack.rounds.get(task.round or "")
    if around is None:
        return
    if around.after != task.key:
        yield (
            task.key,
            ("round",),
            f"{around.key} is about {ids.shown(around.after)} (`after`), not this task",
        )
    elif around.artifact != made.path:
        yield (
            task.key,
            ("round",),
            f"{around.key} is about {ids.shown(around.artifact)}, and it makes {made.path}",
        )


def _place(data: Mapping[str, Json], pipeline: str, key: str) -> Place:
    """Where a pipeline names a task: in its tasks, else in its parts."""
    given = data["pipelines"][pipeline]
    for index, task in enumerate(_listed(given.get("tasks"))):
        if task.get("key") == key:
            return ("pipelines", pipeline, "tasks", index)
    return ("pipelines", pipeline, "parts")


def _entries(data: Mapping[str, Json], section: str) -> list[tuple[str, Json]]:
    given = data.get(section)
    return list(given.items()) if isinstance(given, Mapping) else []


def _listed(given: object) -> list[Json]:
    return list(given) if isinstance(given, list) else []
