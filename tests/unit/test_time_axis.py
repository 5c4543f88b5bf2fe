"""Stretches of time on an axis: in order, in proportion, with long idle ones folded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain.time_axis import FOLD_WIDTH, SHORTEST_BAR, Span, axis

SECOND = 1_000_000
HOUR = 3600 * SECOND


def test_a_long_idle_stretch_is_folded_and_says_how_long_it_was() -> None:
    found = axis([Span(0, 100 * SECOND), Span(10 * HOUR, 10 * HOUR + 100 * SECOND)], 11 * HOUR, width=827)

    assert [(each.seconds, each.width) for each in found.folds] == [(10 * 3600 - 100, FOLD_WIDTH)]
    assert [(bar.x, bar.width) for bar in found.bars] == [(0, 400), (424, 400)]


def test_a_short_idle_stretch_is_shown() -> None:
    found = axis([Span(0, 100 * SECOND), Span(150 * SECOND, 200 * SECOND)], HOUR, width=203)

    assert found.folds == ()
    assert [(bar.x, bar.width) for bar in found.bars] == [(0, 100), (150, 50)]


def test_what_still_goes_on_ends_now() -> None:
    found = axis([Span(0, 50 * SECOND), Span(50 * SECOND, None)], 100 * SECOND, width=103)

    assert [(bar.x, bar.width) for bar in found.bars] == [(0, 50), (50, 50)]


def test_nothing_has_no_bars() -> None:
    assert axis([], 0).bars == ()


spans = st.lists(
    st.tuples(st.integers(0, 100 * HOUR), st.none() | st.integers(0, HOUR)).map(
        lambda given: Span(given[0], None if given[1] is None else given[0] + given[1])
    ),
    max_size=8,
)


@given(spans)
def test_bars_keep_the_order_of_time_and_lie_within_the_axis_beside_the_folds(every: list[Span]) -> None:
    found = axis(every, 101 * HOUR)

    assert len(found.bars) == len(every)
    in_time = sorted(zip(every, found.bars, strict=True), key=lambda each: each[0].begin)
    assert [bar.x for _, bar in in_time] == sorted(bar.x for bar in found.bars)
    for bar in found.bars:
        assert bar.width >= SHORTEST_BAR
        assert bar.x >= 0 and bar.x + bar.width <= found.width
        for fold in found.folds:
            assert bar.x + bar.width <= fold.x + SHORTEST_BAR or bar.x >= fold.x + fold.width - 1
