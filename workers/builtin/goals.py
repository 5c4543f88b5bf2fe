"""Goals: what is measured, the value that is to be reached, and the one of today."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re

from orchestrator.domain.patterns import expression
from workers.builtin.analysis import Goal
from workers.builtin.phrases import TRIM
from workers.documents.heading_roles import OKR
from workers.documents.lexicon import Lexicon
from workers.documents.quantities import quantities, rate_end
from workers.documents.reading_words import quantity_words
from workers.documents.sentences import Sentence

_RISING = expression(
    r"\s*\b(?:from|von|de|desde|da|van)\s[^,;:]{1,40}?\s(?:(?:down|up)\s)?(?:to|auf|à|a|para|naar)\s*$|\s+(?:(?:down|up)\s+)?to\s*$|\s*\d[\d.,]*\s?%?\s*(?:->|→|=>)\s*$",
    re.IGNORECASE,
)
_NEAR = 240  # characters before a value that say what it is
_FROM = expression(
    r"(?:\b(?:from|(?<!rating )(?<!score )(?<!minimum )(?<!maximum )of|instead of|not(?: after| for)?|von|statt|invece che|da|de|desde|hoy el|heute)[:：]?|(?:从|由)[^\d到至一二两三四五六七八九十百半]{0,6}|从|由|から|(?:at the moment|now|at present|today|currently|last year)\b[^,;.]*)\s*(?:about |now )?(?:\w+的)?$",
    re.IGNORECASE,
)
_NOW = expression(
    r"\s*(?:->|→|=>)|\s*(?:\w+\s+){0,3}?(?:last year|now|today|at present|currently|heute|hoy|aujourd.hui|before)\b|\s*から|\s*\S{0,3}あたり",
    re.IGNORECASE,
)
_BOUND = r"(?:at (?:least|most)|under|below|above|over|up to|no more than|not more than|fewer than|less than|more than|better than|within|höchstens|mindestens|unter|über|au moins|au plus|moins de|plus de|al menos|como máximo|menos de|不超过|不低于|低于|高于|少于|至少|大于|小于|以内)"
_TO = expression(
    r"(?:\b(?:to|auf|à|a|para|pra|naar)|[到至を为])\s*(?:about |under |below |over |at (?:most|least) )?$",
    re.IGNORECASE,
)
_PAST = expression(
    r"\b(?:was|were|had|averaged|spent|counted|reached|(?<!\bto )(?:average|spends?|count|get|reach))\s*(?:about |around |some |only )?$",
    re.IGNORECASE,
)
_WANTED = expression(
    r"\b(?:(?:want|like|wish|hope|aim|need|reach|promise|agree)(?:s|d|ed)?(?: for| on)?(?: (?:that|it|this|them|these))?(?: to (?:be|have|see|reach|get|become))?(?: (?:at|to))?|(?:should|must|shall|has to|have to|ought to|is to|are to) (?:be|stay|need|take|cost|last|reach)(?: at)?|be at|get to|wanted:?|target:?|goal:?)\s+(?:about |around |only |just )?$",
    re.IGNORECASE,
)
_WITH = expression(r"\bhappy with\s*$", re.IGNORECASE)
_BASELINE = expression(  # in parentheses, what is so today: `(now 160`
    r"[(（](?:(?:19|20)\d\d\s*[:：]|baseline|starting|now|today|currently|at present|was|last year|heute|bisher|derzeit|aujourd.hui|actuellement|hoy|actualmente|目前|现在|现)[^()（）,;，；]*$",
    re.IGNORECASE,
)
_TIME = expression(
    r"\b(?:within|in|d.ici|dentro de|innerhalb)\b.*\b(?:hours?|days?|weeks?|months?|years?|monat\w*|mois|ans?|meses|años?)?$|1 \S*あたり",
    re.IGNORECASE,
)
_WITHIN_HAN = expression(
    r"[\d一二两三四五六七八九十半]+(?:年|个?月|学期|季度)[以之]?内"
)  # the time to reach a value in
_COUNTS = expression(  # behind the number that a sentence begins with: `25 clubs stream at least one box`
    r"\s*(?!(?:after|before|later|ago|in|within|from)\b)[^\W\d_]", re.IGNORECASE
)
_LASTING = expression(r"\b(?:for|during|after|(?:with)?in the (?:first|next|last))\s+$", re.IGNORECASE)
_AT = expression(
    r"(?:fewer|less|more|better|faster|lower|higher|at|under|over|below|above|no|up|höchstens|mindestens|unter|über|weniger|moins|au|menos|al)\b|[不低高少多小大超至最]",
    re.IGNORECASE,
)
_STRONG = expression(r"(\*\*|__)(?=\S)(.{1,60}?)(?<=\S)\1")
_NAMED = expression(r"[A-Za-z0-9]-?\d$")  # the number of a name: `O-1`
_CHANGE = expression(
    r"^(?:提升|提高|增加|减少|降低|缩短|达|降|升)(?:到|至|为)\s*(?=[\d一二两三四五六七八九十半])|^(?:达|降|升|提升|提高|增加|减少|降低|缩短)\s*(?=\d)|^(?:控制在|达到)\s*"
)
_COMPARES = expression(
    r"\b(?:(?:target|goal|wanted):|from|instead|now|today|von|statt|heute|de|au lieu|hoy)(?!\w)|[从由]",
    re.IGNORECASE,
)
_AFTER_COLON = expression(
    rf"^([^:：]{{4,90}})(?::\s+|：\s*)((?:[<>≤≥=~]|(?:down|up) (?:by|to)\b|{_BOUND}|\d|[$€£]|zero\b|half\b).{{0,60}}?)[.。]?$",
    re.IGNORECASE,
)
_DEADLINE = expression(  # the day by which something is reached, where no value is
    r"\b(?:by|before) (?:\d{1,2}[:.]\d\d|\d{1,2} ?(?:am|pm|o'clock))\b.*?$|(?:\b(?:before|by|until|bis(?: zum)?|vor|avant(?: le| la)?|d.ici(?: le| la)?|antes de(?:l)?|entro(?: il)?)\s+(?:the )?(?:(?:end|start|beginning|ende|fin|fine) (?:of |de |des |di )?)?(?:\w+\s+){0,2}?(?:(?:19|20)\d\d|spring|summer|autumn|winter|christmas|easter|year-end|\d{1,2}\.? [^\W\d]{3,9})\b).*?$|(?:次|每|当|本)?月\s*\d{1,2}\s*日(?:之?前)?|\d{4}\s*年(?:\s*\d{1,2}\s*月)?(?:之?[前内底])",
    re.IGNORECASE,
)
_SOON = expression(  # a day that is a value: `the day after delivery`
    r"\b(?:on )?(?:the (?:same|next|following) (?:working |business )?(?:day|morning|evening|week)|the (?:day|morning|week) after(?: the)? \w+|(?:the )?(?:mon|tues|wednes|thurs|fri|satur|sun)day of the same week)\b",
    re.IGNORECASE,
)
_WISHED = expression(  # what leads to the thing that is measured: `We want to cut the ...`
    r"^(?:(?:the|our) (?:main |first |second |other )?(?:goal|aim|target|objective|idea)(?: is| would be)?(?: simple)?(?: that|[:,])?\s+)?"
    r"(?:(?:and|but|also),?\s+)?(?:(?:we|i|they)(?: also| would| really|['’]d)*\s(?:want|like|hope|wish|aim|plan|intend|need|have)s?\s(?:also\s)?(?:to\s)?)?"
    r"(?:to\s)?(?:(?:cut|reduce|lower|shorten|bring|get|raise|increase|lift|grow|push|improve|decrease|drop|keep|have)\s(?=(?:the\s|our\s|all\s)?\w))?(?:the\s|our\s)?",
    re.IGNORECASE,
)
_WISHED_HAN = expression(
    r"^(?:我们|目标是?|争取|最好|计划|打算|希望|想要?|能够?|在?(?:[\d一二两三四五六七八九十半]+个?(?:年|月|学期|季度)[以之]?内)|[，,：:])*把?的?"
)
_DANGLING = expression(
    r"(?:\s(?:on|in|at|to|of|by|from|down|up|for|with|is|are|be|about|and|or|takes?|lasts?|(?:should |must |will )?(?:drop|fall|rise|go|stay)s?)|[<>≤≥=])+$|从[^，。]{1,12}$|(?:[<>≤≥=]|达到?|[降减]到|提高到)+\s*$",
    re.IGNORECASE,
)
_OF_WHAT = expression(
    r"\s+of\s(?:all\s|the\s|our\s)?[a-z-]+(?=\s*(?:[.,;)]|$|\s(?:in|within|by)\s))"
)  # `90 % of days`
_IN_NUMBERS = expression(r"\s*\(\d[\d.,]* [^\W\d]+\)")  # `10 % (100 clubs)`
_BY_WHEN = expression(  # the time that a value is given
    r"\s+(?:with)?in\s(?:the\s(?:first|next)\s)?(?:\d+|one|two|three|four|six|nine|twelve|an?)\s(?:days?|weeks?|months?|years?|seasons?|quarters?)\b|\s+by (?:the end of )?(?:next )?(?:\d{4}|(?:easter|christmas|summer|autumn|winter|spring)(?: \d{4})?|(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{4})?|year)\b",
    re.IGNORECASE,
)
_LATE = expression(rf"(?:{_BY_WHEN.pattern})$", re.IGNORECASE)
_AND_GOAL = expression(r",?\s+(?:and|und|et|y|e|en) (?!(?:if|when|then)\b)|[，；](?!如果|若)", re.IGNORECASE)
_ASIDE = expression(r"\s*[(（][^()（）]*[)）]")
_NONE_LEFT = expression(r"(?:^|[:：] )(?:zero|no)\b.{3,60}$|\bany ?(?:more|longer)\b|不再", re.IGNORECASE)
_LETTERED = expression(r"(?:^|\s)[(（](?:[a-h]|i{1,3}|iv|v|[1-9])[)）]\s*")
_SHARE = expression(  # and of what
    r"([<>≤≥=+~]*\s?\d[\d.,]*\s?%\+?)\s(?!(?:within|by|or|and|until|after|before|from|at|in the|d'|bis|oder|ou|o)\b)[^\W\d].*\s.*\w"
)
_TIMES = expression(  # a change that is a verb: `Halve the calls about opening hours`
    r"(?:(?:we|i) (?:want|hope|plan|aim) )?(?:to )?(?P<target>halve|(?:double|triple)(?= (?:the|our)\b))\s(?:the |our )?(?P<what>\w[^.;]{2,80})",
    re.IGNORECASE,
)
_SINCE = expression(  # behind a value, the one that is left: `60 %, from 43 % now`
    r"\s*[,;，；]\s*(?:from|now|today|was|currently|at present|von|heute|bisher|aujourd.hui|hoy|目前|现在|原)\b.*$",
    re.IGNORECASE,
)


def _measured(metric: str, lex: Lexicon) -> str:
    """What is measured, without the words that wish for it: `We want to cut no-shows` -> `no-shows`."""
    bare = (_WISHED_HAN if lex.language == "zh" else _WISHED).sub("", metric, count=1)
    return _DANGLING.sub("", bare).strip(TRIM) or metric


def goal_of(text: str, lex: Lexicon) -> Goal:
    """A goal with its measure, when the sentence states one."""
    text = OKR.sub("", text, count=1)
    measured = _measure_of(_STRONG.sub(r"\2", text), lex)
    return Goal(text.strip(), measured.metric, measured.target)


def _measure_of(text: str, lex: Lexicon) -> Goal:
    after = _AFTER_COLON.match(text.strip())
    if after and "(" not in after[1] and not _COMPARES.search(after[2]):
        return Goal(text.strip(), after[1].strip(TRIM + "*"), _value(after[2].strip()))
    found = max(
        (
            m
            for m in (lex.patterns["target"].finditer(text) if lex.language == "zh" else quantities(text))
            if m[0].strip(TRIM)
            and not _NAMED.search(text[max(0, m.start() - _NEAR) : m.start() + 1])
            and not _BASELINE.search(text[max(0, m.start() - _NEAR) : m.start()])
        ),
        key=lambda m: (
            _is_bound(m[0]) + _reached(text[max(0, m.start() - _NEAR) : m.start()], text[m.end() :], m[0]),
            any(character.isdigit() for character in m[0]),  # `on one day, 9 of 10 days`
            -m.start(),
        ),
        default=None,
    )
    before = text[: found.start()] if found else ""
    unwanted = not found or _reached(before, text[found.end() :], found[0]) < 0
    if unwanted and (times := _TIMES.match(text.strip())):
        return Goal(text.strip(), times["what"].strip(TRIM), times["target"])
    soon = _SOON.search(text) if unwanted else None
    if soon and not _FROM.search(text[: soon.start()]):
        return Goal(text.strip(), _measured(text[: soon.start()].strip(TRIM), lex), soon[0])
    if not found:
        day = _DEADLINE.search(text)
        if not day:
            return Goal(text.strip())
        what = re.sub(r"[在于]\s*$", "", text[: day.start()])
        if lex.language == "zh":
            what += text[day.end() :]
        return Goal(text.strip(), what.strip(TRIM), day[0].strip(TRIM))
    before, end = _RISING.sub("", text[: found.start()]), found.end()
    target = _CHANGE.sub("", found[0].strip(TRIM))
    if lex.language == "zh":
        metric = text[: found.start()] + text[end:]
        return Goal(text.strip(), _measured(metric.strip(TRIM), lex), target)
    share, end = target.endswith("%"), rate_end(text, end)
    target = (target + text[found.end() : end]).strip(TRIM)
    of = (_IN_NUMBERS.match(text, end) or _OF_WHAT.match(text, end)) if share else None
    when = _BY_WHEN.match(text, of.end() if of else end)
    for more in (of, when):
        if more:
            target, end = target + more[0], more.end()
    rest = text[end:]
    if before.strip(TRIM) and target.endswith("%") and re.match(r"\s+of\s", rest):
        before += " a share"
    metric = re.sub(r"^of\s+", "", " ".join((before + " " + rest).split()).strip(TRIM))
    late = None if when else _LATE.search(metric)
    if late:
        metric = metric[: late.start()]
    none = re.match(r"(?:zero|no)\s+(\w.+)", target, re.IGNORECASE) if not metric else None
    return Goal(text.strip(), _measured(none[1] if none else metric, lex), target)


def _value(target: str) -> str:
    """The share that a target begins with, without what it is a share of: `80 % of members log in weekly` -> `80 %`."""
    found = _SHARE.match(target)
    return found[1] if found else target


def _aims(piece: str, lex: Lexicon) -> bool:
    """Whether a part of a sentence says by itself which value is to be reached, or that something is to be no longer."""
    piece = _ASIDE.sub("", piece)
    target = goal_of(piece, lex).target
    before = piece[: piece.find(target)]
    bounded = target.lower().startswith(quantity_words("bounds"))
    bound = bounded or _is_bound(target) > 0 or (lex.language != "zh" and _TO.search(before) is not None)
    wanted = bool(target) and bound and not _NOW.search(piece) and not _PAST.search(before)
    return wanted or _NONE_LEFT.search(piece) is not None


def lettered(text: str) -> list[str]:
    """The parts of a sentence that counts them: `... that (a) rent is paid by card; (b) no pitch stays empty`; else nothing."""
    parts = _LETTERED.split(text)
    pieces = [re.sub(r"[\s,;；]+(?:and|und|et|y|sowie)?[\s.]*$", "", part) for part in parts[1:]]
    return (
        pieces
        if len(pieces) > 1 and all(len(piece.split()) > 1 or len(piece) > 5 for piece in pieces)
        else []
    )


def two_goals(text: str, lex: Lexicon) -> list[str]:
    """The goals of a sentence that names several, each with a value of its own: `calls below 10, and errors below 1 %`."""
    counted = lettered(text)
    if counted:
        return counted
    for joint in _AND_GOAL.finditer(text):
        pieces = [text[: joint.start()], text[joint.end() :]]
        if all(len(piece) > 6 and _aims(piece, lex) for piece in pieces):
            return [pieces[0].strip(TRIM), pieces[1].strip(TRIM)]
    return [text]


def _reached(before: str, after: str, value: str) -> int:
    """How much speaks for a value as the one to be reached: `from 12 % to`; `now` and a time to do it in speak against."""
    if _FROM.search(before) or _NOW.match(after) or _PAST.search(before):
        return -4
    if _WITHIN_HAN.fullmatch(value.strip()):
        return -3
    if not before.strip(" *_") and _COUNTS.match(after):
        return 4 if value.strip().lower().startswith("within") else 5
    if before.endswith("(") or ("%" not in value and _LASTING.search(before)):
        return -3
    if _TO.search(before) or _WITH.search(before) or _WANTED.search(before):
        return 4
    return -2 if _TIME.search(before[-8:] + value) and not _AT.match(value.strip()) else 0


def _is_bound(phrase: str) -> int:
    return 2 * int("%" in phrase) + 2 * int(_AT.match(phrase.strip()) is not None or " or " in phrase)


def goal_in(row: Sentence, lex: Lexicon) -> Goal:
    """A goal with the metric and target that its table or its sentence gives."""
    read, values = goal_of(row.text, lex), row.passage.values
    metric, target = values.get("metric", ""), values.get("target", "")
    if re.match(r"(?:from|von|de)\b|[从由]", target, re.IGNORECASE):
        target = goal_of(target, lex).target or target
    if row.role == "metric" and not target:
        target = values.get("constraint", "")  # the limit of what is measured
    target = re.sub(r"\s*[(（][^()（）]*[)）]\s*$", "", target) or target
    target = _SINCE.sub("", target) or target
    if metric and not target and any(c.isdigit() for c in metric):
        measured = goal_of(metric, lex)
        metric, target = measured.metric, measured.target
    if metric or target:
        reached = _value(target) or (read.target if not metric else "")
        return Goal(row.text, metric or read.metric or row.text, reached, values.get("baseline", ""))
    return read
