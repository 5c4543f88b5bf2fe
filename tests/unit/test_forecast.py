"""What tasks are likely to take, and what is saved by doing fewer: sums of what is known, and how much of it is not."""

from orchestrator.domain.forecast import Forecast, PastTask, forecast

PAST = [
    PastTask("DRAFT-001", "DRAFT", 5, 4_000, 20_000, 60.0),
    PastTask("DRAFT-001", "DRAFT", 7, 6_000, 40_000, 120.0),
    PastTask("IMPL-001", "IMPL", 2, None, None, 30.0),
]


def test_a_task_takes_the_median_of_its_kind_else_of_its_prefix() -> None:
    found = forecast([("DRAFT-001", "DRAFT"), ("DRAFT-009", "DRAFT"), ("QUALITY-001", "QUALITY")], PAST)

    assert (found.tasks, found.calls, found.tokens, found.usd) == (3, 12, 10_000, 0.06)
    assert (found.minutes, found.unseen, found.untold, found.unpriced) == (3.0, 1, 0, 0)


def test_what_is_saved_says_how_much_of_it_nobody_knows() -> None:
    whole = forecast([("DRAFT-001", "DRAFT"), ("IMPL-001", "IMPL"), ("QUALITY-001", "QUALITY")], PAST)
    again = forecast([("DRAFT-001", "DRAFT")], PAST)

    assert whole.less(again) == Forecast(
        tasks=2, calls=2, tokens=0, usd=0.0, minutes=0.5, unseen=1, untold=1, unpriced=1
    )
