"""Takes a request apart: what it asks for, for whom, within which limits, and what it leaves open. Invents nothing."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from orchestrator.domain.clarified import asked_part
from orchestrator.domain.empty_requests import names_nothing
from orchestrator.domain.generic_titles import without_mark
from orchestrator.domain.patterns import expression
from orchestrator.domain.tongues import tongue
from workers.builtin import names
from workers.builtin.analysis import Actor, Goal, Need, RequestAnalysis
from workers.builtin.classify import Reader
from workers.builtin.clauses import clause
from workers.builtin.language import Lexicon, lexicon_of
from workers.builtin.listed_parts import listed_parts
from workers.builtin.manuals import subject_of
from workers.builtin.people import actor_name, is_person
from workers.builtin.phrases import TRIM, upper_first
from workers.builtin.polite import polite_wish
from workers.builtin.sentences import UNREAD, Sentence, is_telling, lexicon_for, sentences_of
from workers.builtin.wishes import imperative, same_person
from workers.documents.audience import without_denied
from workers.documents.content import Entity
from workers.documents.forms import form_of
from workers.documents.outline import readable
from workers.documents.passage import ASKED, SKIPPED, Passage
from workers.documents.passages import passages
from workers.documents.reading_words import label_role, role_of, statement_words
from workers.documents.stated_data import stated_entities
from workers.documents.stated_name import called_name, can_name, headed_name
from workers.documents.technologies import names_alone, technologies
from workers.documents.words import spoken

MAX_NEEDS = 2_000  # carried by one specification; it names the others as left out
_SOMEBODY = r"(?:(?:could|can|would) (?:someone|somebody|anyone|you|we)(?: please)?\s+)?"
_MAKE = expression(
    rf"^(?:please\s+)?{_SOMEBODY}(?:(?:i|we)\s+(?:want|need|would like)\s+(?:to\s+)?)?"
    r"(?:(?:build|create|make|write|develop|implement|design)\s+(?:me |us )?)?(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
_ARTICLED = expression(
    r"^(?:please\s+)?(?:(?:i|we)\s+(?:want|need|would like)\s+(?:to\s+)?)?"
    r"(?:(?:build|create|make|write|develop|implement|design)\s+(?:me |us )?)?(an?|the|our|my|your)\s+\S",
    re.IGNORECASE,
)
_SUBJECT = expression(  # of a mail
    r"(?:^|\n)(?:Subject|Betreff|Objet|Asunto|主题|件名)[:：]\s*(?:(?:Re|Fwd?|AW|WG)[:：]\s*)*(\S[^\n]*)",
    re.IGNORECASE,
)
_THING = expression(
    r"\b(?:needs?|wants?|would like|are looking for|am looking for)\s+(?:to (?:have|build|get|create|make)\s+)?(?:an?|some)\s+(?:new\s+|simple\s+)?(.+)$",
    re.IGNORECASE,
)
_THING_HAN = expression(
    r"(?:我们?|店里|公司|学校|社区)(?:现在|很|都)?(?:需要|想要?|希望有?|打算|计划|要)(?:做|有|开发|搭建|建)?一[个套款份]([^，。,；、]{2,20}?)(?=[，。,；]|$)"
)
_HEADINGS = 3  # that may say its name
_OPENING, _NAME = 8, 8  # sentences in which a text says what it asks for; words of its name
_LINE, _LONGEST = 10, 110  # words of a title that stands as a line; characters of a title
_NO_OBJECT = expression(r"^(?:please |now |just )*\w+ (?:it|this|that|these|those|them|all)\b", re.IGNORECASE)
_PRONOUNS = (["it"], ["them"], ["us"], ["sure"])
_WISH_ELSEWHERE = expression(  # what leads to a wish in a language without a lexicon
    r"^(?:(?:bitte|s['’]il vous plaît|por favor|per favore),?\s+)?(?:(?:il )?(?:faudrait|faut) qu(?:e\s+|['’])|(?:ce|il) serait (?:bien|utile|souhaitable) qu(?:e\s+|['’])|(?:hay|habría) que\s+|sería (?:bueno|útil) que\s+|bisognerebbe che\s+|es wäre (?:schön|gut|toll|hilfreich),?\s+wenn\s+|wir (?:brauchen|möchten|wollen|hätten gern)\s+|nous (?:voulons|voudrions|souhaitons|aimerions)\s+|(?:necesitamos|queremos|vorremmo|queremos|precisamos de)\s+)",
    re.IGNORECASE,
)
_NEXT_CLAUSE = expression(
    r"[,;:(]\s|\s(?:tant qu|sauf|mais|afin|lorsqu|quand|parce qu|puisqu|si\b|wenn|aber|falls|solange|damit|dass|weil|sobald|sondern|pero|aunque|salvo|mientras|cuando|porque|para que|quando|perché|finché|purché|mas\b)",
    re.IGNORECASE,
)


def _title(
    text: str, found: list[Sentence], read: tuple[Passage, ...], lex: Lexicon, manual: bool, defect: str
) -> str:
    named = subject_of(found) if manual else None
    if named:
        return named[0]
    stated = next((passage.text for passage in read if passage.role == "name"), "") or next(
        (name for row in found[:_OPENING] if (name := called_name(row.text))), ""
    )
    first_headings = [passage.block.text for passage in read if passage.block.kind == "heading"][:_HEADINGS]
    stated = stated or next((name for text in first_headings if (name := headed_name(text))), "")
    if stated:
        return spoken(stated)[:120]
    found = [row for row in found if can_name(row.text)] or found
    content = [passage.block for passage in read if passage.block.kind not in ("front", "message")]
    tops = [block for block in content if block.kind == "heading" and block.level == 1][:1]
    headings = [
        block
        for block in content
        if can_name(block.text) and block.kind == "heading" and block in (*tops, content[0])
    ]
    heading = next(
        (block.text for block in headings if not _is_section(without_mark(block.text), block in tops)), ""
    )
    if heading:
        bare = without_mark(spoken(heading))
        return (bare if bare == heading else upper_first(bare))[:120]
    subject = next((_SUBJECT.match(p.block.text) for p in read if p.block.kind == "message"), None)
    if subject:
        return upper_first(subject[1].strip())[:120]
    line = _title_line(read)
    if line or defect:
        return textwrap.shorten(upper_first(spoken(line or defect)).rstrip(TRIM), _LONGEST, placeholder="…")
    made = _needed(found, lex)
    if made:
        return upper_first(made)
    is_long = len({row.quote for row in found}) > 2
    told = _asking(found, lex) if is_long else found
    first = spoken(told[0].text).strip(TRIM) if told else text.strip()[:80]
    polite = polite_wish(told[0].text) if told else None
    first = spoken(polite.text).strip(TRIM) if polite else first
    if lex.language == "zh":
        for_whom = re.match(
            r"^(?:请|帮我)?(?:为|给).{1,14}?(?:做|写|开发|设计|搭建|实现|增加|添加|加上)(?:一?[个套款](?!体|人))?(.+)$",
            first,
        )
        short = (
            for_whom[1]
            if for_whom
            else re.sub(
                r"^(?:请|帮我|我们|想要?|需要|(?:用|使用|基于)[A-Za-z0-9 .+#-]{1,20})*(?:做|写|开发|设计|搭建|实现)(?:一?[个套款](?!体|人))?",
                "",
                first,
            )
        )
        return re.split(r"[,，。;；]", short)[0][:40] or first[:40]
    short = _WISH_ELSEWHERE.sub("", first) if tongue(first) else _MAKE.sub("", first)
    if short.split()[:1] in _PRONOUNS:
        short = first  # "Make it better" names nothing without its verb
    pieces = re.split(r"[.,;:]\s(?![^()]*\))|\s[-–—]\s|\s(?:so that|which|because)\s", short)
    short = pieces[0] if len(pieces[0].split()) > 1 else short
    words = short.split()
    kept = words[:12]
    leads_on = statement_words("ends_thing") | {"a", "an", "the"}
    while len(kept) < len(words) and kept[-1].lower() in leads_on:
        kept.pop()
    if len(kept) < len(words) and tongue(first):  # no clause is cut before its negation
        kept = _NEXT_CLAUSE.split(" ".join(words), maxsplit=1)[0].split()
    title = (" ".join(kept) or first[:80])[:100]
    if title.count("(") > title.count(")"):  # cut within what stands in brackets
        title = title[: title.rindex("(")].rstrip(TRIM) or title
    return title if len(found) <= 2 else upper_first(title)


def _asking(found: list[Sentence], lex: Lexicon) -> list[Sentence]:
    """The sentences of a longer text that may name it, best first: a step or a wish of a list is not the whole."""
    prose = [row for row in found if not row.item] or found
    prose = [row for row in prose if row.role in ASKED] or prose
    orders = [row for row in prose[:_OPENING] if imperative(row.text, lex) or polite_wish(row.text)]
    return [row for row in orders if not _NO_OBJECT.match(row.text)] or prose


def _is_section(heading: str, top: bool) -> bool:
    """Whether a heading names a section and not the whole; one above all others may end in a word that does."""
    return bool(role_of(heading)) and not (top and len(heading.split()) > 3 and not label_role(heading))


def _title_line(read: tuple[Passage, ...]) -> str:
    """The first line of a text when it stands alone above the rest and is no sentence, as titles of issues do."""
    content = [one for one in read if one.block.kind not in ("front", "message") and one.role not in SKIPPED]
    if len(content) < 3 or content[0].block.kind != "paragraph":
        return ""
    said = without_mark(content[0].text.strip())
    stands = 1 < len(said.split()) <= _LINE and said[-1:].isalnum() and not re.search(r"[.:!?]\s", said)
    return (
        said if stands and can_name(said) and not _MAKE.match(said) else ""
    )  # `Build a ...` asks for a thing


def _needed(found: list[Sentence], lex: Lexicon) -> str:
    """What the first sentence of a longer text that asks for a thing calls it: `We need a register of keys that ...`."""
    if len(found) <= 2:
        return ""
    if lex.language == "zh":
        opening = (row.text for row in found[:_OPENING] if not row.item and not row.role)
        return next((match[1] for text in opening if (match := _THING_HAN.search(text))), "")
    prose = frozenset({"", "background", "problem"})
    asks = (_THING.search(row.text) for row in found[:_OPENING] if not row.item and row.role in prose)
    said = next((match[1] for match in asks if match), "")
    named = re.split(r"[,.;:(]|\s(?:that|which|where|so|because|who|and|but|when|if)\s", said)[0]
    return " ".join(named.split()[:_NAME]) if len(named.split()) > 1 else ""


def _product(title: str, things: tuple[str, ...], first: str, manual: bool, thin: bool, lex: Lexicon) -> str:
    """How a sentence speaks of what is asked for; empty when the request has no short noun for it."""
    if lex.language == "zh":
        return title
    if manual and len(title.split()) <= 3:
        return title
    articled = _ARTICLED.match(first)
    if thin and articled and things:
        word = articled[1].lower()
        return f"{'the' if word in ('a', 'an') else word} {things[0]}"
    return lex.say("change") if thin and title.split()[0].lower() in lex.verbs else ""


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


def _kept(read: tuple[Passage, ...]) -> Iterator[Entity]:
    """What the request says is kept, with its fields."""
    for entity in stated_entities(read):
        fields = [field for field in entity.fields if field]
        yield Entity(name=entity.name, description=entity.description, attributes=fields, source="stated")


def _asked_thing(title: str, lex: Lexicon) -> tuple[str, ...]:
    """What a one-line request is about: the noun phrase after its verb."""
    if lex.language == "zh":
        bare = re.sub(r"^带有?.+?的", "", title)
        return (re.split(r"[,，。]", bare)[0][:20],)
    words = title.split()
    if len(words) > 1 and words[0].lower() in lex.verbs:
        words = words[1:]
    while len(words) > 1 and words[0].lower() in ("the", "a", "an", "our", "my", "your", "from", "to"):
        words = words[1:]
    ends = statement_words("ends_thing")
    stop = next((i for i, word in enumerate(words) if i and word.lower().strip(TRIM) in ends), len(words))
    return (" ".join(words[: min(stop, 4)]).strip(TRIM) or title,)


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
        needs = [
            piece
            for need in needs
            for piece in (
                need,
                *(listed_parts(need, lex) if need.kind == "functional" and need.by_default else []),
            )
        ]
    if not vague and not form:
        needs += _wished(needs, reader.goals)
    told = "\n".join(passage.block.text for passage in read if passage.role not in UNREAD)
    for pattern, whole in () if form else (("as_a", told), ("for_person", asked if thin else "")):
        for match in lex.patterns[pattern].finditer(without_denied(whole)):
            said = next(group for group in match.groups() if group)
            if pattern == "as_a" or is_person(said, lex) or lex.language == "zh":
                name = actor_name(said)
                if (
                    name
                    and name not in ("我们", "我", "大家", "自己")
                    and not any(same_person(name, old) for old in reader.users.named)
                ):
                    reader.users.named[name] = ()
    actors = tuple(Actor(name, said) for name, said in reader.users.named.items())
    defect = reader.report.defect if reader.report else ""
    title = _title(asked, own or found, read, lex, reader.manual, defect)
    sayings = [need.text for need in needs if need.kind != "exclusion" and not names_alone(need.text)]
    things = (
        _asked_thing(title, lex)
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
        product=_product(title or "-", things, first, reader.manual, thin, lex),
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
