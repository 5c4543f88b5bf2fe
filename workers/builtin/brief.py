"""The product brief: vision, problem, goals, scope, taken from the request; what is proposed says so."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workers.builtin import discovery
from workers.builtin.language import lexicon_of
from workers.builtin.material import (
    Material,
    carries,
    lower_first,
    short,
    strip_end,
    unique,
    upper_first,
)
from workers.builtin.request import Need, goal_of
from workers.builtin.revision import requests_in
from workers.documents.content import Brief, Discovery, Goal, Statement, Synthesis, User

_MAX_PROPOSED_GOALS = 3


def answer(m: Material) -> Brief:
    previous = m.facts.get("previous")
    if isinstance(previous, Brief):
        return _revised(m, previous)
    a = m.analysis
    goals = _goals(m)
    constraints = [_stated(need.text) for need in a.constraints]
    return Brief(
        title=a.title,
        vision=_vision(m),
        situation=_joined(m, a.situation) or m.say("situation_none"),
        impact=_impact(m),
        users=_users(m),
        goals=goals,
        in_scope=_unique(_stated(m.statement(need)) for need in _scope(m)),
        out_of_scope=_unique(_stated(need.text) for need in a.exclusions),
        assumptions=_assumptions(m),
        constraints=_unique([*constraints, *_code_constraints(m)]),
        dependencies=_unique([*map(_stated, a.dependencies), *_code_dependencies(m)]),
        synthesis=_synthesis(m, goals),
        open_questions=_questions(m),
    )


def _stated(text: str) -> Statement:
    return Statement(text=text, source="stated")


def _unique(rows: Iterable[Statement]) -> list[Statement]:
    return list({row.text: row for row in rows}.values())


def _joined(m: Material, lines: Iterable[str]) -> str:
    return ("" if m.lex.language == "zh" else " ").join(lines)[:15_000]


def _scope(m: Material) -> list[Need]:
    functional = [need for need in m.analysis.requirements if need.kind == "functional"]
    return functional or list(m.analysis.requirements)


def _users(m: Material) -> list[User]:
    found = m.facts.get("discovery")
    users = [User(name=actor.name, needs=list(actor.needs), source="stated") for actor in m.analysis.actors]
    if isinstance(found, Discovery) and found.target_users:
        users = list(found.target_users)
    return [
        user.model_copy(
            update={"name": upper_first(user.name), "needs": unique(_told(user.name, n) for n in user.needs)}
        )
        for user in users
    ]


def _told(name: str, need: str) -> str:
    """What is said of somebody, without repeating who: `Doctors, eight per clinic` -> `eight per clinic`."""
    rest = re.sub(
        rf"^(?:(?:the|an?|each|every|all)\s+)?{re.escape(name)}\b[,;:]?\s*", "", need, flags=re.IGNORECASE
    )
    return strip_end(rest) or strip_end(need)


def _vision(m: Material) -> Statement:
    a = m.analysis
    wanted = next((goal.text for goal in a.goals if lexicon_of(goal.text).find("want", goal.text)), None)
    if wanted:
        return _stated(wanted)
    if a.manual and a.situation:
        return _stated(a.situation[0])
    things = [thing for thing in m.told_things(3) if thing not in m.product and m.product not in thing]
    if not a.actors or a.thin or not things:
        text = strip_end(short(a.text if a.thin else a.title, 300))
        return Statement(text=m.say("vision_nobody", text=text), reason=m.say("vision_why"))
    key = "vision_proposed" if m.is_named else "vision_unnamed"
    text = m.say(key, title=a.title, actors=m.said_actors(4), things=m.lex.join(things))
    return Statement(text=text, reason=m.say("vision_given_why"))


def _impact(m: Material) -> str:
    hurt = [text for text in m.analysis.situation if lexicon_of(text).find("problem", text)]
    if hurt and hurt != list(m.analysis.situation):
        return _joined(m, hurt)
    if not hurt:
        return m.say("impact_none")
    counted = [text for text in hurt if any(c.isdigit() for c in text)]
    if counted and len(hurt) > 1:
        return _joined(m, counted[:1])
    parts = re.split(r"[,，;；]\s*", strip_end(hurt[0]))
    at = next((i for i, part in enumerate(parts) if i and lexicon_of(part).find("problem", part)), 0)
    return upper_first(("，" if m.lex.language == "zh" else ", ").join(parts[at:])) if at else ""


def _goals(m: Material) -> list[Goal]:
    a = m.analysis
    found = m.facts.get("discovery")
    stated = [
        Goal(text=goal.text, metric=goal.metric, target=goal.target, source="stated") for goal in a.goals
    ]
    extra = (
        [goal for goal in found.goals if not any(carries(goal.text, other.text) for other in stated)]
        if isinstance(found, Discovery)
        else []
    )
    for goal in extra:
        if goal.text in a.text:
            read = goal_of(goal.text, lexicon_of(goal.text))
            metric, target = goal.metric or read.metric, goal.target or read.target
            stated.append(Goal(text=goal.text, metric=metric, target=target, source="stated"))
    if stated:
        return list({goal.text: goal for goal in stated}.values())
    return _proposed_goals(m)


def _proposed_goals(m: Material) -> list[Goal]:
    """One goal for each actor that wants something, else one for what was asked: without a value, since none was given."""
    a = m.analysis
    wishes = [need for need in _scope(m) if need.moscow == "Must"] or _scope(m)
    goals: dict[str, Goal] = {}
    for need in wishes:
        actor = need.clause.actor
        if actor and actor not in goals and len(goals) < _MAX_PROPOSED_GOALS:
            action = strip_end(need.clause.action)
            goals[actor] = Goal(
                text=upper_first(m.say("goal_actor", actor=actor, action=action)),
                metric=m.say("goal_metric"),
                reason=m.say("goal_why"),
            )
    if not goals and wishes:
        text = lower_first(strip_end(short(wishes[0].text, 200))) if a.thin else m.product
        goals[""] = Goal(
            text=m.say("goal_manual") if a.manual else m.say("goal_thing", text=text),
            metric=m.say("goal_thing_metric"),
            reason=m.say("goal_why"),
        )
    return list(goals.values())


def _assumptions(m: Material) -> list[Statement]:
    a = m.analysis
    rows = [
        Statement(text=m.say("assume_external", text=strip_end(text)), reason=m.say("assume_external_why"))
        for text in a.dependencies[:4]
    ]
    if a.actors:
        name = m.said_actors(1)
        rows.append(
            Statement(text=m.say("assume_actor", actor=name, title=a.title), reason=m.say("assume_actor_why"))
        )
    if m.repository:
        rows.append(Statement(text=m.say("assume_code"), reason=m.say("assume_code_why")))
    if a.manual:
        rows.append(Statement(text=m.say("assume_manual"), reason=m.say("assume_manual_why")))
    if a.thin:
        rows.append(Statement(text=m.say("assume_thin", title=a.title), reason=m.say("assume_thin_why")))
    return rows


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


def _synthesis(m: Material, goals: list[Goal]) -> Synthesis:
    a = m.analysis
    wanted = [lower_first(strip_end(short(need.text, 90))) for need in _scope(m) if need.moscow == "Must"]
    musts = m.several(wanted[:3]) or a.title
    tight = sorted(a.constraints, key=lambda need: not any(c.isdigit() for c in need.text))
    limits = [lower_first(strip_end(short(need.text, 120))) for need in tight[:3]]
    bound = m.say("synthesis_limits", text=m.several(limits)) if limits else m.say("synthesis_no_limits")
    measured = next((goal for goal in goals if goal.target), goals[0] if goals else None)
    users = m.say("synthesis_nobody")
    if m.changes:
        users = m.say("synthesis_nobody_change", thing=m.told_things(1)[0])
    if a.actors:
        told = [f"{upper_first(user.name)}: {user.needs[0]}." for user in _users(m) if user.needs]
        users = m.say("synthesis_user", actors=m.said_actors(), needs=" ".join(told[:3])).strip()
        users = users if m.lex.language == "en" else users.replace(". ", "。").replace(": ", "：")
    product = m.say("synthesis_thin", text=lower_first(strip_end(short(a.text, 300))))
    if not a.thin and measured:
        product = m.say("synthesis_product", goal=lower_first(strip_end(measured.text)), musts=musts)
    return Synthesis(
        product=product,
        technical=m.say("synthesis_technical", things=m.lex.join(m.told_things()), limits=bound),
        user=users,
    )


def _questions(m: Material) -> list[str]:
    external = [m.say("ask_external", text=strip_end(text)) for text in m.analysis.dependencies[:3]]
    return unique([*discovery.questions(m), *external])


def _revised(m: Material, previous: Brief) -> Brief:
    """Goals, scope and limits stay; what the feedback asks for, or was lost of the request, is added."""
    said = [row.text for row in [*previous.in_scope, *previous.out_of_scope, *previous.constraints]]
    added = [
        need
        for need in [*m.analysis.needs, *requests_in(m)]
        if not any(carries(need.text, text) for text in said)
    ]
    scope = [_stated(need.text) for need in added if need.kind == "functional"]
    goals = [
        goal
        for goal in _goals(m)
        if goal.source == "stated" and not any(carries(goal.text, old.text) for old in previous.goals)
    ]
    return previous.model_copy(
        update={
            "goals": [*previous.goals, *goals],
            "in_scope": _unique([*previous.in_scope, *scope]),
            "out_of_scope": _unique(
                [*previous.out_of_scope, *(_stated(n.text) for n in added if n.kind == "exclusion")]
            ),
            "constraints": _unique(
                [
                    *previous.constraints,
                    *(_stated(n.text) for n in added if n.kind in ("constraint", "nonfunctional")),
                ]
            ),
            "open_questions": unique([*previous.open_questions, *_questions(m)]),
        }
    )
