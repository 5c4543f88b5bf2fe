"""Discovery: what the request says, sorted; what it does not say, asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from orchestrator.domain.tongues import tongue
from workers.builtin.analysis import Need, RequestAnalysis
from workers.builtin.material import Material
from workers.builtin.phrases import lower_first, short, strip_end, unique
from workers.builtin.revision import requests_in
from workers.builtin.wishes import same_person
from workers.documents.content import (
    Dimension,
    Discovery,
    Stated,
    StatedCriterion,
    StatedGoal,
    StatedRequirement,
    StatedRisk,
    Statement,
    User,
)
from workers.documents.labels import labels

_MEDIUM, _HIGH = 5, 14  # requirements and surroundings counted together


def answer(m: Material) -> Discovery:
    if previous := m.before(Discovery):
        return _revised(m, previous)
    a = m.analysis
    users = [User(name=actor.name, needs=list(actor.needs), source="stated") for actor in a.actors]
    level, why = _complexity(m)
    return Discovery(
        title=a.title,
        problem_statement=_problem(m),
        situation=list(a.situation),
        goals=_goals(a),
        target_users=users,
        domain=a.domain,
        constraints=unique(need.text for need in a.constraints if need.kind == "constraint"),
        requirements=[stated(need) for need in a.needs],
        exclusions=unique(need.text for need in a.exclusions),
        acceptance=[StatedCriterion(text=row.text, parent=row.block) for row in a.criteria],
        risks=[StatedRisk(text=row.text, mitigation=row.mitigation) for row in a.risks],
        done=[Stated(text=text) for text in a.done],
        form="manual" if a.manual else a.form,
        entities=list(a.entities),
        data_model=list(a.data),
        dependencies=list(a.dependencies),
        exploration_dimensions=_dimensions(m),
        complexity=level,
        complexity_reason=why,
        open_questions=[*left_out(m), *questions(m)],
        ui=a.ui,
        design_notes=_design(m),
    )


def _goals(a: RequestAnalysis) -> list[StatedGoal]:
    rows = [
        StatedGoal(text=goal.text, metric=goal.metric, target=goal.target, baseline=goal.baseline)
        for goal in a.goals
    ]
    return list({row.text: row for row in reversed(rows)}.values())[::-1]


def stated(need: Need) -> StatedRequirement:
    return StatedRequirement(
        text=need.text,
        kind=need.kind if need.kind != "goal" else "functional",
        moscow=need.moscow,
        category=need.category,
        actor=need.clause.actor,
        title=need.title,
        priority=need.given,
        release=need.release,
        parent=need.parent,
    )


def _problem(m: Material) -> str:
    a = m.analysis
    if a.situation:
        return " ".join(a.situation[:3])[:1500] if m.lex.language == "en" else "".join(a.situation[:3])[:1500]
    if a.thin:
        return m.say("problem_thin", text=strip_end(short(m.called, 400)))
    return m.say("problem_asked")


def _dimensions(m: Material) -> list[Dimension]:
    a = m.analysis
    things = m.lex.join(m.told_things())
    title = a.title
    users = (
        ("dimension_users_why", {"actors": m.said_actors(4)}) if a.actors else ("dimension_users_open", {})
    )
    rows: list[tuple[str, str, dict[str, str]]] = [
        ("dimension_users", users[0], {**users[1], "title": title})
    ]
    rows.append(("dimension_data", "dimension_data_why", {"things": things}))
    if m.repository and m.repository.files:
        rows.append(
            (
                "dimension_code",
                "dimension_code_why",
                {"title": title, "files": m.lex.join(m.repository.files[:3])},
            )
        )
    if a.constraints:
        rows.append(
            (
                "dimension_limits",
                "dimension_limits_why",
                {"text": lower_first(strip_end(a.constraints[0].text))},
            )
        )
    if a.dependencies:
        rows.append(("dimension_external", "dimension_external_why", {"text": strip_end(a.dependencies[0])}))
    rows.append(("dimension_scope", "dimension_scope_why", {"title": title}))
    rows.append(("dimension_failure", "dimension_failure_why", {"thing": m.told_things(1)[0]}))
    return [Dimension(name=m.say(name), why=m.say(why, **values)) for name, why, values in rows[:5]]


def _complexity(m: Material) -> tuple[Literal["low", "medium", "high"], str]:
    a = m.analysis
    weight = len(a.requirements) + len(a.dependencies) + len(a.actors) // 2 + len(a.technologies) // 2
    level: Literal["low", "medium", "high"] = (
        "low" if weight < _MEDIUM else "medium" if weight < _HIGH else "high"
    )
    return level, m.say(f"complexity_{level}", things=m.lex.join(m.told_things()), title=a.title)


def left_out(m: Material) -> list[str]:
    """What a very long request asks for beyond what one specification carries: how much, which, and why."""
    rest = m.analysis.beyond
    if not rest:
        return []
    first, last = short(rest[0].text, 200), short(rest[-1].text, 200)
    count, carried = len(rest), len(m.analysis.needs)
    return [m.say("left_out", count=count, carried=carried, first=first, last=last)]


def questions(m: Material) -> list[str]:
    """The request's own questions, then those it should answer but does not."""
    a = m.analysis
    if a.form:
        return [m.say("ask_form", form=m.say(f"form_{a.form}"))]
    told = tongue(a.asked)
    words = labels(m.lex.language).words
    own = words[f"language_{m.lex.language}"]
    asked = [m.say("warn_language", name=words[f"language_{told}"], own=own)] if told else []
    asked += [m.say("ask_everything", text=strip_end(short(a.asked, 200)))] if a.vague else []
    asked += a.questions
    if m.ask and a.asked == a.text:  # what was answered before the start is not asked again
        return unique([*asked, *m.ask.questions])
    missing = (
        ("ask_users", a.actors),
        ("ask_problem", a.situation),
        ("ask_success", a.goals),
        ("ask_limits", a.constraints),
        ("ask_security", any(need.category == "S" for need in a.needs)),
        ("ask_scope", a.exclusions),
    )
    return unique([*asked, *(question(m, key) for key, given in missing if not given)])


def question(m: Material, key: str) -> str:
    """One of the questions about what every request should say."""
    return m.say(key, title=m.analysis.title, thing=m.told_things(1)[0])


def is_question(text: str, m: Material, key: str) -> bool:
    """Whether a text is that question, whatever it calls the product and its things."""
    said = re.sub(r"\\\{\w+\\\}", ".+", re.escape(m.lex.wording[key]))
    return re.fullmatch(said, text) is not None


def new_users(m: Material, known: Iterable[str]) -> list[User]:
    """Those whom a person named later as users, and who are not known."""
    said = "\n".join(row.text.casefold() for row in m.sections if row.role == "user")
    have = [*known]
    return [
        User(name=actor.name, needs=list(actor.needs), source="stated")
        for actor in m.analysis.actors
        if actor.name.casefold() in said and not any(same_person(actor.name, old) for old in have)
    ]


def _design(m: Material) -> list[Statement]:
    if not m.analysis.ui:
        return []
    thing = m.told_things(1)[0]
    names = m.actor_names()[:4]
    return [
        Statement(
            text=m.say("design_visible", actor=lower_first(name), thing=thing),
            reason=m.say("design_visible_why", actor=lower_first(name), thing=thing),
        )
        for name in names
    ]


def _revised(m: Material, previous: Discovery) -> Discovery:
    """Everything stays; what the feedback asks for and the request says but discovery lacks is added."""
    known = {row.text for row in previous.requirements}
    goals = {row.text for row in previous.goals}
    added = [
        need
        for need in [*m.analysis.needs, *requests_in(m)]
        if need.text not in known and need.quote not in known
    ]
    wishes = [need for need in added if need.kind != "exclusion"]
    excluded = [need.text for need in added if need.kind == "exclusion"]
    limits = [need.text for need in wishes if need.kind == "constraint"]
    rows = {need.text: stated(need) for need in added}
    told = {row.text for row in m.sections}
    users = new_users(m, [user.name for user in previous.target_users])
    return previous.model_copy(
        update={
            "requirements": [*previous.requirements, *rows.values()],
            "exclusions": unique([*previous.exclusions, *excluded]),
            "constraints": unique([*previous.constraints, *limits]),
            "situation": unique([*previous.situation, *(row for row in m.analysis.situation if row in told)]),
            "target_users": [*previous.target_users, *users],
            "goals": [*previous.goals, *(row for row in _goals(m.analysis) if row.text not in goals)],
            "open_questions": unique([*previous.open_questions, *m.analysis.questions]),
        }
    )
