"""What a question asks for, and whether what stands behind it answers it."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import role_of

_ANSWERABLE = frozenset(
    {
        "goal",
        "metric",
        "non_goal",
        "risk",
        "constraint",
        "problem",
        "user",
        "dependency",
        "nonfunctional",
    }
)

_WHAT = ("what ", "was ", "que ", "qué ")
_WAITS = expression(  # no answer yet
    r"^\W*(?:(?:and|but|so|well|hm+|ah|oh|still|i guess)\W+)*(?:no idea|dunno|nobody knows|who knows|not sure|unclear|(?:i|we)(?:['’]ll| will| have to| need to| must| should)? (?:ask|check|clarify|think|find out|come back|look into)\b|(?:i|we) (?:don['’]?t|do not) know"
    r"|let me (?:think|ask|check|see|find out|come back)|good (?:question|one|point)|asking\b|will (?:ask|check|post|think|clarify)|(?:to be|still) (?:decided|discussed|clarified|open)|tbd|open\b(?! the)|that['’]?s (?:still )?open|later we decide|needs? (?:to be )?(?:clarif|decid|discuss)"
    r"|weiß (?:ich |noch )?nicht|keine ahnung|klär|frage nach|je ne sais pas|on verra|no sé|不知道|不清楚|不确定|还没定|待定|再(?:想想|说|问)|我(?:去)?问)",
    re.IGNORECASE,
)


def asked_role(quote: str) -> str:
    """The role of what a question asks for: `Who will use it?`; empty for another sentence."""
    said = quote.strip()
    if not said.endswith(("?", "？")):
        return ""
    role = role_of(said[:-1].replace("：", ":").rpartition(":")[2].strip())
    lists = role == "requirement" and said.lower().startswith(_WHAT)  # `Could we have a list?` asks for one
    return role if role in _ANSWERABLE or lists else ""


def waits(text: str) -> bool:
    """Whether what stands behind a question only says that nobody knows yet: `good point, I'll ask the county`."""
    return _WAITS.search(text[:200]) is not None
