"""Requirements: one REQ or NFR for each requirement sentence, exclusions as Won't, each tied to a goal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from orchestrator.domain.quality import is_testable
from workers.builtin.clauses import clause
from workers.builtin.criteria import SYSTEM, base, criteria, headline
from workers.builtin.discovery import left_out
from workers.builtin.language import Lexicon, lexicon_of
from workers.builtin.material import Material, best, lower_first, short, strip_end, unique, upper_first
from workers.builtin.names import singular
from workers.builtin.request import Need
from workers.builtin.revision import not_carried, requests_in
from workers.documents.content import (
    Brief,
    Discovery,
    Entity,
    Goal,
    Moscow,
    Requirement,
    Requirements,
    Statement,
    UserStory,
)

_THIN = 4  # stated requirements below which the obvious gaps are proposed
_MADE = re.compile(
    r"^(?:please\s+)?(?:(?:i|we)\s+(?:want|need|would like)\s+(?:to\s+)?)?"
    r"(?:(?:build|create|make|write|develop|implement|design)\s+(?:me |us )?)?(?=(?:an?|the|our|my)\s)",
    re.IGNORECASE,
)
_WANTED = re.compile(r"^(?:we|i|they) (?:want|would like|wish) (.{2,60}?) to (.+)$", re.IGNORECASE)
_CLAUSE = re.compile(
    r"^(?:[\w%.]+ ){1,6}?(?:is|are|can|will|stays?|drops?|falls?|rises?|grows?|joins?|uses?|takes?)\s",
    re.IGNORECASE,
)
_LIKE = 0.5  # share of common words from which a criterion without a place belongs to a need
_CLOSE = 0.25  # share of common words from which a requirement serves a goal


def answer(m: Material) -> Requirements:
    previous = m.facts.get("previous")
    if isinstance(previous, Requirements):
        return _revised(m, previous)
    needs = _needs(m)
    own, orphans = _own_criteria(needs, m)
    items = [requirement(need, m, own.get(at, ())) for at, need in enumerate(needs)]
    if len([need for need in needs if need.kind != "exclusion"]) < _THIN and m.analysis.thin and needs:
        items += _proposed(m)
    items = served(items, m)
    musts = [item.title for item in items if item.moscow == "Must"]
    return Requirements(
        summary=m.say("summary", musts=m.several(musts[:8]) or m.analysis.title),
        items=items,
        entities=_entities(m, items),
        integrations=_integrations(m),
        open_questions=[
            *left_out(m),
            *_questions(m, items),
            *(m.say("ask_criterion", text=strip_end(text)) for text in orphans),
        ],
    )


def _own_criteria(needs: list[Need], m: Material) -> tuple[dict[int, list[str]], list[str]]:
    """The request's own criteria by the need they belong to, and those that belong to none.

    They belong to the statement of their block or of its feature, else to the need that shares most words with them.
    """
    own: dict[int, list[str]] = {}
    orphans: list[str] = []
    places: dict[str, int] = {}
    for at, need in enumerate(needs):
        if need.kind != "exclusion":
            for block in (need.block, need.parent):
                places.setdefault(block, at)
    choices = [(str(at), need.text) for at, need in enumerate(needs) if need.kind != "exclusion"]
    for row in m.analysis.criteria:
        place = places.get(row.block) if row.block else None
        if place is None:
            share, key = best(row.text, choices)
            place = int(key) if share >= _LIKE else None
        if place is None:
            orphans.append(row.text)
        else:
            own.setdefault(place, []).append(row.text)
    return own, orphans


def _needs(m: Material) -> list[Need]:
    """Needs of the request, and those another agent's discovery saw in it besides."""
    needs = list(m.analysis.needs)
    found = m.facts.get("discovery")
    if isinstance(found, Discovery):
        said = {piece for need in needs for piece in (need.text, need.quote)}
        for row in found.requirements:
            if row.text in said:
                continue
            known = clause(row.text, tuple(m.actor_names()))
            need = Need(row.text, row.text, row.kind, row.moscow, row.category, known)
            if not_carried([need], [piece for old in needs for piece in (old.text, old.quote)]):
                needs.append(need)
    return [*needs, *not_carried(requests_in(m), [need.text for need in needs])]


def requirement(need: Need, m: Material, own: Sequence[str] = ()) -> Requirement:
    """One need as a requirement with its story and criteria: the request's own, else what its sentence says."""
    m.check()
    lex = lexicon_of(need.text)
    excluded = need.kind == "exclusion"
    nonfunctional = need.kind == "nonfunctional" and bool(need.category)
    return Requirement(
        kind="nonfunctional" if nonfunctional else "functional",
        category=need.category if nonfunctional else "",
        title=short(need.title or (strip_end(m.statement(need)) if need.part else headline(need, lex))),
        statement=m.statement(need),
        user_story=None if excluded or nonfunctional else story(need, m),
        acceptance_criteria=unique(own) or criteria(need, lex),
        moscow=need.moscow,
        quote=need.quote,
        source="stated",
        reason=m.say("by_default") if need.by_default and not excluded else "",
    )


def story(need: Need, m: Material) -> UserStory:
    c = need.clause
    lex = lexicon_of(need.text)
    named = next((name for name in m.actor_names() if _mentions(need.text, name)), "")
    so = lex.find("so_that", need.text)
    befalls = any(action.startswith("be ") for action in c.actions)  # nobody wants what happens to them
    want = _infinitive(c.actions, lex) if c.actor and c.actions and not befalls else _wanted(need, lex, m)
    who = c.actor or named or m.main_actor()
    return UserStory(as_a=one_of(who, lex), i_want=want, so_that=strip_end(so[1]) if so else "")


def one_of(people: str, lex: Lexicon) -> str:
    """One of a group of people, as a story speaks of them: `Patients` -> `patient`."""
    return lower_first(singular(people)) if lex.language == "en" else people


def _infinitive(actions: Iterable[str], lex: Lexicon) -> str:
    """`to add a patient, to reorder the queue and to print a ticket`."""
    if lex.language == "zh":
        return "，".join(strip_end(action) for action in actions)
    return lex.join([f"to {strip_end(action)}" for action in actions])


def _wanted(need: Need, lex: Lexicon, m: Material) -> str:
    """What somebody wants of the system: `the system to show ...`, `names to be encrypted ...`."""
    c = need.clause
    made = _MADE.match(need.text) if lex.language == "en" and m.analysis.thin else None
    if made:
        return strip_end(need.text[made.end() :])
    if need.part and m.statement(need).endswith(need.text):
        verb, _, rest = need.text.partition(" ")
        does = m.statement(need) != upper_first(m.say("part_has", product=m.product, text=need.text))
        return m.say(
            "part_does_wanted" if does else "part_has_wanted",
            product=m.product,
            text=f"{base(verb, lex)} {rest}" if does else need.text,
        )
    if not c.subject or c.negated or not c.actions:
        return lex.say("want_text", text=lower_first(strip_end(need.text)))
    subject = lex.say("system") if c.subject.lower() in SYSTEM else lower_first(c.subject)
    pieces = [strip_end(action) for action in c.actions]
    return lex.say(
        "want_system", subject=subject, action="，".join(pieces) if lex.language == "zh" else lex.join(pieces)
    )


def _mentions(text: str, name: str) -> bool:
    return name.lower().rstrip("s") in text.lower()


def served(items: list[Requirement], m: Material) -> list[Requirement]:
    """Tie each requirement to the goals it serves: by common words, else to the closest; leave no goal without one."""
    brief = m.facts.get("brief")
    goals = brief.goals if isinstance(brief, Brief) else []
    if not goals:
        return items
    linked = [_linked(item, goals) for item in items]
    for goal in goals:
        if any(goal.id in item.goals for item in linked):
            continue
        wishes = [(str(i), _words(item)) for i, item in enumerate(linked) if item.moscow != "Won't"]
        share, at = best(goal.text, wishes)
        if share > 0 and at:
            item = linked[int(at)]
            linked[int(at)] = item.model_copy(update={"goals": [*item.goals, goal.id]})
    return linked


def _words(item: Requirement) -> str:
    return f"{item.statement} {item.user_story.as_a if item.user_story else ''}"


def _linked(item: Requirement, goals: list[Goal]) -> Requirement:
    if item.goals or item.moscow == "Won't":
        return item
    scored = [(best(_words(item), [(goal.id, f"{goal.text} {goal.metric}")])[0], goal) for goal in goals]
    close = [goal for share, goal in scored if share >= _CLOSE][:2]
    chosen = close or [max(scored, key=lambda row: row[0])[1]]
    update: dict[str, object] = {"goals": [goal.id for goal in chosen]}
    purpose = purpose_of(close[0]) if close and close[0].source == "stated" else ""
    if item.user_story and not item.user_story.so_that and concerns(item.user_story.as_a, purpose):
        update["user_story"] = item.user_story.model_copy(update={"so_that": purpose})
    return item.model_copy(update=update)


def concerns(who: str, purpose: str) -> bool:
    """Whether a purpose speaks of the same people; what others gain is no reason of theirs."""
    return bool(purpose) and singular(who).lower() in purpose.lower()


def purpose_of(goal: Goal) -> str:
    """A stated goal as the end of a story, when it is a sentence: `We want patients to join ...` -> `patients join ...`."""
    text = strip_end(goal.text)
    if lexicon_of(text).language == "zh":
        return text
    wanted = _WANTED.match(text)
    if wanted:
        return f"{wanted[1]} {wanted[2]}"
    return lower_first(text) if _CLAUSE.match(text) else ""


def _proposed(m: Material) -> list[Requirement]:
    """What a short request leaves out and every such thing needs; each says why it is proposed."""
    a = m.analysis
    thing = m.told_things(1)[0]
    visible = next(
        (need.text for need in a.needs if need.part and lexicon_of(need.text).find("ui", need.text)), ""
    )
    visible = re.sub(r"^an?\s+", "the ", strip_end(visible))
    changes = m.changes
    rows: list[tuple[str, str, Moscow]] = (
        [("same", thing, "Must")] if changes else [("error", m.product, "Should")]
    )
    if visible or a.ui:
        rows.append(("access", visible or m.product, "Should"))
    if not changes and not m.lex.find("one_shot", a.text):
        rows.append(("keep", m.product, "Should"))
    return [
        Requirement(
            kind="nonfunctional" if key == "access" else "functional",
            category="S" if key == "access" else "",
            title=upper_first(m.say(f"proposed_{key}", thing=name)),
            statement=upper_first(m.say(f"proposed_{key}_text", thing=name)),
            user_story=None
            if key == "access"
            else UserStory(
                as_a=one_of(m.main_actor(), m.lex), i_want=m.say(f"proposed_{key}_want", thing=name)
            ),
            acceptance_criteria=[m.say(f"proposed_{key}_criterion", thing=name)],
            moscow=moscow,
            source="proposed",
            reason=m.say(f"proposed_{key}_why", thing=name),
        )
        for key, name, moscow in rows
    ]


def _entities(m: Material, items: list[Requirement]) -> list[Entity]:
    names = [thing for thing in m.things() if not m.is_product(thing)]
    found = []
    for name in names:
        others = [
            other
            for other in names
            for item in items
            if other != name
            and name.lower() in item.statement.lower()
            and other.lower() in item.statement.lower()
        ]
        named = [
            item.title for item in items if name.lower() in item.statement.lower() and item.source == "stated"
        ]
        found.append(
            Entity(
                name=upper_first(name),
                description=m.say("entity_text", title=m.several(named[:3]) or m.analysis.title),
                relations=unique(others)[:4],
                source="stated",
            )
        )
    return found


def _integrations(m: Material) -> list[Statement]:
    a = m.analysis
    rows = [Statement(text=text, source="stated") for text in a.dependencies]
    rows += [
        Statement(text=name, source="stated", reason=m.say("integration_why"))
        for name, layer in a.technologies
        if layer == "tool"
    ]
    if m.repository:
        rows += [Statement(text=name, source="repository") for name, _ in m.repository.frameworks[:8]]
    return list({row.text: row for row in rows}.values())


def _questions(m: Material, items: Iterable[Requirement]) -> list[str]:
    items = list(items)
    asked = list(m.analysis.questions)
    brief = m.facts.get("brief")
    for goal in brief.goals if isinstance(brief, Brief) else []:
        if not any(goal.id in item.goals for item in items):
            asked.append(m.say("ask_goal_unserved", text=strip_end(goal.text)))
    for item in items:
        lex = lexicon_of(item.statement)
        if (
            item.source == "stated"
            and lex.find("vague", item.statement)
            and not any(c.isdigit() for c in item.statement)
        ):
            asked.append(m.say("ask_vague", text=strip_end(item.statement)))
    asked += [m.say("ask_data", thing=thing) for thing in m.told_things(2)] if m.analysis.thin else []
    return unique(asked)


def _revised(m: Material, previous: Requirements) -> Requirements:
    """All items stay as they are; new ones come for what the feedback asks and the request says but nobody carries."""
    said = [f"{item.statement} {item.quote}" for item in previous.items]
    wanted = not_carried([*requests_in(m), *(need for need in m.analysis.needs if not need.part)], said)
    new: list[Requirement] = []
    for need in wanted:
        if not_carried([need], [item.statement for item in new]):
            new.append(requirement(need, m))
    new = served(new, m) if new else []
    kept = deepened(previous.items, m) if m.facts.get("improve") else list(previous.items)
    items = [*kept, *new]
    asked = _questions(m, items) if new else []
    return previous.model_copy(
        update={"items": items, "open_questions": unique([*previous.open_questions, *asked])}
    )


def deepened(items: list[Requirement], m: Material) -> list[Requirement]:
    """For IMPROVE: items that are weak or named as weak get criteria from their own sentence, and a goal."""
    weak = " ".join(str(piece) for piece in (m.facts.get("improve") or {}).get("weak") or [])
    done = []
    for item in items:
        testable = [c for c in item.acceptance_criteria if is_testable(c)]
        if len(testable) == len(item.acceptance_criteria) > 0 and item.id not in weak:
            done.append(item)
            continue
        need = Need(
            item.statement,
            item.quote or item.statement,
            "functional",
            item.moscow,
            "",
            clause(item.statement, tuple(m.actor_names())),
        )
        made = unique([*testable, *criteria(need, lexicon_of(item.statement))])
        done.append(
            item
            if made == item.acceptance_criteria
            else item.model_copy(update={"acceptance_criteria": made})
        )
    return [a if a.goals or a.moscow == "Won't" else b for a, b in zip(done, served(done, m), strict=True)]
