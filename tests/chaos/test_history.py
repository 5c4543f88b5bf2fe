"""The checker itself: each lie a database could tell is told here once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.chaos import plan
from tests.chaos.history import Call, History, Traces, compare, messages, read

REVISED = Counter({"decision revise": 1})


def call(kind: str, outcome: str, id: str = "c1", **more: object) -> Call:
    return Call(id, kind, more.pop("mark", id), outcome, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "left", "lies"),
    [
        ("ok", REVISED, False),
        ("ok", Counter(), True),
        ("ok", REVISED + REVISED, True),
        ("fail", Counter(), False),
        ("fail", REVISED, True),
        ("unknown", REVISED, False),
        ("unknown", Counter(), False),
        ("unknown", REVISED + REVISED, True),
        ("ok", Counter({"decision revise": 1, "message": 1}), True),
    ],
)
def test_what_a_command_was_told_is_held_against_what_it_left(
    outcome: str, left: Counter[str], lies: bool
) -> None:
    faults = compare([call("revise", outcome)], {"c1": left}, {})

    assert bool(faults) == lies


def test_half_a_command_is_found_whatever_it_was_told() -> None:
    half: Traces = {"c1": Counter({"decision cancel": 1})}

    assert all(compare([call("cancel", told)], half, {}) for told in ("ok", "fail", "unknown"))


def test_a_fact_that_nobody_asked_for_is_found() -> None:
    assert compare([], {"c9": REVISED}, {})
    assert compare([], {}, {"TLS-a": "k1"})


def test_one_key_makes_one_session() -> None:
    twice = [
        call("start", "ok", "c1", mark="k1", told={"session": "TLS-a"}),
        call("start", "unknown", "c2", mark="k1"),
    ]

    assert not compare(twice, {}, {"TLS-a": "k1"})
    assert compare(twice, {}, {"TLS-a": "k1", "TLS-b": "k1"})
    assert compare(twice, {}, {})


def test_a_refused_start_makes_no_session() -> None:
    assert not compare([call("start", "fail")], {}, {})
    assert compare([call("start", "fail")], {}, {"TLS-a": "c1"})


def test_an_acknowledged_message_has_its_number_and_its_place() -> None:
    first = call("msg", "ok", "c1", told={"session": "s", "id": "MSG-003"}, invoked=1.0, returned=2.0)
    second = call("msg", "ok", "c2", told={"session": "s", "id": "MSG-007"}, invoked=3.0, returned=4.0)

    assert not messages([first, second], {("s", 3): "c1", ("s", 7): "c2"})
    assert messages([first, second], {("s", 3): "c1"})
    second.told["id"] = "MSG-002"
    assert messages([first, second], {("s", 3): "c1", ("s", 2): "c2"})


def test_a_history_without_its_last_line_leaves_the_outcome_unknown(tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = History(file)
    history.note("invoke", "c1", kind="pause", mark="c1")
    history.note("ok", "c1", told={"session": "s"})
    history.note("invoke", "c2", kind="pause", mark="c2")
    history.close()

    assert [(each.id, each.outcome) for each in read(file)] == [("c1", "ok"), ("c2", "unknown")]


def test_a_seed_has_one_plan_and_another_seed_another() -> None:
    assert plan.make(7, plan.SHORT) == plan.make(7, plan.SHORT)
    assert plan.make(7, plan.SHORT) != plan.make(8, plan.SHORT)
