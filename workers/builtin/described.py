"""What a person orders of something that they describe instead of naming it: `drop the CSV export`, `the calendar can wait`."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.builtin.amended import OWN_ID
from workers.builtin.phrases import strip_end
from workers.documents.content import Requirement
from workers.documents.lint.comparing import is_negative

_POLITE = r"^(?:(?:[-*•]\s+)?(?:please|also|ok(?:ay)?|so|now|then|sorry|let['’]?s|let us|(?:i think |i guess )?(?:we|you|i) (?:can|could|should|will|would like to|['’]d like to|want to|have to|must|may as well|decided to|agreed to)|bitte|wir|请|我们?|先|把|将)[, ]*)*"
_WHAT = r"(?P<what>[^\s;:.!?()，。；：！？（）][^;:.!?()，。；：！？（）]{0,90}?)"
_THE = r"(?:the |this |that |those |these |our |all |any |an? |den |die |das |dem )?"
_FOR_NOW = r"(?: (?:for (?:now|the moment|the time being|this (?:version|release|phase))|in (?:the )?(?:first|this|v1|initial) ?(?:version|release|phase|step|iteration)?|(?:from|of) (?:the )?(?:(?:first|this|initial|next) )?(?:scope|version|release|spec(?:ification)?|requirements?|documents?|mvp|plan)|any ?more|any longer|after all|altogether|entirely|completely|again|please|instead|vorerst|erst ?mal|doch|bitte))*"
_FEATURE = (
    r"(?: (?:feature|functionality|function|requirement|part|option|thing|item)s?|(?:这个|该)?(?:功能|需求))?"
)
_TO = r"(?: (?:(?:for|until|till|to) [^,;.]{1,40}|in (?:the |an? )?(?:next|second|third|later|another|following) [^,;.]{1,30}))?"


def _forms(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(expression(f"{_POLITE}{pattern}\\s*[.!。！]*$", re.IGNORECASE) for pattern in patterns)


_DROPS = _forms(
    rf"(?:drop|scrap|skip|cut|ditch|leave out|take out|get rid of|forget(?: about)?|do without|go without|give up(?: on)?|strike|streich(?:en|t|e)?|ohne) (?:out )?{_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"(?:leave|take|lass(?:en|t)?|lasst) {_THE}{_WHAT}{_FEATURE} (?:out|weg|raus){_FOR_NOW}",
    rf"(?:we |i |you )?(?:no longer|don['’]t|do not|won['’]t|will not) (?:really )?(?:need|want|require|build) {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"nobody (?:needs|wants|uses|asked for) {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"(?:there (?:is|will be) )?no (?:more )?{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:is|are)(?: no longer|n['’]t| not) (?:needed|wanted|required|necessary|asked for|in scope|part of (?:it|this|the scope)){_FOR_NOW}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:is|are) (?:now )?(?:out(?: of scope)?|gone|dropped|cancelled|canceled|off the table){_FOR_NOW}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:should|must|can|could|may|is to|are to|has to) (?:be (?:dropped|removed|left out|cut|omitted|skipped|cancelled|canceled|deleted)|go|go away){_FOR_NOW}",
    rf"{_THE}{_WHAT} (?:brauchen|wollen|benötigen) wir(?: (?:doch|jetzt|also|vorerst))*(?: nicht| keine[nrs]?)(?: mehr)?",
    rf"(?:brauchen|wollen|benötigen) {_THE}{_WHAT}(?: doch)? nicht(?: mehr)?",
    rf"{_THE}{_WHAT} (?:entfällt|entfallen|fällt weg|fallen weg|streichen|weglassen)(?: wir)?",
    rf"(?:去掉|删除|删掉|移除|取消|砍掉|放弃|不再?需要|不再?要|不做){_WHAT}{_FEATURE}了?(?:吧)?",
    rf"{_WHAT}{_FEATURE}(?:先)?(?:不(?:再)?(?:需)?要了?|不做了?|取消|去掉|删掉|砍掉)(?:吧)?",
)
_TAKES_AWAY = _forms(  # what a product may have to do itself, too: `remove the user when they leave`
    rf"(?:remove|delete|omit|cancel|discard|exclude) {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
)
_RANK = r"(?P<rank>(?:must|should|could)[- ]haves?|nice[- ]to[- ]haves?|(?:must|should|could)|(?:high|medium|low)(?:est)? priority|p[0-3])"
_RANKS = _forms(
    rf"(?:make|mark|treat|rank|consider|see) {_THE}{_WHAT}{_FEATURE} (?:as )?(?:an? )?{_RANK}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:is|are|becomes?|should be|has|have)(?: now)?(?: only| just| really| more of| of)? (?:an? )?{_RANK}",
)
_RANKS_TOO = _forms(rf"{_THE}{_WHAT}{_FEATURE} (?:as )?(?:an? )?{_RANK}")  # behind one that ranks
_WAITS = _forms(
    rf"{_THE}{_WHAT}{_FEATURE} (?:can|could|may|might|should)(?: also| well| easily)? (?:wait|come later|be done later|be postponed|follow later){_TO}",
    rf"(?:postpone|defer|put off|delay|push back) {_THE}{_WHAT}{_FEATURE}{_TO}",
    rf"{_THE}{_WHAT} (?:kann|können)(?: noch)? (?:warten|später kommen)",
    rf"{_WHAT}{_FEATURE}(?:可以?(?:先)?(?:等等|等一等|以后再做|晚点(?:再)?做|推迟|缓一缓|往后放)|以后再做|推迟)",
)
_BACK = _forms(
    rf"(?:bring|put|take|add) {_THE}{_WHAT}{_FEATURE} back(?: in(?:to)?)?(?: the (?:scope|plan|spec))?{_FOR_NOW}",
    rf"(?:(?:we |i )?(?:do )?(?:want|need|have) {_THE}{_WHAT}{_FEATURE}|{_THE}(?P<back>[^\s,;:.!?][^,;:.!?]{{0,90}}?) (?:is|are) (?:needed|wanted)) after all",
    rf"(?:keep|retain) {_THE}{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"{_THE}{_WHAT}{_FEATURE} (?:(?:is|are) back(?: in)?|should stay|stays|has to stay|must stay){_FOR_NOW}",
)
_KINDS = (("wait", _WAITS), ("rank", _RANKS), ("back", _BACK), ("drop", _DROPS), ("drop", _TAKES_AWAY))
_WHEN = expression(
    r"\b(?:when(?:ever)?|after|before|once|if|while|unless|until|by|during|whose|who|that|which|older than|upon)\b|时$|[后前]$",
    re.IGNORECASE,
)
_WHY = expression(
    r"^(?:and |but |because |since |as |denn |weil |因为)*(?:it|this|that|they|these|those|we|i|nobody|no one|members|people|users|das|没人|我们)\b.*\b(?:need|want|use|like|ask|too|not|never|can['’]t|n['’]t|long|enough|cost|expensive|later|unnecessary|overkill|afford|matters?)"
    r"|^(?:because|since|denn|weil|因为)|^as it\b",
    re.IGNORECASE,
)
_SENTENCE_END = expression(r"((?<=[.;!])\s+|(?<=[。；！])|\n+)")
_JOINTS = expression(
    r"(\s*[;；]\s*|\s*[,，]\s*(?:and |but |so |while )?|\s+(?:and|but|because|since|und|aber)\s+|\s+-\s+|\s*[:–—]\s+|\s*[(（]|[)）]\s*)",
    re.IGNORECASE,
)
_OPENING = expression(  # what leads to an order
    r"(?:(?:sorry|actually|hm+|well|thanks?(?: you)?|(?:on )?second thoughts?|i(?:['’]ve| have)? changed my mind|we(?:['’]ve| have)? changed our minds?|entschuldigung)[,. ]*)*",
    re.IGNORECASE,
)
_MOST = 12  # parts of one sentence that are looked at
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
_TITLE = 0.5  # share of an item's title that a line has to say which may be about something else
_UNCLEAR = expression(r"\((?:REQ|NFR)-[\w /-]*\?\)[.]?$")


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

    The reasons for orders are left out.
    """
    if OWN_ID.search(sentence):
        return [Part("", sentence)]
    pieces = _JOINTS.split(sentence.strip())
    if len(pieces) > 2 * _MOST:
        return [Part("", sentence)]
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
            explains = found and found[-1].order and (_WHY.match(text.strip()) or not text.strip())
            if not explains and not _OPENING.fullmatch(text.strip()):
                found.append(Part(before, text))
            at += 2
    return found if any(part.order for part in found) else [Part("", sentence)]


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
    kinds: Sequence[tuple[str, tuple[re.Pattern[str], ...]]] = _KINDS
    if before and before[-1].order and before[-1].order.what == "rank":
        kinds = (*_KINDS, ("rank", _RANKS_TOO))
    for what, forms in kinds:
        for form in forms:
            found = form.match(text.strip())
            if found is None:
                continue
            named = found.groupdict()
            words = named["what"] or named.get("back") or ""
            meant = None if _RANKED.search(words) else _meant(words, texts, strictly=forms is _TAKES_AWAY)
            if meant is not None:
                return Order(what, meant[0], named.get("rank") or "", meant[1])
    return None


_RANKED = expression(r"\b(?:must|should|could|nice[- ]to[- ]have|priority)\b", re.IGNORECASE)


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
    texts = [(item.title, f"{item.statement} {item.quote}") for item in items]
    parts = _SENTENCE_END.split(piece)
    return "".join(part if at % 2 else _named(part, items, texts) for at, part in enumerate(parts)).strip()


def _named(sentence: str, items: Sequence[Requirement], texts: Sequence[tuple[str, str]]) -> str:
    parts = orders_of(sentence, texts)
    if not any(part.order for part in parts):
        return sentence
    said = [(part.before, _told_by_id(part, items) if part.order else part.text) for part in parts]
    told = [(before, text) for before, text in said if text]
    text = "".join(("" if not at else before) + text for at, (before, text) in enumerate(told))
    return text if not text or text.rstrip()[-1] in ".!?。！？" else f"{text.rstrip()}."


def _told_by_id(part: Part, items: Sequence[Requirement]) -> str:
    order = part.order
    assert order is not None
    names = [items[at].id for at in order.items]
    if order.what == "back":  # what is asked for anyway stays so
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
        "back": f"{named} {verb} must-have",
    }[order.what]


def plain(text: str) -> str:
    """A text by its letters and digits alone."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _meant(
    what: str, texts: Sequence[tuple[str, str]], *, strictly: bool
) -> tuple[tuple[int, ...], bool] | None:
    """The items that words describe, and whether it is clear which; of several that are joined, one each."""
    if strictly and _WHEN.search(what):
        return None
    whole = _best(what, texts, strictly=strictly)
    if whole and len(whole) == 1:
        return tuple(whole), not _is_part(what, *texts[whole[0]])
    pieces = _JOINED.split(what)
    each = [_best(piece, texts, strictly=strictly) for piece in pieces] if len(pieces) > 1 else []
    if each and all(len(found) == 1 for found in each):
        is_clear = not any(_is_part(piece, *texts[at]) for piece, (at,) in zip(pieces, each, strict=True))
        return tuple(dict.fromkeys(found[0] for found in each)), is_clear
    return (tuple(whole[:4]), False) if whole else None


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


def _best(what: str, texts: Sequence[tuple[str, str]], *, strictly: bool) -> list[int]:
    """The items that hold all of the words; of several, those whose titles say least besides."""
    words = _words(what) - _GENERIC
    if not words:
        return []
    found: dict[int, float] = {}
    for at, (title, text) in enumerate(texts):
        own = _words(f"{title} {text}")
        if all(any(_alike(word, other) for other in own) for word in words):
            found[at] = _told(words, title)
    if strictly:
        found = {at: share for at, share in found.items() if share >= _TITLE}
    top = max(found.values(), default=0.0)
    return [at for at, share in found.items() if share > top - 0.15]


def _words(text: str) -> frozenset[str]:
    """The words of a text, those of joined ones each: `CSV-Export`."""
    return frozenset(word for word in keywords(text.replace("-", " ")) if len(word) > 1)


def _alike(one: str, other: str) -> bool:
    """Whether two stems are words of one family."""
    one, other = _root(one), _root(other)
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= _PREFIX and long.startswith(short) and len(long) - len(short) <= 4)


def _root(word: str) -> str:
    found = _ENDING.search(word) if word.isascii() else None
    return word[: found.start()] if found and found.start() >= _ROOT else word
