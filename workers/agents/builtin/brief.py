"""The product brief: vision, problem, goals, scope, taken from the request; what is proposed says so."""

from __future__ import annotations

from collections.abc import Iterable

from workers.agents.builtin import discovery
from workers.agents.builtin.language import lexicon_of
from workers.agents.builtin.material import Material, carries, lower_first, short, strip_end, unique
from workers.agents.builtin.request import Need, goal_of
from workers.agents.builtin.revision import requests_in
from workers.content import Brief, Discovery, Goal, Statement, Synthesis, User

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
        situation=_joined(m, a.situation) or m.say("situation_none", title=a.title),
        impact=_impact(m),
        users=_users(m),
        goals=goals,
        in_scope=_unique(_stated(need.text) for need in _scope(m)),
        out_of_scope=_unique(_stated(need.text) for need in a.exclusions),
        assumptions=_assumptions(m),
        constraints=_unique([*constraints, *_code_constraints(m)]),
        dependencies=_unique([*map(_stated, a.dependencies), *_code_dependencies(m)]),
        synthesis=_synthesis(m, goals),
        open_questions=_questions(m, goals),
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
    if isinstance(found, Discovery) and found.target_users:
        return list(found.target_users)
    return [User(name=actor.name, needs=list(actor.needs), source="stated") for actor in m.analysis.actors]


def _vision(m: Material) -> Statement:
    a = m.analysis
    wanted = next((goal.text for goal in a.goals if lexicon_of(goal.text).find("want", goal.text)), None)
    if wanted:
        return _stated(wanted)
    if not a.actors:
        return Statement(text=m.say("vision_nobody", title=a.title), reason=m.say("vision_why"))
    text = m.say(
        "vision_proposed",
        title=a.title,
        actors=m.lex.join(m.actor_names()[:4]),
        things=m.lex.join(m.things()[:3]),
    )
    return Statement(text=text, reason=m.say("vision_why"))


def _impact(m: Material) -> str:
    hurt = [text for text in m.analysis.situation if lexicon_of(text).find("problem", text)]
    return _joined(m, hurt) or m.say("impact_none", title=m.analysis.title)


def _goals(m: Material) -> list[Goal]:
    a = m.analysis
    found = m.facts.get("discovery")
    stated = [
        Goal(text=goal.text, metric=goal.metric, target=goal.target, source="stated") for goal in a.goals
    ]
    extra = (
        [text for text in found.goals if not any(carries(text, goal.text) for goal in stated)]
        if isinstance(found, Discovery)
        else []
    )
    for text in extra:
        if text in a.text:
            read = goal_of(text, lexicon_of(text))
            stated.append(Goal(text=text, metric=read.metric, target=read.target, source="stated"))
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
                text=m.say("goal_actor", actor=actor, action=action, title=a.title),
                metric=m.say("goal_metric", action=action),
                reason=m.say("goal_why", text=short(need.text, 200)),
            )
    if not goals and wishes:
        text = lower_first(strip_end(short(wishes[0].text, 200)))
        goals[""] = Goal(
            text=m.say("goal_thing", title=a.title, text=text),
            metric=m.say("goal_metric", action=text),
            reason=m.say("goal_why", text=text),
        )
    return list(goals.values())


def _assumptions(m: Material) -> list[Statement]:
    a = m.analysis
    rows = [
        Statement(text=m.say("assume_external", text=strip_end(text)), reason=m.say("assume_external_why"))
        for text in a.dependencies[:4]
    ]
    if a.actors:
        name = a.actors[0].name
        rows.append(
            Statement(text=m.say("assume_actor", actor=name, title=a.title), reason=m.say("assume_actor_why"))
        )
    if m.repository:
        rows.append(Statement(text=m.say("assume_code", title=a.title), reason=m.say("assume_code_why")))
    if a.thin:
        rows.append(Statement(text=m.say("assume_thin", title=a.title), reason=m.say("assume_thin_why")))
    return rows


def _code_constraints(m: Material) -> list[Statement]:
    if not m.repository:
        return []
    names = [*m.repository.languages, *(name for name, _ in m.repository.frameworks)]
    return [Statement(text=name, source="repository") for name in unique(names)[:8]]


def _code_dependencies(m: Material) -> list[Statement]:
    return (
        [Statement(text=path, source="repository") for path in m.repository.files[:5]] if m.repository else []
    )


def _synthesis(m: Material, goals: list[Goal]) -> Synthesis:
    a = m.analysis
    wanted = [lower_first(strip_end(short(need.text, 90))) for need in _scope(m) if need.moscow == "Must"]
    musts = "; ".join(wanted[:4]) or a.title
    limits = [strip_end(short(need.text, 120)) for need in a.constraints[:4]]
    bound = m.say("synthesis_limits", text="; ".join(limits)) if limits else m.say("synthesis_no_limits")
    goal = lower_first(strip_end(goals[0].text)) if goals else a.title
    users = m.say("synthesis_nobody", title=a.title)
    if a.actors:
        said = [strip_end(short(actor.needs[0], 140)) for actor in a.actors if actor.needs][:3]
        users = m.say(
            "synthesis_user", actors=m.lex.join(m.actor_names()[:5]), needs="; ".join(said) or musts
        )
    return Synthesis(
        product=m.say("synthesis_product", title=a.title, goal=goal, musts=musts),
        technical=m.say("synthesis_technical", things=m.lex.join(m.things()[:4]), limits=bound),
        user=users,
    )


def _questions(m: Material, goals: list[Goal]) -> list[str]:
    open_goals = [m.say("ask_target", text=strip_end(goal.text)) for goal in goals if not goal.target]
    external = [m.say("ask_external", text=strip_end(text)) for text in m.analysis.dependencies[:3]]
    return unique([*discovery.questions(m), *open_goals, *external])


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
            "open_questions": unique([*previous.open_questions, *_questions(m, goals)]),
        }
    )
