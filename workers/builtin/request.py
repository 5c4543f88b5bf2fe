"""Takes a request apart: what it asks for, for whom, within which limits, and what it leaves open. Invents nothing."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.domain.clarified import asked_part
from orchestrator.domain.dataclass import replace
from orchestrator.domain.empty_requests import names_nothing
from workers.builtin import names
from workers.builtin.analysis import Actor, Goal, Need, RequestAnalysis, told_whole
from workers.builtin.classify import Reader
from workers.builtin.clauses import clause
from workers.builtin.listed_parts import MAKES, WANTS, listed_parts
from workers.builtin.people import actor_name, is_person
from workers.builtin.phrases import TRIM
from workers.builtin.titles import asked_thing, product_of, title_of_request
from workers.builtin.told_parts import told_parts
from workers.builtin.wishes import doer_of, imperative, same_person
from workers.documents.audience import without_denied
from workers.documents.content import Entity
from workers.documents.forms import form_of
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.outline import readable
from workers.documents.passage import Passage
from workers.documents.passages import passages
from workers.documents.sentences import is_telling, lexicon_for, sentences_of
from workers.documents.stated_data import stated_entities
from workers.documents.technologies import names_alone, technologies

_NAMING = 3  # words from which the thing of a one-line request names all of it
MAX_NEEDS = 2_000  # carried by one specification; it names the others as left out


def _wished(needs: list[Need], goals: list[Goal]) -> list[Need]:
    """What a text wishes for that asks for nothing else: `I wish we knew who waters when`, then its limits."""
    if any(need.kind in ("functional", "nonfunctional") for need in needs):
        return []
    wishes = [
        goal.text
        for goal in goals
        if (lex := lexicon_of(goal.text)).find("want", goal.text) or imperative(goal.text, lex)
    ]
    return [Need(text, text, "functional", "Must", "", clause(text, ()), True) for text in wishes]


def _name_people(users: dict[str, tuple[str, ...]], whole: Need, parts: list[Need], lex: Lexicon) -> None:
    """Give the people who do something in the clauses of a line what they do, instead of the line."""
    for part in parts:
        said = part.clause.actor or doer_of(part.text, lex)
        if said and is_person(said, lex):
            name = next((old for old in users if same_person(actor_name(said), old)), actor_name(said))
            others = (need for need in users.get(name, ()) if need.strip(TRIM) != whole.text.strip(TRIM))
            users[name] = (*others, part.text)


def _parts(need: Need, lex: Lexicon) -> list[Need]:
    """A need of a one-line request with what the line lists or tells of its thing."""
    if need.kind not in ("functional", "nonfunctional"):
        return [need]
    whole = replace(need, kind="functional", category="")  # a thing, whatever it is made with
    listed = listed_parts(whole, lex) if need.by_default or WANTS.match(need.text) else []
    asks = WANTS.match(need.text) or MAKES.match(need.text)
    return [whole, *listed] if listed else told_parts(need, lex) or [whole if asks else need]


def _kept(read: tuple[Passage, ...]) -> Iterator[Entity]:
    """What the request says is kept, with its fields."""
    for entity in stated_entities(read):
        fields = [field for field in entity.fields if field]
        yield Entity(name=entity.name, description=entity.description, attributes=fields, source="stated")


def analyse_request(text: str, language: str | None = None) -> RequestAnalysis:
    """Take a request apart. Deterministic, never raises, invents nothing; works in English and Chinese."""
    lex = lexicon_for(language, text)
    read = passages(text)
    found = list(sentences_of(read))
    reader = Reader(found, read)
    reader.read()
    needs = reader.needs
    asked = asked_part(text)
    own = found if asked == text else list(sentences_of(passages(asked)))
    thin = len({row.quote for row in own}) <= 2 and len(asked) < 600
    form = form_of(text, read)
    answered = any(need.kind == "functional" and need.quote not in asked for need in needs)
    untold = (
        not is_telling(asked) or names_nothing(asked) or lex.find("small_talk", asked.strip()) is not None
    )
    vague = bool(form) or (thin and untold and not answered)
    if form:
        reader = Reader([])
    if vague:
        reader.situation += [need.text for need in needs]
        needs = []
    if thin:
        needs = [piece for need in needs for piece in _parts(need, lex)]
        if whole := told_whole(needs):
            _name_people(reader.users.named, whole, needs[1:], lex)
    if not vague and not form:
        needs += _wished(needs, reader.goals)
    for match in lex.patterns["for_person"].finditer(without_denied(asked)) if thin and not form else ():
        said = next(group for group in match.groups() if group)
        name = actor_name(said) if is_person(said, lex) or lex.language == "zh" else ""
        if name and not any(same_person(name, old) for old in reader.users.named):
            reader.users.named[name] = ()
    actors = tuple(Actor(name, said) for name, said in reader.users.named.items())
    defect = reader.report.defect if reader.report else ""
    title = title_of_request(asked, own or found, read, lex, reader.manual, defect)
    if thin and (whole := told_whole(needs)) and len(whole.title.split()) >= _NAMING:
        title = whole.title
    sayings = [need.text for need in needs if need.kind != "exclusion" and not names_alone(need.text)]
    things = (
        asked_thing(title, lex)
        if thin
        else names.entities(sayings, (*reader.users.named, *reader.users.called))
    )
    plain = readable(text)
    named = {word.lower() for word, _ in technologies(plain)}
    if reader.manual:  # what the manual is about is no thing within it
        named |= {word.lower() for word in title.split()}
    things = tuple(thing for thing in things if thing.strip() and (thin or thing.lower() not in named))
    first = found[0].text if found else text
    return RequestAnalysis(
        product=product_of(title or "-", things, first, reader.manual, thin, lex),
        manual=reader.manual,
        keeps_nothing=lex.find("one_shot", plain[:1_500]) is not None,
        text=text,
        defect=defect,
        language=lex.language,
        title=title or "-",
        needs=tuple(needs[:MAX_NEEDS]),
        beyond=tuple(needs[MAX_NEEDS:]),
        goals=tuple(reader.goals),
        risks=tuple(reader.risks),
        criteria=tuple(reader.criteria),
        form=form,
        done=tuple(dict.fromkeys(reader.done)),
        actors=actors,
        situation=tuple(dict.fromkeys(reader.situation)),
        problems=tuple(text for text in dict.fromkeys(reader.problems) if text in reader.situation),
        dependencies=tuple(dict.fromkeys(reader.dependencies)),
        questions=tuple(dict.fromkeys(reader.questions)),
        entities=things,
        data=() if form else tuple(_kept(read)),
        technologies=technologies(plain),
        domain=names.domain(text, lex, title or "-"),
        thin=thin,
        vague=vague,
        ui=bool(lex.find("ui", text)),
    )
