"""Ratings on a scale of five, as agents write them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression

RATINGS = range(1, 6)
UNREAD_RATING = 2  # the best rating that divides: an unread one must not count as consent
QUOTED = 60  # characters that are looked at in what is not simply a number


def rating_of(value: Json) -> Json:
    """The whole number on the scale of five that `value` denotes; what denotes none is left as it is."""
    number, scale = _number(value)
    if number is not None and scale in (None, 5) and number.is_integer() and int(number) in RATINGS:
        return int(number)
    return value


def lowest_meant(value: Json) -> int | None:
    """The lowest rating that an unclear one can mean; None when it says no number of a known scale."""
    number, scale = _number(value)
    if number is not None and scale:
        return max(RATINGS[0], min(RATINGS[-1], math.floor(number * RATINGS[-1] / scale)))
    if number is not None:
        said = [number]
    elif isinstance(value, str) and _NEGATIVE.search(value[:QUOTED]):
        said = []
    else:
        said = [float(each) for each in _NUMBER.findall(value[:QUOTED])] if isinstance(value, str) else []
    if not said or not all(0 <= each <= RATINGS[-1] for each in said):
        return None
    return max(RATINGS[0], math.floor(min(said)))


def _number(value: Json) -> tuple[float | None, int | None]:
    """(number, the scale that is named with it); no number where the value is not simply one."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        numbers = [each for each in value if isinstance(each, int | float) and not isinstance(each, bool)]
        value = numbers[0] if len(numbers) == 1 else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value), None
    found = _RATED.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None, None
    return float(found["value"]), 100 if found["percent"] else int(found["of"]) if found["of"] else None


_NEGATIVE = expression(r"(?<!\d)(?<!\d )[-−–]\d")  # with a digit before it, it is a range
_NUMBER = expression(r"\d{1,3}(?:\.\d{1,3})?")
_RATED = expression(
    r"[*_]*(?:rating|score)?[*_]*\s*[:=]?\s*[*_]*(?P<value>\d{1,3}(?:\.\d{1,6})?)"
    r"\s*(?:(?P<percent>%)|(?:/|out\s+of|of)\s*(?P<of>[1-9]\d{0,2})(?:\.0+)?)?\s*(?:stars?|points?|分)?"
    r"[*_]*\s*(?:\([^()\d]*\))?[*_.]*",
    re.I,
)
