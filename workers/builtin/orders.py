"""What a person orders of a requirement that they name: another title (`rename REQ-007 to Print slips`), other words
(`change REQ-007 to: The desk must print two slips`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.builtin.clauses import first_modal
from workers.builtin.phrases import upper_first
from workers.documents.content import Requirement
from workers.documents.lexicon import lexicon_of

_ITEM = r"(?P<item>(?:REQ|NFR-[A-Z]{1,2})-\d+)"
_POLITE = r"^(?:please |and |but |请|把|将)*"
_TITLES = tuple(
    expression(
        rf"{_POLITE}{said}[\"“”'‘’「」]*(?P<said>\S.{{1,120}}?)[\"“”'‘’「」]*(?: please)?[.!。]?$",
        re.IGNORECASE,
    )
    for said in (
        rf"(?:rename|retitle) {_ITEM}(?: (?:to|as|into))?[: ]\s*",
        rf"(?:call|name) {_ITEM}[: ]\s*",
        rf"{_ITEM}[:,]? (?:please )?(?:rename|retitle|call|name) (?:it|this)(?: (?:to|as))?[: ]\s*",
        rf"{_ITEM} (?:should|shall|must|is to) be (?:called|named|renamed(?: to)?)[: ]\s*",
        rf"(?:change |set )?(?:the )?(?:title|name) of {_ITEM} (?:to|is|should be)[: ]\s*",
        rf"{_ITEM}\s?(?:改名为|重命名为|改叫|叫做?|的?(?:标题|名称)(?:改为|改成|是|为))[:：]?\s*",
        rf"(?:重命名)\s?{_ITEM}\s?为\s*",
    )
)
_WORDINGS = tuple(
    expression(rf"{_POLITE}{said}[\"“「]*(?P<said>\S.{{5,1500}}?)[\"”」]*$", re.IGNORECASE | re.DOTALL)
    for said in (
        rf"(?:reword|rephrase|rewrite|replace|change) {_ITEM} (?:to|as|with|by)\s*[:：]\s*",
        rf"(?:reword|rephrase|rewrite) {_ITEM} (?:to|as)\s+",
        rf"{_ITEM}[:,]? (?:please )?(?:reword|rephrase|rewrite|change) (?:it|this) (?:to|as)[: ]\s*",
        rf"{_ITEM} (?:should|shall|must) (?:read|say)[: ]\s*",
        rf"{_ITEM}\s?(?:的?(?:内容|表述|陈述))?(?:改写为|改为|改成)[:：]\s*",
    )
)
_STATED = expression(rf"^{_ITEM}\s*[:：]\s*(?P<said>\S.{{5,1500}})$", re.DOTALL)
_ALIKE = (
    0.5  # share of the words of a requirement that a sentence behind its identifier has, which says it anew
)


def renamed(items: Sequence[Requirement], lines: Sequence[str]) -> tuple[list[Requirement], list[str]]:
    """The items with the titles that the lines give them, and the lines that gave one."""
    done = {item.id: item for item in items}
    told = []
    for line in lines:
        found = _found(_TITLES, line)
        if found and found["item"] in done:
            title = found["said"].strip()
            done[found["item"]] = done[found["item"]].model_copy(update={"title": upper_first(title)})
            told.append(line)
    return list(done.values()), told


def reworded(items: Sequence[Requirement], lines: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The new words of requirements by their identifiers, and the lines that gave them."""
    known = {item.id: item for item in items}
    new: dict[str, str] = {}
    told = []
    for line in lines:
        found = _found(_WORDINGS, line)
        said = found or _STATED.match(line.strip())
        item = known.get(said["item"]) if said else None
        if said and item and (found or _says_anew(said["said"], item)):
            new[item.id] = said["said"].strip()
            told.append(line)
    return new, told


def is_order(line: str) -> bool:
    """Whether a line gives an item that it names another title or other words."""
    return _found(_TITLES, line) is not None or _found(_WORDINGS, line) is not None


def restates(line: str) -> bool:
    """Whether a line is one sentence behind the identifier of an item: `REQ-007: The desk must print two slips.`"""
    found = _STATED.match(line.strip())
    said = found["said"] if found else ""
    return (
        bool(said)
        and first_modal(said, lexicon_of(said)) is not None
        and not re.search(r"[.!?。；;]\s+\S|[。；]\S", said)
    )


def _found(patterns: Sequence[re.Pattern[str]], line: str) -> re.Match[str] | None:
    return next((found for pattern in patterns if (found := pattern.match(line.strip()))), None)


def _says_anew(text: str, item: Requirement) -> bool:
    """Whether a whole sentence has most of an item's words: it says the item in another way, and nothing besides."""
    own = keywords(item.statement)
    return first_modal(text, lexicon_of(text)) is not None and len(own & keywords(text)) >= _ALIKE * len(own)
