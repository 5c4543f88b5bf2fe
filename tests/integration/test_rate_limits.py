"""Accounts that reached a limit: known to every host of the project and after every restart, and to people."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.commands.manage import cancel
from orchestrator.domain.errors import AccountHeld, AgentLimited, UnknownName
from orchestrator.door.desk import CallHandle
from orchestrator.door.local_desk import LocalDesk
from orchestrator.store import queries, rate_limits
from orchestrator.store.leases import SECOND
from orchestrator.store.store import Store
from orchestrator.views import check, limits
from orchestrator.views.why import why
from tests import factories as make
from tests import invariants
from tests.runtime_harness import RuntimeHarness, Told
from workers.agents.protocol import AgentReply
from workers.agents.routing import Router
from workers.context.agent_calls import AgentCalls
from workers.host.live_runs import LiveRuns

ONLY_TOLD = {"roles": {"analyst": ["told"]}}


def limited(seconds: float | None = 600, why: str = "weekly limit") -> AgentLimited:
    return AgentLimited("limit", until=None if seconds is None else time.time() + seconds, why=why)


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[Callable[..., RuntimeHarness]]:
    made: list[RuntimeHarness] = []

    def begin(*agents: Any, **more: Any) -> RuntimeHarness:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(RuntimeHarness(folder, *agents, **more))
        return made[-1]

    yield begin
    for each in made:
        invariants.check(each.store.path)
        each.store.close()


def pause(harness: RuntimeHarness) -> tuple[Any, ...] | None:
    """Seconds the only account is held for since the limit was met, guesses, who met it, why."""
    found = harness.rows("SELECT limited_until - since_at, guesses, agent, why FROM rate_limits")
    assert len(found) <= 1
    return (round(found[0][0] / SECOND), *found[0][1:]) if found else None


def due(harness: RuntimeHarness) -> None:
    """Let the task be tried now, as one of another session would be."""
    harness.sql("UPDATE tasks SET not_before = NULL, limited_by = NULL")


def test_another_host_of_the_project_asks_no_agent_of_an_account_that_one_has_met_the_limit_of(
    harness: Any,
) -> None:
    bench = harness(Told("told", {"*": limited()}), **ONLY_TOLD)
    bench.run()
    other = Told("opus")
    due(bench)

    bench.runtime = replace(bench.runtime, lives=LiveRuns())
    bench.setup = replace(
        bench.setup, router=Router({"opus": other}, roles={"analyst": ["opus"]}, accounts={"opus": "told"})
    )
    bench.run()

    task = bench.task("RESEARCH-001")
    assert other.asked == []
    assert (task.status, task.attempts, task.limited_by) == ("pending", 0, "told")
    assert abs(task.not_before / SECOND - time.time() - 600) < 5


def test_after_a_restart_an_account_is_not_asked_before_its_limit_ends(harness: Any) -> None:
    told = Told("told", {"*": limited()})
    bench = harness(told, **ONLY_TOLD)
    bench.run()
    due(bench)

    bench.store.close()
    bench.store = Store(bench.store.path)
    bench.runtime = replace(bench.runtime, desk=LocalDesk(bench.store), lives=LiveRuns())
    bench.setup = replace(bench.setup, router=Router({"told": told}, roles={"analyst": ["told"]}))
    bench.run()

    assert told.asked == ["discovery"]
    assert [call.outcome for call in bench.calls()] == ["limited"], "no call is noted that was not made"


def test_a_task_waits_to_the_end_of_the_limit_and_is_then_done_by_its_author(harness: Any) -> None:
    told = Told("told", {"*": limited(5 * 3600)})
    bench = harness(told, discuss="off", **ONLY_TOLD)
    bench.run()
    waits = bench.task("RESEARCH-001").not_before / SECOND - time.time()
    told.answers = {}
    bench.sql("UPDATE rate_limits SET limited_until = since_at + 1")

    due(bench)
    bench.run()

    assert abs(waits - 5 * 3600) < 5
    assert bench.task("RESEARCH-001").status == "completed"
    assert {call.agent for call in bench.calls()} == {"told"}
    assert pause(bench) is None, "it answered: the account is usable"


def test_of_several_accounts_a_task_waits_for_the_one_whose_limit_ends_first(harness: Any) -> None:
    first, second = Told("first", {"*": limited(300)}), Told("second", {"*": limited(900)})
    bench = harness(first, second, roles={"analyst": ["first", "second"]})

    bench.run()

    task = bench.task("RESEARCH-001")
    assert task.limited_by == "first"
    assert abs(task.not_before / SECOND - time.time() - 300) < 5


def begin(calls: AgentCalls, agent: Any) -> CallHandle:
    return calls.ledger.begin(agent, "critique", None, "")


def answer(calls: AgentCalls, agent: Any, begun: CallHandle) -> None:
    calls.ledger.answered(agent, begun, AgentReply("", None, agent.name))


def refuse(calls: AgentCalls, agent: Any, begun: CallHandle, error: AgentLimited) -> AgentLimited:
    calls.ledger.failed(agent, begun, error, f"{error.what}: {error.why}")
    return error


def test_an_answer_to_a_call_that_began_before_the_limit_does_not_end_it(harness: Any) -> None:
    told = Told("told")
    bench = harness(told)
    calls = bench.agent_calls(bench.claim())
    older, refused = begin(calls, told), begin(calls, told)

    error = refuse(calls, told, refused, limited())
    answer(calls, told, older)

    assert error.account == "told"
    assert pause(bench) == (600, 0, "told", "limit: weekly limit")
    with pytest.raises(AccountHeld, match="told: not asked before"):
        begin(calls, told)


def test_an_answer_to_a_call_that_began_after_the_limit_was_over_ends_it_unless_it_was_met_again(
    harness: Any,
) -> None:
    told = Told("told")
    bench = harness(told)
    calls = bench.agent_calls(bench.claim())
    refuse(calls, told, begin(calls, told), limited(None))
    bench.sql(
        "UPDATE rate_limits SET since_at = since_at - 90000000, limited_until = limited_until - 90000000"
    )
    tried, answered = begin(calls, told), begin(calls, told)

    refuse(calls, told, tried, limited(None))
    answer(calls, told, answered)
    held = pause(bench)
    bench.sql(
        "UPDATE rate_limits SET since_at = since_at - 900000000, limited_until = limited_until - 900000000"
    )
    answer(calls, told, begin(calls, told))

    assert held == (120, 2, "told", "limit: weekly limit")
    assert pause(bench) is None


def test_perspectives_that_are_refused_together_are_one_guess(harness: Any) -> None:
    told = Told("told")
    bench = harness(told)
    calls = bench.agent_calls(bench.claim())
    together = [begin(calls, told) for _ in range(5)]

    ends = {refuse(calls, told, begun, limited(None)).until for begun in together}

    assert pause(bench) == (60, 1, "told", "limit: weekly limit")
    assert len(ends) == 1


@pytest.mark.parametrize("said", [float("inf"), float("nan"), 1e300, -5.0])
def test_whatever_an_agent_says_of_its_limits_end_it_is_held_for_a_bounded_time(
    harness: Any, said: float
) -> None:
    told = Told("told", {"*": AgentLimited("limit", until=said, why="x" * 5_000)})
    bench = harness(told, **ONLY_TOLD)

    bench.run()

    seconds, _, _, why = pause(bench)
    assert seconds in (60, 8 * 86_400)
    assert len(why) == 500
    assert abs(bench.task("RESEARCH-001").not_before / SECOND - time.time() - seconds) < 5


def test_why_an_account_is_held_is_stored_without_the_secrets_of_its_environment(harness: Any) -> None:
    key = "sk-live-0123456789abcdef"
    bench = harness(Told("told", {"*": limited(why=f"quota of {key}")}), **ONLY_TOLD)
    bench.runtime = replace(bench.runtime, environ={"TOLD_API_KEY": key})

    bench.run()

    assert "quota of" in pause(bench)[3]
    assert key not in pause(bench)[3]


def test_the_built_in_agent_asks_nothing_of_accounts(harness: Any) -> None:
    bench = harness()
    row = bench.claim()
    bench.store.write(lambda tx: None)
    said: list[str] = []
    bench.store.backend._connection.set_trace_callback(said.append)

    bench.run(row)

    assert any("INTO agent_calls" in statement for statement in said)
    assert [statement for statement in said if "rate_limits" in statement] == []


def test_a_call_asks_for_its_account_once_and_writes_nothing_where_no_limit_was_met(harness: Any) -> None:
    bench = harness(Told("told"), discuss="off", **ONLY_TOLD)
    row = bench.claim()
    bench.store.write(lambda tx: None)
    said: list[str] = []
    bench.store.backend._connection.set_trace_callback(said.append)

    bench.run(row)

    about = [statement.split()[0] for statement in said if "rate_limits" in statement]
    assert about == ["SELECT"] * len(bench.calls())


# people


def test_a_person_sees_which_account_is_held_until_when_and_why(harness: Any) -> None:
    bench = harness(Told("told", {"*": limited(None)}), **ONLY_TOLD)
    bench.run()

    seen = bench.store.read(lambda tx: check.overview(tx, bench.state()))
    told = bench.store.read(lambda tx: why(tx, bench.state(), bench.task("RESEARCH-001")))

    (held,) = seen["limits"]
    (task,) = [each for each in seen["tasks"] if each["task"] == "RESEARCH-001"]
    assert (held["account"], held["agent"], held["guesses"], held["why"]) == (
        "told",
        "told",
        1,
        "limit: weekly limit",
    )
    assert (task["limited_by"], task["retry_at"]) == ("told", held["until"])
    assert told["state"] == "delayed"
    assert "weekly limit" in told["because"][1] and held["until"] in told["because"][1]
    assert "lifecycle agents --release told" in told["commands"]

    cancel(bench.store, bench.session, who="anna")
    seen = bench.store.read(lambda tx: check.overview(tx, bench.state()))
    (task,) = [each for each in seen["tasks"] if each["task"] == "RESEARCH-001"]
    assert (task["limited_by"], task["retry_at"]) == (None, None)


def test_a_person_who_knows_better_ends_a_limit_and_what_waits_for_it_is_tried_at_once(harness: Any) -> None:
    told = Told("told", {"*": limited()})
    bench = harness(told, discuss="off", **ONLY_TOLD)
    bench.run()
    told.answers = {}

    waited = limits.release(bench.store, "told", "me")
    bench.run()

    assert waited == [{"session": bench.session, "task": "RESEARCH-001"}]
    assert bench.task("RESEARCH-001").status == "completed"
    assert any("me released account told" in words for (words,) in bench.rows("SELECT summary FROM messages"))


def test_the_release_of_an_account_that_is_not_held_is_refused_with_those_that_are(harness: Any) -> None:
    bench = harness(Told("told", {"*": limited()}), **ONLY_TOLD)
    bench.run()

    with pytest.raises(UnknownName, match="claude") as refused:
        limits.release(bench.store, "claude", "me")

    assert refused.value.why == "known: told"
    assert pause(bench) is not None


# clocks, and what the schema refuses


def test_a_long_wait_for_an_account_is_no_delay_of_a_clock_put_back_until_the_account_is_held_no_more(
    harness: Any,
) -> None:
    bench = harness(Told("told", {"*": limited(5 * 3600)}), **ONLY_TOLD)
    bench.run()

    kept = bench.store.read(lambda tx: queries.has_overlong(tx, 900))
    bench.sql("DELETE FROM rate_limits")
    ended = bench.store.write(lambda tx: (queries.has_overlong(tx, 900), queries.hasten(tx, 900)))

    assert (kept, ended) == (False, (True, 1))


def test_a_pause_noted_by_a_clock_far_ahead_holds_nobody_up_and_goes_with_the_next_answer(
    harness: Any,
) -> None:
    told = Told("told")
    bench = harness(told, discuss="off", **ONLY_TOLD)
    ahead = int((time.time() + 30 * 86_400) * SECOND)
    bench.sql(f"INSERT INTO rate_limits VALUES ('told', {ahead + 60 * SECOND}, {ahead}, 1, 'told', '')")

    bench.run()

    assert bench.task("RESEARCH-001").status == "completed"
    assert pause(bench) is None
    assert bench.store.read(rate_limits.limited_now) == []


@pytest.mark.parametrize(
    "row",
    [
        "'', 2, 1, 0, 'a', ''",
        "'a', 1, 1, 0, 'a', ''",
        "'a', 2, 1, -1, 'a', ''",
        f"'a', 2, 1, 0, 'a', '{'x' * 501}'",
    ],
)
def test_the_schema_refuses_a_pause_that_makes_no_sense(tmp_path: Path, row: str) -> None:
    store = make.make_store(tmp_path)
    connection = sqlite3.connect(store.path)

    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(f"INSERT INTO rate_limits VALUES ({row})")

    connection.close()
