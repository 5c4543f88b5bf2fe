"""A session as people and programs see it: plain values, read from one snapshot of the database.

Every function here takes a transaction and returns what `json.dumps` takes. The keys are documented in docs/cli.md;
the command line, the web and MCP show these same values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from orchestrator.coordinator.projector import message_line, stamp
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SATISFIED, SessionStatus, TaskStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.plan_marks import PLAN_TASK
from orchestrator.domain.waiting import Held
from orchestrator.store import (
    artifacts,
    decisions,
    edit_conflicts,
    edits,
    leases,
    messages,
    queries,
    records,
    sessions,
    tasks,
)
from orchestrator.store.rows import Artifact, OpenRun, Session, Task
from orchestrator.store.store import Tx
from orchestrator.store.task_states import status_of
from orchestrator.views import (
    advice,
    budget,
    cost,
    discuss,
    eta,
    landed,
    limits,
    measured,
    next_steps,
    reviews,
    session_line,
    stalls,
)
from orchestrator.views.engine import engine_view
from orchestrator.views.session_plan import plan_view, session_plan

MARKS = {
    TaskStatus.COMPLETED: "done",
    TaskStatus.IN_PROGRESS: "running",
    TaskStatus.PENDING: "pending",
    TaskStatus.FAILED: "failed",
    TaskStatus.SKIPPED: "skipped",
    TaskStatus.CANCELLED: "cancelled",
}
_MATTERS = (TaskStatus.IN_PROGRESS, TaskStatus.FAILED)
ENDED = (SessionStatus.COMPLETED, SessionStatus.CANCELLED)


def matters_now(row: Task) -> bool:
    """Whether a task is named in a sentence about now; of thousands, only these need be described."""
    is_ready = row.status == TaskStatus.PENDING and row.unmet == 0
    return is_ready or row.status in _MATTERS or bool(row.checkpoint_after) or row.role == "planner"


def overview(tx: Tx, session: Session, only: Callable[[Task], bool] | None = None) -> JsonObject:
    """What `check` shows: the graph, the running work, what is waiting and what to do next.

    `only` leaves tasks out that are not to be listed; all that `matters_now` must stay.
    """
    rows = tasks.all_tasks(tx, session.id)
    views = task_views(tx, session, rows, only)
    missing = _missing(tx, session, views)
    is_led = missing is None or missing.kind is not Held.NO_COORDINATOR
    unserved = _unserved(tx, session, rows)
    has_hosts = not unserved and (missing is None or missing.kind is not Held.NO_HOST)
    return {
        **session_line.summary(tx, session),
        "tasks": views,
        "workers": [view for view in views if view["running"]],
        "ready": [view["task"] for view in views if view["ready"]],
        "offered": [view["task"] for view in views if view["offered"]],
        "starting": stalls.starting_seconds(tx) if session.status == SessionStatus.ACTIVE else None,
        "stalled": [*_stalled(tx, session, missing), *unserved],
        "expected": eta.expected(tx, session, rows) if is_led else None,
        "budget": budget.budget_view(tx, session),
        "engine": engine_view(tx) if session.status == SessionStatus.ACTIVE else None,
        "limits": limits.limit_views(tx) if session.status not in ENDED else [],
        "unanswering": cost.unanswering(tx, session.id),
        "pause": next_steps.pause_view(tx, session),
        "conflicts": _conflicts(tx, session),
        "scores": discuss.scores(tx, session.id) if session.gate else None,
        "tests": reviews.newest_tests(tx, session.id),
        "review": reviews.newest(tx, session.id),
        "supervision": advice.supervision_views(tx, session.id),
        "advice": advice.advice_views(tx, session.id),
        "audit": reviews.newest_audit(tx, session.id),
        "work": landed.work_view(tx, session),
        "plan": _plan(tx, session),
        "next": next_steps.next_view(tx, session, views, is_led=is_led, has_hosts=has_hosts),
    }


def _conflicts(tx: Tx, session: Session) -> list[JsonObject]:
    """Edits that came after a newer version, and are kept where they were made."""
    return [
        {
            "path": each.path,
            "who": each.who,
            "base": each.base,
            "sha256": each.digest,
            "since": stamp(each.since),
            "says": edit_conflicts.in_words(each),
        }
        for each in edit_conflicts.open_in(tx, session.id)
    ]


def _plan(tx: Tx, session: Session) -> JsonObject | None:
    """The plan that waits for approval, as `resume` would approve it; None while none does."""
    if session.pause_reason != PauseReason.PLAN_APPROVAL:
        return None
    found = session_plan(tx, session.id, edits.edited(tx, session.id))
    return plan_view(tx, found) if found else None


def task_views(
    tx: Tx,
    session: Session,
    found: Sequence[Task] | None = None,
    only: Callable[[Task], bool] | None = None,
) -> list[JsonObject]:
    """Every task in order of creation, with its run, its round and what it waits for; `found`: its rows, if read already.

    With `only`, the tasks for which it is true.
    """
    rows = tasks.all_tasks(tx, session.id) if found is None else found
    status = {row.key: row.status for row in rows}
    verdicts = {row.task: row for row in records.verdicts_of(tx, session.id) if row.kind == "discuss"}
    open_runs = {row.key: row for row in tasks.open_runs(tx, session.id)}
    hosts = (
        {row.incarnation: row.pid for row in leases.live_hosts(tx) if row.token is None} if open_runs else {}
    )
    agents = {row.run_id: row.agent for row in records.calls_of(tx, session.id)} if open_runs else {}
    loops = _inner_loops(sessions.snapshot(tx, session.id)) if open_runs else frozenset()
    return [
        {
            "task": row.key,
            "role": row.role,
            "phase": row.phase,
            "status": row.status,
            "mark": MARKS[status_of(row)],
            "round": row.round,
            "revision_of": row.revision_of,
            "plan_task": row.payload.get(PLAN_TASK),
            "blocked_by": list(row.blocked_by),
            "waits_for": [key for key in row.blocked_by if status[key] not in SATISFIED],
            "ready": row.status == TaskStatus.PENDING and row.unmet == 0,
            "offered": row.offered_at is not None,
            "checkpoint_after": bool(row.checkpoint_after),
            "attempts": row.attempts,
            "max_attempts": row.max_attempts,
            "retry_at": stamp(row.not_before) if _is_delayed(row, tx.now) else None,
            "limited_by": row.limited_by if _is_delayed(row, tx.now) else None,
            "error": row.error,
            "verdict": discuss.verdict(verdicts[row.key]) if row.key in verdicts else None,
            "running": _running(tx, open_runs[row.key], rows, hosts, agents, loops)
            if row.key in open_runs
            else None,
            "started_at": stamp(row.started_at),
            "finished_at": stamp(row.finished_at),
        }
        for row in rows
        if only is None or only(row)
    ]


def show(tx: Tx, session: Session) -> JsonObject:
    """Everything about a session that no other command lists."""
    return {
        **session_line.summary(tx, session),
        "request": session.request,
        "language": session.language,
        "options": session.options,
        "workspace": session.workspace,
        "pause": next_steps.pause_view(tx, session),
        "scores": discuss.scores(tx, session.id),
        "effects": measured.of_session(tx, session.id),
        "decisions": [
            {
                "at": stamp(row.at),
                "who": row.who,
                "subject": row.subject,
                "words": row.words,
                "digest": row.digest,
                "forced": bool(row.forced),
            }
            for row in decisions.decisions_of(tx, session.id)
        ],
        "tasks": len(tasks.all_tasks(tx, session.id)),
        "artifacts": len(artifacts.newest(tx, session.id)),
        "messages": session.messages,
        "projected": session.projected,
    }


def artifact_views(tx: Tx, session: str) -> list[JsonObject]:
    return [artifact_view(row) for row in artifacts.newest(tx, session)]


def artifact_view(row: Artifact) -> JsonObject:
    return {
        "path": row.path,
        "version": row.version,
        "sha256": row.sha256,
        "size": row.size,
        "kind": row.kind,
        "author": row.author,
        "task": row.task,
        "at": stamp(row.created_at),
    }


def members(tx: Tx, session: str) -> list[JsonObject]:
    """Each sender of messages: last seen, last action, number of messages."""
    found: dict[str, JsonObject] = {}
    number = 0
    while batch := messages.after(tx, session, number):
        number = batch[-1].number
        for row in batch:
            seen = found.setdefault(row.sender, {"member": row.sender, "messages": 0})
            seen["messages"] += 1
            seen["last_seen"] = stamp(row.at)
            seen["last_action"] = row.type
    return sorted(found.values(), key=lambda each: str(each["member"]))


def bus_messages(
    tx: Tx, session: str, *, sender: str | None, to: str | None, type: str | None, last: int
) -> list[JsonObject]:
    """The newest `last` matching messages, oldest first; read backwards, a page at a time."""
    found: list[JsonObject] = []
    before = 2**62
    while len(found) < last and (page := messages.last(tx, session, 1_000, before)):
        before = page[0].number
        fitting = [
            row
            for row in reversed(page)
            if row.kind == "message"
            and sender in (None, row.sender)
            and to in (None, row.recipient)
            and type in (None, row.type)
        ]
        found += [message_line(row) for row in fitting[: last - len(found)]]
    return found[::-1]


def completion_report(tx: Tx, session: Session) -> JsonObject:
    """The results of a session: deliverables, scores, duration, cost, and what can be done next."""
    return {
        **session_line.summary(tx, session),
        "directory": f".workflow/.team/{session.id}",
        "deliverables": artifact_views(tx, session.id),
        "scores": discuss.scores(tx, session.id),
        "tests": reviews.newest_tests(tx, session.id),
        "review": reviews.newest(tx, session.id),
        "supervision": advice.supervision_views(tx, session.id),
        "advice": advice.advice_views(tx, session.id),
        "audit": reviews.newest_audit(tx, session.id),
        "rounds": discuss.discussions(tx, session.id),
        "unanswering": cost.unanswering(tx, session.id),
        "attempts_lost": sum(row.outcome == "lost" for row in queries.runs_of(tx, session.id)),
        "pause": next_steps.pause_view(tx, session),
        "next": next_steps.actions(tx, session),
    }


def _running(
    tx: Tx,
    run: OpenRun,
    rows: Sequence[Task],
    hosts: Mapping[str, int],
    agents: Mapping[str, str],
    loops: frozenset[str],
) -> JsonObject:
    """The run of a task: agent, elapsed time and the progress of its inner loop."""
    same = [
        row for row in rows if row.role == run.role and row.prefix == run.prefix and row.revision_of is None
    ]
    position = sum(row.status in SATISFIED for row in same) + 1
    return {
        "run": run.id,
        "agent": agents.get(run.id),
        "step": run.phase,
        "seconds": cost.seconds(run.opened_at, tx.now),
        "pid": hosts.get(run.host),
        "loop": [min(position, len(same)), len(same)] if run.role in loops and len(same) > 1 else None,
    }


def _is_delayed(row: Task, now: int) -> bool:
    return row.status == TaskStatus.PENDING and row.not_before is not None and row.not_before > now


def _inner_loops(snapshot: Mapping[str, Json]) -> frozenset[str]:
    return frozenset(name for name, role in snapshot["roles"].items() if role["inner_loop"])


def _missing(tx: Tx, session: Session, views: Sequence[Mapping[str, Json]]) -> stalls.Missing | None:
    """The process that an active session lacks."""
    if session.status != SessionStatus.ACTIVE:
        return None
    return stalls.missing_process(tx, any(view["offered"] for view in views), session.updated_at)


def _unserved(tx: Tx, session: Session, rows: Sequence[Task]) -> list[str]:
    """What no host that is up will take, once hosts have had the time to come up."""
    leader = leases.leader(tx)
    if (
        session.status != SessionStatus.ACTIVE
        or leader is None
        or tx.now - leader.at < stalls.HOST_SECONDS * leases.SECOND
    ):
        return []
    return stalls.unserved(tx, [row.role for row in rows if row.offered_at is not None])


def _stalled(tx: Tx, session: Session, missing: stalls.Missing | None) -> list[str]:
    """Why an active session makes no progress, where only a process can help."""
    if session.status != SessionStatus.ACTIVE:
        return []
    return [*stalls.lost_runs(tx).get(session.id, []), *([missing.says] if missing else [])]
