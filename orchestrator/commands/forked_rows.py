"""The rows of a fork: those of its source as they were when a task was completed, under new ids.

What was completed or skipped by then is taken over with everything that belongs to it; all else begins anew, without
attempts. Agents' calls stay with the source, which paid for them. Nothing here reads or writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.domain import capability_gaps
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SATISFIED, RunOutcome
from orchestrator.domain.past import FORKED, PAID
from orchestrator.domain.pipelines import Pipeline
from orchestrator.domain.plan_marks import PLAN_DIGEST, PLAN_TASK
from orchestrator.store.transfer import Rows

PRIVATE = (
    "clients",
    "told",
)  # of an accumulator: conversations with agents, which go on in one session alone
_LINKED = ("messages", "verdicts", "runs", "tasks")  # tables whose JSON names runs


@dataclass(frozen=True, slots=True)
class Moment:
    """Where the state of a session is cut off: its last message, and the time of the transaction that wrote it."""

    number: int
    at: int


@dataclass(frozen=True, slots=True)
class Taken:
    """The part of a session's rows that its fork takes over, under the source's ids, and what they name."""

    rows: Rows
    kept: frozenset[str]  # tasks that are taken over as they are
    left: tuple[str, ...]  # tasks that the fork has to do, in order of creation
    extra: tuple[str, ...] = field(default=())  # of `left`, those that no pipeline names


def take(rows: Rows, pipeline: Pipeline, moment: Moment, *, max_attempts: int, agent: str | None) -> Taken:
    """What of a session belongs to its state at `moment`; `pipeline`: the one that it was started with.

    `agent`: chosen for the fork, so that what was chosen for a task before does not count.
    """
    log = [row for row in rows["messages"] if row["number"] <= moment.number]
    tasks = [row for row in rows["tasks"] if row["created_at"] <= moment.at]
    done = {row["id"]: row for row in tasks if _is_done(row, moment)}
    fanned_out = any(row["type"] == "fan_out" for row in log)
    defined = {task.key: task.blocked_by for task in pipeline.tasks}
    names = {row["id"]: str(row["key"]) for row in tasks}
    edges = [
        row
        for row in rows["edges"]
        if {row["task_id"], row["blocker_id"]} <= names.keys()
        and (
            fanned_out
            or row["task_id"] in done
            or _is_early(names[row["task_id"]], names[row["blocker_id"]], defined)
        )
    ]
    again = {
        str(row["subject"]).partition(" ")[2]
        for row in rows["decisions"]
        if str(row["subject"]).startswith("retry ")
    }
    unmet: dict[int, int] = {}
    for row in edges:
        unmet[row["task_id"]] = unmet.get(row["task_id"], 0) + (row["blocker_id"] not in done)
    made = [
        row
        if row["id"] in done
        else _anew(
            row,
            unmet.get(row["id"], 0),
            max_attempts,
            keep_agent=agent is None and row["key"] not in again,
            fanned_out=fanned_out,
        )
        for row in tasks
    ]
    runs = [row for row in rows["runs"] if row["task_id"] in done]
    completed = {row["id"] for row in runs if row["outcome"] == RunOutcome.COMPLETED}
    verdicts = [row for row in rows["verdicts"] if row["run_id"] in completed]
    judged = {row["id"] for row in verdicts}
    hosts = {row["host"] for row in runs}
    later = [
        row["data"] for row in rows["messages"] if row["number"] > moment.number and _is_decided_gap(row)
    ]
    taken: Rows = {
        "hosts": [row for row in rows["hosts"] if row["incarnation"] in hosts],
        "snapshots": [
            {**row, "data": capability_gaps.without(row["data"], later)} for row in rows["snapshots"]
        ]
        if later
        else rows["snapshots"],
        "tasks": made,
        "edges": edges,
        "runs": [{**row, "accumulator": _without_conversations(row["accumulator"])} for row in runs],
        "products": [row for row in rows["products"] if row["run_id"] in completed],
        "critiques": [row for row in rows["critiques"] if row["run_id"] in completed],
        "artifacts": _in_order(row for row in rows["artifacts"] if _is_of(row, completed, moment)),
        "messages": log,
        "verdicts": verdicts,
        "findings": [row for row in rows["findings"] if row["verdict_id"] in judged],
        "agent_calls": [],
        "decisions": [row for row in rows["decisions"] if row["at"] <= moment.at],
        "memory": [row for row in rows["memory"] if row["at"] <= moment.at],
    }
    gates = [row for row in verdicts if row["kind"] == "gate"]
    last = gates[-1] if gates else {"gate": None, "score": None}
    source = rows["sessions"][0]
    taken["sessions"] = [{**source, "gate": last["gate"], "score": last["score"], "messages": len(log)}]
    left = [row for row in tasks if row["id"] not in done]
    return Taken(
        taken,
        frozenset(str(row["key"]) for row in done.values()),
        tuple(str(row["key"]) for row in left),
        tuple(str(row["key"]) for row in left if row["key"] not in defined),
    )


def _is_done(row: Mapping[str, Json], moment: Moment) -> bool:
    return row["status"] in SATISFIED and row["finished_at"] <= moment.at


def _is_decided_gap(row: Mapping[str, Json]) -> bool:
    return row["type"] == "capability_gap" and isinstance(row["data"], Mapping) and "decision" in row["data"]


def _is_early(task: str, blocker: str, defined: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether the edge was there before a plan added its own between tasks of the pipeline."""
    return task not in defined or blocker not in defined or blocker in defined[task]


def _is_of(row: Mapping[str, Json], completed: set[Json], moment: Moment) -> bool:
    """Whether a version was there: made by a run that is taken over, or by a person until then."""
    return row["run_id"] in completed if row["run_id"] is not None else row["created_at"] <= moment.at


def _in_order(rows: Iterable[JsonObject]) -> list[JsonObject]:
    """The versions without gaps: one whose predecessor is missing, as after a clock was set back, is left out."""
    newest: dict[Json, int] = {}
    found = []
    for row in rows:
        if row["version"] == newest.get(row["path"], 0) + 1:
            newest[row["path"]] = row["version"]
            found.append(row)
    return found


def _anew(
    row: JsonObject, unmet: int, max_attempts: int, *, keep_agent: bool, fanned_out: bool
) -> JsonObject:
    """A task that was not done yet, as if it had just been made."""
    dropped = set() if fanned_out else {PLAN_TASK, PLAN_DIGEST}
    dropped |= set() if keep_agent else {"agent"}
    return {
        **row,
        "status": "pending",
        "unmet": unmet,
        "attempts": 0,
        "max_attempts": max_attempts,
        "epoch": 0,
        "priority": 0,
        "not_before": None,
        "limited_by": None,
        "offered_at": None,
        "started_at": None,
        "finished_at": None,
        "error": None,
        "payload": {name: value for name, value in row["payload"].items() if name not in dropped},
    }


def _without_conversations(accumulator: Json) -> Json:
    if not isinstance(accumulator, Mapping):
        return accumulator
    return {name: value for name, value in accumulator.items() if name not in PRIVATE}


def named_anew(rows: Rows, session: str, runs: Mapping[str, str]) -> Rows:
    """The rows as those of `session`, whose runs have new ids: old -> new."""
    found = {table: [_renamed(row, session, runs) for row in each] for table, each in rows.items()}
    for table in _LINKED:
        found[table] = [
            {
                name: _linked(value, runs) if isinstance(value, dict | list) else value
                for name, value in row.items()
            }
            for row in found[table]
        ]
    return found


def _renamed(row: JsonObject, session: str, runs: Mapping[str, str]) -> JsonObject:
    new = dict(row)
    if "session_id" in new:
        new["session_id"] = session
    if new.get("run_id") is not None:
        new["run_id"] = runs[new["run_id"]]
    if "epoch" in new and "loop" in new:  # a run
        new |= {"id": runs[new["id"]], "loop": runs.get(new["loop"], new["loop"])}
    return new


def _linked(value: Json, runs: Mapping[str, str]) -> Json:
    """The value with every string in it that is a run's id replaced."""
    if isinstance(value, str):
        return runs.get(value, value)
    if isinstance(value, Mapping):
        return {name: _linked(each, runs) for name, each in value.items()}
    if isinstance(value, list):
        return [_linked(each, runs) for each in value]
    return value


def inherited(rows: Rows, kept: frozenset[str]) -> list[JsonObject]:
    """What the tasks that were taken over had cost, task by task: what the source inherited itself counts too."""
    names = {row["id"]: str(row["key"]) for row in rows["tasks"]}
    sums: dict[str, JsonObject] = {}
    forks = [row["data"] for row in rows["messages"] if row["type"] == FORKED]
    for each in forks[-1]["inherited"] if forks else ():
        if each["task"] in kept:
            sums[each["task"]] = dict(each)
    for row in rows["agent_calls"]:
        key = names[row["task_id"]]
        if key not in kept:
            continue
        mine = sums.setdefault(key, {"task": key, **dict.fromkeys(PAID, 0)})
        ended = row["finished_at"] or row["started_at"]
        mine["calls"] += 1
        mine["unpriced"] += int(bool(row["metered"]) and row["cost_micros"] is None)
        mine["usd"] += (row["cost_micros"] or 0) / 1e6
        mine["tokens_in"] += row["tokens_in"] or 0
        mine["tokens_out"] += row["tokens_out"] or 0
        mine["seconds"] += (ended - row["started_at"]) / 1e6
    return [sums[key] for key in names.values() if key in sums]
