"""Values that a sentence states, in languages that part their words: `under one hour a week`, `nine out of ten`, `a third`.

Words are data (`quantities` in config/reading.yaml). What looks like a value and is none is passed over: a date, a time of
day, a year, a colour, the number of a name.
"""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import quantity_words

_RANGES = r"one or two|two or three|half as many|half of what (?:\w+ ){1,4}(?:now|today)\b|half(?= (?:of )?(?:the|all|our|its|these|those)\b)"
_AFTER = r"(?:\s*(?:\w+ )?on average\b|\s*(?:\w+ )?or (?:less|fewer|below|under|better|more|above|higher)\b|\s*(?:\w+ )?at (?:most|least)\b(?!\s*[\d$€£]| (?:one|two|three|four|five|six|seven|eight|nine|ten|half|an?)\b))?"
_ZERO = r"(?:zero|zéro|cero)(?: (?!(?:in|by|for|per|from|on|at|of|to|above|below|over|under|d|a|de|en)\b)\w+){0,2}"
_CJK = r"(?:分|秒|時間|日|件|名|円)(?:以内|以下|以上|未満)?"
_NEAR = 80  # characters beside a value that tell what it is
_YEAR = expression(r"(?:1[89]|20)\d\d(?:\s?[–-]\s?\d+)?$")
_DAY = expression(r"(?<![\d.,])\d{1,2}$")  # a number that may be the day of a month
_CLOCK = expression(r"(?<!\d)\d{1,2}:\d\d$")
_NAMED = expression(r"[A-Za-z0-9]-?$")  # before the number of a name: `O-1`
_COLOUR = expression(
    r"#[0-9a-f]*$", re.IGNORECASE
)  # before what is left of a colour's code, or of a ticket's number
_NUMBER_OF = expression(  # before the number of a version, a norm, a page
    r"\b(?:versions?|releases?|iso(?:[/ -]iec)?|iec|din|en|rfc|bs|ieee|issues?|tickets?|sections?|chapters?|phases?|steps?|screens?|pages?|figures?|tables?"
    r"|sprints?|appendix|ports?|articles?|art\.|paragraphs?|§|no\.|nr\.|kapitel|seite|norm)\s*$",
    re.IGNORECASE,
)
_HOUR = expression(  # behind the hour of a day
    r"\s*(?:[ap]\.?m\b|o['’]?clock\b|uhr\b|h\b|(?:in the|at|every|each|tomorrow) (?:mornings?|afternoons?|evenings?|nights?|noon)\b)",
    re.IGNORECASE,
)
_EACH = expression(r"\b(?:per|pro|par|por|je)\s*$", re.IGNORECASE)  # `per 1,000 trips`


def quantities(text: str) -> Iterator[re.Match[str]]:
    """The values of a sentence in order, each with its bound and unit."""
    return (match for match in _quantity().finditer(text) if match[0].strip() and _is_value(match))


def _is_value(match: re.Match[str]) -> bool:
    end = match.start() + len(match[0].rstrip())
    before, after = (
        match.string[max(0, match.start() - _NEAR) : match.start()],
        match.string[end : end + _NEAR],
    )
    said = match[0].strip(" .,;:")
    if not any(c.isdigit() for c in said):
        return True
    if _CLOCK.search(said) or (_YEAR.fullmatch(said) and not before.rstrip().endswith(("to", "über"))):
        return False
    if match[0][:1].isdigit() and any(rule.search(before) for rule in (_NAMED, _COLOUR, _NUMBER_OF)):
        return False
    if said[-1].isdigit() and said.isdigit() and len(said) < 3 and _HOUR.match(after):
        return False
    if re.match(r"[^\W\d_]", after) and said[-1].isdigit():  # `8a`
        return False
    if _EACH.search(before):
        return False
    return not (
        _DAY.search(said) and (_month().match(after) or (said.isdigit() and _month_before().search(before)))
    )


def month_first(text: str) -> bool:
    """Whether a text begins with the name of a month."""
    return _month().match(text) is not None


def rate_end(text: str, at: int) -> int:
    """Where a value that ends at `at` ends with what it is counted for: `2` of `2 per month`, `150` of `150 parcels a week`."""
    found = _rate().match(text, at)
    return found.end() if found else at


@cache
def _month() -> re.Pattern[str]:
    return expression(rf"\s*(?:\.|de |d')?\s*(?:{_any('months')})\b", re.IGNORECASE)


@cache
def _month_before() -> re.Pattern[str]:
    return expression(rf"\b(?:{_any('months')})\s*$", re.IGNORECASE)


def _any(kind: str) -> str:
    return "|".join(map(re.escape, quantity_words(kind)))


def _of_each() -> str:
    return rf"\s(?:{_any('each')})(?:\s|(?<=['’]))(?!(?:{_any('numbers')})\b)[^\W\d]\w*"


@cache
def _rate() -> re.Pattern[str]:
    some = rf"\s(?!(?:{_any('bounds')}|in|on|of|from|to|or|and|with)\b)[a-z]+"
    each = rf"(?:per\s[^\W\d]+|(?:a|an|each|every)\s(?:{_any('units')}|quarter|person))"
    return expression(rf"(?:{_of_each()}|{some}\s{each}\b)?{_AFTER}", re.IGNORECASE)


@cache
def _quantity() -> re.Pattern[str]:
    bare = set(quantity_words("bare"))
    plain = "|".join(map(re.escape, [word for word in quantity_words("numbers") if word not in bare]))
    word = rf"(?:{_any('numbers')})"
    units, parts = (
        rf"(?:(?:working|business|calendar|full|whole) )?(?:{_any('units')})\b",
        rf"(?:{_any('parts')})s?\b",
    )
    bound = rf"(?:\b(?:{_any('bounds')})(?![^\W\d_])|(?<![-=])[<>≤≥]=?)\s*(?:(?:el|la|le|il|de|o|about|around|the)\s+(?=\d))?"
    figure = rf"(?:\d+(?:[.,]\d{{3}})*|{word})"
    ratio = (
        rf"\b(?:{figure}\s(?:out )?(?:of|in|von|sur|de|su)\s{figure}"
        rf"|(?:1|one|ein|eine?r?|une?)\s(?:(?!(?:{_any('units')})\b)[a-z]+\s)?(?:in|von|sur)\s(?:an? )?{figure})\b"
    )
    share = (
        rf"\b(?:an?|one|ein|eine?r?m?|un|une|la|una|um?|two|three|zwei|deux|dos|due)\s(?:{parts})(?: of an? {units})?"
        rf"|\bby (?:half|an? {parts})"
        rf"|\bhalf (?:an? (?:{_any('units')})\b)|\bhalf(?= within| by|$|[.,])"
    )
    number = rf"[$€£]?\d(?:[\d.,:]*\d)?(?:\s?[–-]\s?\d+(?![\d-]))?(?:[kM]\b)?\+?|\b(?:{plain})\b|ゼロ"
    rate = rf"(?:{_of_each()})?"
    unit = rf"(?:\s*(?:%|per ?cent\b|prozent\b|pour ?cent\b|por ciento\b|{_CJK}))?(?:\s*{units}{rate})?"
    glued = r"h(?= (?:before|after|in advance|ahead|earlier|later|notice)\b)"  # `until 48h before`
    often = rf"\b(?:once|twice|three times)\s(?:{_any('each')})\s\w+|(?<=on )the same (?:working )?day\b"
    single = rf"(?:(?<=\bto )|(?<=\bbe ))(?:{_any('bare')})(?=\s*(?:$|[.,;)]))"
    taking = rf"(?<=takes )an? {units}|(?<=take )an? {units}"
    return expression(
        rf"(?:{bound})?(?:{ratio}|{share})"
        rf"|{bound}(?:{_RANGES}|{_ZERO}|{number}|{word}\b|an?(?=\s{units}))(?:h\b|{unit}){_AFTER}"
        rf"|{taking}|{often}|{single}|\b(?:{_RANGES}|{_ZERO})\b{rate}"
        rf"|(?:{number}|\b{word}(?=\s{units}))(?:{glued}|{unit}){_AFTER}",
        re.IGNORECASE,
    )
