"""What is to become better, told by its form: a value beside the one of today, `4 min (now 7)`, `from 14 to 2 a month`.

Such a statement is a goal wherever it stands; a list that mostly has such statements is one of goals.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.dataclass import replace
from orchestrator.domain.patterns import expression
from workers.documents.lexicon import lexicon_of
from workers.documents.passage import Passage

_VALUE = r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|half|none|nobody|everyone|all|every|never|often|zero|eine?|zwei|drei|vier|fünf|zehn|deux|trois|dos|tres)\b|[一二两三四五六七八九十百]|\bthe (?:next|same) |\ban? (?:third|quarter|half|day|week|month|hour|dozen)\b)"
_TODAY = expression(  # the value of today beside a statement
    r"(?:[(（,，;；:]|\s[–—-])\s*(?:and |but |which |while |where(?:as)? )?(?:(?:it|that|this|there)(?:['’]s| is| are| was| were)? |we (?:are|were|had) (?:at )?)?(?:still )?"
    r"(?:now|today|currently|at present|at the moment|right now|last (?:year|season|month|week|quarter|term|time)|this (?:year|season)|so far|was|were|used to be|(?:down |up )?from|baseline|in (?:19|20)\d\d|heute|bisher|derzeit|zuletzt|letztes jahr|aujourd.hui|actuellement|l.an dernier|hoy|actualmente|el año pasado|目前|现在|如今|当前|现|原(?:来|先)?|去年|上个?月)"
    rf"[^()（）;；]{{0,60}}?{_VALUE}"
    rf"|[(（](?:(?:about|around) )?(?:\d[\d.,]*|two|three|four|five|six|ten|one)\b[^()（）]{{0,20}}\b(?:now|today|last (?:year|season|month)|at present|in (?:19|20)\d\d)[)）]"
    rf"|\b(?:from|of) (?:about |around |currently |now )?{_VALUE}[^.;]{{0,40}}?\s(?:down |up )?to (?:about |around |under |below |over |at (?:most|least) |less than |more than |fewer than )?{_VALUE}"
    rf"|\binstead of (?:the )?{_VALUE}|{_VALUE}[^.;]{{0,30}}?, not (?:the )?{_VALUE}[^.;]{{0,40}}\b(?:today|now|at (?:the moment|present))\b|\d\s*%?\s*(?:->|→|=>)\s*[<>≤≥]?\s*\d"
    r"|(?:从|由).{0,8}[\d一二两三四五六七八九十百].{0,10}?(?:降|缩短|减少|提高|提升|增加|升|控制|压缩)?到",
    re.IGNORECASE,
)
_BOUNDED = expression(
    rf"(?:\b(?:under|below|over|above|within|at (?:least|most)|up to|no more than|not more than|fewer than|less than|more than|höchstens|mindestens|unter|moins de|plus de|au plus|au moins|menos de|más de|al menos)|[<>≤≥]=?)\s*(?:an? |the )?{_VALUE}|(?:不超过|不低于|低于|少于|高于|至少|最多|以内|以下)",
    re.IGNORECASE,
)
_IS_TODAY = expression(
    r"(?:now|today|at the moment|at present|currently|so far|last (?:year|season|month)|(?:it )?(?:was|is now)|baseline|heute|derzeit|bisher|aujourd.hui|hoy)\b|目前|现在|去年",
    re.IGNORECASE,
)
_SO_FAR = expression(  # what is so today, before the value that it is to have
    r"\b(?:now|today|currently|at present|at the moment|right now|so far|last (?:year|season|month|week|term)|of (?:which|whom) there (?:are|were)"
    r"|we (?:now )?(?:reach|spend|average|count|are at|get|have)|heute|bisher|derzeit|zurzeit|letztes jahr|aujourd.hui|actuellement|l.an dernier|hoy|actualmente|el año pasado|oggi|attualmente|l.anno scorso|hoje|atualmente|no ano passado|nu|vorig jaar)\b",
    re.IGNORECASE,
)
_IS_TO_BE = expression(
    r"\b(?:ought to|should|are to|is to|wants?|would like|(?:i|we)['’]d like|happy with|(?:come|go|bring)(?:es|s)? (?:it |that |this |them )?(?:down|up) to|soll(?:en|te|ten)?|wollen|möchten?|wünschen|devrait|devraient|doi(?:t|vent)|aimerions|voudrai[st]|debería[n]?|queremos|quisiéramos|dovrebbe(?:ro)?|vogliamo|vorremmo|deveria[m]?|queremos|gostaríamos|moet(?:en)?|willen)\b",
    re.IGNORECASE,
)
_NEAR = 60  # characters in which a value belongs to the word before it
_VALUED = expression(_VALUE, re.IGNORECASE)
_OPEN = frozenset({"", "requirement", "use_case"})
_MEASURED = expression(  # a value to reach, rather than the time or the number in a test
    rf"\d\s*(?:%|per ?cent)|{_BOUNDED.pattern}|\b(?:zero|half|a third|a quarter)\b|\b(?:per|a|every) (?:day|week|month|year|season)\b|成|率",
    re.IGNORECASE,
)
_DOES = expression(
    r"\b(?:is|are|does|do|can|cannot|shows?|appears?|gets?|has|have|brings?|opens?|stays?|works?)\b|会|能|可以|显示",
    re.IGNORECASE,
)
_HOW = expression(
    r"\W*how\b.*\b(?:works?|is done|is finished|is right)\b", re.IGNORECASE
)  # `How would you know that it works?`
_MIN = 2  # items of a list that is judged as one


def is_today(text: str) -> bool:
    """Whether a part of a statement says how it is today: `at the moment it is the next day`."""
    return _IS_TODAY.match(text) is not None


def changes_a_value(text: str) -> bool:
    """Whether a statement has the value of something beside the one that it is to have."""
    return _TODAY.search(text) is not None


def says_both(text: str) -> bool:
    """As `changes_a_value`, for a sentence of prose: the value that it is to have is bounded and comes first, or is wished for."""
    found = _TODAY.search(text)
    if found is not None and _BOUNDED.search(text[: found.start()]):
        return True
    today = _SO_FAR.search(text)
    wished = _IS_TO_BE.search(text, today.end()) if today else None
    if not today or not wished:
        return False
    before, behind = text[today.end() : wished.start()], text[wished.end() : wished.end() + _NEAR]
    return all(_VALUED.search(part) for part in (before, behind))


def with_outcomes(found: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages, those of lists that mostly change a value as goals, of measures that are tests as criteria."""
    tests = {
        passage.block.id for rows in _lists(found, frozenset({"metric"})) if _tested(rows) for passage in rows
    }
    goals = {
        passage.block.id
        for rows in _lists(found, _OPEN)
        if 2 * sum(map(_improves, rows)) > len(rows)
        for passage in rows
    }
    turned = {**dict.fromkeys(goals, "goal"), **dict.fromkeys(tests, "acceptance")}
    return tuple(
        replace(passage, role=turned[passage.block.id]) if passage.block.id in turned else passage
        for passage in found
    )


def _lists(found: Sequence[Passage], roles: frozenset[str]) -> list[list[Passage]]:
    """The lists of several items whose section has one of the roles."""
    lists: dict[tuple[tuple[str, ...], str], list[Passage]] = {}
    for passage in found:
        if passage.block.kind == "item" and passage.role in roles and not passage.opens:
            lists.setdefault((passage.block.section, passage.block.lead), []).append(passage)
    return [rows for rows in lists.values() if len(rows) >= _MIN]


def _tested(rows: Sequence[Passage]) -> bool:
    """Whether the items below a question for success tell what is seen when it is tried: none has a value to reach."""
    texts = [passage.text for passage in rows]
    if not _HOW.match(rows[0].block.heading):
        return False
    if any(passage.values for passage in rows) or any(_MEASURED.search(text) for text in texts):
        return False
    return 2 * sum(_DOES.search(text) is not None for text in texts) >= len(texts)


def _improves(passage: Passage) -> bool:
    text = passage.text
    return changes_a_value(text) and not passage.id and not lexicon_of(text).find("as_a", text)
