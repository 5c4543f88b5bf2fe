"""The consequences of a verdict or gate, applied in the completing transaction: its rows, a revision, a pause."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.dataclass import asdict
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.plan_marks import APPROVE_PLAN, DELTA
from orchestrator.domain.revisions import plan_high
from orchestrator.lifecycle import (
    analysis_rounds,
    audit_rounds,
    checkpoints,
    delta_plan,
    fan_out,
    fix_rounds,
    gap_tasks,
    rework,
)
from orchestrator.lifecycle.finished_run import Report
from orchestrator.store import messages, records, sessions, tasks
from orchestrator.store.store import Tx
from orchestrator.store.task_states import graph


def apply_consequences(tx: Tx, report: Report, options: Mapping[str, Json]) -> str | None:
    """Write the verdict, a revision with its edges, a plan's tasks, or a pause; return the pause's reason, if any.

    `options`: the session's.
    """
    row = report.row
    session = row.session_id
    if report.gate is not None:
        records.add_verdict(
            tx,
            {
                "session_id": session,
                "task_id": row.id,
                "run_id": row.run,
                "kind": "gate",
                "gate": report.gate["gate"],
                "score": report.gate["score"],
                "data": report.gate["data"],
            },
            (),
        )
        sessions.set_gate(tx, session, report.gate["gate"], report.gate["score"])
    if report.verdict is not None:
        records.add_verdict(
            tx,
            {
                "session_id": session,
                "task_id": row.id,
                "run_id": row.run,
                "kind": report.verdict.kind,
                "data": report.verdict.data,
            },
            (),
        )
    reason: PauseReason | None = None
    detail: JsonObject = {"task": row.key}
    if report.verdict is not None:
        reason, more = audit_rounds.apply(tx, report)
        if reason is None:
            reason, more = fix_rounds.apply(tx, report)
        detail |= more
    if report.discussed is not None:
        records.add_verdict(
            tx,
            {
                "session_id": session,
                "task_id": row.id,
                "run_id": row.run,
                "kind": "discuss",
                **asdict(report.discussed.verdict),
            },
            [asdict(finding) for finding in report.discussed.findings],
        )
        if report.discussed.consequence.kind == "revise":
            _revise(tx, report)
        reason = report.discussed.consequence.pause
        detail["round"] = row.round
    if reason is None and row.checkpoint_after:
        due, changed = checkpoints.due(tx, session)
        reason = PauseReason.CHECKPOINT if due else None
        detail |= changed
    analysis_rounds.say_round(tx, row)
    if reason is None and (asked := analysis_rounds.asks(row)) is not None:
        reason = PauseReason.DISCUSSION_FEEDBACK
        detail |= asked
    if reason is None and report.blocked is not None:
        reason = PauseReason.SUPERVISION_BLOCKED
        detail |= report.blocked
    gap_tasks.apply(tx, report)
    if reason is None and report.fan_out is not None:
        if options.get(APPROVE_PLAN):
            reason = PauseReason.PLAN_APPROVAL
            detail |= {DELTA: delta} if (delta := report.fan_out.get(DELTA)) else {}
            fan_out.advise_on(tx, session, report.fan_out, row.key, report.max_attempts)
        else:
            delta_plan.make_tasks(tx, session, report.fan_out, row.key, report.max_attempts)
    if reason is None:
        return None
    detail["ref"] = report.ref
    if sessions.pause(tx, session, reason, detail):
        return reason
    sessions.defer_approval(tx, session, reason, detail)  # paused already: nobody has approved this yet
    return None


def _revise(tx: Tx, report: Report) -> None:
    assert report.discussed is not None
    row = report.row
    plan = plan_high(graph(tasks.all_tasks(tx, row.session_id)), row.key)
    payload = {**row.payload, **report.discussed.revision_input}
    rework.apply(tx, row.session_id, plan, report.max_attempts, lambda _: payload, "waits for a revision")
    made = ", ".join(task.key for task in plan.tasks)
    messages.event(
        tx,
        row.session_id,
        "revision",
        f"{row.key} was blocked HIGH: {made} revises it",
        task=row.key,
        made=made,
    )
