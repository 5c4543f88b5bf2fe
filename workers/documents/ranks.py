"""Lines that say the priority of several statements by their names: `Priority: the bed list is P0, export is P1`."""
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
