"""Requirements: one REQ or NFR for each requirement sentence, exclusions as Won't, each tied to a goal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from orchestrator.domain.testable import is_testable
from workers.builtin.amended import amended, ranked, with_criteria, without_old
from workers.builtin.analysis import Need
from workers.builtin.clauses import clause, first_modal
from workers.builtin.criteria import criteria, headline
from workers.builtin.discovery import left_out
from workers.builtin.material import Material
from workers.builtin.names import singular
from workers.builtin.orders import renamed, reworded
from workers.builtin.phrases import best, carries, once, short, strip_end, unique, upper_first
from workers.builtin.revision import lines_of, not_carried, requests_in
from workers.builtin.stories import story
from workers.builtin.uncertain import is_hedged
from workers.builtin.wishes import doer_of, imperative
from workers.documents.budgets import is_of_budget
from workers.documents.content import Discovery, Entity, Requirement, Requirements, Statement
from workers.documents.lexicon import lexicon_of
from workers.documents.reading_words import says
from workers.documents.technologies import names_alone, technologies
from workers.documents.traces import served

_NAMED = 6  # requirements that one question names
_ASKED_LEFT = 12  # sentences that are asked about one by one
_NAME = 16  # characters, half as many words, of a limit that is only named
_LIKE = 0.5  # share of common words from which a criterion without a place belongs to a need


def answer(m: Material) -> Requirements:
    if previous := m.before(Requirements):
        return _revised(m, previous)
    needs = _needs(m)
    own, orphans = _own_criteria(needs, m)
    items = [requirement(need, m, own.get(at, ())) for at, need in enumerate(needs)]
    if m.ask and m.ask.keep and needs:
        items.append(_kept(m))
    items = traced(items, m)
    return Requirements(
        summary="",
        items=items,
        entities=_entities(m, items),
        integrations=_integrations(m),
        open_questions=[
            *left_out(m),
            *_questions(m, items),
            *(m.say("ask_criterion", text=strip_end(text)) for text in orphans),
            *(m.say("ask_left", text=text) for text in _left(m)),
        ],
    )


def _left(m: Material) -> list[str]:
    """Sentences of the request of which the discovery made nothing, by its ledger."""
    found = m.given(Discovery)
    return found.fates.left[:_ASKED_LEFT] if found else []


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
            place = int(key) if share >= _LIKE or len(choices) == 1 else None
        if place is None:
            orphans.append(row.text)
        else:
            own.setdefault(place, []).append(row.text)
    return own, orphans


def _needs(m: Material) -> list[Need]:
    """Needs of the request, and those another agent's discovery saw in it besides."""
    needs = [need for need in m.analysis.needs if not names_limit(need)]
    if found := m.given(Discovery):
        limits = {need.text for need in m.analysis.needs if names_limit(need)}
        said = {piece for need in needs for piece in (need.text, need.quote)}
        for row in found.requirements:
            if row.text in said:
                continue
            if row.kind == "constraint" and row.text in limits:
                continue
            known = clause(row.text, tuple(m.actor_names()))
            need = Need(row.text, row.text, row.kind, row.moscow, row.category, known)
            if not_carried([need], [piece for old in needs for piece in (old.text, old.quote)]):
                needs.append(need)
    return [*needs, *not_carried(_requests(m), [need.text for need in needs])]


def _requests(m: Material) -> list[Need]:
    """What the feedback asks for that a requirement can state: no budget."""
    return [need for need in requests_in(m) if not is_of_budget(need.text)]


def names_limit(need: Need) -> bool:
    """Whether it fixes what is around the work and nothing in it: a budget, a day, or a bare name (`Python`).

    It is a constraint of the brief, and nobody's story.
    """
    lex = lexicon_of(need.text)
    if need.kind == "constraint" and names_alone(need.text):
        return True
    if need.kind == "constraint" and says("due", need.text):
        return True
    if need.kind == "constraint" and lex.find("around", need.text) and not lex.find("inside", need.text):
        return True
    if need.kind != "constraint" or not need.by_default or need.text.rstrip().endswith((".", "。")):
        return False
    if lex.language == "zh":
        return len(need.text) <= _NAME and bool(technologies(need.text)) and not imperative(need.text, lex)
    does = (
        need.clause.actor
        or doer_of(need.text, lex)
        or imperative(need.text, lex)
        or lex.weak.search(need.text)
    )
    return not does and len(need.text.split()) <= _NAME // 2


def requirement(need: Need, m: Material, own: Sequence[str] = ()) -> Requirement:
    """One need as a requirement with its story and criteria: the request's own, else what its sentence says."""
    m.check()
    lex = lexicon_of(need.text)
    excluded = need.kind == "exclusion"
    nonfunctional = need.kind == "nonfunctional" and bool(need.category)
    accepted = unique(own) or ([need.shown] if need.shown else criteria(need, lex))
    if m.ask and not own and not need.part and need.text in m.analysis.text:
        is_wrong = m.ask.kind == "fix" and first_modal(need.text, lex) is None  # it says what must not be so
        valued = any(c.isdigit() for c in need.text) or not need.by_default
        said = accepted if valued and not is_wrong else []
        proposed = [lex.say("criterion_proposed", text=strip_end(text)) for text in m.ask.criteria]
        accepted = unique([*said, *proposed])
    return Requirement(
        kind="nonfunctional" if nonfunctional else "functional",
        category=need.category if nonfunctional else "",
        title=short(need.title or (strip_end(m.statement(need)) if need.part else headline(need, lex))),
        statement=m.statement(need),
        user_story=None if excluded or nonfunctional or need.kind == "constraint" else story(need, m),
        acceptance_criteria=accepted,
        moscow=need.moscow,
        release=need.release if re.search(r"\w", need.release) else "",
        quote=need.quote,
        source="stated",
    )


def traced(items: list[Requirement], m: Material) -> list[Requirement]:
    """Tie each requirement to the goals that its words serve; one proposed goal is what all of a short request is for."""
    goals = m.goals
    if len(goals) == 1 and goals[0].source == "proposed":
        serving: list[tuple[int, ...]] = [(0,) for _ in items]
    else:
        serving = served(
            [f"{item.title} {item.statement} {' '.join(item.acceptance_criteria)}" for item in items],
            [f"{goal.text} {goal.metric}" for goal in goals],
            things=m.analysis.entities,
            ignored=[*m.actor_names(), m.product],
        )
    features = {m.statement(need): need.parent for need in m.analysis.needs if need.parent}
    first: dict[
        str, tuple[int, ...]
    ] = {}  # what its first statement serves, the rest of a feature serves too
    for item, mine in zip(items, serving, strict=True):
        if item.statement in features:
            first.setdefault(features[item.statement], mine[:1])
    return [
        item
        if item.goals or item.moscow == "Won't"
        else item.model_copy(
            update={"goals": [goals[at].id for at in mine or first.get(features.get(item.statement, ""), ())]}
        )
        for item, mine in zip(items, serving, strict=True)
    ]


def _kept(m: Material) -> Requirement:
    """What a request that changes something has to leave as it is."""
    assert m.ask is not None
    title, statement, criterion, reason = m.ask.keep
    return Requirement(
        title=title,
        statement=statement,
        acceptance_criteria=[criterion],
        moscow="Must",
        source="proposed",
        reason=reason,
    )


def _entities(m: Material, items: list[Requirement]) -> list[Entity]:
    found = list(m.analysis.data)
    kept = {singular(entity.name.lower()) for entity in found}
    names = [thing for thing in m.things() if not m.is_product(thing) and singular(thing.lower()) not in kept]
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
                description=m.say("entity_text", title=m.several(named[:3])) if named else "",
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
    return once(rows)


def _questions(m: Material, items: Iterable[Requirement]) -> list[str]:
    items = [item for item in items if item.moscow != "Won't"]
    asked = list(m.analysis.questions)
    for goal in m.goals:
        if not any(goal.id in item.goals for item in items):
            asked.append(m.say("ask_goal_unserved", text=strip_end(goal.text)))
    free = [item for item in items if m.goals and not item.goals]
    bare = [item for item in items if not item.acceptance_criteria]
    due = [item for item in bare if item.moscow in ("Must", "Should")]
    asked += [_criterion_asked(item.statement, m) for item in due]
    bare = [item for item in bare if item not in due]
    asked += [
        m.say(key, texts=m.several(f"“{item.title}”" for item in rows[:_NAMED]), more=_more(m, rows))
        for key, rows in (("ask_goal_of", free), ("ask_criteria", bare))
        if rows
    ]
    for item in items:
        vague = lexicon_of(item.statement).find("vague", item.statement)
        if item.source == "stated" and vague and not any(c.isdigit() for c in item.statement):
            asked.append(m.say("ask_vague", text=strip_end(item.statement)))
    return unique(asked)


def _criterion_asked(statement: str, m: Material) -> str:
    return m.say("ask_criteria", texts=strip_end(statement), more="")


def _more(m: Material, rows: list[Requirement]) -> str:
    return m.say("and_more") if len(rows) > _NAMED else ""


def _revised(m: Material, previous: Requirements) -> Requirements:
    """Items stay as they are, but for numbers that the feedback changes; new ones come for what it asks besides, and for
    what the request says but nobody carries."""
    lines = [line for line in lines_of(m.feedback) if not is_hedged(line)]
    stood = {item.id: item.statement for item in previous.items}
    items, told = amended(previous.items, lines)
    before = {item.id: item.moscow for item in items}
    items, _ = ranked(items, lines)
    items = [_wanted_again(item, m) if before[item.id] == "Won't" != item.moscow else item for item in items]
    items, given = with_criteria(items, lines)
    items, _ = renamed(items, lines)
    words, anew = reworded(items, lines)
    items = [_reworded(item, words[item.id], m) if item.id in words else item for item in items]
    previous = previous.model_copy(update={"items": items})
    said = [*told, *anew, *(f"{item.statement} {item.quote}" for item in previous.items)]
    asked = [need for need in m.analysis.needs if not need.part and not names_limit(need)]
    aims = [f"{goal.text} {goal.target}" for goal in m.goals]
    wanted = [need for need in _requests(m) if not any(carries(without_old(need.text), aim) for aim in aims)]
    wanted = not_carried(wanted, said)
    wanted += not_carried(asked, [*said, *_delivered(m)])
    new: list[Requirement] = []
    for need in wanted:
        if not_carried([need], [item.statement for item in new]):
            new.append(requirement(need, m))
    new = traced(new, m) if new else []
    kept = deepened(previous.items, m) if m.facts.get("improve") else list(previous.items)
    items = [*kept, *new]
    out = [item for item in items if item.moscow == "Won't" != before.get(item.id, "Won't")]
    dead = {_criterion_asked(item.statement, m) for item in out}
    now = {_criterion_asked(stood[i.id], m): _criterion_asked(i.statement, m) for i in items if i.id in stood}
    open_ = [now.get(text, text) for text in previous.open_questions if text not in dead]
    asks = _questions(m, items) if new or given else []
    if given:  # what still lacks a criterion is asked for anew
        begins = m.lex.wording["ask_criteria"].partition("{")[0]
        open_ = [text for text in open_ if not text.startswith(begins)]
        asks = asks if new else [text for text in asks if text.startswith(begins)]
    return previous.model_copy(update={"items": items, "open_questions": unique([*open_, *asks])})


def _delivered(m: Material) -> list[str]:
    """What the version before said as it was written: what a person has changed of it since is not asked for again."""
    found = m.facts.get("delivered")
    return (
        [f"{item.statement} {item.quote}" for item in found.items] if isinstance(found, Requirements) else []
    )


def _reworded(item: Requirement, text: str, m: Material) -> Requirement:
    """A requirement in other words: what was made of its sentence is made anew; its place and priority stay."""
    if item.statement == text:
        return item
    return _anew(item, text, m)


def _wanted_again(item: Requirement, m: Material) -> Requirement:
    """A requirement that was ruled out and is asked for now, with the story and the criteria that it lacked."""
    made = _anew(item, item.statement, m)
    update = {"user_story": made.user_story, "acceptance_criteria": made.acceptance_criteria}
    return item.model_copy(update=update if not item.acceptance_criteria else {})


def _anew(item: Requirement, text: str, m: Material) -> Requirement:
    need = Need(text, text, "functional", item.moscow, item.category, clause(text, tuple(m.actor_names())))
    made = requirement(need, m)
    kept = {"id": item.id, "kind": item.kind, "category": item.category, "moscow": item.moscow}
    return made.model_copy(
        update={**kept, "goals": item.goals, "release": item.release, "source": item.source}
    )


def deepened(items: list[Requirement], m: Material) -> list[Requirement]:
    """For IMPROVE: items that are weak or named as weak get criteria from their own sentence, and a goal."""
    weak = " ".join(str(piece) for piece in (m.facts.get("improve") or {}).get("weak") or [])
    done = []
    for item in items:
        testable = [c for c in item.acceptance_criteria if is_testable(c)]
        sound = len(testable) == len(item.acceptance_criteria) > 0 and item.id not in weak
        if sound or item.moscow == "Won't":
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
    return traced(done, m)
