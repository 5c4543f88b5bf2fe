"""One sentence taken apart: who, what they do, under which condition, measured how."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.builtin.people import actor_name, is_person
from workers.builtin.phrases import TRIM
from workers.documents.lexicon import Lexicon, lexicon_of

_ABLE = expression(r"^(?:also\s+)?(?:not\s+)?(?:be\s+(?:able\s+to|possible\s+to)\s+)?", re.IGNORECASE)
_NEGATED = expression(r"^(?:also\s+)?(not|never)\s+|^不(?!超|少|低|高)", re.IGNORECASE)
_DENIES = expression(  # a modal that says no by itself
    r"\b(?:cannot|can['’]t|mustn['’]t|won['’]t|never|(?:may|must|shall|should|can|could|will|would) not(?: be)?)\s*$|(?:不得|禁止|严禁|不能|不可以?|不允许|不许|不要|别)\s*$",
    re.IGNORECASE,
)
_POLITE = expression(
    r"^(?:(?:and|also|but|plus|oh),? )+(?=(?:if|when|whenever|once|unless|until|as soon as|every time)\s)|^(?:(?:and|also|then),? )*(?:it(?: would|['’]d) be (?:very |really |also )?(?:nice|good|great|useful|helpful|lovely|handy|best) (?:if|when)\s+(?=\w+ \w)|(?:ideally|preferably|if possible|please|optionally|maybe|perhaps),?\s+(?=(?:the|an?|each|every|all|we|they|people)\s|\w+s\s))",
    re.IGNORECASE,
)
_BESIDE = expression(
    r"\b(?:and|or|but)(?: also)?\s*$", re.IGNORECASE
)  # before a modal of a second verb: `sees it and can move it`
_JOINS = expression(
    r"\s*(?:and|or|but)\b", re.IGNORECASE
)  # behind one: `is optional and only the leader sees it`
_ALONE = expression(r"^.*(?:只有|仅有?|只允许|只准)(?=.)")  # who alone may: `订单只有店长`
_GETS = expression(r"^(get|see|receive)s\b", re.IGNORECASE)
_NEVER = expression(r"\s+never$", re.IGNORECASE)
_FORBIDS = expression(  # nobody may; `nobody else` and `nobody but` say who alone may
    r"^(?:(?:and|but|so|also),? )*(?:nobody|no[ -]one|(no (?!more\b|longer\b|less\b|fewer\b|later\b|one\b)[\w-]+(?: [\w-]+){0,2}?)) "
    r"(?:may|can|must|shall|should|(?:is|are) (?:ever )?allowed to)\b(?! (?:have|need) to)"
    r"|^niemand (?:darf|kann|soll)\b|^personne ne (?:peut|doit)\b|^nadie (?:puede|debe)\b"
    r"|^没有?人(?:可以|能)|^(?:任何人|谁)都?(?:不得|不能|不可以?|不允许|不许|禁止|严禁)",
    re.IGNORECASE,
)
_STORY = {
    "en": expression(
        r"(?:as|being|in my (?:role|capacity) as) (?:(?:an?|the|our) )?(?!soon\b|long\b|far\b)[^,.;]{2,60}?,? (?:i|we)(?: also| really| would|['’]d)* (?:want|like|love|need|wish)( to)? "
        r"(?:be able to )?",
        re.IGNORECASE,
    ),
    "zh": expression(r"作为[^，,]{1,12}[，,]\s*我?(?:想要?|希望|需要|要)(?:能够?|可以)?"),
}
_QUOTED = expression(r"[\"“][^\"“”]{3,200}[\"”]")  # what somebody says or reads
_MAY = expression(  # the month
    r"(?:\d{1,2}(?:st|nd|rd|th)?\.? |\b(?:in|by|before|until|till|since|of|from|on|end|mid|early|late|this|next|last)[ -])May\b|\bMay (?:\d{1,2}\b|20\d\d)"
)
_NEEDS_THING = expression(r"\bneeds?\s*$", re.IGNORECASE)  # `need a way to ...`: a thing, not something done


@dataclass(frozen=True, slots=True)
class Clause:
    sentence: str
    language: str
    subject: str = ""
    actor: str = ""  # the subject when it is a person or a group of people
    actions: tuple[str, ...] = ()  # what is done, without subject and modal; one entry for each verb phrase
    conditions: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()  # the parts of the sentence that hold a number or a rhythm
    negated: bool = False
    forbidden: bool = False  # of everybody: `nobody may ...`
    able: bool = False  # "be able to", 能: a capability of the subject

    @property
    def action(self) -> str:
        return self.actions[0] if self.actions else self.sentence.strip(TRIM)


_A_MUST = expression(r"\b(?:an?|the|absolute|real)\s$", re.IGNORECASE)  # before a noun: `that one is a must`


def first_modal(text: str, lex: Lexicon) -> tuple[str, re.Match[str]] | None:
    """The modal of the main clause with its priority; one inside "which/so that" counts only when no other is there."""
    quoted = [match.span() for match in (*_QUOTED.finditer(text), *_MAY.finditer(text))]
    hits = [
        (match, name)
        for name, pattern in lex.modals
        for match in pattern.finditer(text)
        if not any(start <= match.start() < end for start, end in quoted)
        and not _A_MUST.search(text[max(0, match.start() - 10) : match.start()])
    ]
    gain = lex.find("so_that", text) if hits and lex.find("as_a", text) else None
    if gain:  # `so that I do not have to ...` is what a story is for, and nothing that it asks for
        hits = [hit for hit in hits if hit[0].start() < gain.start()]
    if not hits:
        return None
    main = [hit for hit in hits if not lex.find("relative", text[: hit[0].start()])] or hits
    match, name = min(main, key=lambda hit: (hit[0].start(), -hit[0].end()))
    if name != "Must" and (lex.find("restriction", text) or _FORBIDS.match(text)):
        name = "Must"
    return name, match


def clause(sentence: str, known_actors: tuple[str, ...] = ()) -> Clause:
    """Take one requirement sentence apart. Never fails: what is not found stays empty."""
    lex = lexicon_of(sentence)
    whole = unhedged(sentence.strip(TRIM))
    wish = story_wish(whole, lex)
    text, conditions = _conditions(whole if wish is None else wish.text, lex)
    told = lex.find("as_a", text if wish is None else whole)
    who = next((group for group in told.groups() if group), "") if told else ""
    subject, predicate, able = _subject(text, lex) if wish is None else (who, text, True)
    if told and told.start() == 0:
        subject, able = who, True
    elif subject.lower() in ("we", "i", "我们", "我"):
        subject = ""
    if lex.language == "en":
        predicate = re.sub(r",?\s+so that\s.*$", "", predicate)
    negated = bool(_NEGATED.match(predicate) or _DENIES.search(text[: len(text) - len(predicate)].rstrip()))
    subject = _NEVER.sub("", subject)
    actor = actor_name(subject) if is_person(subject, lex) or (who and subject == who) else ""
    if not actor:
        actor = _known(subject, known_actors)
    actions = _actions(_NEGATED.sub("", predicate) if negated else predicate, lex)
    if wish is not None and wish.is_thing:
        actions = ()
    denied = _FORBIDS.match(text)
    forbidden = denied is not None and (not denied[1] or bool(actor))  # `no page may` bounds a thing
    if _NEEDS_THING.search(text[: len(text) - len(predicate)]):
        actions = ()
    if lex.language == "zh":
        actions = tuple(piece for piece in actions if piece not in conditions) or actions
    return Clause(
        sentence=sentence.strip(),
        language=lex.language,
        subject=subject,
        actor="" if forbidden else actor,
        actions=actions,
        conditions=conditions,
        measures=measures(sentence, lex),
        negated=negated or forbidden,
        forbidden=forbidden,
        able=able,
    )


@dataclass(frozen=True, slots=True)
class Wish:
    text: str
    is_thing: bool = False  # `alerts on my phone`, and not what somebody does with them


def story_wish(text: str, lex: Lexicon) -> Wish | None:
    """What a user story asks for, without who wants it and what for; None for another sentence."""
    found = _STORY[lex.language].match(text.strip(TRIM)) if lex.language in _STORY else None
    if found is None:
        return None
    gain = lex.find("so_that", text)
    end = gain.start() if gain and gain.start() > found.end() else len(text)
    wish = text.strip(TRIM)[found.end() : end].strip(TRIM)
    return Wish(wish, lex.language == "en" and not found[1]) if wish else None


def unhedged(text: str) -> str:
    """A sentence without the polite words before its wish: `It would be nice if parents could ...`."""
    return _POLITE.sub("", text) or text


def measures(sentence: str, lex: Lexicon) -> tuple[str, ...]:
    found = [match[0].strip(TRIM) for match in lex.patterns["measure"].finditer(sentence)]
    return tuple(dict.fromkeys(piece for piece in found if any(c.isdigit() for c in piece) or len(piece) > 3))


def _known(subject: str, actors: tuple[str, ...]) -> str:
    low = subject.lower()
    for actor in actors:
        stem = actor.lower().rstrip("s")
        if stem and re.search(rf"(?<![a-z]){re.escape(stem)}s?(?![a-z])", low) and len(low) < len(stem) + 60:
            return (
                actor
                if low.startswith(
                    tuple(f"{word}{stem}" for word in ("", "a ", "an ", "the ", "each ", "every "))
                )
                else ""
            )
    return ""


def _conditions(text: str, lex: Lexicon) -> tuple[str, tuple[str, ...]]:
    conditions = []
    lead = lex.find("lead_condition", text)
    if lead:
        conditions.append(lead[1].strip(TRIM))
        text = lead[2]
    if lex.language == "en":
        conditions += [match[1].strip(TRIM) for match in lex.patterns["condition"].finditer(text)]
    elif not conditions:
        conditions += [
            match[1].strip(TRIM)
            for match in lex.patterns["condition"].finditer(text)
            if not first_modal(match[1], lex)
        ]
    return text, tuple(dict.fromkeys(conditions))


def _subject(text: str, lex: Lexicon) -> tuple[str, str, bool]:
    """(subject, predicate, capability)."""
    modal = first_modal(text, lex)
    match = modal[1] if modal else (lex.weak.search(text) if lex.language == "en" else None)
    if (
        match
        and lex.language == "en"
        and (_BESIDE.search(text[: match.start()]) or _JOINS.match(text[match.end() :]))
    ):
        match = None
    if match and any(span.start() <= match.start() < span.end() for span in _MAY.finditer(text)):
        match = None
    if not match:
        verb = (
            re.match(r"^(.{2,50}?)\s+(?:gets?|sees?|receives?)\s", text, re.IGNORECASE)
            if lex.language == "en"
            else None
        )
        if not verb:
            return "", text, False
        return verb[1], _GETS.sub(r"\1", text[verb.end(1) :].strip(TRIM)), True
    predicate = text[match.end() :].strip(TRIM)
    if not predicate:  # `a list, but that is nice to have`
        return "", text, False
    able = bool(re.match(r"(?:also )?be able to|get\b|see\b", predicate, re.IGNORECASE)) or match[0] in (
        "can",
        "may",
        "可以",
        "能",
    )
    subject = text[: match.start()].strip(TRIM)
    if lex.language == "zh":
        subject = _ALONE.sub("", subject)
        able = able or bool(re.match(r"能够?", predicate))
        predicate = re.sub(r"^(?:能够?|可以)", "", predicate)
    stripped = (
        _ABLE.sub("", predicate)
        if not re.match(r"(?:also\s+)?(?:not|never)\s", predicate, re.IGNORECASE)
        else predicate
    )
    return subject, stripped.strip(TRIM) or text, able


def _actions(predicate: str, lex: Lexicon) -> tuple[str, ...]:
    """Verb phrases of a predicate: a piece that does not begin with a verb belongs to the one before it."""
    if lex.language == "zh":
        pieces = [piece.strip(TRIM) for piece in lex.patterns["parts"].split(predicate)]
        return tuple(piece for piece in pieces if len(piece) > 1) or (predicate,)
    predicate = re.sub(r",?\s+and be able to\s+", ", ", predicate)
    passive = bool(re.match(r"be \w+", predicate, re.IGNORECASE))
    done: list[str] = []
    at = 0
    cuts = [(match.start(), match.end()) for match in lex.patterns["parts"].finditer(predicate)]
    for start, end in cuts:
        word = re.match(r"(?:then |also )?(\w+)", predicate[end:])
        if not word or start <= at or predicate[at:start].count("(") > predicate[at:start].count(")"):
            continue
        token = word[1].lower()
        starts = token in lex.verbs or (passive and re.match(r"\w+ed$|be$|kept$|sent$", token) is not None)
        if starts and not all(
            piece.lower() in lex.verbs for piece in re.findall(r"\w+", predicate[at:start])
        ):
            done.append(predicate[at:start])
            at = end
    done.append(predicate[at:])
    pieces = [piece.strip(TRIM) for piece in done if piece.strip(TRIM)]
    if passive:
        pieces = [piece if piece.lower().startswith("be ") else f"be {piece}" for piece in pieces]
    return tuple(pieces) or (predicate,)
