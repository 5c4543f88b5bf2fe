"""The roles, rounds and tasks of a session of dynamic mode, from the analysis of its request (docs/dynamic.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.domain import ids
from orchestrator.domain.dataclass import replace
from orchestrator.domain.documents import Catalogue, DocumentDef
from orchestrator.domain.dynamic import CODE, DOCUMENT, FINDINGS, KIND, MODE, PLAN, TESTS, change_of
from orchestrator.domain.dynamic_roles import GeneratedRole, TaskAnalysis
from orchestrator.domain.graph import topological
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import TaskDef
from orchestrator.domain.pipelines import Pack, PipelineDef, Role, Round

KEPT = ("coordinator", "discussant")  # roles of every session
DISCUSSED = (FINDINGS, DOCUMENT)
CAPABILITY, ARTIFACT, TEAM_TASK, REASON = (
    "capability",
    "artifact",
    "team_task",
    "reason",  # what another task found that has to be done
)  # of payloads
MAY = {  # what makes a result -> what its role may and may not
    FINDINGS: (("explore", "write findings"), ("edit sources",)),
    DOCUMENT: (("read what was found", "write documents"), ("edit sources",)),
    PLAN: (("explore", "write the plan"), ("write code",)),
    CODE: (("edit a private tree",), ("edit anything outside of it",)),
    TESTS: (("run tests", "mend what broke"), ("weaken, skip or delete tests",)),
}


def generated(pack: Pack, analysis: TaskAnalysis, title: str) -> Pack:
    """The pack of a session: the generated roles instead of the built ones, and its tasks as the pipeline of the mode."""
    roles = {name: pack.roles[name] for name in KEPT}
    roles |= {role.name: role_of(pack, analysis, role) for role in analysis.roles}
    rounds = rounds_of(analysis)
    tasks = topological(_tasks(pack, analysis, title, {each.after: each.key for each in rounds}))
    named = pack.pipelines[MODE]
    pipeline = PipelineDef(MODE, tasks, named.title, id_prefix=named.id_prefix)
    return replace(
        pack,
        roles=roles,
        rounds={each.key: each for each in rounds},
        pipelines={MODE: pipeline},
        supervise=(),
        documents=Catalogue(),
    )


def role_of(pack: Pack, analysis: TaskAnalysis, made: GeneratedRole) -> Role:
    """A generated role: what it may do follows from its work alone, whatever its file says."""
    works = {analysis.capability(name).prefix: analysis.work_of(name) for name in made.capabilities}
    like = pack.roles[KIND]
    may, may_not = may_of(works.values())
    return Role(
        name=made.name,
        kind=KIND,
        prefixes=tuple(works),
        inner_loop=analysis.inner_loop(made),
        installed=True,
        agents=like.agents,
        may=may,
        may_not=may_not,
        works=works,
    )


def catalogue_of(pack: Pack, keys: Iterable[str]) -> Catalogue:
    """What the tasks of a session make, for whoever revises it: in dynamic mode each text is a document of its own."""
    works = {prefix: work for role in pack.roles.values() for prefix, work in role.works.items()}
    known = {each.prefix: each for each in pack.dynamic.capabilities.values()}
    made = {
        key: DocumentDef(
            kind=key.lower(),
            title=key,
            task=key,
            path=f"artifacts/{key}.md",
            model="team",
            feedback=known[prefix].words,
        )
        for key in keys
        if works.get(prefix := ids.parse_key(key).stem) in DISCUSSED and not ids.parse_key(key).revision
    }
    return Catalogue({**pack.documents.documents, **{each.kind: each for each in made.values()}})


def may_of(works: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a role with these works may, and may not, each said once."""
    rows = [MAY[work] for work in dict.fromkeys(works)]
    may, may_not = (dict.fromkeys(each for row in rows for each in row[side]) for side in (0, 1))
    return tuple(may), tuple(may_not)


def phase_of(work: str) -> str:
    """The phase of tasks with such work."""
    return "impl" if work in (PLAN, CODE, TESTS) else MODE


def rounds_of(analysis: TaskAnalysis) -> tuple[Round, ...]:
    """A round for each result that is a text; code and tests are judged by evidence."""
    written = [each for each in analysis.wanted if analysis.work_of(each.name) in DISCUSSED]
    return tuple(
        Round(
            key=f"DISCUSS-{number:03d}",
            after=f"{each.capability.prefix}-001",
            artifact=str(analysis.artifact_of(each.name)),
            perspectives=analysis.perspectives_of(analysis.role_of(each.name)),
            focus=", ".join(each.capability.focus) or each.name,
            caller=analysis.role_of(each.name).name,
        )
        for number, each in enumerate(written, 1)
        if analysis.perspectives_of(analysis.role_of(each.name))
    )


def _tasks(pack: Pack, analysis: TaskAnalysis, title: str, rounds: Mapping[str, str]) -> list[TaskDef]:
    works = {each.name: analysis.work_of(each.name) for each in analysis.wanted}
    plans = [name for name, work in works.items() if work == PLAN]
    made = []
    for each in analysis.wanted:
        key, work = f"{each.capability.prefix}-001", works[each.name]
        before = [
            *analysis.edges[each.name],
            *(plans if work == CODE else ()),
        ]  # a plan becomes what waits for it
        change = work == CODE and not plans
        made.append(
            TaskDef(
                key=key,
                role=analysis.role_of(each.name).name,
                prefix=each.capability.prefix,
                blocked_by=tuple(dict.fromkeys(f"{analysis.capability(name).prefix}-001" for name in before)),
                round=rounds.get(key),
                phase=phase_of(work),
                payload={
                    CAPABILITY: each.name,
                    **({ARTIFACT: analysis.artifact_of(each.name)} if work in DISCUSSED else {}),
                    **({TEAM_TASK: change_task(pack, title, analysis.request)} if change else {}),
                },
            )
        )
    return made


def change_task(pack: Pack, title: str, description: str) -> JsonObject:
    """What a coding task carries out where no plan says it; who carries it out makes a plan task of it."""
    return {"title": title, "description": description, "kind": change_of(description, pack.dynamic)}
