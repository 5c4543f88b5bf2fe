"""Forms of English verbs: as an order has them, and as statements, titles and participles do."""

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.documents.lexicon import Lexicon
from workers.documents.reading_words import statement_words

_AN_E = expression(r"(?<=sh|ss|ch|go)e$")  # of `crashes`, `goes`
_IRREGULAR = {
    "sent": "send", "shown": "show", "kept": "keep", "found": "find", "told": "tell", "seen": "see", "chosen": "choose",
    "written": "write", "read": "read", "held": "hold", "paid": "pay", "given": "give", "taken": "take", "made": "make",
    "put": "put", "set": "set", "drawn": "draw", "bought": "buy", "sold": "sell", "built": "build", "left": "leave",
}  # fmt: skip


def verb_of(low: str, lex: Lexicon) -> str:
    """A verb as `to` has it, from the form in which a statement has it; empty for another word."""
    if low in ("has", "does", "goes"):
        return {"has": "have", "does": "do", "goes": "go"}[low]
    if low in lex.verbs or low == "have":
        return low
    forms = (low.removesuffix("s"), low.removesuffix("es"), low.removesuffix("ies") + "y")
    return next((form for form in forms if low.endswith("s") and form in lex.verbs), "")


def participle(low: str, lex: Lexicon) -> str:
    """The verb of what is done to something: `posted` -> `post`; empty for another word."""
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if not low.endswith("ed"):
        return ""
    forms = (
        low[:-2],
        low[:-1],
        low[:-3] + "y" if low.endswith("ied") else "",
        low[:-3] if low[-3:-2] == low[-4:-3] else "",
    )
    return next((form for form in forms if form in lex.verbs), "")


def gerund(verb: str) -> str:
    """`report` -> `reporting`, `book`, `plan`, `scan` with their spelling."""
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    short = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb) or verb in statement_words("doubled")
    return f"{verb}{verb[-1]}ing" if short else f"{verb}ing"


def third_person(action: str) -> str:
    """`show the list` -> `shows the list`, `also try` -> `also tries`."""
    verb, _, rest = action.partition(" ")
    low = verb.lower()
    is_adverb = low.endswith("ly") and low not in statement_words("ly_verbs")
    if rest and (is_adverb or low in statement_words("adverbs")):
        return f"{verb} {third_person(rest)}"
    irregular = {"be": "is", "have": "has", "do": "does", "go": "goes"}
    if low in irregular:
        said = irregular[low]
    elif re.search(r"(?:s|x|z|ch|sh)$", low):
        said = verb + "es"
    elif re.search(r"[^aeiou]y$", low):
        said = verb[:-1] + "ies"
    else:
        said = verb + "s"
    return f"{said} {rest}".strip()


def base(word: str, lex: Lexicon) -> str:
    """The verb of what `it` does: `converts` -> `convert`; the word itself where it is none."""
    return _done_by_it(word, lex) or word


def names_verb(word: str, lex: Lexicon) -> bool:
    """Whether a word is a verb as `it` does it: `converts`, `validates`."""
    return _done_by_it(word, lex) != ""


def _done_by_it(word: str, lex: Lexicon) -> str:
    low = word.lower()
    return next((verb for verb in lex.verbs if low in (f"{verb}s", f"{verb}es", f"{verb[:-1]}ies")), "")


def plain_verb(verb: str) -> str:
    """`crashes` -> `crash`, `freezes` -> `freeze`, of any verb, also one that the lexicon does not know."""
    low, _, rest = verb.lower().partition(" ")
    stem = low.removesuffix("s") if not low.endswith("ss") else low
    return f"{_AN_E.sub('', stem)} {rest}".strip()


def stems(word: str) -> set[str]:
    """What a verb in the third person may come from: `carries` -> `carry`, among words that are none."""
    return {word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y"}
