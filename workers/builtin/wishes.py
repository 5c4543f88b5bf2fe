"""The form of a statement: imperative or plain, of one wish or two, the value that a goal names."""

from __future__ import annotations

import re
from dataclasses import replace

from workers.builtin import names
from workers.builtin.analysis import Goal
from workers.builtin.language import Lexicon
from workers.builtin.sentences import Sentence

_TRIM = " \t.,;:!?。，；：！？、"
_MUST = r"\b(?:must|shall|should|has to|have to)\b"
_TWO = re.compile(
    rf"^(.+?{_MUST}.+?),\s+(?:and|but)\s+((?:the|an?|each|every|all|its|their|it|they)\s.{{0,60}}?{_MUST}.+)$",
    re.IGNORECASE,
)
CONDITION = re.compile(
    r"^(?:when|if|once|after|before|as soon as|every time)\b.{3,120}?(?:,\s*|\s(?=(?:it|they|the|an?|each)\s))",
    re.IGNORECASE,
)
_IRREGULAR = frozenset(
    ["kept", "sent", "shown", "written", "built", "given", "taken", "held", "told", "paid"]
)
_NOT_DOERS = frozenset(
    [
        "we",
        "i",
        "our",
        "my",
        "there",
        "this",
        "that",
        "these",
        "here",
        "who",
        "what",
        "which",
        "how",
        "why",
        "you",
        "your",
        "he",
        "she",
    ]
)
_DETERMINERS = frozenset(
    [
        "the",
        "a",
        "an",
        "each",
        "every",
        "all",
        "any",
        "only",
        "most",
        "its",
        "their",
        "his",
        "her",
        "no",
        "also",
        "never",
        "always",
        "then",
    ]
)


def two_wishes(row: Sentence) -> list[Sentence]:
    """`Pages must ..., and the queue must ...` asks for two things of two subjects."""
    match = _TWO.match(row.text)
    return [replace(row, text=match[1]), replace(row, text=match[2])] if match else [row]


def listed(text: str, longest: int = 8) -> list[str]:
    """The things that a sentence without a verb lists; parentheses stay with theirs."""
    bare = re.sub(r"\s*[(（][^()（）]*[)）]", "", text).strip(_TRIM)
    pieces = [piece.strip(_TRIM) for piece in re.split(r"[、,，;；和及]|\s(?:and|or|und|et|y)\s", bare)]
    return (
        [piece for piece in pieces if piece]
        if all(len(piece.split()) <= longest for piece in pieces)
        else [text]
    )


def imperative(text: str, lex: Lexicon) -> bool:
    if lex.language == "zh":
        return any(text.startswith(verb) for verb in lex.verbs) or bool(re.match(r"(?:请|帮我|为|给)", text))
    first = re.match(r"(?:please\s+|also\s+|then\s+)?([A-Za-z]+)\s+\S", text, re.IGNORECASE)
    return bool(first) and first is not None and first[1].lower() in lex.verbs


def doer_of(text: str, lex: Lexicon) -> str:
    """Who or what does something, or has it done to it, in a plain statement; empty when it is none, or speaks of `we`."""
    if lex.language == "zh":
        return ""
    words = re.findall(r"[\w’'-]+", CONDITION.sub("", text, count=1))[:9]
    if not words or words[0].lower() in _NOT_DOERS:
        return ""
    for at, word in enumerate(words[1:], 1):
        low = word.lower()
        stems = {low, low.removesuffix("s"), low.removesuffix("es"), low.removesuffix("ies") + "y"}
        named = [other for other in words[:at] if other.lower() not in _DETERMINERS]
        if named and (stems & lex.verbs or (low in ("is", "are") and _suffers(words[at + 1 : at + 3], lex))):
            return " ".join(words[:at])
    return ""


def _suffers(words: list[str], lex: Lexicon) -> bool:
    """Whether one of the words behind `is` is what was done: `refused`, `not sent`."""
    lows = [word.lower() for word in words]
    return any(
        low in _IRREGULAR or {low.removesuffix("d"), low.removesuffix("ed")} & lex.verbs
        for low in lows
        if low[-1:] in "dnt"
    )


def same_person(one: str, other: str) -> bool:
    a, b = names.singular(one.lower()), names.singular(other.lower())
    return a == b or (len(a) > 3 and a.endswith(b)) or (len(b) > 3 and b.endswith(a))


def goal_of(text: str, lex: Lexicon) -> Goal:
    """A goal with its measure, when the sentence states one."""
    found = max(
        (m for m in lex.patterns["target"].finditer(text) if m[0].strip(_TRIM)),
        key=lambda m: (_is_bound(m[0]) + 2 * _reached(text[: m.start()]), -m.start()),
        default=None,
    )
    if not found:
        return Goal(text.strip())
    metric = " ".join((text[: found.start()] + " " + text[found.end() :]).split()).strip(_TRIM)
    metric = re.sub(r"^of\s+", "", metric)
    if lex.language == "zh":
        metric = (text[: found.start()] + text[found.end() :]).strip(_TRIM)
    return Goal(text.strip(), metric, found[0].strip(_TRIM))


def _reached(before: str) -> bool:
    """Whether what stands before a value says that it is to be reached: `from 12 % to`."""
    return re.search(r"(?:\bto|\bauf|\bà|\ba|到|至|を)\s*$", before, re.IGNORECASE) is not None


def _is_bound(phrase: str) -> int:
    return int("%" in phrase) + 2 * int(bool(re.match(r"[A-Za-z一-鿿]{2,}", phrase)))
