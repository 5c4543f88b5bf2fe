"""What of a session's rows belongs to its state at a moment, and how it is named in the fork."""

from __future__ import annotations

from typing import Any

from orchestrator.commands.forked_rows import Moment, Taken, inherited, named_anew, take
from orchestrator.domain.model import TaskDef
from orchestrator.domain.pipelines import Pipeline
from orchestrator.store.transfer import Rows

PIPELINE = Pipeline(
    "full-lifecycle",
    (
        TaskDef("PLAN-001", "planner", "PLAN"),
        TaskDef("IMPL-001", "executor", "IMPL", ("PLAN-001",)),
        TaskDef("DEV-FE-001", "executor", "DEV-FE", ("PLAN-001",)),
    ),
)


def task(number: int, key: str, done_at: int | None = None, made_at: int = 1, **more: Any) -> dict[str, Any]:
    state = {"status": "pending" if done_at is None else "completed", "finished_at": done_at}
    return {
        "id": number,
        "session_id": "S",
        "key": key,
        "created_at": made_at,
        "payload": {},
        "attempts": 0,
        "checkpoint_after": 0,
        **state,
        **more,
    }


def run(id: str, task_id: int, outcome: str = "completed", **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "session_id": "S",
        "task_id": task_id,
        "epoch": 1,
        "host": "h",
        "loop": id,
        "outcome": outcome,
        "accumulator": {"task": "x", "clients": {"codex": "c-1"}, "told": {"codex": ["a"]}},
        **more,
    }


def message(number: int, at: int, type: str = "state_update", data: Any = None) -> dict[str, Any]:
    return {"session_id": "S", "number": number, "at": at, "type": type, "data": data}


def rows(**given: list[dict[str, Any]]) -> Rows:
    tables = "hosts snapshots tasks edges runs products critiques artifacts messages verdicts findings"
    session = {"id": "S", "gate": "PASS", "score": 90.0, "messages": 9}
    return {
        **{name: [] for name in (*tables.split(), "agent_calls", "decisions", "memory")},
        "sessions": [session],
        **given,
    }


def taken(source: Rows, number: int = 2, at: int = 20, agent: str | None = None) -> Taken:
    return take(source, PIPELINE, Moment(number, at), max_attempts=3, agent=agent)


def by_key(found: Taken) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in found.rows["tasks"]}


def test_what_was_done_later_is_pending_again_and_what_was_made_later_is_not_there() -> None:
    source = rows(
        tasks=[
            task(1, "PLAN-001", 20),
            task(
                2, "IMPL-001", 30, attempts=2, payload={"plan_task": "TASK-001", "plan_digest": "d", "x": 1}
            ),
            task(3, "IMPL-002", 40, made_at=21),
        ],
        edges=[
            {"task_id": 2, "blocker_id": 1, "session_id": "S"},
            {"task_id": 3, "blocker_id": 1, "session_id": "S"},
        ],
        runs=[run("r1", 1), run("r2", 2)],
        messages=[message(1, 1), message(2, 20), message(3, 30, "fan_out")],
        decisions=[{"subject": "feedback", "at": 20}, {"subject": "approve_plan PLAN-001", "at": 21}],
    )

    found = taken(source)

    tasks = by_key(found)
    assert (found.kept, found.left) == ({"PLAN-001"}, ("IMPL-001",))
    assert (tasks["IMPL-001"]["status"], tasks["IMPL-001"]["attempts"], tasks["IMPL-001"]["unmet"]) == (
        "pending",
        0,
        0,
    )
    assert tasks["IMPL-001"]["payload"] == {"x": 1}
    assert [row["id"] for row in found.rows["runs"]] == ["r1"]
    assert [row["subject"] for row in found.rows["decisions"]] == ["feedback"]
    assert [row["number"] for row in found.rows["messages"]] == [1, 2]
    assert (found.rows["sessions"][0]["gate"], found.rows["sessions"][0]["messages"]) == (None, 2)


def test_an_edge_that_a_later_plan_added_between_tasks_of_the_pipeline_is_not_there() -> None:
    edges = [
        {"task_id": 2, "blocker_id": 3, "session_id": "S"},
        {"task_id": 2, "blocker_id": 1, "session_id": "S"},
    ]
    tasks = [task(1, "PLAN-001", 20), task(2, "IMPL-001"), task(3, "DEV-FE-001")]
    early = rows(tasks=tasks, edges=edges, messages=[message(1, 1), message(2, 20)])
    fanned = rows(tasks=tasks, edges=edges, messages=[message(1, 1), message(2, 20, "fan_out")])

    assert [row["blocker_id"] for row in taken(early).rows["edges"]] == [1]
    assert by_key(taken(early))["IMPL-001"]["unmet"] == 0
    assert by_key(taken(fanned))["IMPL-001"]["unmet"] == 1


def test_an_agent_that_was_chosen_for_a_task_stays_unless_it_was_for_a_retry_or_another_is_chosen() -> None:
    planned = task(2, "IMPL-001", payload={"agent": "codex"})
    source = rows(tasks=[task(1, "PLAN-001", 20), planned], messages=[message(1, 1), message(2, 20)])
    retried = {**source, "decisions": [{"subject": "retry IMPL-001", "at": 30}]}

    assert by_key(taken(source))["IMPL-001"]["payload"] == {"agent": "codex"}
    assert by_key(taken(source, agent="claude"))["IMPL-001"]["payload"] == {}
    assert by_key(taken(retried))["IMPL-001"]["payload"] == {}


def test_versions_have_no_gap_and_conversations_stay_with_the_source() -> None:
    version = {"session_id": "S", "path": "a.md", "run_id": None}
    source = rows(
        tasks=[task(1, "PLAN-001", 20)],
        runs=[run("r1", 1)],
        artifacts=[
            {**version, "version": 1, "run_id": "r1", "created_at": 20},
            {**version, "version": 2, "created_at": 25},
            {**version, "version": 3, "created_at": 19},
        ],
        messages=[message(1, 1), message(2, 20)],
    )

    found = taken(source)

    assert [row["version"] for row in found.rows["artifacts"]] == [1]
    assert found.rows["runs"][0]["accumulator"] == {"task": "x"}


def test_runs_have_new_names_wherever_they_are_named() -> None:
    source = rows(
        tasks=[task(1, "PLAN-001", 20)],
        runs=[run("r1", 1), run("r0", 1, "lost")],
        messages=[message(1, 1, data={"run": "r1", "runs": ["r0", "other"]})],
        artifacts=[{"session_id": "S", "run_id": "r1", "path": "a", "version": 1}],
    )

    found = named_anew(source, "F", {"r1": "n1", "r0": "n0"})

    assert [(row["id"], row["loop"], row["session_id"]) for row in found["runs"]] == [
        ("n1", "n1", "F"),
        ("n0", "n0", "F"),
    ]
    assert found["messages"][0]["data"] == {"run": "n1", "runs": ["n0", "other"]}
    assert (found["artifacts"][0]["run_id"], found["tasks"][0]["session_id"]) == ("n1", "F")
    assert source["runs"][0]["id"] == "r1", "the source is only read"


def test_inherited_cost_is_that_of_the_tasks_taken_over_and_of_what_the_source_inherited_itself() -> None:
    call = {
        "metered": 1,
        "cost_micros": 500_000,
        "tokens_in": 10,
        "tokens_out": 5,
        "started_at": 0,
        "finished_at": 2_000_000,
    }
    before = {
        "task": "PLAN-001",
        "calls": 1,
        "unpriced": 0,
        "usd": 1.0,
        "tokens_in": 1,
        "tokens_out": 1,
        "seconds": 1.0,
    }
    source = rows(
        tasks=[task(1, "PLAN-001", 20), task(2, "IMPL-001", 30), task(3, "IMPL-002", 40)],
        agent_calls=[
            {**call, "task_id": 2},
            {**call, "task_id": 2, "cost_micros": None},
            {**call, "task_id": 3},
        ],
        messages=[message(1, 1, "forked", {"inherited": [before]})],
    )

    found = inherited(source, frozenset({"PLAN-001", "IMPL-001"}))

    assert found[0] == before
    assert (found[1]["task"], found[1]["calls"], found[1]["unpriced"]) == ("IMPL-001", 2, 1)
    assert (found[1]["usd"], found[1]["seconds"]) == (0.5, 4.0)
    assert len(found) == 2


def test_roles_that_a_later_gap_made_or_gave_more_work_are_as_they_were() -> None:
    roles = {
        "writer": {"works": {"DRAFT": "document", "PLAN": "document"}, "prefixes": ["DRAFT", "PLAN"]},
        "developer": {"works": {"IMPL": "code"}, "prefixes": ["IMPL"]},
        "tester": {"works": {"TEST": "tests"}, "prefixes": ["TEST"]},
    }
    data = {"roles": roles, "dynamic": {"capabilities": {"planning": {"prefix": "PLAN"}}}}
    gap = {"task": "DRAFT-001", "capability": "coding", "made": "X"}
    source = rows(
        snapshots=[{"session_id": "S", "data": data}],
        tasks=[task(1, "PLAN-001", 20)],
        messages=[
            message(1, 20, "capability_gap", {**gap, "decision": "role", "role": "tester"}),
            message(2, 30, "capability_gap", {**gap, "decision": "role", "role": "developer"}),
            message(3, 30, "capability_gap", {"task": "DRAFT-001", "made": "X"}),
            message(4, 30, "capability_gap", {**gap, "decision": "note", "role": None}),
            message(
                5,
                40,
                "capability_gap",
                {**gap, "capability": "planning", "decision": "fit", "role": "writer"},
            ),
        ],
    )

    found = taken(source, number=1).rows["snapshots"][0]["data"]["roles"]

    assert list(found) == ["writer", "tester"]
    assert found["writer"]["works"] == {"DRAFT": "document"} and list(found["writer"]["prefixes"]) == [
        "DRAFT"
    ]
    assert found["tester"] == roles["tester"]
    assert list(roles) == ["writer", "developer", "tester"], "the source is only read"
