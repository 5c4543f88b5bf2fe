"""What a person orders of something that they describe instead of naming it: `drop the CSV export`, `the calendar can wait`."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.builtin.amended import OWN_ID
from workers.builtin.order_forms import (
    ANY,
    ASKS,
    BACK,
    BECAUSE,
    DOUBTED,
    KINDS,
    LISTED,
    LISTS,
    RANKED,
    RANKS_TOO,
    REMOVES,
    TAKES_AWAY,
    TELLS,
    UNMISTAKABLE,
    WHEN,
    WHY,
)
from workers.builtin.phrases import strip_end
from workers.documents.content import Requirement
from workers.documents.lint.comparing import is_negative

_SENTENCE_END = expression(r"((?<=[.;!?])\s+|(?<=[。；！？])|\n+)")
_JOINTS = expression(
    r"(\s*[;；]\s*|\s*[,，]\s*(?:and |but |so |while )?|\s+(?:and|but|because|since|und|aber)\s+|\s+-\s+|\s*[:–—]\s+|\s*[(（]|[)）]\s*)",
    re.IGNORECASE,
)
_OPENING = expression(  # what leads to an order
    r"(?:(?:sorry|actually|hm+|well|thanks?(?: you)?|(?:on )?second thoughts?|i(?:['’]ve| have)? changed my mind|we(?:['’]ve| have)? changed our minds?|entschuldigung)[,. ]*)*",
    re.IGNORECASE,
)
_MOST = 12  # parts of one sentence that are looked at
_LONGEST = 600  # characters of a sentence that may give an order
_JOINED = expression(
    r"(?:,| and(?: also)?| or| nor| und|、|和|与|及) (?:the |our |any |die |den |das )?|[、和与及]",
    re.IGNORECASE,
)
_BESIDE = expression(
    r"([\w-]+)(?: (?:and|or|und|oder) |,? ?/ ?|, |[、和与及])(?=([\w-]+))", re.IGNORECASE
)  # what is joined
_GENERIC = frozenset(
    keywords("feature function functionality requirement part option thing item support possibility version")
)
_ENDING = expression(
    r"(?:ment|ation|ion|ing|er|or|al|ance|ence|ies|y|i|e|s)$"
)  # of words of one family: `payment`, `pay`
_ROOT = 3  # letters that a word keeps at least without its ending
_PREFIX = 5  # letters from which one word may begin another: `book`, but not `bookkeeping`
_BOUND = expression(
    r"\b(?:of|for|from|to|with|without|by|in|on|at|as|until|till|before|after|about|per|via|within|under|over|into|onto|when|if)\b",
    re.IGNORECASE,
)
_ACTIVE = expression(
    r"\b(?:can|could|may|might|must|shall|should|will|wants? to|needs? to|ha(?:s|ve) to)\b(?! (?:not )?be\b)",
    re.IGNORECASE,
)
_PASSIVE = expression(r"\b(?:be|is|are|gets?) (?:also |only |not )?(\w+(?:ed|en|t))\b", re.IGNORECASE)
_PARTICLE = expression(
    r"\b(log|sign|check|back|set|opt|roll) (in|out|up|off|on|back)\b", re.IGNORECASE
)  # `log in`, `login`
_KEPT = 0.4  # the same of what is to be kept, which changes nothing
_TITLE = 0.5  # share of an item's title that a line has to say which may be about something else
_UNCLEAR = expression(r"\((?:(?:REQ|NFR)-[\w /-]*)?\?\)[.]?$")


class Order(NamedTuple):
    """What is ordered (`drop`, `rank`, `wait`, `back`), and of which items."""

    what: str
    items: tuple[int, ...]  # indices
    rank: str = ""
    is_clear: bool = True  # else each of the items may be meant


class Part(NamedTuple):
    """A part of a sentence with what stands before it, and the order that it gives."""

    before: str
    text: str
    order: Order | None = None


def orders_of(sentence: str, texts: Sequence[tuple[str, str]]) -> list[Part]:
    """A sentence with the orders that it gives, each as a part of its own; `texts`: (title, statement) of each item.

    The reasons for orders are left out. Where a sentence takes back what it orders, doubts it or sets a condition, it is one
    order that is not clear.
    """
    nothing = [Part("", sentence)]
    if not texts or len(sentence) > _LONGEST or OWN_ID.search(sentence):
        return nothing
    pieces = _JOINTS.split(sentence.strip())
    if len(pieces) > 2 * _MOST:
        return nothing
    found = _parts_of(pieces, texts)
    orders = [part.order for part in found if part.order]
    if not orders:
        return nothing
    if DOUBTED.search(sentence) or any(_is_listed(one, two) for one, two in pairwise(found)):
        items = tuple(dict.fromkeys(at for order in orders for at in order.items))
        return [Part("", sentence, Order(orders[0].what, items, is_clear=False))]
    return found


def _parts_of(pieces: Sequence[str], texts: Sequence[tuple[str, str]]) -> list[Part]:
    said = {plain(text) for row in texts for text in row}
    found: list[Part] = []
    at = 0
    while at < len(pieces):
        before = pieces[at - 1] if at else ""
        for end in range(len(pieces), at, -2):
            text = "".join(pieces[at:end])
            order = None if plain(text) in said else _order(text, texts, found)
            if order is not None:
                found.append(Part(before, text, order))
                at = end + 1
                break
        else:
            text = pieces[at]
            is_reason = (
                BECAUSE.match(before) or BECAUSE.match(text) or WHY.match(text.strip()) or not text.strip()
            )
            if _is_unmistakable(text.strip(), texts):
                found.append(Part(before, text, Order("drop", (), is_clear=False)))
            elif not (found and found[-1].order and is_reason) and not _OPENING.fullmatch(text.strip()):
                found.append(Part(before, text))
            at += 2
    return found


def _is_unmistakable(text: str, texts: Sequence[tuple[str, str]]) -> bool:
    """Whether a text orders that something is left out, and speaks of what an item tells."""
    found = UNMISTAKABLE.match(text)
    if found is None:
        return False
    words = _words(found["what"]) - _GENERIC
    return found["what"].lower().startswith("everything") or any(
        2 * sum(any(_alike(word, other) for other in _words(f"{row[0]} {row[1]}")) for word in words)
        >= len(words)
        for row in texts
        if words
    )


def _is_listed(order: Part, further: Part) -> bool:
    """Whether a part names a further thing of the order before it, and nothing that is asked for."""
    return (
        order.order is not None
        and further.order is None
        and LISTS.fullmatch(further.before.strip()) is not None
        and LISTED.fullmatch(further.text.strip()) is not None
        and TELLS.search(further.text) is None
    )


def beside_orders(parts: Sequence[Part]) -> list[str]:
    """What a sentence says beside its orders, what stands together as one text."""
    found: list[str] = []
    joins = False
    for part in parts:
        if part.order is None:
            found = [*found[:-1], f"{found[-1]}{part.before}{part.text}"] if joins else [*found, part.text]
        joins = part.order is None
    return found


def _order(text: str, texts: Sequence[tuple[str, str]], before: Sequence[Part]) -> Order | None:
    kinds: Sequence[tuple[str, tuple[re.Pattern[str], ...]]] = KINDS
    if before and before[-1].order and before[-1].order.what == "rank":
        kinds = (*KINDS, ("rank", RANKS_TOO))
    for what, forms in kinds:
        for form in forms:
            found = form.match(text.strip())
            if found is None:
                continue
            named = found.groupdict()
            words = named["what"] or named.get("back") or ""
            meant = None if RANKED.search(words) or ANY.match(words) else _meant(words, texts)
            if meant is None:
                continue
            items, is_clear = meant[0], meant[1] and forms is not ASKS
            may_be_a_wish = forms in (REMOVES, TAKES_AWAY, BACK) and not named.get("rank")
            least = _KEPT if forms is BACK else _TITLE
            if may_be_a_wish and not (is_clear and (forms is REMOVES or _says(words, texts, items, least))):
                continue
            return Order(what, items, named.get("rank") or "", is_clear)
    return None


def sentences_of(pieces: Sequence[str]) -> list[str]:
    """The sentences of a person's words."""
    return [part for piece in pieces for part in _SENTENCE_END.split(piece)[::2] if part.strip()]


def is_unclear(line: str) -> bool:
    """Whether a line is an order behind which `with_identifiers` put the items that may be meant."""
    return _UNCLEAR.search(line.strip()) is not None


def with_identifiers(piece: str, items: Sequence[Requirement]) -> str:
    """A person's words with each order in the form that names its items: `drop the CSV export` -> `Remove REQ-003`.

    Where several could be meant, their identifiers stand behind the order. To keep what is asked for anyway needs no words.
    """
    said = plain(piece)  # what these words have added already is not what they are about
    items = [item for item in items if not item.quote or plain(item.quote) not in said]
    texts = [(item.title, f"{item.statement} {item.quote}") for item in items]
    parts = _SENTENCE_END.split(piece)
    return "".join(part if at % 2 else _named(part, items, texts) for at, part in enumerate(parts)).strip()


def _named(sentence: str, items: Sequence[Requirement], texts: Sequence[tuple[str, str]]) -> str:
    parts = orders_of(sentence, texts)
    if not any(part.order for part in parts):
        return sentence
    said: list[str] = []
    joins = False
    for part in parts:
        text = _told_by_id(part, items) if part.order else part.text
        text = f"{text}." if part.order and text else text
        if joins and not part.order:
            said[-1] += f"{part.before}{text}"
        elif text:
            said.append(text)
        joins = part.order is None
    ended = [text if text.rstrip()[-1] in ".!?。！？" else f"{text.rstrip()}." for text in said[:-1]]
    return " ".join([*ended, *said[-1:]])


def _told_by_id(part: Part, items: Sequence[Requirement]) -> str:
    order = part.order
    assert order is not None
    names = [items[at].id for at in order.items]
    if order.what == "back" and order.is_clear and not order.rank:  # what is asked for anyway stays so
        names = [items[at].id for at in order.items if items[at].moscow == "Won't"]
        if not names:
            return ""
    denies = order.what == "back" and any(is_negative(items[at].statement) for at in order.items)
    if denies or not order.is_clear:
        return f"{strip_end(part.text)} ({' / '.join(names)}?)"
    named = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    verb = "are" if len(names) > 1 else "is"
    return {
        "drop": f"Remove {named}",
        "wait": f"{named} can wait",
        "rank": f"{named} {verb} {order.rank}",
        "back": f"{named} {verb} {order.rank or 'must-have'}",
    }[order.what]


def plain(text: str) -> str:
    """A text by its letters and digits alone."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _meant(what: str, texts: Sequence[tuple[str, str]]) -> tuple[tuple[int, ...], bool] | None:
    """The items that words describe, and whether it is clear which; of several that are joined, one each."""
    whole = _best(what, texts)
    if len(whole) == 1:
        return tuple(whole), _is_meant(what, *texts[whole[0]])
    pieces = _JOINED.split(what)
    each = [_best(piece, texts) for piece in pieces] if len(pieces) > 1 else []
    if each and all(len(found) == 1 for found in each):
        is_clear = all(_is_meant(piece, *texts[at]) for piece, (at,) in zip(pieces, each, strict=True))
        return tuple(dict.fromkeys(found[0] for found in each)), is_clear
    return (tuple(whole[:4]), False) if whole else None


def _is_meant(what: str, title: str, text: str) -> bool:
    """Whether words mean the whole of an item: neither one of the things that it joins, nor what it is only said about."""
    if WHEN.search(what) or _is_part(what, title, text):
        return False
    head = _head(_BOUND.split(what)[0])
    cores = frozenset().union(*(_words(_core(each)) for each in (title, *_SENTENCE_END.split(text))))
    return not head or any(_alike(head, word) for word in cores)


def _head(what: str) -> str:
    """The last word of a group of words, which says what it is: `export` of `CSV export`; none in Chinese."""
    words = [word for word in what.replace("-", " ").split() if _words(word) - _GENERIC]
    return next(iter(_words(words[-1])), "") if words and what.isascii() else ""


def _core(statement: str) -> str:
    """What a statement is about: without who does it, and without what follows a preposition."""
    statement = _PARTICLE.sub(r"\1\2", statement)
    found = _ACTIVE.search(statement)
    said = statement[found.end() :] if found else statement
    passive = "" if found else " ".join(_PASSIVE.findall(said))
    return f"{_BOUND.split(said)[0]} {passive}"


def _says(what: str, texts: Sequence[tuple[str, str]], items: Sequence[int], least: float) -> bool:
    """Whether words say this share of the titles of items."""
    return all(_told(_words(what) - _GENERIC, texts[at][0]) >= least for at in items)


def _is_part(what: str, title: str, text: str) -> bool:
    """Whether words mean one of several things that an item joins: `PDF` of `export as CSV and PDF`."""
    if _told(_words(what) - _GENERIC, title) >= _TITLE:
        return False
    beside = {word for pair in _BESIDE.findall(text) for each in pair for word in _words(each)}
    return any(_alike(word, other) for word in _words(what) - _GENERIC for other in beside)


def _told(words: frozenset[str], title: str) -> float:
    """The share of a title's words that words say."""
    titled = _words(title)
    return sum(any(_alike(word, other) for word in words) for other in titled) / max(1, len(titled))


def _best(what: str, texts: Sequence[tuple[str, str]]) -> list[int]:
    """The items that hold all of the words; of several, those whose titles say least besides."""
    words = _words(what) - _GENERIC
    found: dict[int, float] = {}
    for at, (title, text) in enumerate(texts) if words else ():
        own = _words(f"{title} {text}")
        if all(any(_alike(word, other) for other in own) for word in words) and not _is_state(what, own):
            found[at] = _told(words, title)
    top = max(found.values(), default=0.0)
    return [at for at, share in found.items() if share > top - 0.15]


def _is_state(what: str, own: frozenset[str]) -> bool:
    """Whether words mean things to which something was done that an item tells: `blocked slots` of `can block slots`."""
    done = [word for word in what.lower().split()[:-1] if word.endswith("ed")]
    return any(_alike(stem, other) for word in done for stem in _words(word) for other in own)


def _words(text: str) -> frozenset[str]:
    """The words of a text, those of joined ones each: `CSV-Export`."""
    text = _PARTICLE.sub(r"\1\2", text.replace("-", " "))
    return frozenset(word for word in keywords(text) if len(word) > 1)


def _alike(one: str, other: str) -> bool:
    """Whether two stems are words of one family."""
    one, other = _root(one), _root(other)
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= _PREFIX and long.startswith(short) and len(long) - len(short) <= 4)


def _root(word: str) -> str:
    found = _ENDING.search(word) if word.isascii() else None
    return word[: found.start()] if found and found.start() >= _ROOT else word
