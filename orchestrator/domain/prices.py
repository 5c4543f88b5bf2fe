"""What a call cost. The first of these that is there counts:

1. what the agent says that it was charged (`reported`),
2. its tokens by the user's own price (`computed`),
3. its tokens by the shipped list, where the model's provider itself served it (`computed`),
4. what the library that asked the model estimates by its own list, on the same condition (`computed`);

else it is unknown, and never zero. An estimate comes last: whose list it is and of what date changes with a library's
version, while ours is dated and the user can read and overrule it.
"""

from __future__ import annotations

import math
import re
from typing import TypeVar

from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.patterns import expression

MICROS = 1_000_000  # micro-dollars in a dollar
TOKENS_LIMIT = 10**10  # of one call; more is a fault of whoever counted
COST_LIMIT = 1_000_000.0  # dollars of one call
OWN = "settings"  # instead of a date: the user's own price without one

N = TypeVar("N", int, float)
_DATED = expression(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a call costs by somebody else's list."""

    usd: float
    by: str  # the list, with its version


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call consumed; None where the agent does not say."""

    model: str | None = None
    tokens_in: int | None = None  # those read from a cache included
    tokens_out: int | None = None
    cost_usd: float | None = None
    tokens_cached: int | None = None  # of `tokens_in`, those read from a cache; None counts as none
    tokens_cache_written: int | None = None  # of `tokens_in`, those written into a cache; None counts as none
    tokens_cache_written_1h: int | None = None  # of these, those kept for an hour
    estimate: Estimate | None = None

    def __add__(self, other: Usage) -> Usage:
        """Of two turns of one call: what one of them does not say is not known of both."""
        return Usage(
            other.model or self.model,
            _sum(self.tokens_in, other.tokens_in),
            _sum(self.tokens_out, other.tokens_out),
            _sum(self.cost_usd, other.cost_usd),
            _more(self.tokens_cached, other.tokens_cached),
            _more(self.tokens_cache_written, other.tokens_cache_written),
            _more(self.tokens_cache_written_1h, other.tokens_cache_written_1h),
            _both(self.estimate, other.estimate),
        )


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens. None: what is read from a cache, or written into one, has no known price."""

    model: str  # a pattern; the date at a model's end need not be named
    input: float
    output: float
    cached: float | None = None
    provider: str | None = None  # None: whoever serves it
    date: str = OWN  # since when it is known to hold
    cache_write: float | None = None
    cache_write_1h: float | None = None
    up_to: int | None = (
        None  # tokens of a prompt: longer ones cost more, so a call that may hold one has no price
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """`source` is reported, computed or unknown; `prices_of` the date of the price it was computed with."""

    micros: int | None
    source: str
    prices_of: str | None = None


UNKNOWN = Cost(None, "unknown")


@dataclass(frozen=True, slots=True)
class Prices:
    """The user's own prices, and the listed ones for what the providers themselves serve."""

    own: tuple[Price, ...] = ()
    listed: tuple[Price, ...] = field(default=())

    def of(self, model: str | None, *, elsewhere: bool = False) -> Price | None:
        """The price of a model by its name, `provider:model` too; `elsewhere`: not served by its provider."""
        if not model:
            return None
        provider, name = _parts(model)
        for price in self.own:
            if _fits(price.model, model) or _fits(price.model, name):
                return price
        if elsewhere:
            return None
        return next(
            (p for p in self.listed if provider in (None, p.provider) and _fits(p.model, name)),
            None,
        )

    def cost(self, usage: Usage, *, elsewhere: bool = False) -> Cost:
        """What the call cost, as far as that is known."""
        if usage.cost_usd is not None:
            return Cost(round(usage.cost_usd * MICROS), "reported")
        price = self.of(usage.model, elsewhere=elsewhere)
        micros = None if price is None else _computed(usage, price)
        if price is not None and micros is not None:
            return Cost(round(micros), "computed", price.date)
        if usage.estimate is not None and not elsewhere:
            return Cost(round(usage.estimate.usd * MICROS), "computed", usage.estimate.by)
        return UNKNOWN

    def of_call(self, told: Usage, model: str | None, *, elsewhere: bool) -> tuple[Usage, Cost]:
        """What a call used, as far as it can be believed, and its cost; `model` is what was asked unless it says so."""
        used = sane(told if told.model or not model else replace(told, model=model))
        return used, self.cost(used, elsewhere=elsewhere)


def _computed(usage: Usage, price: Price) -> float | None:
    """Micro-dollars: dollars for a million tokens are micro-dollars for one. None where a part has no known price."""
    if usage.tokens_in is None or usage.tokens_out is None:
        return None
    if price.up_to is not None and usage.tokens_in > price.up_to:
        return None
    cached = usage.tokens_cached or 0
    hour = usage.tokens_cache_written_1h or 0
    written = (usage.tokens_cache_written or 0) - hour
    parts = (
        (usage.tokens_in - cached - written - hour, price.input),
        (cached, price.cached),
        (written, price.cache_write),
        (hour, price.cache_write_1h),
        (usage.tokens_out, price.output),
    )
    if any(tokens and each is None for tokens, each in parts):
        return None
    return sum(tokens * (each or 0.0) for tokens, each in parts)


def sane(usage: Usage) -> Usage:
    """`usage` without numbers that cannot be: whoever counted them is not to be believed."""
    cost = usage.cost_usd
    if cost is not None and not (math.isfinite(cost) and 0 <= cost <= COST_LIMIT):
        cost = None
    tokens_in, tokens_out, cached, written, hour = map(
        _count,
        (
            usage.tokens_in,
            usage.tokens_out,
            usage.tokens_cached,
            usage.tokens_cache_written,
            usage.tokens_cache_written_1h,
        ),
    )
    if (cached or 0) + (written or 0) > (tokens_in or 0) or (hour or 0) > (written or 0):
        tokens_in = cached = written = hour = None
    estimate = usage.estimate
    if estimate is not None and not (math.isfinite(estimate.usd) and 0 <= estimate.usd <= COST_LIMIT):
        estimate = None
    return Usage(usage.model, tokens_in, tokens_out, cost, cached, written, hour, estimate)


def _count(tokens: int | None) -> int | None:
    return tokens if tokens is not None and 0 <= tokens <= TOKENS_LIMIT else None


def _sum(one: N | None, other: N | None) -> N | None:
    return None if one is None or other is None else one + other


def _more(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def _both(one: Estimate | None, other: Estimate | None) -> Estimate | None:
    return None if one is None or other is None else Estimate(one.usd + other.usd, other.by)


def _parts(model: str) -> tuple[str | None, str]:
    """Provider, where one is named, and model."""
    for mark in (":", "/"):  # a `/` may belong to the name: there only a provider of the list counts
        provider, found, name = model.partition(mark)
        if found and (mark == ":" or provider in _SLASHED):
            return _SAME.get(provider, provider), name
    return None, model


_SLASHED = ("anthropic", "openai", "google")


_SAME = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "gemini": "google",
}  # one provider, named by its API


def _fits(pattern: str, model: str) -> bool:
    wanted = ".*".join(map(re.escape, pattern.split("*")))
    return any(re.fullmatch(wanted, name) for name in (model, _DATED.sub("", model)))
