"""The parts that a one-line request lists: `a URL shortener with an admin dashboard`, `a tool that reads X and prints Y`.

A part that nobody asked for is worse than none: unless the line asks for a thing, names it in a plain noun phrase, and lists
nothing but nouns (or, behind "that", nothing but verbs) it stays whole.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.builtin.analysis import Need
from workers.builtin.clauses import Clause
from workers.builtin.people import is_person
from workers.builtin.phrases import TRIM
from workers.builtin.verb_forms import names_verb
from workers.builtin.wishes import imperative
from workers.documents.lexicon import Lexicon
from workers.documents.reading_words import statement_words
from workers.documents.technologies import technologies

_PAIR = expression(  # one thing, though its name joins two words
    r"\b(?:drag and drop|copy and paste|cut and paste|search and replace|find and replace|point and click|black and white|terms and conditions|questions and answers|read and write|back and forth|trial and error|click and collect|pick and place|research and development)\b",
    re.IGNORECASE,
)
_AND = "\0"
_THAT = expression(r"\s(?:that|which)\s+(?=\w+s\s)", re.IGNORECASE)
_ADDED = expression(r",\s+with\s+(?=an?\s)", re.IGNORECASE)  # `merge two records, with a preview`
_THAT_IT = expression(r"^(?:that|which)\s+(?=\w+s\s)", re.IGNORECASE)
_PURPOSE = expression(r"\s+so(?: that)?\s.*$", re.IGNORECASE)
_BOUND = expression(
    r"^an? (?:\w+ )?(?:maximum|minimum|limit|cap|deadline|budget|timeout|target|goal|focus|few|lot|bit|little|total|probability|chance|view|hint|hope)\b",
    re.IGNORECASE,
)
ASKS = expression(  # whoever asks for a thing that is then named
    r"^(?:please |kindly |now |also |so )*(?:(?:(?:i|we)(?:['’]d| would)? (?:want|need|like)(?: you)?(?: to)?|(?:can|could|would) you(?: please)?|let['’]s|let us) )?"
    r"(?:(?:build|create|develop|implement|design|write|code|program|add|introduce|set up) (?:me |us |for us )?|make (?:me |us |for us )?(?=an? |the )|(?=an? ))",
    re.IGNORECASE,
)
WANTS = expression(r"^(?:i|we) (?:need|want|would like) (?:an?|some) ", re.IGNORECASE)
MAKES = expression(
    r"^(?:please )?(?:build|create|develop|implement|design|write|make)(?: me| us)? (?:an?|some) ",
    re.IGNORECASE,
)
_THING = expression(  # a noun phrase without anything between its words, but for what it is made in
    r"(?:(?:an?|the|our|my|your|some|another|one) )?(?P<words>[^\W\d_][\w'’./+#-]*(?: [\w'’./+#-]+){0,4}?)(?: (?:in|using|as) (?:an? )?[A-Z][\w.+#-]*)?",
    re.IGNORECASE,
)
_FOR = expression(
    r"\sfor(?: (?!(?:to|that|which|who|in|of|with)\b)[\w'’-]+){1,4}$", re.IGNORECASE
)  # what the thing is for
_RELATION = expression(  # what is one thing together with another, which is then no part of it
    r"(?:^|\b)(?:log-?in|log-?on|log|sign-?in|sign-?up|sign-?on|authentication|auth|integration|compatibility|compatible|interoperability|sync\w*|synchroni[sz]ation|connection|link|interface|communication|bridge|conflict|comparison|chat|sharing|collaboration|contract|agreement|work|help|deal|issue|problem|trouble|bug|experiment|start|experience|contact|call|payment|payments|checkout)s?$",
    re.IGNORECASE,
)
_SMALL = r"(?:to|from|in|on|at|by|for|of|with|without|into|onto|since|until|before|after|if|when|whenever|while|where|because|so|but|or|nor|and|than|then|as|via|that|which|who|whose|what|how|why|it|them|they|this|these|those|we|i|me|you|he|she|us)"
_NOT_THING = expression(rf"\b(?:{_SMALL}|not|no|never|\w+ed|is|are|was|were|has|have)\b", re.IGNORECASE)
_NO_NOUN = expression(  # words with which no part begins: prepositions, pronouns, limits, what denies
    rf"^(?:{_SMALL}|not|no|none|never|only|just|also|please|maybe|ideally|less|fewer|more|most|at|up|under|over|below|above|about|within|around|roughly|between|another|same|the same|similar|such|instead|regard|respect|care|ease|help|its|their|his|her|\d[\w.,%]*|be|being)\b",
    re.IGNORECASE,
)
_CLAUSE = expression(  # a part with a verb of its own, or with more behind it than it is
    r"\b(?:is|are|was|were|be|been|has|have|had|must|should|shall|can|cannot|could|will|would|may|might|do|does|did|\w+n['’]t|that|which|who|where|when|if|because|so|since|until|unless|instead|rather|with|without|not|than|later|it|them)\b|[:;?!]",
    re.IGNORECASE,
)


def listed_parts(need: Need, lex: Lexicon) -> list[Need]:
    """What the thing of a one-line request has or does, each asked for as well; empty where the line is no such list."""
    text = need.text.strip(TRIM)
    parts = _of_chinese(text, lex) if lex.language == "zh" else _of_english(text, lex)
    return [
        Need(
            part,
            need.quote,
            "functional",
            need.moscow,
            "",
            Clause(part, lex.language, actions=(part,)),
            need.by_default,
            True,
        )
        for part in (part.strip(TRIM) for part in parts)
        if len(part) > 1
    ]


def _of_chinese(text: str, lex: Lexicon) -> list[str]:
    return [
        piece
        for match in lex.patterns["with"].finditer(text)
        for piece in re.split(r"[、，和及]", match[1] or match[2])
    ]


def _of_english(text: str, lex: Lexicon) -> list[str]:
    added = _ADDED.search(text)
    if added and ":" not in text[: added.start()] and (imperative(text, lex) or ASKS.match(text)):
        parts = _split(text[added.end() :])
        return [_THAT_IT.sub("", part) for part in parts] if all(map(_is_added, parts)) else []
    asks = ASKS.match(text)
    if asks is None:
        return []
    thing, *listed = lex.patterns["with"].split(text[asks.end() :], maxsplit=1)
    whom = _FOR.search(thing.rstrip(TRIM))
    people = whom is not None and is_person(whom[0].split()[-1], lex)  # `for patients with diabetes`
    if listed and not people and is_thing(_FOR.sub("", thing.rstrip(TRIM)), lex):
        parts = _split(listed[0])
        return parts if all(_is_noun(part, lex) for part in parts) else []
    thing, *listed = _THAT.split(text[asks.end() :], maxsplit=1)
    if listed and is_thing(_FOR.sub("", thing), lex):
        parts = _split(listed[0])
        return parts if len(parts) > 1 and all(_is_done(part, lex) for part in parts) else []
    return []


def _split(listed: str) -> list[str]:
    whole = _PAIR.sub(lambda found: found[0].replace(" and ", _AND), listed)
    return [
        part.replace(_AND, " and ").strip(TRIM) for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", whole)
    ]


def is_thing(said: str, lex: Lexicon) -> bool:
    """Whether words are a noun phrase that names something that can be made."""
    found = _THING.fullmatch(said.strip())
    words = found["words"] if found else ""
    people = words.lower().endswith("users") or (
        (" " not in words or words.endswith("s")) and is_person(words, lex)
    )  # a `file manager` is none
    return bool(words) and not (
        people or _NOT_THING.search(words) or _RELATION.search(words) or _acts(words, lex)
    )


def _is_noun(part: str, lex: Lexicon) -> bool:
    """Whether a part is something that a thing can have."""
    means = {name.lower() for name, _ in technologies(part)}
    if not part or _NO_NOUN.match(part) or _CLAUSE.search(part) or means.issuperset(part.lower().split()):
        return False  # `React` is what it is made with
    return not _acts(part, lex) or _is_done(part, lex)


def _is_added(part: str) -> bool:
    """Whether a part behind a comma and "with" is a thing of its own, or what the whole does: `with a map, and that shows ...`."""
    said = _PURPOSE.sub("", part)
    thing = said.lower().startswith(("a ", "an ")) and not _BOUND.match(said) and not _CLAUSE.search(said)
    return thing or _THAT_IT.match(part) is not None


def _is_done(part: str, lex: Lexicon) -> bool:
    """Whether a part says what the thing does: `sends a mail`."""
    verb, _, rest = part.partition(" ")
    return bool(rest) and names_verb(verb, lex)


def said_to_act(said: str, lex: Lexicon) -> bool:
    """Whether words say what is done, from their verb on: `see the list`, not `lists`."""
    first, _, rest = said.partition(" ")
    return bool(rest) and first.lower() in lex.verbs and _acts(said, lex)


def _acts(said: str, lex: Lexicon) -> bool:
    """Whether words begin with a verb, rather than with a noun that is one as well: `validate input`, `find out why`."""
    also_nouns = statement_words("also_nouns")
    first, second = [*said.lower().split()[:2], "", ""][:2]
    if names_verb(first, lex):
        return bool(second) and also_nouns.isdisjoint((first.removesuffix("es"), first[:-1]))
    if first not in lex.verbs:
        return False
    return first not in also_nouns or second in statement_words("objects")
