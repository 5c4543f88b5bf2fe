"""A plan by rule: one task for a request of Low complexity, else one for each epic; files only where they are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.plan_words import spoken_of
from orchestrator.domain.testable import is_testable
from workers.builtin.criteria import criteria
from workers.builtin.material import Material
from workers.builtin.phrases import short, unique
from workers.builtin.request import analyse_request
from workers.builtin.requirement_groups import grouped, title_of
from workers.documents.content import Architecture, Epics, Requirement
from workers.documents.lexicon import lexicon_of
from workers.documents.plan_content import DoneWhen, FileChange, PlanContent, PlannedTask, given_task

MOST_CRITERIA = 30  # of one task
MOST_REFS = 400
_REQUIRED = ("REQ-", "NFR-")


@dataclass
class _Part:
    """What becomes one task."""

    title: str
    items: list[Requirement] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)
    needs: list[int] = field(default_factory=list)  # places of the parts before it that it needs


def answer(m: Material) -> PlanContent:
    """The plan; its tasks run one after the other, since the files they change are mostly not known by rule."""
    planned: Mapping[str, Json] = m.facts.get("planned") or {}
    items = m.wanted
    if planned.get("follows"):
        return _following(m, planned, items)
    if before := planned.get("before"):
        return _as_before(m, before)
    if not items and not planned.get("ids") and (pages := planned.get("pages")):
        m = replace(m, analysis=analyse_request("\n\n".join(map(str, pages)), m.lex.language))
    if title := planned.get("title"):
        m = replace(m, analysis=replace(m.analysis, title=str(title)))
    parts = _parts(m, planned, items)
    tasks = _told(m, [_task(number, part, m, planned) for number, part in enumerate(parts, 1)], {}, ())
    return PlanContent(
        summary=m.say("plan_summary", title=short(m.analysis.title, 140)),
        approach=m.say("plan_approach"),
        tasks=tasks,
    )


def _as_before(m: Material, before: Mapping[str, Json]) -> PlanContent:
    """A plan of which nothing is carried out yet, as it stands, with what a person said of it."""
    content = PlanContent.model_validate(before["content"])
    tasks = {str(task["id"]): task for task in before["tasks"]}
    return content.model_copy(update={"tasks": _told(m, content.tasks, tasks, ())})


def _told(
    m: Material, tasks: Sequence[PlannedTask], before: Mapping[str, JsonObject], landed: Iterable[str]
) -> list[PlannedTask]:
    """The tasks with a person's words in those that the words speak of; more of them are taken from the plan `before`."""
    found = {task.id: task for task in tasks}
    known = {**before, **{id: _as_json(task) for id, task in found.items()}}
    for words in unique(m.feedback):
        for id in spoken_of(list(known.values()), words, frozenset(landed)):
            found[id] = _with_words(m, found.get(id) or given_task(before[id]), words)
    return [found[id] for id in sorted(found)]


def _as_json(task: PlannedTask) -> JsonObject:
    """The task in the form of `PlanTask.as_json`."""
    given = task.model_dump()
    criteria = [
        {**each, "id": f"{task.id}-C{number}"} for number, each in enumerate(given.pop("criteria"), 1)
    ]
    return {**given, "convergence": {"criteria": criteria}}


def _with_words(m: Material, task: PlannedTask, words: str) -> PlannedTask:
    """The task with a person's words as a line of its description and, where they can be tested, as a criterion."""
    said = m.say("plan_asked", text=words.strip())
    criteria = list(task.criteria)
    if is_testable(words) and len(criteria) < MOST_CRITERIA:
        criteria.append(DoneWhen(text=short(" ".join(said.split()), 1_900)))
    lines = "\n\n".join(part for part in (task.description, said) if part)
    return task.model_copy(update={"description": lines, "criteria": criteria})


def _following(m: Material, planned: Mapping[str, Json], items: list[Requirement]) -> PlanContent:
    """Of a plan that is carried out the tasks that are affected, as their requirements are now, and one more of each kind."""
    follows = planned["follows"]
    by_id = {item.id: item for item in items}
    gone, stale = set(follows["withdrawn"]), set(follows["stale"])
    before = {str(task["id"]): task for task in follows["tasks"]}
    tasks = []
    for id, task in before.items():
        refs = [name for name in task["refs"] if name not in gone]
        if id in stale and refs:
            part = _Part(str(task["title"]), [by_id[name] for name in refs if name in by_id], refs)
            again = _task(int(id[-3:]), part, m, planned)
            kept = {name: task[name] for name in ("kind", "side", "size")}
            waits = [edge["id"] for edge in task["depends_on"] if edge["source"] == "plan"]
            files = [FileChange(path=each["path"], action=each["action"]) for each in task["files"]]
            tasks.append(again.model_copy(update={**kept, "depends_on": waits, "files": files}))
    last = max(int(id[-3:]) for id in before)
    new = [name for name in follows["new"] if name.startswith(_REQUIRED)]
    if new:
        last += 1
        mine = [by_id[name] for name in new if name in by_id]
        title = mine[0].title if mine else m.analysis.title
        tasks.append(_task(last, _Part(title, mine, new), m, planned))
    if follows["removed"]:
        tasks.append(_removal(last + 1, list(follows["removed"]), m))
    stays = {id: task for id, task in before.items() if id not in stale}
    tasks = _told(m, tasks, stays, follows["landed"])
    if not tasks and stays:  # a plan has a task; one that is given as it was stays
        tasks = [given_task(next(iter(stays.values())))]
    if not tasks:  # nothing of it is wanted any more
        id, task = next(iter(before.items()))
        tasks = [_task(int(id[-3:]), _Part(str(task["title"]), [], list(task["refs"])), m, planned)]
    return PlanContent(
        summary=m.say("plan_summary", title=short(m.analysis.title, 140)),
        approach=m.say("plan_approach"),
        tasks=tasks,
    )


def _removal(number: int, ids: list[str], m: Material) -> PlannedTask:
    """What takes out the work on withdrawn requirements."""
    named = ", ".join(ids)
    return PlannedTask(
        id=_id(number),
        title=short(m.say("plan_remove", names=named), 140),
        kind="remove",
        criteria=[DoneWhen(text=m.say("plan_removed", names=named), refs=ids[:20])],
        refs=ids,
    )


def _parts(m: Material, planned: Mapping[str, Json], items: list[Requirement]) -> list[_Part]:
    epics = m.given(Epics)
    title = short(m.analysis.title, 140)
    if planned.get("level") == "Low" or not items:
        refs = [item.id for item in items]
        refs = refs or [name for name in planned.get("ids", ()) if name.startswith(_REQUIRED)]
        return [_Part(title, items, refs[:MOST_REFS])]
    found = _of_epics(epics, items) if epics and epics.items else []
    carried = {item.id for part in found for item in part.items}
    rest = [item for item in items if item.id not in carried]
    found += [
        _Part(title_of(group, m) if group.titles else title, group.items, [i.id for i in group.items])
        for group in (grouped(m, rest) if rest else [])
    ]
    return _joined(found, int(planned.get("most", 7)), m.say("group_rest"))


def _of_epics(epics: Epics, items: list[Requirement]) -> list[_Part]:
    by_id = {item.id: item for item in items}
    places: dict[str, int] = {}
    parts: list[_Part] = []
    taken: set[str] = set()
    for epic in epics.items:
        if epic.moscow == "Won't":
            continue
        mine = [*epic.requirements, *(name for story in epic.stories for name in story.requirements)]
        own = [by_id[name] for name in dict.fromkeys(mine) if name in by_id and name not in taken]
        taken.update(item.id for item in own)
        if not own:
            continue
        stories = [story.id for story in epic.stories if taken.intersection(story.requirements)]
        needs = [places[name] for name in epic.depends_on if name in places]
        places[epic.id] = len(parts)
        parts.append(_Part(epic.title, own, [*(item.id for item in own), *stories][:MOST_REFS], needs))
    return parts


def _joined(parts: Sequence[_Part], most: int, rest: str) -> list[_Part]:
    """At most so many parts: the last ones are joined."""
    if len(parts) <= most:
        return list(parts)
    last = parts[most - 1 :]
    items = [item for part in last for item in part.items]
    refs = unique(name for part in last for name in part.refs)[:MOST_REFS]
    needs = sorted({place for part in last for place in part.needs if place < most - 1})
    return [*parts[: most - 1], _Part(rest, items, refs, needs)]


def _task(number: int, part: _Part, m: Material, planned: Mapping[str, Json]) -> PlannedTask:
    stated = {} if part.items else _stated(part, planned)
    texts = [item.statement for item in part.items] or list(stated.values())
    if not texts and planned.get("pages"):
        texts = [need.text for need in (*m.analysis.requirements, *m.analysis.exclusions)]
    return PlannedTask(
        id=_id(number),
        title=short(part.title, 140),
        description="\n\n".join(texts[:MOST_CRITERIA]),
        files=[FileChange(path=path) for path in _files(part, m, planned.get("paths", ()))],
        criteria=[DoneWhen(text=text, refs=refs) for text, refs in _criteria(part, stated, m, planned)],
        depends_on=[_id(place + 1) for place in part.needs],
        refs=part.refs,
        size="S" if len(part.items) <= 1 else "M" if len(part.items) <= 4 else "L",
    )


def _id(number: int) -> str:
    return f"TASK-{number:03d}"


def _files(part: _Part, m: Material, paths: Iterable[str]) -> list[str]:
    """Files that the architecture maps to this part and that are there."""
    design = m.given(Architecture)
    mine, there = set(part.refs), set(paths)
    rows = design.components if design else []
    named = [path for row in rows if mine.intersection(row.requirements) for path in row.files]
    return [path for path in unique(named) if path in there]


def _stated(part: _Part, planned: Mapping[str, Json]) -> dict[str, str]:
    """What a page that was brought along says of the requirements of this part."""
    said = planned.get("stated")
    words = said if isinstance(said, dict) else {}
    return {name: short(str(words[name]), 1_000) for name in part.refs if name in words}


def _criteria(
    part: _Part, stated: Mapping[str, str], m: Material, planned: Mapping[str, Json]
) -> list[tuple[str, list[str]]]:
    """Testable criteria with the requirement they come from, at least one."""
    found: list[tuple[str, list[str]]] = []
    for item in part.items:
        texts = [text for text in item.acceptance_criteria if is_testable(text)]
        if not texts and is_testable(item.statement):
            texts = [item.statement]
        found += [(text, [item.id]) for text in texts]
    found += [(text, [name]) for name, text in stated.items() if is_testable(text)]
    if not part.items and not found:
        for need in m.analysis.requirements:
            said = [need.text] if planned.get("pages") and is_testable(need.text) else []
            texts = said or criteria(need, lexicon_of(need.text))
            found += [(text, []) for text in texts if is_testable(text)]
        found = [(text, []) for text in unique(text for text, _ in found)]
    return found[:MOST_CRITERIA] or [(m.say("plan_criterion"), [])]
