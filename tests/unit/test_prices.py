"""What a call cost: reported, computed with a dated price, or unknown and never zero."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator import config
from orchestrator.config.price_files import load
from orchestrator.domain.errors import ConfigError
from orchestrator.domain.prices import UNKNOWN, Cost, Estimate, Price, Prices, Usage, sane

LISTED = Price("m-1", 3.0, 15.0, 0.3, "maker", "2025-11-01")
PRICES = Prices(listed=(LISTED,))


def used(model: str | None = "m-1", *tokens: int | None, cost: float | None = None) -> Usage:
    given = [*tokens, None, None, None][:3]
    return Usage(model, given[0], given[1], cost, given[2])


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (used("m-1", 1000, 100, cost=0.5), Cost(500_000, "reported")),  # what the agent says goes first
        (used("m-1", 1000, 100), Cost(4_500, "computed", "2025-11-01")),
        (used("m-1", 1000, 100, 1000), Cost(1_800, "computed", "2025-11-01")),
        (used("m-1", 0, 0), Cost(0, "computed", "2025-11-01")),
        (used("m-1-20250929", 1000, 0), Cost(3_000, "computed", "2025-11-01")),
        (used("m-1-2025-09-29", 1000, 0), Cost(3_000, "computed", "2025-11-01")),
        (used("maker:m-1", 1000, 0), Cost(3_000, "computed", "2025-11-01")),
        (used("reseller:m-1", 1000, 0), UNKNOWN),
        (used("m-1-pro", 1000, 100), UNKNOWN),  # a name that only begins like a known one
        (used("m-10", 1000, 100), UNKNOWN),
        (used("xm-1", 1000, 100), UNKNOWN),
        (used("", 1000, 100), UNKNOWN),
        (used(None, 1000, 100), UNKNOWN),
        (used("m-1", 1000, None), UNKNOWN),
        (used("m-1", None, 100), UNKNOWN),
        (used("m-1", None, None, cost=0.0), Cost(0, "reported")),
    ],
)
def test_a_cost_is_reported_computed_or_unknown(usage: Usage, cost: Cost) -> None:
    assert PRICES.cost(usage) == cost


def test_what_was_read_from_a_cache_without_a_price_makes_the_call_unknown() -> None:
    prices = Prices(listed=(Price("m-1", 3.0, 15.0, None, "maker", "2025-11-01"),))

    assert prices.cost(used("m-1", 1000, 100, 10)) == UNKNOWN
    assert prices.cost(used("m-1", 1000, 100, 0)).micros == 4_500


CACHING = Price("m-1", 3.0, 15.0, 0.3, "maker", "2025-11-01", cache_write=3.75, cache_write_1h=6.0)


@pytest.mark.parametrize(
    ("read", "written", "hour", "micros"),
    [
        (0, 0, 0, 3_000),
        (0, 400, 0, 3_300),
        (0, 400, 400, 4_200),
        (0, 400, 100, 3_525),
        (500, 400, 100, 2_175),
    ],
)
def test_what_is_written_into_a_cache_has_its_own_price(
    read: int, written: int, hour: int, micros: int
) -> None:
    usage = Usage("m-1", 1000, 0, None, read, written, hour)

    assert Prices(listed=(CACHING,)).cost(usage) == Cost(micros, "computed", "2025-11-01")


def test_what_was_written_into_a_cache_without_a_price_makes_the_call_unknown() -> None:
    assert PRICES.cost(Usage("m-1", 1000, 0, None, 0, 10)) == UNKNOWN
    no_hour = replace(CACHING, cache_write_1h=None)
    assert Prices(listed=(no_hour,)).cost(Usage("m-1", 1000, 0, None, 0, 10, 0)).source == "computed"
    assert Prices(listed=(no_hour,)).cost(Usage("m-1", 1000, 0, None, 0, 10, 10)) == UNKNOWN


def test_a_call_that_may_hold_a_longer_prompt_than_the_price_is_for_is_unknown() -> None:
    prices = Prices(listed=(replace(LISTED, up_to=1000),))

    assert prices.cost(used("m-1", 1000, 0)).micros == 3_000
    assert prices.cost(used("m-1", 1001, 0)) == UNKNOWN


def test_an_estimate_counts_when_nothing_else_is_there_and_never_for_a_model_served_elsewhere() -> None:
    told = Estimate(0.5, "a list 1.0")

    assert PRICES.cost(Usage("other", 1, 1, estimate=told)) == Cost(500_000, "computed", "a list 1.0")
    assert PRICES.cost(Usage("m-1", 1000, 0, estimate=told)) == Cost(3_000, "computed", "2025-11-01")
    assert PRICES.cost(Usage("other", 1, 1, 0.25, estimate=told)) == Cost(250_000, "reported")
    assert PRICES.cost(Usage("other", 1, 1, estimate=told), elsewhere=True) == UNKNOWN
    assert (
        Prices(own=(Price("other", 1, 1),)).cost(Usage("other", 1, 1, estimate=told)).prices_of == "settings"
    )


@pytest.mark.parametrize("model", ["gemini:gemini-2.5-pro", "google:gemini-2.5-pro", "openai-chat:gpt-5"])
def test_a_provider_is_known_by_the_names_of_its_apis(model: str) -> None:
    assert config.load_prices(config.load_settings(None, {})).of(model) is not None


def test_own_prices_go_first_and_hold_whoever_serves_the_model() -> None:
    prices = Prices(own=(Price("m-*", 1.0, 1.0),), listed=(LISTED,))

    assert prices.cost(used("m-1", 1000, 0)) == Cost(1_000, "computed", "settings")
    assert prices.cost(used("m-1", 1000, 0), elsewhere=True).micros == 1_000
    assert PRICES.cost(used("m-1", 1000, 0), elsewhere=True) == UNKNOWN


@pytest.mark.parametrize(
    ("told", "believed"),
    [
        (Usage("m", 10, 20, 0.5, 5), Usage("m", 10, 20, 0.5, 5)),
        (Usage("m", -1, 20, -0.5), Usage("m", None, 20)),
        (Usage("m", 10**11, 20, math.nan), Usage("m", None, 20)),
        (Usage("m", 1, 1, math.inf), Usage("m", 1, 1)),
        (Usage("m", 10, 20, None, 11), Usage("m", None, 20)),
        (Usage("m", 10, 20, None, 5, 5, 5), Usage("m", 10, 20, None, 5, 5, 5)),
        (Usage("m", 10, 20, None, 5, 6), Usage("m", None, 20)),
        (Usage("m", 10, 20, None, 5, 1, 2), Usage("m", None, 20)),
        (Usage("m", 1, 1, estimate=Estimate(math.inf, "x")), Usage("m", 1, 1)),
    ],
)
def test_numbers_that_cannot_be_are_not_believed(told: Usage, believed: Usage) -> None:
    assert sane(told) == believed


def test_what_one_of_two_turns_does_not_say_is_not_known_of_both() -> None:
    assert Usage("a", 1, 2, 0.5, 1) + Usage("b", 3, 4, 0.25) == Usage("b", 4, 6, 0.75, 1)
    assert Usage("a", 1, 2, 0.5) + Usage() == Usage("a")
    assert Usage("a", 9, 2, 0.5, 1, 4, 2) + Usage("a", 9, 4, 0.5, 0, 3) == Usage("a", 18, 6, 1.0, 1, 7, 2)
    one = Usage(estimate=Estimate(0.5, "l"))
    assert ((one + one).estimate, (one + Usage()).estimate) == (Estimate(1.0, "l"), None)


def test_the_shipped_list_is_dated_and_each_price_is_one() -> None:
    prices = config.load_prices(config.load_settings(None, {}))

    assert len({price.date for price in prices.listed}) == 1
    assert all(0 < price.input < price.output <= 100 for price in prices.listed)
    assert all(price.cached is not None and price.cached < price.input for price in prices.listed)
    assert len({price.model for price in prices.listed}) == len(prices.listed)
    anthropic = [price for price in prices.listed if price.provider == "anthropic"]
    assert all(
        (each.cache_write, each.cache_write_1h) == pytest.approx((1.25 * each.input, 2 * each.input))
        for each in anthropic
    )
    assert prices.of("claude-sonnet-4-5-20250929") == prices.of("anthropic:claude-sonnet-4-5")
    assert prices.of("anthropic/claude-sonnet-4-5") == prices.of("anthropic:claude-sonnet-4-5") is not None
    assert prices.of("openrouter:anthropic/claude-sonnet-4-5") is None
    assert prices.of("gpt-5-pro") is None


def test_own_prices_come_from_the_settings(tmp_path: Path) -> None:
    (tmp_path / ".workflow").mkdir()
    (tmp_path / ".workflow" / "config.toml").write_text(
        '[prices."local"]\ninput = 1.0\noutput = 2.0\n[prices."dated"]\ninput = 1\noutput = 2\ndate = "2026-02-01"\n'
    )

    prices = config.load_prices(config.load_settings(tmp_path, {}))

    assert prices.cost(used("local", 10, 10)) == Cost(30, "computed", "settings")
    assert prices.cost(used("dated", 10, 10)) == Cost(30, "computed", "2026-02-01")


@pytest.mark.parametrize(
    "text",
    [
        "models: []\n",
        "date: 2025-11-01\n",
        'date: "x"\nmodels: [{provider: p, model: m, input: 1}]\n',
        'date: "x"\nmodels: [{provider: p, model: m, input: -1, output: 1}]\n',
        'date: "x"\nmodels: [{provider: p, model: m, input: 1, output: 1, per: day}]\n',
        'date: "x"\nmodels: [{model: m, input: 1, output: 1}]\n',
    ],
)
def test_a_broken_list_is_refused_with_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(text)

    with pytest.raises(ConfigError) as refused:
        load(file, {})

    assert refused.value.faults[0].startswith(f"{file}:")
