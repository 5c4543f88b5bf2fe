"""What belongs to the name of somebody behind its noun: `drivers of the collection vans`, `addetto alla cernita`.

In a sentence a name ends where its verb begins, or with its clause.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

from orchestrator.domain.patterns import expression
from workers.builtin.verb_forms import stems
from workers.documents.lexicon import Lexicon
from workers.documents.reading_words import people_words, statement_words

_ENGLISH = expression(
    r" (?:of|at|from|in charge of) (?:(?:the|an?|our|their|its|each|every|other|all) )?(?=[a-z])"
)
_ROMANCE = expression(
    r" (?:d[eio]|d[ao]s?|de[il]|del(?:la|lo|le)|degli|des|du|all?[ao]?|a[il]|agli|alle|aux?|à|en|em|nel(?:la)?) (?:la |el |los |las )?(?=[a-zà-ÿ])"
    r"| (?:de )?(?:d|l|dell|dall|all|nell)['’](?=[a-zà-ÿ])",
)
_TOKEN = expression(r"([^\W\d_][\w-]*)(?![\w'’])")
_MODAL = frozenset(
    [
        "can",
        "cannot",
        "may",
        "must",
        "shall",
        "should",
        "will",
        "has",
        "have",
        "is",
        "are",
        "gets",
        "get",
        "needs",
        "need",
    ]
)
_FINITE = expression(  # endings of verbs of what somebody does, in Romance languages
    r"(?:ne|n|se|si|non|não|há|vê|dà|può|fa|va|ha|è|\w{2,}(?:e|a|á|à|ão|em|êm|am|an|án|en|ent|ont|ono|ano|it|oit|ut))$"
)
_CLOSED = expression(r"\s*(?:[,.;:!?)]|$)| (?:who|that|which|and|or|que|che|qui|et|e|y)\b")
_LONGEST = 3  # words of what belongs to a name


def complement_before_verb(text: str, end: int, lex: Lexicon, *, many: bool, romance: bool) -> str:
    """What belongs to the name that ends there, up to the verb of its sentence; empty where no verb follows."""
    for ends in _ends(text, end, romance=romance):
        verb = _TOKEN.match(text, ends + 1)
        if verb and text[ends] == " " and _is_verb(verb[1].lower(), lex, many=many, romance=romance):
            return text[end:ends]
    return ""


def complement_to_end(text: str, end: int) -> str:
    """What belongs to the name that ends there, when the clause ends behind it; empty for another text."""
    for romance in (False, True):
        if text.startswith(" at ", end):  # rather where something happens
            continue
        for ends in _ends(text, end, romance=romance):
            if _CLOSED.match(text, ends):
                return text[end:ends]
    return ""


def _ends(text: str, end: int, *, romance: bool) -> list[int]:
    """Where what belongs to the name that ends there may end, the nearest first."""
    lead = (_ROMANCE if romance else _ENGLISH).match(text, end)
    found: list[int] = []
    at = lead.end() if lead else len(text)
    while len(found) < _LONGEST and (word := _TOKEN.match(text, at)):
        if word[1].lower() in people_words("no_modifier"):
            break
        found.append(word.end())
        if text[word.end() : word.end() + 1] != " ":
            break
        at = word.end() + 1
    return found


def _is_verb(word: str, lex: Lexicon, *, many: bool, romance: bool) -> bool:
    if romance:
        return _FINITE.match(word) is not None
    if word in _MODAL:
        return True
    known = lex.verbs | statement_words("lives")
    return word in known if many else word.endswith("s") and bool((stems(word) - {word}) & known)
