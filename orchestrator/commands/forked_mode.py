"""fork --mode: the state of a session as the beginning of another mode's pipeline, where the two agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.commands.forked_rows import Taken
from orchestrator.domain import ids
from orchestrator.domain.dataclass import replace
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import TaskDef
from orchestrator.domain.pipelines import Pack, to_snapshot
from orchestrator.project import Project
from orchestrator.store.rows import Session
from orchestrator.views.layout import Plan, StartOptions, plan
from orchestrator.views.plan import has_coding_agent

if TYPE_CHECKING:
    from orchestrator.config.settings import Settings

_FIX = "leave --mode out, or fork at an earlier task"


def plan_mode(source: Session, mode: str, pack: Pack, project: Project, settings: Settings) -> Plan:
    """The pipeline of `mode` for the source's request and options. Raises UnknownName, NotAllowedNow, UsageError."""
    options = StartOptions(
        mode,
        source.options["discuss"],
        source.options["execution"],
        bool(source.options.get("supervise")),
    )
    return plan(source.request, options, pack, project.root, coding_agent=has_coding_agent(settings))


def fitted(taken: Taken, planned: Plan, max_attempts: int) -> Taken:
    """What is taken over as the beginning of `planned`, with the tasks that it leaves. Raises NotAllowedNow."""
    mode = planned.pipeline.mode
    if taken.extra:
        raise NotAllowedNow(
            f"{taken.extra[0]} is not done yet, and mode {mode} does not know it",
            why="it was made while the session ran",
            fix=f"leave --mode out, or fork at {taken.extra[-1]} when it is completed",
        )
    defined = {task.key: task for task in planned.pipeline.tasks}
    for key in sorted(taken.kept):
        _refuse_misfit(key, taken, defined, mode)
    kept = [
        _as_defined(row, defined.get(str(row["key"])))
        for row in taken.rows["tasks"]
        if row["key"] in taken.kept
    ]
    known = {str(row["key"]): int(row["id"]) for row in kept}
    session, seq = kept[0]["session_id"], max(int(row["seq"]) for row in kept)
    there = set(known.values())
    edges = [row for row in taken.rows["edges"] if {row["task_id"], row["blocker_id"]} <= there]
    new = [task for task in planned.pipeline.tasks if task.key not in known]
    at = max(int(row["created_at"]) for row in kept)
    made = []
    for number, task in enumerate(new, 1):
        known[task.key] = max(known.values()) + 1
        unmet = sum(blocker not in taken.kept for blocker in task.blocked_by)
        made.append(
            _row(task, known[task.key], session, seq + number, unmet, max_attempts, at)
            | {"session_id": session}
        )
        edges += [
            {"task_id": known[task.key], "blocker_id": known[blocker], "session_id": session}
            for blocker in task.blocked_by
        ]
    data = to_snapshot(planned.pack, planned.pipeline)
    rows = {
        **taken.rows,
        "tasks": [*kept, *made],
        "edges": edges,
        "snapshots": [{"session_id": session, "data": data}],
    }
    return replace(taken, rows=rows, left=tuple(task.key for task in new))


def _refuse_misfit(key: str, taken: Taken, defined: dict[str, TaskDef], mode: str) -> None:
    """Raise NotAllowedNow for a completed task that the mode does not know, or that waits in it for what is not there."""
    task = defined.get(ids.parse_key(key).base)
    if task is None:
        raise NotAllowedNow(
            f"mode {mode} does not fit what is there",
            why=f"it has no {key}, which is completed",
            fix=_FIX,
        )
    missing = [blocker for blocker in task.blocked_by if blocker not in taken.kept]
    if missing:
        raise NotAllowedNow(
            f"mode {mode} does not fit what is there",
            why=f"{key} is completed, and in this mode it waits for {', '.join(missing)}",
            fix=_FIX,
        )


def _as_defined(row: JsonObject, task: TaskDef | None) -> JsonObject:
    """A completed task; whether a person is asked behind it is the new mode's."""
    return row if task is None else {**row, "checkpoint_after": int(task.checkpoint_after)}


def _row(
    task: TaskDef, number: int, session: str, seq: int, unmet: int, max_attempts: int, at: int
) -> JsonObject:
    return {
        "id": number,
        "session_id": session,
        "key": task.key,
        "seq": seq,
        "role": task.role,
        "prefix": task.prefix,
        "phase": task.phase,
        "round": task.round,
        "revision_of": None,
        "revision_no": 0,
        "made_for": 0,
        "checkpoint_after": int(task.checkpoint_after),
        "status": "pending",
        "unmet": unmet,
        "attempts": 0,
        "max_attempts": max_attempts,
        "epoch": 0,
        "priority": 0,
        "not_before": None,
        "limited_by": None,
        "created_at": at,
        "offered_at": None,
        "started_at": None,
        "finished_at": None,
        "payload": dict(task.payload),
        "error": None,
    }
