"""Requirements: one REQ or NFR for each requirement sentence, exclusions as Won't, each tied to a goal."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from orchestrator.domain.patterns import expression
from orchestrator.domain.testable import is_testable
from orchestrator.domain.tongues import tongue
from workers.builtin.amended import amended, ranked, with_criteria
from workers.builtin.clauses import clause, story_wish
from workers.builtin.criteria import SYSTEM, base, criteria, headline
from workers.builtin.cues import DUE
from workers.builtin.discovery import left_out
from workers.builtin.language import Lexicon, lexicon_of
from workers.builtin.material import Material
from workers.builtin.names import singular
from workers.builtin.orders import renamed, reworded
from workers.builtin.phrases import best, lower_first, short, strip_end, unique, upper_first
from workers.builtin.request import Need
from workers.builtin.revision import lines_of, not_carried, requests_in
from workers.builtin.short_names import infinitive, stated, wished
from workers.builtin.wishes import doer_of, imperative, is_reserved, same_person
from workers.documents.content import (
    Discovery,
    Entity,
    Requirement,
    Requirements,
    Statement,
    UserStory,
)
from workers.documents.reading_words import statement_words
from workers.documents.technologies import names_alone, technologies
from workers.documents.traces import served

_MADE = expression(
    r"^(?:please\s+)?(?:(?:i|we)\s+(?:want|need|would like)\s+(?:to\s+)?)?"
    r"(?:(?:build|create|make|write|develop|implement|design)\s+(?:me |us )?)?(?=(?:an?|the|our|my)\s)",
    re.IGNORECASE,
)
_LACKS = expression(
    r"^.{0,80}?\bneeds?\s((?:an?|some|the)\s.+)$", re.IGNORECASE | re.DOTALL
)  # `The office needs a list`
_RESUMED = expression(  # a subject that ends in the subject of another clause: `Scanners that we`
    r"\b(?:and|so|but|that|which|who|whom|where|when),? (?:they|it|we|you|i|he|she|this|that|these)$",
    re.IGNORECASE,
)
_NAMED_THING = expression(  # `csv data export`: a thing, of which nothing is told
    r"(?!.*\b(?:is|are|was|were|be|do|does|did|has|have|can|cannot|could|may|will|would|must|should|shall|not)\b)(?:[\w/+#-]+ ){0,5}[\w-]*(?:export|import|support|toggle|mode|button|page|view|list|filter|search|report|option|setting|integration|notification|login|dashboard|menu|command|api|tion|ment)s?[.]?",
    re.IGNORECASE,
)
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
    return [*needs, *not_carried(requests_in(m), [need.text for need in needs])]


def names_limit(need: Need) -> bool:
    """Whether it fixes what is around the work and nothing in it: a budget, a day, or a bare name (`Python`).

    It is a constraint of the brief, and nobody's story.
    """
    lex = lexicon_of(need.text)
    if need.kind == "constraint" and names_alone(need.text):
        return True
    if need.kind == "constraint" and DUE.match(need.text):
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
        said = accepted if any(c.isdigit() for c in need.text) or not need.by_default else []
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


def story(need: Need, m: Material) -> UserStory:
    c = need.clause
    lex = lexicon_of(need.text)
    beside = re.sub(r"\s*[(（][^()（）]*[)）]", "", need.text)
    named = next((name for name in m.actor_names() if _mentions(beside, name)), "")
    so = lex.find("so_that", need.text)
    befalls = any(action.startswith("be ") for action in c.actions)  # nobody wants what happens to them
    anyone = c.subject.lower() in statement_words("anyone")
    reserved = is_reserved(need.text)
    acts = (c.actor or anyone) and c.actions and not befalls and not c.negated and not reserved
    who = c.actor or named or m.main_actor()
    if lex.language != "zh" and tongue(need.text):  # no rule here inflects its words
        return UserStory(
            as_a=who[:1] + one_of(who, lex)[1:], i_want=lex.say("story_want_limit", text=strip_end(need.text))
        )
    plain = (
        ""
        if reserved or (acts and not re.search(r"\b(?:and|or|but) (?:also )?(?:can|may|could) ", c.action))
        else _plain(need, who, lex)
    )
    told = story_wish(need.text, lex)
    if told is not None:
        want = told.text if told.is_thing else _infinitive(c.actions or [told.text], lex)
    else:
        want = plain or (_infinitive(c.actions, lex) if acts else _wanted(need, lex, m))
    return UserStory(as_a=one_of(who, lex), i_want=want, so_that=strip_end(so[1]) if so else "")


def _plain(need: Need, who: str, lex: Lexicon) -> str:
    """What is wanted by a statement without a modal verb; empty for another one."""
    if need.clause.subject and not need.by_default and not wished(need.text):
        return ""
    told = stated(need.text, lex)
    own = told is not None and same_person(_bare(told.subject), _bare(who))
    welcome = statement_words("welcome")
    acting = own and told is not None and (not told.verb.startswith("be ") or told.verb[3:] in welcome)
    return infinitive(need.text, lex, acting=acting)


def _bare(name: str) -> str:
    return re.sub(r"^(?:the|an?|each|every|all) ", "", name.lower())


_PEOPLE = expression(r"(\s(?:of|in|at|on|with|from|for|who|that|and|or)\s)")


def one_of(people: str, lex: Lexicon) -> str:
    """One of a group of people, as a story has them: `Patients` -> `patient`, `members of a team` -> `member of a team`."""
    if lex.language != "en":
        return people
    parts = _PEOPLE.split(people)
    named = [at for at in range(0, len(parts), 2) if at == 0 or parts[at - 1].strip() in ("and", "or")]
    parts = [singular(part) if at in named else part for at, part in enumerate(parts)]
    return lower_first("".join(parts))


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
    if c.negated or is_reserved(need.text):
        return lex.say("story_want_limit", text=lower_first(strip_end(need.text)))
    thing = _LACKS.match(need.text) if lex.language == "en" else None
    if thing:
        return strip_end(thing[1])
    if _NAMED_THING.fullmatch(need.text) and not imperative(need.text, lex):
        return strip_end(need.text)
    if not c.subject or not c.actions or _RESUMED.search(c.subject):
        return lex.say("want_text", text=lower_first(strip_end(need.text)))
    subject = lex.say("system") if c.subject.lower() in SYSTEM else lower_first(c.subject)
    pieces = [strip_end(action).removeprefix("to ") for action in c.actions]
    return lex.say(
        "want_system", subject=subject, action="，".join(pieces) if lex.language == "zh" else lex.join(pieces)
    )


def _mentions(text: str, name: str) -> bool:
    return name.lower().rstrip("s") in text.lower()


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
    return list({row.text: row for row in rows}.values())


def _questions(m: Material, items: Iterable[Requirement]) -> list[str]:
    items = [item for item in items if item.moscow != "Won't"]
    asked = list(m.analysis.questions)
    for goal in m.goals:
        if not any(goal.id in item.goals for item in items):
            asked.append(m.say("ask_goal_unserved", text=strip_end(goal.text)))
    free = [item for item in items if m.goals and not item.goals]
    bare = [item for item in items if not item.acceptance_criteria]
    musts = [item for item in bare if item.moscow == "Must"]
    asked += [m.say("ask_criteria", texts=strip_end(item.statement), more="") for item in musts]
    bare = [item for item in bare if item not in musts]
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


def _more(m: Material, rows: list[Requirement]) -> str:
    return m.say("and_more") if len(rows) > _NAMED else ""


def _revised(m: Material, previous: Requirements) -> Requirements:
    """Items stay as they are, but for numbers that the feedback changes; new ones come for what it asks besides, and for
    what the request says but nobody carries."""
    lines = lines_of(m.feedback)
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
    wanted = not_carried([*requests_in(m), *asked], said)
    new: list[Requirement] = []
    for need in wanted:
        if not_carried([need], [item.statement for item in new]):
            new.append(requirement(need, m))
    new = traced(new, m) if new else []
    kept = deepened(previous.items, m) if m.facts.get("improve") else list(previous.items)
    items = [*kept, *new]
    out = [item for item in items if item.moscow == "Won't" != before.get(item.id, "Won't")]
    dead = {m.say("ask_criteria", texts=strip_end(item.statement), more="") for item in out}
    open_ = [text for text in previous.open_questions if text not in dead]
    asks = _questions(m, items) if new or given else []
    if given:  # what still lacks a criterion is asked for anew
        begins = m.lex.wording["ask_criteria"].partition("{")[0]
        open_ = [text for text in open_ if not text.startswith(begins)]
        asks = asks if new else [text for text in asks if text.startswith(begins)]
    return previous.model_copy(update={"items": items, "open_questions": unique([*open_, *asks])})


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
