"""Epics and stories: an epic for each feature and release of the request, a story for each requirement."""

from __future__ import annotations

from typing import Literal

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.builtin.analysis import Need
from workers.builtin.clauses import clause
from workers.builtin.criteria import criteria
from workers.builtin.material import Material
from workers.builtin.phrases import lower_first, short, strip_end
from workers.builtin.requirement_groups import RANK, Group, grouped, retold, title_of
from workers.builtin.revision import requests_in
from workers.builtin.stories import one_of
from workers.documents.content import Architecture, Epic, Epics, Moscow, Requirement, Story
from workers.documents.lexicon import lexicon_of

_NUMBER = expression(r"\d[\d.,]*\d|\d")


def answer(m: Material) -> Epics:
    items = m.wanted
    if previous := m.before(Epics):
        return _revised(m, previous, items)
    groups = grouped(m, items, by_release=True)
    made: list[Epic] = []
    for at in range(len(groups)):
        made.append(_epic(at, groups, m, {epic.goal for epic in made}))
    return Epics(
        summary=m.say("epics_summary", epics=m.several(lower_first(epic.title) for epic in made))
        if made
        else "",
        items=made,
    )


def _handle(at: int) -> str:
    return f"new:e{chr(97 + at % 26)}{'x' * (at // 26)}"


def _epic(at: int, groups: list[Group], m: Material, taken: set[str]) -> Epic:
    group = groups[at]
    return Epic(
        id=_handle(at),
        title=title_of(group, m) if len(groups) > 1 or group.stated else short(m.analysis.title, 140),
        goal=_goal(group.items, m, taken),
        moscow=(moscow := _moscow(group.items)),
        mvp=moscow == "Must",
        release=group.release,
        requirements=[item.id for item in group.items],
        depends_on=_needed(at, groups, m),
        stories=[_story(item, m) for item in group.items],
        source="stated" if group.stated else "proposed",
        reason="" if group.stated else m.say("epic_why"),
    )


def _moscow(items: list[Requirement]) -> Moscow:
    return min((item.moscow for item in items), key=lambda name: RANK[name])


def _needed(at: int, groups: list[Group], m: Material) -> list[str]:
    """Earlier epics that this one speaks of by name, and the first of the release before."""
    words = frozenset(word for item in groups[at].items for word in keywords(item.statement))
    found = []
    for earlier, other in enumerate(groups[:at]):
        named = frozenset(word for title in other.titles for word in keywords(title))
        if other.stated and not other.limits and named and named <= words:
            found.append(_handle(earlier))
    before = [i for i in range(at) if groups[i].release and groups[i].release != groups[at].release]
    if groups[at].release and before and not found:
        found.append(_handle(before[-1]))
    return found


def _goal(items: list[Requirement], m: Material, taken: set[str]) -> str:
    """The goals of the brief that its requirements serve; without one, what they ask for."""
    wanted = [goal.text for goal in m.goals if any(goal.id in item.goals for item in items)]
    said = m.say("epic_goal", goals=m.several(lower_first(text) for text in wanted[:2])) if wanted else ""
    if said and said not in taken and len(m.goals) > 1:
        return said
    more = m.say("and_more") if len(items) > 4 else ""
    return m.several(item.title for item in items[:4]) + more


def _story(item: Requirement, m: Material) -> Story:
    told = item.user_story
    return Story(
        title=item.title,
        as_a=told.as_a if told else one_of(m.main_actor(), m.lex),
        i_want=told.i_want
        if told
        else m.say("story_want_limit", text=lower_first(strip_end(item.statement))),
        so_that=told.so_that if told else "",
        acceptance_criteria=list(item.acceptance_criteria),
        size=_size(item),
        requirements=[item.id],
        adrs=_adrs(item, m),
    )


def _adrs(item: Requirement, m: Material) -> list[str]:
    design = m.given(Architecture)
    return [adr.id for adr in (design.adrs if design else []) if item.id in adr.requirements][:4]


def _size(item: Requirement) -> Literal["S", "M", "L", "XL"]:
    """By what has to be shown: criteria, actions and the length of the sentence."""
    actions = len(clause(item.statement).actions)
    weight = max(len(item.acceptance_criteria), actions) + (item.kind == "nonfunctional")
    weight += len(item.statement) // (220 if lexicon_of(item.statement).language == "en" else 90)
    return "S" if weight <= 1 else "M" if weight <= 2 else "L" if weight <= 4 else "XL"


def referred(content: Epics) -> set[str]:
    return {
        ref
        for epic in content.items
        for ref in [*epic.requirements, *(r for story in epic.stories for r in story.requirements)]
    }


def _revised(m: Material, previous: Epics, items: list[Requirement]) -> Epics:
    """What stands stays, but for stories of what was withdrawn; requirements that no story refers to get a new epic with
    their stories."""
    new = [item for item in items if item.id not in referred(previous)]
    if not new and not items:
        said = [story.i_want for epic in previous.items for story in epic.stories]
        new = [_of_need(need) for need in requests_in(m) if not any(need.text in text for text in said)]
    standing = _without(previous.items, m.withdrawn, m)
    kept = _deepened(standing, items, m) if m.facts.get("improve") else standing
    kept = [_ranked(_with_numbers(epic, items, m), items) for epic in kept]
    if not new:
        return previous.model_copy(update={"items": kept})
    epic = Epic(
        title=m.say("epic_added", title=short(new[0].title, 100)),
        goal=_goal(new, m, set()),
        moscow=(moscow := _moscow(new)),
        mvp=moscow == "Must",
        requirements=[item.id for item in new if item.id != "new"],
        stories=[
            story.model_copy(update={"requirements": [r for r in story.requirements if r != "new"]})
            for story in (_story(item, m) for item in new)
        ],
        reason=m.say("component_added_why"),
    )
    return previous.model_copy(update={"items": [*kept, epic]})


def _without(epics: list[Epic], withdrawn: frozenset[str], m: Material) -> list[Epic]:
    """The epics without the stories that serve nothing but withdrawn requirements, and without those that have none left."""
    kept = []
    for epic in epics:
        if not withdrawn.intersection(referred(Epics(items=[epic]))):
            kept.append(epic)
            continue
        gone = [
            story for story in epic.stories if story.requirements and withdrawn.issuperset(story.requirements)
        ]
        stories = [
            story.model_copy(
                update={"requirements": [ref for ref in story.requirements if ref not in withdrawn]}
            )
            for story in epic.stories
            if story not in gone
        ]
        refs = [ref for ref in epic.requirements if ref not in withdrawn]
        if stories or refs:
            goal = retold(epic.goal, m)
            kept.append(epic.model_copy(update={"stories": stories, "requirements": refs, "goal": goal}))
    left = {epic.id for epic in epics} - {epic.id for epic in kept}
    return [
        epic.model_copy(update={"depends_on": [name for name in epic.depends_on if name not in left]})
        if left.intersection(epic.depends_on)
        else epic
        for epic in kept
    ]


def _ranked(epic: Epic, items: list[Requirement]) -> Epic:
    """The epic as no more urgent than the most urgent of its requirements, and a Must where one of these is."""
    ranks = [item.moscow for item in items if item.id in epic.requirements]
    moscow = min(ranks, key=lambda name: RANK[name]) if ranks else epic.moscow
    if RANK[moscow] <= RANK[epic.moscow] and not (moscow == "Must" and epic.moscow in ("Should", "Could")):
        return epic
    return epic.model_copy(update={"moscow": moscow, "mvp": moscow == "Must"})


def _with_numbers(epic: Epic, items: list[Requirement], m: Material) -> Epic:
    """The epic with the stories of requirements whose numbers have changed as these say them now."""
    by_id = {item.id: item for item in items}
    told = []
    for story in epic.stories:
        item = by_id.get(story.requirements[0]) if len(story.requirements) == 1 else None
        said = " ".join([story.title, story.i_want, *story.acceptance_criteria])
        now = " ".join([item.title, item.statement, *item.acceptance_criteria]) if item else said
        if item and not set(_NUMBER.findall(said)) <= set(_NUMBER.findall(now)):
            changed = {"title": item.title, "acceptance_criteria": list(item.acceptance_criteria)}
            want = item.user_story.i_want if item.user_story else ""
            story = story.model_copy(update={**changed, **({"i_want": want} if want else {})})
        told.append(story)
    if told == epic.stories:
        return epic
    return epic.model_copy(update={"stories": told, "goal": retold(epic.goal, m)})


def _of_need(need: Need) -> Requirement:
    accepted = criteria(need, lexicon_of(need.text))
    return Requirement(
        title=short(need.text), statement=need.text, moscow=need.moscow, acceptance_criteria=accepted
    )


def _deepened(epics: list[Epic], items: list[Requirement], m: Material) -> list[Epic]:
    """For IMPROVE: stories without criteria get those of their requirement; the others stay."""
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
    filled = {
        "acceptance_criteria": story.acceptance_criteria or list(item.acceptance_criteria),
        "so_that": story.so_that or (item.user_story.so_that if item.user_story else ""),
    }
    return story.model_copy(update=filled)
