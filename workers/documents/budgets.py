"""What a person says of the budget later: its amount takes the place of the one that the brief states."""

# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression

_AMOUNT = r"\d+(?:[.,]\d+| \d{3}\b)*(?: ?(?:k|m|thousand|million|mio|tsd)\b|[万千])?"
_MONEY = r"(?:[€$£¥]|eur(?:os?)?\b|usd\b|gbp\b|chf\b|dollars?\b|pounds?\b|francs?\b|欧元|美元|元)"
_SUM = rf"(?:{_MONEY} ?)?{_AMOUNT}(?: ?{_MONEY})?"
_LEAD = r"^(?:(?:and|but|also|sorry|please|now|so|unfortunately)[, ]+)*"
_TO = r"(?:(?:now|only|just|been|be|down|up|back|to|at|by|about|around|at most|no more than|max(?:imum)?|roughly|=) )*"
_END = r"(?: (?:now|only|instead|in total|altogether|max(?:imum)?|at most))*\W*$"
_OF_BUDGET = expression(
    rf"{_LEAD}(?:(?:the|our|my|their) )?(?:(?:total|whole|overall|new|project) )?budget[: ] ?(?:(?:has|was|had|have|is|will|got|went|gone|goes|go|came|come|dropped|drops|fell|fallen|rose|risen|grew|grown|shrunk|shrank|cut|raised|lowered|reduced|increased|changed|halved|doubled|set|limited|capped) )*{_TO}{_SUM}{_END}"
    rf"|{_LEAD}(?:we|i|they|management|the \w+)(?:['’]ve| have| had| must| need to| has| want to)? (?:had to |decided to )?(?:cut|raised?|lower(?:ed)?|reduced?|increased?|changed?|set|capped|limit(?:ed)?|halved|doubled) (?:the|our) budget {_TO}{_SUM}{_END}"
    rf"|^(?:总)?预算(?:现在|目前|已经?)?(?:只有|是|为|改为|改成|降到|降为|降至|增加到|提高到|减到)[^，。；\d]{{0,6}}{_SUM}\W*$",
    re.IGNORECASE,
)
_OLD = expression(rf"\bfrom {_SUM} (?=to )|,? (?:instead of|rather than|(?:and )?not) {_SUM}", re.IGNORECASE)
_NUMBER = expression(_AMOUNT, re.IGNORECASE)
_PAID = expression(_SUM, re.IGNORECASE)
_SAYS_BUDGET = expression(r"\bbudget\b|预算", re.IGNORECASE)
_ONLY_MONEY = expression(rf"\W*(?:{_MONEY} ?{_AMOUNT}|{_AMOUNT} ?{_MONEY})\W*", re.IGNORECASE)


def is_of_budget(line: str) -> bool:
    """Whether a line says how much money there is for the work, and nothing that the product does."""
    return _OF_BUDGET.match(_bare(line)) is not None


def states_budget(text: str) -> bool:
    """Whether a limit is a sum of money, or gives one for the budget."""
    is_money = _SAYS_BUDGET.search(text) or _ONLY_MONEY.fullmatch(text)
    return bool(is_money) and len(_NUMBER.findall(text)) == 1


def with_budget(limits: Sequence[str], line: str) -> tuple[int, str] | None:
    """The place of the only limit that states the budget, with the amount of the line in it; None without one."""
    said = _PAID.search(_bare(line)) if is_of_budget(line) else None
    stated = [at for at, text in enumerate(limits) if states_budget(text)]
    if said is None or len(stated) != 1:
        return None
    amount = said[0].strip()
    place = _NUMBER if _NUMBER.fullmatch(amount) else _PAID  # the currency stays where none is said
    return stated[0], place.sub(lambda _: amount, limits[stated[0]], count=1)


def _bare(line: str) -> str:
    """A line without the amount that is not to hold any more."""
    return _OLD.sub("", line).strip()
