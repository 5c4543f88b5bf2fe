"""Epics and stories: grouped by the people and things the requirements concern, each story tied to its requirement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from workers.builtin.clauses import clause
from workers.builtin.criteria import criteria
from workers.builtin.language import lexicon_of
from workers.builtin.material import Material, best, lower_first, short, strip_end, unique, upper_first
from workers.builtin.request import Need
from workers.builtin.requirements import concerns, one_of, purpose_of
from workers.builtin.revision import requests_in
from workers.documents.content import (
    Architecture,
    Brief,
    Epic,
    Epics,
    Moscow,
    Requirement,
    Requirements,
    Story,
)

_MIN_STORIES, _MAX_STORIES, _MAX_EPICS = 2, 5, 7
_RANK: dict[Moscow, int] = {"Must": 0, "Should": 1, "Could": 2, "Won't": 3}


@dataclass
class _Group:
    handle: str
    title: str
    goal_key: str
    items: list[Requirement] = field(default_factory=list)
    actors: list[str] = field(default_factory=list)


def answer(m: Material) -> Epics:
    given = m.facts.get("requirements")
    items = (
        [item for item in given.items if item.moscow != "Won't"] if isinstance(given, Requirements) else []
    )
    previous = m.facts.get("previous")
    if isinstance(previous, Epics):
        return _revised(m, previous, items)
    groups = _groups(m, items)
    made = [_epic(group, groups, m) for group in groups]
    return Epics(
        summary=m.say(
            "epics_summary",
            epics=m.several(lower_first(epic.title) for epic in made) or m.analysis.title,
        ),
        items=made,
        open_questions=unique(
            [*m.analysis.questions, *(given.open_questions[:4] if isinstance(given, Requirements) else [])]
        ),
    )


def _groups(m: Material, items: list[Requirement]) -> list[_Group]:
    """By actor, then by thing; limits and protection by themselves; small groups join a neighbour, large ones are cut."""
    by: dict[str, _Group] = {}
    spoken = dict(zip(m.things()[:4], m.told_things(4), strict=True))

    def put(key: str, title: str, goal_key: str, item: Requirement) -> None:
        by.setdefault(key, _Group(key, title, goal_key)).items.append(item)

    for item in items:
        m.check()
        if item.kind == "nonfunctional" and item.source == "stated":
            key = "guard" if item.category == "S" else "limits"
            put(key, m.say(f"epic_{key}"), f"epic_{key}_goal", item)
            continue
        if item.source == "proposed":
            put("proposed", m.say("epic_proposed"), "epic_proposed_goal", item)
            continue
        actor = _actor(item, m)
        thing = next((thing for thing in m.things()[:4] if thing.lower() in item.statement.lower()), "")
        if actor:
            put(f"actor {actor}", "", "epic_actor_goal", item)
            by[f"actor {actor}"].actors = [lower_first(actor)]
        elif thing and m.actor_names():
            put(
                f"thing {thing}",
                upper_first(m.say("epic_thing", thing=spoken[thing])),
                "epic_core_goal",
                item,
            )
        else:
            put("core", m.say("epic_core"), "epic_core_goal", item)
    groups = _joined(list(by.values()))
    for group in groups:
        if group.actors:
            group.title = m.say("epic_actor", actor=m.lex.join([m.the_people(name) for name in group.actors]))
    groups = [piece for group in groups for piece in _cut(group, m)]
    groups.sort(key=lambda group: (group.handle in ("limits", "guard", "proposed"), _rank(group.items)))
    return groups


def _actor(item: Requirement, m: Material) -> str:
    actor = clause(item.statement, tuple(m.actor_names())).actor
    return next(
        (name for name in m.actor_names() if actor and actor.lower().rstrip("s") in name.lower()), actor
    )


def _joined(groups: list[_Group]) -> list[_Group]:
    """A group too small for an epic joins the smallest of its kind, as long as there are groups to spare."""
    kept = list(groups)
    while True:
        small = [group for group in kept if _stories_in(group) < _MIN_STORIES or len(kept) > _MAX_EPICS]
        plain = [group for group in kept if group.handle not in ("guard", "limits", "proposed")]
        for group in sorted(small, key=_stories_in):
            special = group not in plain
            others = [other for other in kept if other is not group and (other in plain) != special]
            others = others or [other for other in kept if other is not group]
            if others and len(kept) > 3:
                home = min(others, key=_stories_in)
                home.items.extend(group.items)
                home.actors.extend(group.actors if home.actors else [])
                kept.remove(group)
                break
        else:
            return kept


def _cut(group: _Group, m: Material) -> list[_Group]:
    if len(group.items) <= _MAX_STORIES:
        return [group]
    size = -(-len(group.items) // -(-len(group.items) // _MAX_STORIES))
    chunks = [group.items[i : i + size] for i in range(0, len(group.items), size)]
    return [
        _Group(
            f"{group.handle} {chr(97 + i)}",
            group.title if not i else m.say("epic_more", title=short(chunk[0].title, 100)),
            group.goal_key,
            chunk,
        )
        for i, chunk in enumerate(chunks)
    ]


def _stories_in(group: _Group) -> int:
    return sum(max(1, min(3, len(clause(item.statement).actions))) for item in group.items)


def _rank(items: list[Requirement]) -> int:
    return min(_RANK[item.moscow] for item in items)


def _handle(group: _Group, groups: list[_Group]) -> str:
    return f"new:e{chr(97 + groups.index(group) % 26)}{'x' * (groups.index(group) // 26)}"


def _epic(group: _Group, groups: list[_Group], m: Material) -> Epic:
    moscow: Moscow = next(name for name, rank in _RANK.items() if rank == _rank(group.items))
    earlier = groups[: groups.index(group)]
    return Epic(
        id=_handle(group, groups),
        title=group.title,
        goal=_goal(group, m),
        moscow=moscow,
        mvp=moscow == "Must",
        requirements=[item.id for item in group.items],
        depends_on=[_handle(earlier[0], groups)] if earlier else [],
        stories=stories(group.items, m),
        reason=m.say("epic_why"),
    )


def _goal(group: _Group, m: Material) -> str:
    titles = m.several(lower_first(item.title) for item in group.items[:4])
    actor = upper_first(m.lex.join(group.actors) or m.main_actor())
    return m.say(group.goal_key, actor=actor, titles=titles)


def stories(items: list[Requirement], m: Material) -> list[Story]:
    """A story a requirement; when an epic would have only one, a story for each thing its sentence asks for."""
    if len(items) > 1:
        return [_story(item, item.title, "", item.acceptance_criteria, m) for item in items][
            : _MAX_STORIES * 2
        ]
    item = items[0]
    actions = clause(item.statement, tuple(m.actor_names())).actions
    if len(actions) < _MIN_STORIES or len(item.acceptance_criteria) != len(actions):
        return [_story(item, item.title, "", item.acceptance_criteria, m)]
    rows = zip(actions, item.acceptance_criteria, strict=True)
    return [
        _story(
            item,
            short(upper_first(action)),
            f"to {strip_end(action)}" if m.lex.language == "en" else strip_end(action),
            [criterion],
            m,
        )
        for action, criterion in rows
    ]


def _story(item: Requirement, title: str, want: str, accepted: list[str], m: Material) -> Story:
    told = item.user_story
    known = [name for name in m.actor_names() if name == _actor(item, m)]
    actor = told.as_a if told else one_of(known[0] if known else m.main_actor(), m.lex)
    if not accepted:
        taken = clause(item.statement, tuple(m.actor_names()))
        accepted = criteria(
            Need(item.statement, item.statement, "functional", item.moscow, "", taken),
            lexicon_of(item.statement),
        )
    return Story(
        title=title,
        as_a=actor,
        i_want=want
        or (told.i_want if told else m.say("story_want_limit", text=lower_first(strip_end(item.statement)))),
        so_that=(told.so_that if told else "") or _so_that(item, actor, m),
        acceptance_criteria=list(accepted),
        size=_size(item, accepted),
        requirements=[item.id],
        adrs=_adrs(item, m),
    )


def _so_that(item: Requirement, who: str, m: Material) -> str:
    """The stated goal that the requirement serves, when it can end a sentence; else nothing."""
    brief = m.facts.get("brief")
    goals = brief.goals if isinstance(brief, Brief) else []
    close = [goal for goal in goals if goal.id in item.goals and goal.source == "stated"]
    shared = [goal for goal in close if best(item.statement, [(goal.id, goal.text)])[0] >= 0.25]
    purpose = purpose_of(shared[0]) if shared else ""
    return purpose if concerns(who, purpose) else ""


def _adrs(item: Requirement, m: Material) -> list[str]:
    design = m.facts.get("architecture")
    rows = design.adrs if isinstance(design, Architecture) else []
    return [adr.id for adr in rows if item.id in adr.requirements][:4]


def _size(item: Requirement, accepted: list[str]) -> Literal["S", "M", "L", "XL"]:
    weight = len(accepted) + (item.kind == "nonfunctional") + len(item.statement) // 220
    return (
        "S"
        if weight <= 1 and len(item.statement) < 90
        else "M"
        if weight <= 2
        else "L"
        if weight <= 4
        else "XL"
    )


def referred(content: Epics) -> set[str]:
    return {
        ref
        for epic in content.items
        for ref in [*epic.requirements, *(r for story in epic.stories for r in story.requirements)]
    }


def _revised(m: Material, previous: Epics, items: list[Requirement]) -> Epics:
    """What stands stays; requirements that no story refers to get a new epic with their stories."""
    new = [item for item in items if item.id not in referred(previous)]
    if not new and not items:
        new = [
            Requirement(title=short(need.text), statement=need.text, moscow=need.moscow)
            for need in requests_in(m)
        ]
        new = [
            item
            for item in new
            if not any(item.statement in story.i_want for epic in previous.items for story in epic.stories)
        ]
    kept = _deepened(previous.items, items, m) if m.facts.get("improve") else list(previous.items)
    if not new:
        return previous.model_copy(update={"items": kept})
    moscow: Moscow = next(name for name, rank in _RANK.items() if rank == _rank(new))
    epic = Epic(
        title=m.say("epic_added", title=short(new[0].title, 100)),
        goal=m.say("epic_added_goal", titles=m.several(lower_first(item.title) for item in new[:4])),
        moscow=moscow,
        mvp=moscow == "Must",
        requirements=[item.id for item in new if item.id != "new"],
        depends_on=[previous.items[0].id] if previous.items else [],
        stories=[
            story.model_copy(update={"requirements": [r for r in story.requirements if r != "new"]})
            for story in stories(new, m)
        ],
        reason=m.say("component_added_why"),
    )
    return previous.model_copy(update={"items": [*kept, epic]})


def _deepened(epics: list[Epic], items: list[Requirement], m: Material) -> list[Epic]:
    """For IMPROVE: stories without criteria, purpose or decision get them from their requirement; the others stay."""
    by_id = {item.id: item for item in items}
    done = []
    for epic in epics:
        told = [_filled(story, by_id, m) for story in epic.stories]
        done.append(epic if told == epic.stories else epic.model_copy(update={"stories": told}))
    return done


def _filled(story: Story, by_id: dict[str, Requirement], m: Material) -> Story:
    item = next((by_id[ref] for ref in story.requirements if ref in by_id), None)
    if item is None or (story.acceptance_criteria and story.so_that):
        return story
    made = _story(item, story.title, story.i_want, story.acceptance_criteria or item.acceptance_criteria, m)
    filled = {"acceptance_criteria": made.acceptance_criteria, "so_that": story.so_that or made.so_that}
    return story.model_copy(update=filled)
