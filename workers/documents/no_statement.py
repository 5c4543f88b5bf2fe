"""Words of a request that state nothing: greetings, quoted talk, placeholders, legends, lines of facts about the document."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.documents.asked_roles import waits
from workers.documents.item_marks import TEMPLATE
from workers.documents.passage import ASKED
from workers.documents.reading_words import attribute_of, is_column, is_greeting, label_role, priority_of

_QUOTED = expression(r"^[\"“„«「][^\"”“»」]{12,}[\"”“»」][.。]?\s*(?:[(（—–-].{0,80})?$")
_TOLD_STORY = expression(r"^[\"“„«「]as (?:an?|the)\b.{2,80}\bi\b", re.IGNORECASE)
_CONVENTION = expression(r"^the key ?words\b.{0,200}\bMUST\b", re.IGNORECASE)
_LEGEND = expression(
    r"^[*_]{0,2}(?:legend|key|图例|优先级说明|legende|légende|leyenda|凡例)[*_]{0,2}\s*(?:[:：—–-]|(?=\W)(?<=\*))\s*",
    re.IGNORECASE,
)
_SYMBOL = expression(r"([^\w\s,;:()/|、，；.-]+)️?\s*=?\s*([^,;|/、，；]+)")
_MEANS = expression(
    r"(?:^|[,;·:.]\s*)\W{0,2}[\w-]{1,12}\W{0,2}\s*=\s*[^\s=]"
)  # `S = one week, M = one month`
_ASIDE = expression(r"^([*_])(?![*_\s])(?P<said>(?:(?!\1).)+)\1$", re.DOTALL)
_MODAL = expression(r"\b(?:must|shall|should|we want)\b|必须|应该", re.IGNORECASE)
_FACT = expression(r"[*_]{0,2}[^\W\d_][\w ./-]{0,24}(?:[*_]{0,2}[:：][*_]{0,2}|[*]{2})\s*\S")
_BESIDE = expression(r"\s+[·•|∙]\s+")
_ANCHORS = expression(
    r"(?:\W*(?:\d+(?:\.\d+)*\.?)?\s*\[[^\[\]]+\]\(#[^()\s]*\))+\W*"
)  # a line of a table of contents
_POINTS = expression(  # a link, and what it is called: `RFC PR: [#12](https://...)`
    r"(?:[\w /#.-]{2,30}[:：]\s*)?(?:(?:\[[^\[\]]*\]\([^()\s]*\)|<?https?://[^\s<>]+>?)[\s,;·]*)+"
)
_CITED = expression(r"(?:\(?\[[^\[\]]*\](?:\[[^\[\]]*\]|:\s*\S+)\)?[\s,;.]*)+")  # `([Benchmark][2])`
_STYLED = expression(  # a colour, or sizes, as a design lists them: `Accent: #e6edf3 (text)`, `Padding: 8px, 16px`
    r"^(?:[*_]{0,2}[^:：\n]{2,40}[:：][*_]{0,2}\s*)?(?:[`(]?(?:#(?:[0-9a-f]{6}(?:[0-9a-f]{2})?|(?=\d*[a-f])[0-9a-f]{3})\b|(?:rgb|hsl)a?\([\d\s.,%]+\)).{0,60}"
    r"|(?:\d[\d.]*(?:px|pt|rem|em)\b\s*(?:\([^()]{0,40}\)|(?:base )?unit|grid)?[\s,/–-]*)+)$",
    re.IGNORECASE,
)
_PROMPT = expression(  # what the template of an issue asks its author for
    r"^[*_]{0,2}(?:a (?:clear and )?concise description of (?:what|any|the|how)\b|add any other (?:context|information|details?)\b|if applicable, (?:please )?(?:add|include|attach)\b"
    r"|(?:please )?(?:add|provide|describe|include|insert|paste|attach|write|enter|list|explain|tell us)\b.{0,150}\bhere\W*$|no response[*_]*$|(?:go to|click on|scroll down to) ['‘\"]\.{3,}['’\"]"
    r"|(?:[\w /()]{1,40}[:：] )?\[e\.?g\.?[^\[\]]*\]$|ex\. i['’]m always frustrated when \[?\.{3}"
    r"|i (?:have|['’]ve) (?:already )?(?:searched|read|checked|looked|verified|reviewed) |i agree to (?:follow|abide|the)\b)",
    re.IGNORECASE,
)
_STATING = ASKED | {
    "goal",
    "metric",
    "non_goal",
    "user",
    "constraint",
    "dependency",
    "risk",
    "question",
    "acceptance",
}
_ANSWERED = expression(r"^([^?？]{4,200}[?？])[*_]*\s*(\S.*)$", re.DOTALL)  # a question with what follows it
_SAYS = expression(
    r"^(?:→|->|=>|A[:：]|answer(?:ed)?\b|yes\b[,.: ]|no\b[,.: ]|decided\b|[–—-] (?:yes|no|decided)\b)",
    re.IGNORECASE,
)
_AFTERTHOUGHT = 60  # characters behind a question that say no more than that it is open
_WHAT_IF = expression(r"what (?:happens|if)\b|was passiert|que se passe-t-il|qué pasa|如果", re.IGNORECASE)
_REMOVED = expression(
    r"^\W*(?:removed|deleted|withdrawn|dropped|obsolete|superseded|entfallen|gestrichen|supprimée?|eliminado|已删除|已取消|削除)\b.{0,60}$",
    re.IGNORECASE,
)
_DROPPED = expression(r"^(?:#\d+\s+|Q\d*[:：.]\s*)?~~(.+?)~~")
_FINISHED = expression(  # behind what is struck out: `done`, `already there`
    r"^(?:(?!\b(?:not|no|never|too|dropped|rejected|instead|nicht|pas)\b).)*?(?:[✅✔☑✓]|\b(?:already|done|shipped|finished|fixed|bereits|erledigt|fertig|déjà|fait|ya|hecho)\b|已(?:经|有|做|完成|上线)|完成)",
    re.IGNORECASE | re.DOTALL,
)
_DECIDED = expression(  # behind it, that it will not be done
    r"\b(?:decided against|decided not to|dropped|rejected|not doing|not going to|won['’]?t)\b", re.IGNORECASE
)
_LEFT = expression(
    r"\W*([^:：<>]{4,60})[:：]\s*[*_(]*(?:tbd|tba|to be (?:decided|defined|confirmed|determined|agreed))\b.{0,20}$",
    re.IGNORECASE,
)
_LOGGED = expression(
    r"^[*_[(]{0,3}\d{4}-\d{2}-\d{2}[*_\])]{0,3}[:,–—-]?\s+\S"
)  # `2026-03-09 drive sent away`


def beside(text: str, legend: dict[str, str]) -> str:
    """The role of words that are no statement; empty for all else. `legend` takes the priorities that symbols stand for."""
    if _LEGEND.match(text):
        pairs = _SYMBOL.findall(_LEGEND.sub("", text))
        legend |= {symbol: given for symbol, said in pairs if (given := priority_of(said))}
        return "meta"
    if len(text) < 120 and _priorities(text) > 2:
        return "meta"
    aside = _ASIDE.match(text)
    if aside and not _MODAL.search(text) and not label_role(re.split("[:：]", aside["said"])[0]):
        return "meta"
    if "://" in text and _POINTS.fullmatch(text):
        return "meta"
    if "][" in text and _CITED.fullmatch(text):
        return "meta"
    if (
        ("#" in text or "px" in text or "(" in text or "em" in text)
        and len(text) < 120
        and _STYLED.match(text)
    ):
        return "data"
    if _facts(text) or ("=" in text and len(_MEANS.findall(text)) > 1):
        return "meta"
    if "](#" in text and _ANCHORS.fullmatch(text):
        return "contents"
    if _TOLD_STORY.match(text):
        return ""
    rows = ((TEMPLATE, "template"), (_PROMPT, "template"), (_QUOTED, "quotation"), (_CONVENTION, "meta"))
    return next(
        (role for pattern, role in rows if pattern.match(text)), "greeting" if is_greeting(text) else ""
    )


def is_logged(text: str) -> bool:
    """Whether a line begins with a day, as those of a log do, and asks for nothing."""
    return _LOGGED.match(text) is not None and not _MODAL.search(text)


def is_left_to_decide(text: str) -> bool:
    """Whether something is named and left open: `Retention of the sheets: tbd`; a property of an item is none."""
    found = _LEFT.match(text)
    return (
        found is not None
        and " " in found[1].strip()
        and not attribute_of(found[1])
        and not is_column(found[1])
    )


def _priorities(text: str) -> int:
    """How many priorities a text names in capitals."""
    return len({given for word in re.findall(r"\b[A-Z][A-Z'’]+\b", text) if (given := priority_of(word))})


def _facts(text: str) -> bool:
    """Whether a line holds several facts with their names: `Owner: Ada · Last updated: 3 June`."""
    parts = _BESIDE.split(text)
    if len(parts) == 1:
        return False
    named = sum(_FACT.match(part) is not None for part in parts)
    known = any(label_role(re.split("[:：]", part)[0]) in _STATING for part in parts)
    return (
        len(parts) > 1 and named > 1 and 3 * named >= 2 * len(parts) and not known and not _MODAL.search(text)
    )


def answer_of(text: str, role: str) -> str:
    """What a line says behind its own question: the answer in a FAQ, of a decision, or of an edge case; else empty."""
    found = _ANSWERED.match(text)
    if found and (role == "faq" or _SAYS.match(found[2]) or (role in ASKED and _WHAT_IF.match(text))):
        return found[2]
    return ""


def still_open(text: str) -> str:
    """The question of a line that only adds that nobody knows yet; else empty."""
    found = _ANSWERED.match(text)
    return found[1] if found and len(found[2]) <= _AFTERTHOUGHT and waits(found[2]) else ""


def gone_as(text: str, role: str, *, named: bool) -> tuple[str, str]:
    """The role of what is struck out or said to be removed, and its words: done, answered, left out; empty for all else.

    `named`: it has an id of its own.
    """
    if named and _REMOVED.match(text):
        return "removed", text
    struck = _DROPPED.match(text)
    if not struck:
        return "", text
    behind = text[struck.end() :]
    if _FINISHED.match(behind) or (role == "done" and not re.search(r"\w", behind)):
        return "done", struck[1]
    if _DECIDED.search(behind):
        return "non_goal", re.sub(r"^\[[ xX]?\]\s*|[?？\s]+$", "", struck[1])
    asks = role == "question" or struck[1].rstrip().endswith(("?", "？"))
    return ("answered", text) if asks else ("non_goal", struck[1])
