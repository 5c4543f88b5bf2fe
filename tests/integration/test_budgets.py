"""Caps where money is spent: a real store, real threads, real runs whose agents tell what they cost."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands.resume import Answer, resume
from orchestrator.config import load_settings
from orchestrator.domain.errors import AgentCrashed, NotAllowedNow
from orchestrator.domain.prices import Cost, Price, Prices, Usage
from orchestrator.store import budgets, decisions, records, sessions
from orchestrator.store.rows import Run, Session
from orchestrator.store.store import Store
from orchestrator.views import check
from orchestrator.views import cost as costs
from orchestrator.views.plan import past, plan_view
from tests import factories as make
from tests import invariants
from tests.runtime_harness import RuntimeHarness, Told, says
from workers.agents.protocol import AgentReply, AgentRequest
from workers.agents.routing import Router
from workers.builtin import BuiltinAgent

CENT = 10_000  # micro-dollars


class Paid(Told):
    """A told agent whose every answer has a price: dollars, or None for one that does not say."""

    def __init__(
        self, name: str = "paid", usd: float | None = 1.0, answers: Any = None, **usage: Any
    ) -> None:
        super().__init__(name, answers)
        self.usage = Usage(cost_usd=usd, **usage)

    def ask(self, request: AgentRequest) -> AgentReply:
        reply = super().ask(request)
        return AgentReply(reply.text, reply.data, self.name, self.usage)


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Callable[..., RuntimeHarness]]:
    made: list[RuntimeHarness] = []

    def build(*agents: Any, **given: Any) -> RuntimeHarness:
        made.append(RuntimeHarness(tmp_path, *agents, **given))
        return made[-1]

    yield build
    for each in made:
        invariants.check(each.store.path)
        each.store.close()


class Till:
    """A session with one open run, and calls of it that begin and end when told to."""

    def __init__(self, folder: Path, budget: Any) -> None:
        self.store: Store = make.make_store(folder)
        self.session = make.make_session(self.store, budget=budget)
        host = make.make_host(self.store)
        make.one_beat(self.store, self.session, make.lead(self.store))
        row = make.claim(self.store, host)
        assert row is not None
        self.row: Run = row

    def begin(self, agent: str = "a") -> int | budgets.Refused:
        values = {
            "session_id": self.session,
            "task_id": self.row.id,
            "run_id": self.row.run,
            "agent": agent,
            "purpose": "critique",
            "prompt_digest": "d",
            "metered": 1,
        }
        return self.store.write(lambda tx: budgets.begin_call(tx, self.row.key, values))

    def end(self, call: int | budgets.Refused, micros: int | None = None, tokens: int = 0) -> list[str]:
        assert isinstance(call, int)
        cost = Cost(None, "unknown") if micros is None else Cost(micros, "reported")

        used = Usage(tokens_in=tokens, tokens_out=0)
        return self.store.write(lambda tx: budgets.end_call(tx, self.row, call, "answered", used, cost))

    def together(self, number: int) -> list[int | budgets.Refused]:
        """So many calls that begin at the same time."""
        gate, found = threading.Barrier(number), []

        def one() -> None:
            gate.wait()
            found.append(self.begin())

        threads = [threading.Thread(target=one) for _ in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found

    def standing(self) -> Session:
        row = self.store.read(lambda tx: sessions.get(tx, self.session))
        assert row is not None
        return row


@pytest.fixture
def till(tmp_path: Path) -> Iterator[Callable[..., Till]]:
    made: list[Till] = []

    def build(**caps: int) -> Till:
        made.append(Till(tmp_path, {"session": caps, "task": {}} if caps else None))
        return made[-1]

    yield build
    for each in made:
        invariants.check(each.store.path)
        each.store.close()


def begun(calls: list[int | budgets.Refused]) -> list[int]:
    return [call for call in calls if isinstance(call, int)]


# who gets the last of a budget


def test_of_four_calls_that_want_the_last_turn_one_begins(till: Callable[..., Till]) -> None:
    made = till(turns=3)
    for _ in range(2):
        made.end(made.begin(), 0)

    calls = made.together(4)

    assert len(begun(calls)) == 1
    assert (made.standing().status, made.standing().pause_reason) == ("paused", "budget")
    assert made.standing().pause_detail["says"] == "3 turns of 3 turns"


def test_a_call_in_flight_counts_with_the_mean_of_its_agent(till: Callable[..., Till]) -> None:
    made = till(usd=100 * CENT)
    for micros in (20 * CENT, 40 * CENT):  # a mean of 30 cents, and 40 are left
        made.end(made.begin(), micros)

    calls = made.together(4)

    assert len(begun(calls)) == 2  # 60 + 30 are below 100, 60 + 30 + 30 are not


def test_a_refusal_tells_what_was_used_from_what_is_held(till: Callable[..., Till]) -> None:
    made = till(usd=5 * CENT)
    for _ in range(2):
        made.end(made.begin(), 2 * CENT)
    held = made.begin()

    refused = made.begin()

    assert isinstance(held, int) and isinstance(refused, budgets.Refused)
    assert refused.words.endswith("$0.06 of $0.05, $0.02 of it held for calls that are not over")


def test_for_an_agent_that_never_tells_a_price_no_money_is_held(till: Callable[..., Till]) -> None:
    made = till(usd=CENT)
    made.end(made.begin(), None)

    calls = made.together(4)

    assert len(begun(calls)) == 4


def test_tokens_in_flight_count_with_the_mean_too(till: Callable[..., Till]) -> None:
    made = till(tokens=1_000)
    made.end(made.begin(), tokens=900)

    assert len(begun(made.together(4))) == 1


def test_without_a_history_something_is_reserved(till: Callable[..., Till]) -> None:
    made = till(usd=2 * CENT)

    assert len(begun(made.together(8))) == 2


def test_another_agents_history_says_nothing_of_this_one(till: Callable[..., Till]) -> None:
    made = till(usd=100 * CENT)
    made.end(made.begin("dear"), 60 * CENT)

    first, second = made.begin("cheap"), made.begin("cheap")

    assert len(begun([first, second])) == 2


def test_minutes_count_what_calls_under_way_have_taken(till: Callable[..., Till]) -> None:
    made = till(minutes=1)  # a microsecond of work

    first, second = made.begin(), made.begin()

    assert isinstance(first, int)
    assert isinstance(second, budgets.Refused)


def test_a_call_at_the_cap_is_refused_and_one_just_below_is_not(till: Callable[..., Till]) -> None:
    made = till(usd=10)
    made.end(made.begin(), 9)

    below = made.begin()
    made.end(below, 1)

    assert isinstance(made.begin(), budgets.Refused)


def test_a_session_without_a_budget_reserves_and_refuses_nothing(till: Callable[..., Till]) -> None:
    made = till()

    assert len(begun(made.together(8))) == 8
    found = made.store.read(lambda tx: records.calls_of(tx, made.session))
    assert {row.reserved_micros for row in found} == {None}


@pytest.mark.parametrize("seed", range(5))
def test_random_parallel_costs_pass_the_cap_by_no_more_than_the_calls_in_flight(
    till: Callable[..., Till], seed: int
) -> None:
    cap, chance = 100 * CENT, random.Random(seed)
    made = till(usd=cap)
    prices = [[chance.randrange(0, 30 * CENT) for _ in range(40)] for _ in range(4)]

    def worker(mine: list[int]) -> None:
        for micros in mine:
            call = made.begin()
            if isinstance(call, budgets.Refused):
                return
            made.end(call, micros)

    threads = [threading.Thread(target=worker, args=(mine,)) for mine in prices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    spent = made.store.read(lambda tx: records.cost_of(tx, made.session)).cost_micros
    assert made.standing().pause_reason == "budget"
    assert spent < cap + len(prices) * 30 * CENT


# warned of, once


def test_eighty_percent_of_a_cap_is_said_once_on_the_bus_and_shown(till: Callable[..., Till]) -> None:
    made = till(usd=100 * CENT, turns=100)
    calls = [made.end(made.begin(), micros) for micros in (79 * CENT, CENT, CENT)]

    said = [words for each in calls for words in each]
    shown = made.store.read(lambda tx: check.overview(tx, made.standing()))["budget"]

    assert said == ["80 % of a cap on the session is used: $0.80 of $1.00"]
    messages = made.store.read(
        lambda tx: check.bus_messages(tx, made.session, sender=None, to=None, type="state_update", last=9)
    )
    assert [each["summary"] for each in messages] == [f"[analyst] {said[0]}"]
    assert [(each["measure"], each["percent"], each["warned"]) for each in shown] == [
        ("usd", 81, True),
        ("turns", 3, False),
    ]


def test_a_raised_cap_is_warned_of_again(till: Callable[..., Till]) -> None:
    made = till(usd=10 * CENT)
    first = made.end(made.begin(), 9 * CENT)
    resume(made.store, None, Answer("me", caps={"usd": 20 * CENT}), more_attempts=3)

    second = made.end(made.begin(), 9 * CENT)

    assert (len(first), len(second)) == (1, 1)


def test_a_call_that_was_cut_off_says_nothing_any_more(till: Callable[..., Till]) -> None:
    made = till(turns=1)
    call = made.begin()
    made.store.write(lambda tx: records.cut_off_calls(tx, made.row.run, "too late"))

    said = made.end(call, CENT)

    assert said == []
    assert made.store.read(lambda tx: records.calls_of(tx, made.session))[0].outcome == "cut_off"


# a pause for the budget, and on


def test_resume_needs_a_cap_above_what_is_used(till: Callable[..., Till]) -> None:
    made = till(usd=10 * CENT)
    made.end(made.begin(), 12 * CENT)
    made.begin()

    with pytest.raises(NotAllowedNow, match="used up its budget") as plain:
        resume(made.store, None, Answer("me"), more_attempts=3)
    with pytest.raises(NotAllowedNow, match=r"\$0.12 is already used up"):
        resume(made.store, None, Answer("me", caps={"usd": 12 * CENT}), more_attempts=3)
    done = resume(made.store, None, Answer("me", caps={"usd": 13 * CENT}), more_attempts=3)

    assert plain.value.fix == "lifecycle resume --max-usd 0.22"
    assert done.reason == "budget"
    assert made.standing().status == "active"
    (decision,) = made.store.read(lambda tx: decisions.decisions_of(tx, made.session))
    assert (decision.subject, decision.words) == ("raise_budget", "session: at most $0.13")


def test_resume_goes_on_by_itself_when_what_was_reserved_was_not_needed(till: Callable[..., Till]) -> None:
    made = till(usd=2 * CENT)
    calls = made.together(3)
    for call in begun(calls):
        made.end(call, 1)

    resume(made.store, None, Answer("me"), more_attempts=3)

    assert made.standing().status == "active"
    assert isinstance(made.begin(), int)


def test_a_refused_perspective_keeps_the_others_answers_and_charges_nothing(
    harness: Callable[..., RuntimeHarness],
) -> None:
    paid = Paid(answers={"critique": says(4)})
    at = harness(paid, roles={"analyst": ["builtin"]})
    at.store.write(lambda tx: budgets.set_budget(tx, at.session, {"session": {"turns": 2}}))

    following = at.run()
    paused, kept = at.rows("SELECT status, pause_reason FROM sessions"), at.replies()
    resume(at.store, None, Answer("me", caps={"turns": 3}), more_attempts=3)
    at.run()

    assert following is None
    assert paused == [("paused", "budget")]
    assert len(kept) == 2
    assert at.task("RESEARCH-001").status == "completed"
    assert at.rows("SELECT outcome, counted FROM runs ORDER BY opened_at LIMIT 2") == [
        ("released", 0),
        ("completed", 0),
    ]
    assert sorted(paid.asked) == ["coverage", "product", "risk"]  # nobody was asked twice


def test_a_refused_document_is_not_left_to_the_next_agent(harness: Callable[..., RuntimeHarness]) -> None:
    paid = Paid()
    at = harness(paid)
    at.store.write(lambda tx: budgets.set_budget(tx, at.session, {"session": {"turns": 1}}))
    at.run()

    found = {row.agent for row in at.calls() if row.purpose != "critique"}

    assert found == {"paid"}
    assert at.rows("SELECT pause_reason FROM sessions") == [("budget",)]


def test_the_built_in_agent_counts_to_no_cap(harness: Callable[..., RuntimeHarness]) -> None:
    at = harness()
    paid = Paid()
    at.setup = replace(
        at.setup, router=Router({"builtin": BuiltinAgent(), "paid": paid}, roles={"analyst": ["paid"]})
    )
    at.store.write(lambda tx: budgets.set_budget(tx, at.session, {"session": {"turns": 1, "usd": 1}}))

    at.run()

    assert paid.asked == ["discovery"]  # and with that the budget is used up
    assert at.task("RESEARCH-001").status == "completed"
    free = [row for row in at.calls() if row.agent == "builtin"]
    assert {(row.metered, row.cost_micros, row.cost_source) for row in free} == {(0, 0, "reported")}


def test_a_tasks_cap_stops_that_task_and_is_raised_for_tasks(harness: Callable[..., RuntimeHarness]) -> None:
    paid = Paid(answers={"critique": says(4)})
    at = harness(paid, roles={"analyst": ["builtin"]})
    at.store.write(lambda tx: budgets.set_budget(tx, at.session, {"task": {"turns": 2}}))
    at.run()
    detail = at.store.read(lambda tx: sessions.get(tx, at.session)).pause_detail

    resume(at.store, None, Answer("me", caps={"turns": 9}), more_attempts=3)
    at.run()

    assert (detail["scope"], detail["task"], detail["measure"]) == ("task", "RESEARCH-001", "turns")
    assert at.task("RESEARCH-001").status == "completed"
    assert at.store.read(lambda tx: sessions.get(tx, at.session)).budget["task"] == {"turns": 9}


# what calls cost


def test_tokens_without_money_are_priced_and_the_row_names_the_list(
    harness: Callable[..., RuntimeHarness],
) -> None:
    at = harness(Paid(usd=None, model="m-1", tokens_in=1000, tokens_out=10))
    at.setup = replace(at.setup, prices=Prices(listed=(Price("m-1", 3.0, 15.0, 0.3, "maker", "2025-11-01"),)))

    at.run()

    found = {(row.cost_micros, row.cost_source, row.prices_of) for row in at.calls()}
    assert found == {(3_150, "computed", "2025-11-01")}


def test_an_agent_that_tells_no_model_is_priced_by_the_one_it_was_set_up_with(
    harness: Callable[..., RuntimeHarness],
) -> None:
    settings = {"agents": {"paid": {"command": ["paid"], "model": "m-1"}}}
    at = harness(Paid(usd=None, tokens_in=1000, tokens_out=10), settings=settings)
    at.setup = replace(at.setup, prices=Prices(own=(Price("m-1", 3.0, 15.0),)))

    at.run()

    assert {(row.model, row.cost_micros, row.prices_of) for row in at.calls()} == {("m-1", 3_150, "settings")}


def test_what_a_failed_call_used_is_kept(harness: Callable[..., RuntimeHarness]) -> None:
    failed = AgentCrashed("it fell over")
    failed.usage, failed.retries = Usage("m-1", 7, 8, 0.5), 1
    at = harness(Told("paid", {"discovery": failed}))

    at.run()

    first = at.calls()[0]
    assert (first.outcome, first.tokens_in, first.cost_micros, first.retries) == ("crashed", 7, 500_000, 1)


def test_unknown_prices_are_counted_and_never_zero(harness: Callable[..., RuntimeHarness]) -> None:
    at = harness(Paid(usd=None), Paid("told", usd=0.5), roles={"analyst": ["told"]})

    at.run()
    one = at.store.read(lambda tx: costs.cost_view(tx, at.session))
    every = at.store.read(lambda tx: costs.cost_view(tx, None))

    assert (one["usd"], one["calls"], one["priced"], one["unpriced"]) == (0.5, 4, 1, 3)
    assert {each["agent"]: each["unpriced"] for each in one["by_agent"]} == {"paid": 3, "told": 0}
    assert [(each["role"], each["calls"]) for each in one["by_role"]] == [("analyst", 4)]
    assert [(each["task"], each["calls"]) for each in one["by_task"]] == [("RESEARCH-001", 4)]
    assert [(each["session"], each["usd"]) for each in every["by_session"]] == [(at.session, 0.5)]


# what it may cost


def test_the_estimate_comes_from_history_alone(harness: Callable[..., RuntimeHarness]) -> None:
    settings = load_settings(None, {}, {"agents": {"paid": {"command": ["paid"]}}})
    planned = make.make_plan()
    at = harness(Paid(usd=0.25))
    unknown = plan_view(planned, settings)["cost"]
    following = at.run()
    while following is not None or at.rows("SELECT status FROM sessions") == [("active",)]:
        following = at.run(following)
        if at.task("QUALITY-001").status == "completed":
            break

    seen = at.store.read(lambda tx: past(tx, ["paid"]))
    known = plan_view(planned, settings, seen)["cost"]

    assert unknown["usd"] is None
    assert "no history of what paid costs" in unknown["why"]
    partly = {part: cost for part, cost in seen.items() if part[0] != "DRAFT-003"}
    assert plan_view(planned, settings, partly)["cost"]["usd"] is None
    assert known["usd"] == pytest.approx(0.25 * sum(row.metered for row in at.calls()))


def test_a_plan_with_the_built_in_agent_alone_costs_nothing() -> None:
    cost = plan_view(make.make_plan(), load_settings(None, {}))["cost"]

    assert (cost["usd"], cost["at_least_usd"]) == (0.0, 0.0)


def test_the_plan_of_a_review_sends_nothing_for_its_tester() -> None:
    agents = {"mine": {"command": ["mine"], "edits_files": True}}
    settings = load_settings(
        None, {}, {"agents": agents, "roles": {"tester": ["mine"], "reviewer": ["builtin"]}}
    )
    review = plan_view(
        make.make_plan("Review it", mode="review", review={"base": "a", "head": "b"}), settings
    )
    built = plan_view(make.make_plan("Build it", mode="full-lifecycle"), settings)

    assert (review["agents"]["tester"], built["agents"]["tester"]) == ([], ["mine"])
    assert (review["sends"]["calls"], review["cost"]["usd"]) == (0, 0.0)


def test_a_cap_on_money_says_beforehand_whose_price_is_unknown() -> None:
    given = {"agents": {"mine": {"command": ["mine"]}}, "budget": {"max_usd": 2.0}}
    priced = {**given, "agents": {"mine": {"kind": "api", "model": "openai:m-1"}}}
    prices = Prices(own=(Price("m-1", 1.0, 1.0),))

    unknown = plan_view(make.make_plan(), load_settings(None, {}, given), {}, prices)["budget"]
    known = plan_view(make.make_plan(), load_settings(None, {}, priced), {}, prices)["budget"]

    assert unknown["caps"] == known["caps"] == ["at most $2.00"]
    assert "the price of mine is unknown" in unknown["warnings"][0]
    assert known["warnings"] == []


@pytest.mark.parametrize(("client", "warned"), [("claude", False), ("codex", True)])
def test_a_cap_on_money_holds_for_a_client_without_settings_as_for_one_with_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: str, warned: bool
) -> None:
    (tmp_path / client).write_text("#!/bin/sh\n")
    (tmp_path / client).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    settings = load_settings(None, {}, {"budget": {"max_usd": 2.0}})

    budget = plan_view(make.make_plan(mode="spec-only"), settings)["budget"]

    assert [f"the price of {client} is unknown" in line for line in budget["warnings"]] == [True] * warned
