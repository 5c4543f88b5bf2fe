"""The product brief: vision, problem, goals, scope, taken from the request; what is proposed says so."""

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.domain.patterns import expression
from orchestrator.domain.tongues import tongue
from workers.builtin import discovery
from workers.builtin.analysis import Need
from workers.builtin.criteria import headline
from workers.builtin.goals import goal_of
from workers.builtin.material import Material
from workers.builtin.phrases import carries, lower_first, once, short, strip_end, unique, upper_first
from workers.builtin.requirement_groups import Group, grouped, title_of
from workers.builtin.rescoped import rescoped
from workers.builtin.revision import requests_in
from workers.documents.content import (
    Brief,
    BriefRisk,
    Discovery,
    Goal,
    Requirement,
    Statement,
    Synthesis,
    User,
)
from workers.documents.lexicon import lexicon_of

_MAX_PROPOSED_GOALS = 3
_NAME_ENDS = expression(r"\s*[:：|,(（]|\s[–—-]\s")
_DEFINES = expression(
    r" (?:is (?!not\b)|helps? |lets? |gives? |builds? |turns? |shows? |keeps? |offers? |provides? |enables? |allows? )\w"
)
_GOAL_ASKED = expression(r"(G-\d+)[:：]")  # before the question about a goal
_STOPS = (*".!?:;…。！？：；,", "")
_MAX_TOLD = 8  # statements of scope that are listed one by one; more are told by their groups


def answer(m: Material) -> Brief:
    if previous := m.before(Brief):
        return _revised(m, previous)
    a = m.analysis
    groups = _groups(m)
    return Brief(
        title=a.title,
        vision=_vision(m),
        situation=_situation(m),
        impact=_impact(m),
        users=_users(m),
        goals=_goals(m),
        in_scope=_scope(m, groups),
        out_of_scope=once(_stated(need.text) for need in a.exclusions),
        assumptions=_assumptions(m),
        constraints=once([*(_stated(_called(need)) for need in a.constraints), *_code_constraints(m)]),
        dependencies=once([*map(_stated, a.dependencies), *_code_dependencies(m)]),
        risks=_risks(m),
        synthesis=_synthesis(m, groups),
        open_questions=_questions(m),
    )


def _stated(text: str) -> Statement:
    return Statement(text=text, source="stated")


def _joined(m: Material, lines: Iterable[str]) -> str:
    """The lines as one paragraph; an item before another that has no stop of its own gets one."""
    said = list(lines)
    if m.lex.language == "zh":
        return "".join(said)[:15_000]
    ended = [line if line.rstrip("*_`)”\"' ")[-1:] in _STOPS else f"{line}." for line in said[:-1]]
    return " ".join([*ended, *said[-1:]])[:15_000]


def _called(need: Need) -> str:
    """A limit with the short name that the request gives it, where its text does not say what it limits."""
    named = need.title and need.title.lower() not in need.text.lower()
    return f"{need.title}: {need.text}" if named else need.text


def _situation(m: Material) -> str:
    """What a section about the problem says, and in a paragraph of its own what else is told of the present."""
    a = m.analysis
    rest = [text for text in a.situation if text not in a.problems]
    return "\n\n".join(filter(None, (_joined(m, a.problems), _joined(m, rest))))[:15_000]


def _functional(m: Material) -> list[Need]:
    found = [need for need in m.analysis.requirements if need.kind == "functional"]
    return found or list(m.analysis.requirements)


def _groups(m: Material) -> list[Group]:
    """What is asked for, in the groups that the later documents have."""
    rows = [
        Requirement(
            title=short(need.title or headline(need, lexicon_of(need.text))),
            statement=m.statement(need),
            moscow=need.moscow,
            source="stated",
        )
        for need in _functional(m)
    ]
    return grouped(m, rows)


def _scope(m: Material, groups: list[Group]) -> list[Statement]:
    """What is asked for: each statement of a short request, the groups of a long one."""
    if sum(len(group.items) for group in groups) <= _MAX_TOLD:
        whole = m.analysis.told.text if m.analysis.told else None  # its clauses say all of it
        items = [item for group in groups for item in group.items if item.statement != whole]
        return once(_stated(item.statement) for item in items)
    told = []
    for group in groups:
        more = m.say("and_more") if len(group.items) > 3 else ""
        titles = m.several(lower_first(item.title) for item in group.items[:3])
        told.append(_stated(m.say("scope_group", title=title_of(group, m), titles=titles + more)))
    return told


def _users(m: Material) -> list[User]:
    found = m.given(Discovery)
    users = [User(name=actor.name, needs=list(actor.needs), source="stated") for actor in m.analysis.actors]
    if found and found.target_users:
        users = list(found.target_users)
        users += discovery.new_users(m, [user.name for user in users])
    return _as_told(users)


def _as_told(users: Iterable[User]) -> list[User]:
    return [
        user.model_copy(
            update={"name": upper_first(user.name), "needs": unique(_told(user.name, n) for n in user.needs)}
        )
        for user in users
    ]


def _told(name: str, need: str) -> str:
    """What is said of somebody, without repeating who: `Doctors, eight per clinic` -> `eight per clinic`."""
    rest = re.sub(
        rf"^(?:(?:the|an?|each|every|all)\s+)?{re.escape(name)}\b[,;:]?\s*(?:[—–-]\s+)?",
        "",
        need,
        flags=re.IGNORECASE,
    )
    return strip_end(rest.lstrip("—–- ")) or strip_end(need)


_FIRST, _TELLING = 2, 6  # requirements of which one may say what the whole is; words from which it does
_WANTS = expression(  # `We need a small site where members book shelves`
    r"(?:i|we)(?: would|['’]d)? (?:want|need|like|are looking for|am looking for)(?: to have)?"
    r" (an? (?:[\w-]+ ){1,5}?(?:where|that|which|for|to|in which|with which)\b.+)",
    re.IGNORECASE | re.DOTALL,
)


def _vision(m: Material) -> Statement:
    a = m.analysis
    wanted = next((goal.text for goal in a.goals if lexicon_of(goal.text).find("want", goal.text)), None)
    if wanted:
        return _stated(wanted)
    if a.manual and a.situation:
        return _stated(a.situation[0])
    if a.defect and a.requirements:  # nobody wishes for the defect
        return _stated(upper_first(strip_end(a.requirements[0].text)))
    name = _NAME_ENDS.split(a.title)[0].strip()
    told = [*a.situation, *(need.text for need in a.needs)]
    defined = next((text for text in told if name and _DEFINES.match(text.removeprefix(name))), "")
    if defined and defined.startswith(name):
        return _stated(defined)
    asked = next((found[1] for need in a.needs[:_FIRST] if (found := _WANTS.match(need.text))), "")
    if asked and len(asked.split()) >= _TELLING:
        return _stated(upper_first(strip_end(asked)))
    text = strip_end(short(m.called, 300))
    if a.actors and not a.thin:
        text = m.say("vision_for", title=text, actors=m.said_actors(4))
    return Statement(text=text, source="stated")


def _impact(m: Material) -> str:
    hurt = [text for text in m.analysis.situation if lexicon_of(text).find("problem", text)]
    if hurt and hurt != list(m.analysis.situation):
        return _joined(m, hurt)
    if not hurt:
        return ""
    counted = [text for text in hurt if any(c.isdigit() for c in text)]
    if counted and len(hurt) > 1:
        return _joined(m, counted[:1])
    parts = re.split(r"[,，;；]\s*", strip_end(hurt[0]))
    at = next((i for i, part in enumerate(parts) if i and lexicon_of(part).find("problem", part)), 0)
    return upper_first(("，" if m.lex.language == "zh" else ", ").join(parts[at:])) if at else ""


def _goals(m: Material) -> list[Goal]:
    a = m.analysis
    found = m.given(Discovery)
    stated = [
        Goal(text=goal.text, metric=goal.metric, target=goal.target, baseline=goal.baseline, source="stated")
        for goal in a.goals
    ]
    extra = [
        goal
        for goal in (found.goals if found else [])
        if not any(carries(goal.text, other.text) for other in stated)
    ]
    for goal in extra:
        if goal.text in a.text:
            read = goal_of(goal.text, lexicon_of(goal.text))
            metric, target = goal.metric or read.metric, goal.target or read.target
            told = {"metric": metric, "target": target, "baseline": goal.baseline}
            stated.append(Goal(text=goal.text, **told, source="stated"))
    if stated:
        return once(stated)
    return _proposed_goals(m)


def _proposed_goals(m: Material) -> list[Goal]:
    """Without a stated goal: what a short request of its kind is for, else the end of what is complained of."""
    ask = m.ask
    if ask:
        return [Goal(text=ask.goal, metric=ask.metric, target=ask.target, reason=m.say("goal_why_ask"))]
    whole = Goal(text=m.say("goal_manual", title=m.analysis.title), reason=m.say("goal_why"))
    if m.analysis.manual:
        return [whole]
    hurt = [text for text in m.analysis.situation if lexicon_of(text).find("problem", text)]
    counted = [text for text in hurt if any(c.isdigit() for c in text)] or hurt
    if counted:
        told = [m.say("goal_ended", text=strip_end(short(text, 300))) for text in counted[:2]]
        return [Goal(text=text, reason=m.say("goal_why_problem")) for text in told]
    goals: dict[str, Goal] = {}
    for need in sorted(_functional(m), key=lambda need: need.moscow != "Must"):
        actor = "" if m.lex.language != "zh" and tongue(need.text) else need.clause.actor
        if actor and not need.clause.negated and actor not in goals and len(goals) < _MAX_PROPOSED_GOALS:
            text = m.say("goal_actor", actor=actor, action=strip_end(need.clause.action))
            goals[actor] = Goal(text=upper_first(text), reason=m.say("goal_why"))
    return list(goals.values()) or ([whole] if _functional(m) else [])


def _assumptions(m: Material) -> list[Statement]:
    rows = []
    if any(need.by_default for need in m.analysis.requirements) and not m.analysis.thin:
        rows.append(Statement(text=m.say("assume_must"), reason=m.say("assume_must_why")))
    if m.repository:
        rows.append(Statement(text=m.say("assume_code"), reason=m.say("assume_code_why")))
    if m.analysis.manual:
        rows.append(Statement(text=m.say("assume_manual"), reason=m.say("assume_manual_why")))
    return rows


def _risks(m: Material) -> list[BriefRisk]:
    return once(
        BriefRisk(text=row.text, mitigation=row.mitigation, source="stated") for row in m.analysis.risks
    )


def _code_constraints(m: Material) -> list[Statement]:
    if not m.repository:
        return []
    names = [*m.repository.languages[:2], *m.repository.tests[:2]]
    return [Statement(text=m.say("code_uses", name=name), source="repository") for name in unique(names)[:8]]


def _code_dependencies(m: Material) -> list[Statement]:
    return (
        [Statement(text=name, source="repository") for name, _ in m.repository.frameworks[:8]]
        if m.repository
        else []
    )


def _synthesis(m: Material, groups: list[Group]) -> Synthesis:
    """The parts and the limits of a longer request in one place; empty where it names none."""
    if m.analysis.thin:
        return Synthesis()
    titles = m.lex.join([title_of(group, m) for group in groups if group.stated])
    tight = [need for need in m.analysis.constraints if any(c.isdigit() for c in need.text)]
    limits = m.several(lower_first(short(need.text, 120)) for need in tight[:4])
    return Synthesis(
        product=m.say("synthesis_parts", titles=titles) if titles else "",
        technical=m.say("synthesis_limits", text=limits) if limits else "",
    )


def _questions(m: Material) -> list[str]:
    external = [m.say("ask_external", text=strip_end(text)) for text in m.analysis.dependencies[:3]]
    return unique([*discovery.questions(m), *external])


def _revised(m: Material, previous: Brief) -> Brief:
    """Goals, scope and limits stay, but for what the feedback leaves out or gives another number; what it asks for, or was
    lost of goals and limits, is added."""
    changed = rescoped(previous, m)
    out_of_scope = once([*previous.out_of_scope, *changed.dropped])
    said = [row.text for row in [*previous.in_scope, *changed.in_scope, *out_of_scope]]
    said += [row.text for row in [*previous.constraints, *changed.constraints]]
    lost = [need for need in m.analysis.needs if need.kind != "functional"]
    added = [
        need
        for need in [*lost, *requests_in(changed.beside)]
        if not any(carries(need.text, text) for text in said)
    ]

    def more(rows: list[Statement], *kinds: str) -> list[Statement]:
        return once([*rows, *(_stated(need.text) for need in added if need.kind in kinds)])

    goals = [
        goal
        for goal in _goals(m)
        if goal.source == "stated" and not any(carries(goal.text, old.text) for old in previous.goals)
    ]
    known = [_measured(goal, m) for goal in changed.goals]
    told_of = {row.text for row in m.sections if _GOAL_ASKED.match(row.passage.label)}
    goals = [goal for goal in goals if goal.text not in told_of]
    told = [row.text for row in m.sections]
    problems = [text for text in m.analysis.situation if text in told and text not in previous.situation]
    users = _as_told(discovery.new_users(m, [user.name for user in previous.users]))
    now = previous.model_copy(
        update={
            "situation": _joined(m, filter(None, [previous.situation, *map(upper_first, problems)])),
            "impact": previous.impact or (_impact(m) if problems else ""),
            "users": [*previous.users, *users],
            "goals": [*known, *goals],
            "in_scope": more(changed.in_scope, "functional"),
            "out_of_scope": more(out_of_scope, "exclusion"),
            "constraints": more(changed.constraints, "constraint", "nonfunctional"),
            "assumptions": once(
                [
                    *previous.assumptions,
                    *(_stated(row.text) for row in m.sections if row.role == "assumption"),
                ]
            ),
            "risks": [
                *previous.risks,
                *(row for row in _risks(m) if row.text not in {old.text for old in previous.risks}),
            ],
            "dependencies": once([*previous.dependencies, *map(_stated, m.analysis.dependencies)])
            if m.sections
            else previous.dependencies,
        }
    )
    asked = unique([*previous.open_questions, *_questions(m)])
    answered = _answered(m, now, added)
    still = [text for text in asked if not any(discovery.is_question(text, m, key) for key in answered)]
    return now.model_copy(update={"open_questions": still})


def _measured(goal: Goal, m: Material) -> Goal:
    """The goal with the measure and the target that a person gave where its own question asked for them."""
    for row in m.sections:
        asked = _GOAL_ASKED.match(row.passage.label)
        if asked and asked[1] == goal.id:
            read = goal_of(row.text, lexicon_of(row.text))
            said = strip_end(row.text)
            metric = goal.metric or read.metric or ("" if read.target else said)
            target = read.target or goal.target or (said if goal.metric else "")
            goal = goal.model_copy(update={"metric": metric, "target": target})
    return goal


def _answered(m: Material, brief: Brief, added: Iterable[Need]) -> list[str]:
    """The keys of the questions about every request that the brief, or what was added since, answers by now."""
    stated = {
        "ask_users": brief.users,
        "ask_problem": brief.situation,
        "ask_success": [goal for goal in brief.goals if goal.source == "stated"],
        "ask_limits": [row for row in brief.constraints if row.source == "stated"],
        "ask_scope": brief.out_of_scope,
        "ask_security": [need for need in added if need.category == "S"],
    }
    return [key for key, given in stated.items() if given]
