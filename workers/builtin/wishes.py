"""The form of a statement: imperative or plain, of one wish or two, and who does something in it."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from workers.builtin import names
from workers.builtin.phrases import ASIDE, TRIM
from workers.builtin.verb_forms import stems
from workers.documents.lexicon import Lexicon, lexicon_of
from workers.documents.reading_words import statement_words
from workers.documents.sentences import Sentence

_BOTH = expression(r"\b((\w{3,}?)(?:inn)?en) und (\2\w{0,3})\b")  # `Schülerinnen und Schüler` are one
_MUST = r"\b(?:must|shall|should|has to|have to)\b"
_TWO = expression(
    rf"^(.+?(?:{_MUST}|\bwill run on\b).+?),\s+(?:and|but)\s+((?:the|an?|each|every|all|its|their|it|they)\s.{{0,60}}?{_MUST}.+|there (?:is|are) to be .+)$",
    re.IGNORECASE,
)
_TWO_HAN = expression(  # who alone may, and what others may: `只有主管可以导出全部工单，普通客服只能导出自己的`
    r"^((?:只有|仅限?).+?(?:才|可以?|能)[^，。；]+)[，,](?:而|但是?)?([一-鿿]{2,8}?(?:只能|可以|不能|不得|不可以|必须)[^，。；]+[。]?)$"
)
_NOT_BUT = expression(
    rf"^(.+?\b(?:not|no)\b.+?),\s+but\s+((?:the|an?|it|they)\s.{{0,60}}?{_MUST}.+)$", re.IGNORECASE
)
_TWO_OUT = expression(  # two things that are left out: `We will not replace the till, and card payment is not supported`
    r"^(.*\b(?:not|no|need ?n['’]?t|won['’]t|don['’]t)\b.+?),\s+and\s+((?:[\w'’-]+ ){1,8}?(?:(?:is|are)(?: not|n['’]t) (?:supported|included|covered|planned|needed|part|offered|foreseen)|(?:is|are) out of (?:scope|the question))\b.*)$",
    re.IGNORECASE,
)
_REASONED = expression(  # a reason, then the wish
    rf"^((?:(?!{_MUST})[^;]){{10,}}?)(?:,\s+(?:so|therefore|which is why|that is why)\s+|:\s+)((?!(?:they|it|he|she|this|these|that)\b)(?:please\b|.{{0,60}}?(?:{_MUST}|\bmay\b)).{{8,}})$",
    re.IGNORECASE,
)
CONDITION = expression(
    r"^(?:(?:(?:an?|one|two|three|\d+) (?:minutes?|hours?|days?|weeks?|months?)(?:,| and|,? or)? )+before|when|if|once|after|before|as soon as|every time)\b.{3,120}?(?:,\s*|\s(?=(?:it|they|the|an?|each)\s))",
    re.IGNORECASE,
)
_UNTITLED = frozenset({"", "requirement", "nonfunctional", "constraint"})


_RESERVED = expression(
    r"^(?:only|nobody but|no one but)\s.{2,80}?\b(?:may|can|should|must)\b|^(?:只有.{1,20}?(?:才|可以?|能)|仅限?.{1,12}(?:可以|能|可))",
    re.IGNORECASE,
)
_AND_WISH = expression(  # what is so, then what somebody wants of it: `We pay 8,400, and we would like to pay less`
    r"^(.{12,}?)(?:,\s+(?:and|but|so)\s+)((?:we|i)(?:['’]d| would)? (?:like|want|hope|wish|love|aim)\b.{8,})$|^(.{8,}?)[，,](?:所以|因此|我们)?((?:希望|想要?)(?!我们).{4,})$",
    re.IGNORECASE,
)


_DONE_AND = expression(  # what is finished, then what is left to do: `so that part is done, you only have to import it`
    r"^(.{4,}?\b(?:is|are) (?:already )?(?:done|finished|ready)),\s+((?:and |so )?(?:you|it|they|we|the \w+)\b.+)$",
    re.IGNORECASE,
)


def two_wishes(row: Sentence) -> list[Sentence]:
    """`Pages must ..., and the queue must ...` asks for two things; `We wear gloves, so it has to ...` for what follows."""
    wish = _AND_WISH.match(row.text) if row.role in ("", "background", "problem") else None
    if wish:
        first, second = (part for part in wish.groups() if part)
        lex = lexicon_of(first)
        if not lex.find("want", first) and not any(pattern.search(first) for _, pattern in lex.modals):
            return [replace(row, text=first), replace(row, text=second)]
    finished = _DONE_AND.match(row.text) if row.role in ("", "background", "problem") else None
    if finished:
        return [replace(row, text=finished[1]), replace(row, text=finished[2])]
    reasoned = _REASONED.match(row.text) if row.role in _UNTITLED else None
    if reasoned and lexicon_of(reasoned[1]).find("want", reasoned[1]):
        return [replace(row, text=part) for part in reasoned.groups()]
    row = replace(row, text=reasoned[2]) if reasoned else row
    match = _TWO.match(row.text) or _TWO_HAN.match(row.text)
    match = match or (_NOT_BUT.match(row.text) if row.role in _UNTITLED else None) or _TWO_OUT.match(row.text)
    return [replace(row, text=match[1]), replace(row, text=match[2])] if match else [row]


def is_reserved(text: str) -> bool:
    """Whether it says who alone may do something: a rule, which is no wish of theirs."""
    return _RESERVED.match(text) is not None


def listed(text: str, longest: int = 8) -> list[str]:
    """The things that a sentence without a verb lists; parentheses stay with theirs."""
    bare = ASIDE.sub("", text).strip(TRIM)
    bare = _BOTH.sub("\\1\u00a0und\u00a0\\3", bare)
    split = re.split(
        r"[、,，;；·•和及]|[ \n](?:and|or|und|et|y|e|sowie|as well as|ainsi que|así como)[ \n]", bare
    )
    pieces = [piece.replace("\u00a0", " ").strip(TRIM) for piece in split]
    return (
        [piece for piece in pieces if piece]
        if all(len(piece.split()) <= longest for piece in pieces)
        else [text]
    )


_ADDRESSED = expression(  # what may stand in front of an order
    r"^(?:(?:please|also|then),?|you(?:['’]re| are) (?:(?:going|asked|hired) )?to|your (?:task|job) is to)\s+",
    re.IGNORECASE,
)
_HAS = expression(
    r"\w+ (?:has|have|must|shall|should|is|are|can|will|may)\b"
)  # `Search has to answer`, a noun


def imperative(text: str, lex: Lexicon) -> bool:
    if lex.language == "zh":
        return any(text.startswith(verb) for verb in lex.verbs) or bool(re.match(r"(?:请|帮我|为|给)", text))
    if re.match(r"(?:ask|tell|call) (?:me|us|him|her|them|again)\b", text, re.IGNORECASE):
        return False  # of people, not of the thing
    said = _ADDRESSED.sub("", text, count=1)
    first = re.match(r"([A-Za-z]+)\s+(?!of\b)\S", said)
    return first is not None and first[1].lower() in lex.verbs and not _HAS.match(said)


def doer_of(text: str, lex: Lexicon) -> str:
    """Who or what does something, or has it done to it, in a plain statement; empty when it is none, or speaks of `we`."""
    if lex.language == "zh":
        return ""
    words = re.findall(r"[\w’'][\w’'-]*", CONDITION.sub("", text, count=1))[:9]
    if not words or words[0].lower() in statement_words("no_doer"):
        return ""
    for at, word in enumerate(words[1:], 1):
        low = word.lower()
        named = [other for other in words[:at] if other.lower() not in statement_words("before_noun")]
        if named and (
            stems(low) & lex.verbs or (low in ("is", "are") and _suffers(words[at + 1 : at + 3], lex))
        ):
            return " ".join(words[:at])
    return ""


def _suffers(words: list[str], lex: Lexicon) -> bool:
    """Whether one of the words behind `is` is what was done: `refused`, `not sent`."""
    lows = [word.lower() for word in words]
    return any(
        low in statement_words("suffered")
        or (low.endswith("ed") and len(low) > 4)
        or {low.removesuffix("d"), low.removesuffix("ed")} & lex.verbs
        for low in lows
        if low[-1:] in "dnt"
    )


_OF = expression(r"\s(?:d[eiao]|du|des|del|dell[aeo]|dell['’].*|dei|do|da|dos|das|d['’].*|van|der|vom|von)\b")


def same_person(one: str, other: str) -> bool:
    a, b = names.singular(one.lower()), names.singular(other.lower())
    return (
        a == b
        or (len(a) > 3 and a.endswith(b))
        or (len(b) > 3 and b.endswith(a))
        or is_of(one.lower(), other.lower())
        or is_of(other.lower(), one.lower())
    )


def is_of(long: str, short: str) -> bool:
    """Whether one name is the other with what its person belongs to: `gestore del rifugio`, `gestore`."""
    return long.startswith(short) and _OF.match(long, len(short)) is not None
