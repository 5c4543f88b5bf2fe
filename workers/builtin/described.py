"""What a person orders of something that they describe instead of naming it: `drop the CSV export`, `the calendar can wait`."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.named_tuple import NamedTuple
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.builtin.amended import OWN_ID
from workers.builtin.clauses import first_modal
from workers.builtin.phrases import strip_end
from workers.documents.content import Requirement
from workers.documents.lexicon import lexicon_of

_SENTENCE_END = expression(r"((?<=[.;!])\s+|(?<=[。；！])|\n+)")
_POLITE = r"^(?:(?:[-*•]\s+)?(?:please|and|but|also|ok(?:ay)?|so|now|then|let['’]?s|let us|(?:i think |i guess )?(?:we|you|i) (?:can|could|should|will|would like to|['’]d like to|want to|have to|must|may as well|decided to|agreed to)|请|我们?|先|把|将)[, ]*)*"
_WHAT = r"(?P<what>[^\s,;:.!?()，。；：！？（）][^,;:.!?()，。；：！？（）]{0,90}?)"
_FOR_NOW = r"(?: (?:for (?:now|the moment|the time being|this (?:version|release|phase))|in (?:the )?(?:first|this|v1|initial) ?(?:version|release|phase|step|iteration)?|(?:from|of) (?:the )?(?:(?:first|this|initial|next) )?(?:scope|version|release|spec(?:ification)?|requirements?|documents?|mvp|plan|list)|any ?more|any longer|after all|altogether|entirely|completely|again|please|instead))*"
_REST = r"(?:\s*[.!。！]*|\s*(?P<rest>(?:[,;:–—，；：(]|-\s|\b(?:because|since|as|and|but)\b|因为).*))$"
_FEATURE = (
    r"(?: (?:feature|functionality|function|requirement|part|option|thing|item)s?|(?:这个|该)?(?:功能|需求))?"
)


def _forms(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(expression(f"{_POLITE}{pattern}{_REST}", re.IGNORECASE) for pattern in patterns)


_DROPS = _forms(
    rf"(?:drop|scrap|skip|cut|ditch|leave out|take out|get rid of|forget(?: about)?|do without|go without|give up(?: on)?|strike) (?:out )?(?:the |this |that |those |these |our |all |any )?{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"(?:leave|take) (?:the |this |that |our )?{_WHAT}{_FEATURE} out{_FOR_NOW}",
    rf"(?:we |i |you )?(?:no longer|don['’]t|do not|won['’]t|will not) (?:really )?(?:need|want|require|build) (?:the |this |that |our |any |an? )?{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"nobody (?:needs|wants|uses|asked for) (?:the |this |that |our |any )?{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"(?:there (?:is|will be) )?no (?:more )?{_WHAT}{_FEATURE}{_FOR_NOW}",
    rf"(?:the |this |that |our )?{_WHAT}{_FEATURE} (?:is|are)(?: no longer|n['’]t| not) (?:needed|wanted|required|necessary|asked for|in scope|part of (?:it|this|the scope))(?: (?:any ?more|any longer|for now|after all))*",
    rf"(?:the |this |that |our )?{_WHAT}{_FEATURE} (?:is|are) (?:now )?(?:out of scope|dropped|cancelled|canceled|off the table)(?: for now)?",
    rf"(?:the |this |that |our )?{_WHAT}{_FEATURE} (?:should|must|can|could|may|is to|are to|has to) (?:be (?:dropped|removed|left out|cut|omitted|skipped|cancelled|canceled|deleted)|go|go away){_FOR_NOW}",
    rf"(?:去掉|删除|删掉|移除|取消|砍掉|放弃|不再?需要|不再?要|不做){_WHAT}{_FEATURE}了?(?:吧)?",
    rf"{_WHAT}{_FEATURE}(?:先)?(?:不(?:再)?(?:需)?要了?|不做了?|取消|去掉|删掉|砍掉)(?:吧)?",
)
_TAKES_AWAY = _forms(  # what a product may have to do itself, too: `remove the user when they leave`
    rf"(?:remove|delete|omit|cancel|discard|exclude) (?:the |this |that |those |these |our |all |any )?{_WHAT}{_FEATURE}{_FOR_NOW}",
)
_RANK = r"(?P<rank>(?:must|should|could)[- ]haves?|nice[- ]to[- ]haves?|(?:must|should|could)|(?:high|medium|low)(?:est)? priority|p[0-3])"
_RANKS = _forms(
    rf"(?:make|mark|treat|rank|consider|see) (?:the |this |that |our )?{_WHAT}{_FEATURE} (?:as )?(?:an? )?{_RANK}",
    rf"(?:the |this |that |our )?{_WHAT}{_FEATURE} (?:is|are|becomes?|should be|has|have)(?: now)?(?: only| just| really| more of| of)? (?:an? )?{_RANK}",
)
_WAITS = _forms(
    rf"(?:the |this |that |our )?{_WHAT}{_FEATURE} (?:can|could|may|might|should)(?: also| well| easily)? (?:wait|come later|be done later|be postponed|follow later)(?: (?:for|until|till|to|in) [^,;.]{{1,40}})?",
    rf"(?:postpone|defer|put off|delay|push back) (?:the |this |that |our )?{_WHAT}{_FEATURE}(?: (?:for|until|till|to) [^,;.]{{1,40}})?",
    rf"{_WHAT}{_FEATURE}(?:可以?(?:先)?(?:等等|等一等|以后再做|晚点(?:再)?做|推迟|缓一缓|往后放)|以后再做|推迟)",
)
_WHEN = expression(
    r"\b(?:when(?:ever)?|after|before|once|if|while|unless|until|by|during|whose|who|that|which|older than|upon)\b|时$|[后前]$",
    re.IGNORECASE,
)
_WHY = expression(
    r"^[,;:–—，；：(\s-]*(?:(?:and|but|because|since|as|因为)\s*)*(?:it|this|that|they|these|those|we|i|nobody|no one|members|people|users|没人|我们)\b.*\b(?:need|want|use|like|ask|too|not|never|n['’]t|long|enough|cost|expensive|later|unnecessary|overkill)",
    re.IGNORECASE,
)
_MORE = expression(
    rf"^\s*,?\s*(?:and(?: also)?|or|nor) (?:the |our |any )?{_WHAT}{_FEATURE}{_FOR_NOW}\s*[.!]*$",
    re.IGNORECASE,
)
_JOINED = expression(
    r"(?:,| and(?: also)?| or| nor|、|和|与|及) (?:the |our |any )?|[、和与及]", re.IGNORECASE
)
_SEVERAL = expression(r"\b(?:and|or)\b|[/、和与及]|\w, \w", re.IGNORECASE)
_GENERIC = frozenset(
    keywords("feature function functionality requirement part option thing item support possibility")
)
_PREFIX = 5  # letters that two forms of one word share at least: `expiry`, `expire`
_TITLE = 0.5  # share of an item's title that a line has to say which a product may have to do itself


class Order(NamedTuple):
    """What is ordered (`drop`, `rank`, `wait`), of which items, with what was said besides."""

    what: str
    items: tuple[int, ...]  # indices
    rank: str = ""
    rest: str = ""  # of the sentence, where it says more than a reason
    is_clear: bool = True  # else each of the items may be meant


def order_in(sentence: str, texts: Sequence[tuple[str, str]]) -> Order | None:
    """The order that a sentence gives, of `texts`: (title, statement) of each item; None where it gives none of them."""
    said = sentence.strip()
    if OWN_ID.search(said):
        return None
    for what, forms in (("wait", _WAITS), ("rank", _RANKS), ("drop", _DROPS), ("drop", _TAKES_AWAY)):
        for form in forms:
            found = form.match(said)
            meant = _meant(found["what"], texts, strictly=forms is _TAKES_AWAY) if found else None
            if found is None or meant is None:
                continue
            items, is_clear = meant
            rest = found["rest"] or ""
            more = _MORE.match(rest) if is_clear else None
            others = _meant(more["what"], texts, strictly=forms is _TAKES_AWAY) if more else None
            if others and others[1]:
                items, rest = tuple(dict.fromkeys([*items, *others[0]])), ""
            elif _WHY.match(rest) or _says_nothing(rest):
                rest = ""
            return Order(what, items, found.groupdict().get("rank") or "", rest, is_clear)
    return None


def _says_nothing(rest: str) -> bool:
    plain = strip_end(rest.lstrip(" ,;:–—，；：(-"))
    return first_modal(plain, lexicon_of(plain)) is None and rest.lstrip()[:1] in ("(", "b", "s", "a", "因")


def sentences_of(pieces: Sequence[str]) -> list[str]:
    """The sentences of a person's words."""
    return [part for piece in pieces for part in _SENTENCE_END.split(piece)[::2] if part.strip()]


def with_identifiers(piece: str, items: Sequence[Requirement]) -> str:
    """A person's words with each order in the form that names its items: `drop the CSV export` -> `Remove REQ-003`.

    Where several could be meant, their identifiers stand behind the order.
    """
    texts = [(item.title, f"{item.statement} {item.quote}") for item in items]
    parts = _SENTENCE_END.split(piece)
    return "".join(part if at % 2 else _named(part, items, texts) for at, part in enumerate(parts))


def _named(sentence: str, items: Sequence[Requirement], texts: Sequence[tuple[str, str]]) -> str:
    order = order_in(sentence, texts)
    if order is None:
        return sentence
    names = [items[at].id for at in order.items]
    if not order.is_clear:
        return f"{strip_end(sentence)} ({' / '.join(names)}?)."
    named = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    verb = "are" if len(names) > 1 else "is"
    said = {
        "drop": f"Remove {named}",
        "wait": f"{named} can wait",
        "rank": f"{named} {verb} {order.rank}",
    }[order.what]
    return f"{said}{order.rest or '.'}"


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
    """Whether words may mean one of several things that an item joins: `PDF` of `export as CSV and PDF`."""
    return _SEVERAL.search(text) is not None and _told(keywords(what) - _GENERIC, title) < _TITLE


def _told(words: frozenset[str], title: str) -> float:
    """The share of a title's words that words say."""
    titled = keywords(title)
    return sum(any(_alike(word, other) for word in words) for other in titled) / max(1, len(titled))


def _best(what: str, texts: Sequence[tuple[str, str]], *, strictly: bool) -> list[int]:
    """The items that hold all of the words; of several, those whose titles say least besides."""
    words = keywords(what) - _GENERIC
    if not words:
        return []
    found: dict[int, float] = {}
    for at, (title, text) in enumerate(texts):
        own = keywords(f"{title} {text}")
        if all(any(_alike(word, other) for other in own) for word in words):
            found[at] = _told(words, title)
    if strictly:
        found = {at: share for at, share in found.items() if share >= _TITLE}
    top = max(found.values(), default=0.0)
    return [at for at, share in found.items() if share > top - 0.15]


def _alike(one: str, other: str) -> bool:
    """Whether two stems are forms of one word."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= _PREFIX and long.startswith(short[:-1]) and len(long) - len(short) <= 4
