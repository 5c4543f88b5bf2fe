"""Sentences that name their own section: `The problem is ...`, `Office staff are users too`."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from dataclasses import replace

from orchestrator.domain.clarified import HEADINGS
from workers.builtin.trouble import tells_trouble
from workers.documents.passage import Passage

_ANSWERED = frozenset(HEADINGS.values())
_OPEN = frozenset({"", "background"})  # roles of passages whose sentences may name one of their own
_PROBLEM = re.compile(
    r"^(?:(?:so|and|but),? )?(?:(?:the|our|my|their|today's|a|one|another) )(?:\w+ ){0,2}?(?:problem|trouble|pain point)s?(?: (?:today|now|here|for us|we have))?,? (?:is|are)(?! (?:to be )?(?:shown|solved|reported|listed|displayed|stored|entered|sent|saved|logged))\b"
    r"|^(?:现在的?|目前的?|当前的?|主要的?|最大的?|我们的?)*(?:问题|痛点|麻烦)(?:是|在于|就是)",
    re.IGNORECASE,
)
_ARE_USERS = re.compile(  # what stands before names them
    r"^(?:that )?(.{2,80}?),? (?:are|is|will be|become|count as)(?: also| all)?(?: an?| the| our| its| among the)?(?: main| target| primary| end| other| further)?[ -]users?(?:,? too|,? as well)?[.!]?$"
    r"|^([^，。；：]{2,20}?)(?:也|都|同样)?(?:是|属于|算)(?:我们的?|系统的?|本系统的?|产品的?)?(?:主要|目标)?(?:用户|使用者)[。.！]?$",
    re.IGNORECASE,
)
_NOBODY = re.compile(
    r"\b(?:who|which|if|when|unless|that|not|no|there|must|should|shall)\b|不", re.IGNORECASE
)


def is_answer(passage: Passage) -> bool:
    """Whether its author said it when asked about the request."""
    return not _ANSWERED.isdisjoint(passage.block.section)


def own_section(passage: Passage, quote: str) -> tuple[Passage, str]:
    """The passage with the role that a sentence names for itself, and what it says there; both as they are otherwise.

    An answer about what should be better that says what is bad today names a problem.
    """
    if passage.role == "goal" and is_answer(passage) and tells_trouble(quote):
        return replace(passage, role="problem"), quote
    if passage.role not in _OPEN or passage.block.kind not in ("paragraph", "item"):
        return passage, quote
    if _PROBLEM.match(quote):
        return replace(passage, role="problem"), quote
    users = _ARE_USERS.match(quote)
    named = (users[1] or users[2]) if users else ""
    if named and not _NOBODY.search(named):
        return replace(passage, role="user"), named
    return passage, quote
