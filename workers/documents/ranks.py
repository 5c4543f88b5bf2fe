"""What says the priority of other statements: `Priority: the bed list is P0, export is P1`, `That one is a must`."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import priority_of

_LINE = expression(
    r"^\W*(?:priorit(?:y|ies|ät|äten|és?)|prios?|prioridad(?:es)?|优先级|優先度)\W*[:：]\W*(?P<rest>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_PARTS = expression(
    r"\s*[,;，；、]\s*(?:and |und |et |y )?|\s+(?:and|und|et)\s+(?=[^,;]{2,60}?\s(?:is|are|=|:)\s)|(?<=[^.])\.\s+"
)
_PAIR = expression(
    r"^(?P<name>.{2,80}?)\s*(?:\b(?:is|are|has|gets|ist|sind|est|sont|es|son)\b(?: an?| eine?)?|=|[:：]|[–—-]\s|[(（]|是|为)\s*(?P<given>[^\s()（）][^()（）]{0,18}?)[)）.。]?$",
    re.IGNORECASE,
)
_FIRST = expression(r"^(?P<given>P[0-4]|must|should|could)\s*[:：=]\s*(?P<name>\S.{1,80})$", re.IGNORECASE)
_LAST = expression(
    r"^(?:(?:and|but|so),? )?(?:that|this|it|the last)(?: one| point| part| bit| feature)?(?: is|['’]s| would be)(?: (?:really|absolutely|definitely|only|just|more of|rather|very much))* (?:an? |the )?"
    r"(?P<given>(?:absolute )?must(?:[- ]haves?)?|nice[- ]to[- ]haves?|mandatory|essential|critical|optional|(?:high|low|top) priority)(?=\s*[,.;:!–—]|\s*$|\s+(?:for|because|since|as)\b)",
    re.IGNORECASE,
)


def rank_of_last(text: str) -> str:
    """The priority that a sentence gives to what stands before it: `That one is a must, my bookkeeper needs it`; else empty."""
    found = _LAST.match(text)
    return priority_of(re.sub(r"^absolute ", "", found["given"].lower())) if found else ""


def ranks(text: str) -> list[tuple[str, str]]:
    """(what a line names, Must, Should, Could or Won't) for each; empty for a line that ranks nothing by name."""
    found = _LINE.match(text)
    pairs = (
        [_FIRST.match(part) or _PAIR.match(part) for part in _PARTS.split(found["rest"].strip())]
        if found
        else []
    )
    given = [(pair["name"].strip(), priority_of(pair["given"])) for pair in pairs if pair]
    return given if pairs and len(given) == len(pairs) and all(priority for _, priority in given) else []
