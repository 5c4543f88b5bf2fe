"""Which perspectives share a call, and what a round makes of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import AgentRubbish
from orchestrator.domain.shared_calls import apart, joined, part
from tests.runtime_harness import RuntimeHarness, Told, says
from workers.agents.protocol import AgentReply, AgentRequest
from workers.builtin import BuiltinAgent
from workers.discussion.groups import SMALL, as_recorded, grouped, schema_of
from workers.documents.content import Critique

ONE, TWO, RULES = Told("one"), Told("two"), BuiltinAgent()
ORDERS = {
    "product": [ONE, TWO, RULES],
    "technical": [TWO, ONE, RULES],
    "quality": [ONE, RULES],
    "coverage": [RULES],
}


@pytest.mark.parametrize(
    ("critics", "size", "calls"),
    [
        ("separate", 10, ["product", "technical", "quality", "coverage"]),
        ("auto", SMALL + 1, ["product", "technical", "quality", "coverage"]),
        ("auto", SMALL, ["product+quality", "technical", "coverage"]),
        ("merged", SMALL + 1, ["product+technical+quality", "coverage"]),
    ],
)
def test_the_calls_of_a_round(critics: Any, size: int, calls: list[str]) -> None:
    assert [group.name for group in grouped(ORDERS, critics, size)] == calls


def test_one_that_could_not_answer_for_several_is_asked_for_each() -> None:
    calls = [group.name for group in grouped(ORDERS, "auto", 10, unable={"one"})]

    assert calls == ["product", "technical", "quality", "coverage"]


@pytest.mark.parametrize(
    ("orders", "asked"),
    [
        (ORDERS, ["one"]),  # two does not speak for quality
        ({view: ORDERS[view] for view in ("technical", "product")}, ["two", "one"]),
        ({"product": [ONE, RULES], "quality": [ONE, RULES], "technical": [TWO, RULES]}, ["one"]),
    ],
)
def test_a_shared_call_asks_who_speaks_for_each_and_rules_never(orders: Any, asked: list[str]) -> None:
    group = grouped(orders, "merged", 10)[0]

    assert [agent.name for agent in group.agents] == asked


def test_a_replay_makes_the_calls_that_were_recorded_whoever_is_here() -> None:
    here = {view: [RULES] for view in ORDERS}

    groups = as_recorded(here, ["product+quality", "product", "technical", "a+b"])

    assert [group.name for group in groups] == ["product+quality", "technical", "coverage"]


def for_each(request: AgentRequest, **critiques: Critique) -> AgentReply:
    assert request.schema is not None
    return AgentReply("", request.schema(**critiques), "told")


@pytest.fixture
def held(tmp_path: Path) -> Callable[..., RuntimeHarness]:
    def hold(answer: Any, critics: str = "merged") -> RuntimeHarness:
        told = Told(answers={"product+risk+coverage": answer})
        harness = RuntimeHarness(tmp_path, told, settings={"critics": critics})
        harness.told, harness.following = told, harness.run()  # type: ignore[attr-defined]
        return harness

    return hold


def test_one_call_gives_a_row_for_each_perspective(held: Any) -> None:
    harness = held(
        lambda request: for_each(request, product=says(5), risk=says(3, risk_level="low"), coverage=says(4))
    )

    assert [each for each in harness.told.asked if each != "discovery"] == ["product+risk+coverage"]
    assert sorted(view for _, view in harness.replies()) == ["coverage", "product", "risk"]
    assert harness.verdict("RESEARCH-001").data["ratings"] == {"product": 5, "risk": 3, "coverage": 4}
    harness.store.close()


def test_a_perspective_that_a_shared_answer_lacks_is_asked_alone(held: Any) -> None:
    harness = held(lambda request: for_each(request, product=says(5), coverage=says(4)))

    assert harness.told.asked[1:] == ["product+risk+coverage", "risk"]
    assert len(harness.replies()) == 3
    harness.store.close()


def test_what_a_shared_answer_gives_is_kept_before_others_are_asked(tmp_path: Path) -> None:
    kept: list[str] = []

    def risk(request: AgentRequest) -> Critique:
        kept.extend(view for _, view in harness.replies())
        return says(3)

    shared = partial(for_each, product=says(5), coverage=says(4))
    told = Told(answers={"product+risk+coverage": shared, "risk": risk})
    harness = RuntimeHarness(tmp_path, told, settings={"critics": "merged"})
    harness.run()

    assert sorted(kept) == ["coverage", "product"]
    harness.store.close()


def test_where_nobody_answers_together_rules_read_for_each(held: Any) -> None:
    harness = held(ValueError("a bug"))

    assert harness.told.asked[1:] == ["product+risk+coverage"]
    assert set(harness.verdict("RESEARCH-001").data["agents"].values()) == {"builtin"}
    harness.store.close()


def test_an_answer_for_one_where_several_are_wanted_makes_separate_calls_from_then_on(held: Any) -> None:
    harness = held(AgentRubbish("no answer that fits"))
    harness.run(harness.following)

    assert harness.told.asked[1] == "product+risk+coverage"
    assert sorted(harness.told.asked[2:5]) == ["coverage", "product", "risk"]
    assert not any("+" in asked for asked in harness.told.asked[5:])
    assert set(harness.verdict("RESEARCH-001").data["agents"].values()) == {"told"}
    harness.store.close()


def test_by_default_a_small_artifact_is_read_in_one_call(held: Any) -> None:
    harness = held(
        lambda request: for_each(request, product=says(5), risk=says(3), coverage=says(4)), critics="auto"
    )

    assert harness.told.asked[1:] == ["product+risk+coverage"]
    harness.store.close()


def test_the_schema_of_a_shared_answer_is_a_critique_for_each() -> None:
    shown = schema_of(("risk", "product")).model_json_schema()

    assert shown["required"] == ["risk", "product"] and "Critique" in shown["$defs"]
    assert schema_of(("risk", "product"))().model_dump() == {"risk": None, "product": None}


def test_each_perspective_of_a_shared_call_has_its_part_of_the_cost() -> None:
    name = joined(["product", "risk", "coverage"])

    assert (name, apart(name), apart("risk")) == (
        "product+risk+coverage",
        ["product", "risk", "coverage"],
        ["risk"],
    )
    assert (part(90, name), part(90, "risk")) == (30, 90)
