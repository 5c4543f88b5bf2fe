"""For whom the thing is made, and for whom it is not: `The tool is for receptionists, not for patients.`"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression

_MADE = r"(?:(?:\w+ly |really )?(?:meant|intended|designed|made|built|aimed|directed|suitable|suited|available|accessible|open) )?"
_DENIED = expression(
    rf"[,;(–—-]?\s*\b(?:(?:and|but) )?(?:(?:it|this|that|they|these|which|the \w+) )?(?:(?:is|are|was|were|will be|shall be|should be) )?(?:not|isn['’]t|aren['’]t|never) {_MADE}"
    r"(?:for (?:use by |the use of )?|at |to be used by |used by )(?P<en>(?:(?!\b(?:but|who|which|that|only|so|because|until|when|if)\b)[^,.;:!?()–—])+)\)?"
    r"|[，,、；]?(?:而)?(?:并?不(?:是|要)?|非)(?:面向|给|供|针对|服务|为)(?P<zh>[一-鿿]{1,10}?)(?:使用|用|设计|准备|服务)?的?(?=[，。,;；、）)]|$)"
    r"|[,;]?\s*\bnicht (?:für|gedacht für) (?P<de>[^,.;:!?()]+)|[,;]?\s*\bpas (?:pour|destiné\w* à) (?P<fr>[^,.;:!?()]+)|[,;]?\s*\bno (?:es |son |está pensad[oa] )?para (?P<es>[^,.;:!?()]+)",
    re.IGNORECASE,
)
_DENYING = ("not ", "n't ", "n’t ", "never ", "不", "非", "nicht ", "pas ", "no ")
_ALONE = expression(  # what is left of a sentence that says nothing else
    r"\W*(?:(?:it|this|that|the|an?|our|tool|app|application|system|product|site|portal|platform|is|are|der|die|das|ist|und|and|but|ce|cet|outil|el|la)\W*)*",
    re.IGNORECASE,
)
_FOR = expression(
    r"^(?:so |and )?(?:(?:the|this|our) (?:(?!document|specification|spec\b|page|section|text|prd|paper|description|chapter|guide|readme|report|view|list|screen|form|letter|message)[\w-]+ ){1,3}|it |this |that )(?:is|will be|shall be|should be) (?:(?:\w+ly |only )?(?:meant|intended|designed|made|built|aimed|used) )?(?:only |just |purely )?(?:for (?:use by )?|at |by )(?P<who>(?:the |our |all )?[a-z][^.;:!?]{2,80}?)(?: only| alone)?[.!]?$",
    re.IGNORECASE,
)
_IS_FOR = expression(  # `Billo is a small app for plumbers, cleaners and tutors`
    r"^[A-Z][\w’'&.-]*(?: [\w’'&.-]+){0,4} is an? [^.;:!?]{0,80}?\b(?:app|application|tool|platform|service|system|software|website|site|solution|marketplace|dashboard|product|program|assistant|library|game|plugin|extension)"
    r" (?:(?:designed|built|made|intended|tailored|created) )?(?:specifically |primarily |mainly )?for (?:the use of |use by )?(?P<who>(?:the |our |all )?[A-Za-z][^.;:!?]{2,160}?)[.!]?$"
)


def denied(text: str) -> list[tuple[str, str]]:
    """(what denies it, whom it is not for), for each place where a text says for whom something is not."""
    if not may_deny(text):
        return []
    return [(match[0], next(filter(None, match.groups()))) for match in _DENIED.finditer(text)]


def without_denied(text: str) -> str:
    """A text without the places that say for whom something is not; their length is kept."""
    return _DENIED.sub(lambda match: " " * len(match[0]), text) if may_deny(text) else text


def may_deny(text: str) -> bool:
    """Whether a text has a word without which nothing is denied: most texts have none."""
    said = text.casefold()
    return any(word in said for word in _DENYING)


def says_nothing_else(text: str) -> bool:
    """Whether a sentence only says for whom something is not."""
    return bool(denied(text)) and _ALONE.fullmatch(without_denied(text)) is not None


def addressed(text: str) -> str:
    """Whom a sentence about the thing says that it is for; empty for another sentence."""
    said = " ".join(without_denied(text).split()).replace(" .", ".")
    found = _FOR.match(said) or _IS_FOR.match(said)
    return found["who"] if found else ""
