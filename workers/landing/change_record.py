"""The record of a landed change, `qa/impl-KEY.json`: what was made, what showed it, and how many turns it took."""

from __future__ import annotations

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import PlanTask
from orchestrator.door.desk import Link
from workers.context.run_context import RunContext
from workers.context.written_documents import stamp
from workers.landing.change_loop import Change

SCHEMA = 1


def record_of(context: RunContext, plan_task: str, change: Change) -> tuple[str, JsonObject]:
    """The record's path and values."""
    row, judged, candidate = context.row, change.judged, change.candidate
    record: JsonObject = {
        "schema": SCHEMA,
        "session": row.session_id,
        "task": row.key,
        "run": row.run,
        "generated_at": stamp(row.opened_at),
        "plan_task": plan_task,
        "base": candidate.base,
        "candidate": candidate.commit,
        "commit": None if change.landing is None else change.landing.commit,
        "tree": candidate.tree if change.landing is None else change.landing.tree,
        "files": [
            {"path": each.path.decode("utf-8", "backslashreplace"), "status": each.status}
            for each in candidate.changes
        ],
        "criteria": [
            {
                "id": each.id,
                "claimed": {"files": list(each.files), "tests": list(each.tests)},
                "verified": each.verified,
                "not_found": list(each.not_found),
                "not_mentioned": list(each.not_mentioned),
            }
            for each in judged.criteria
        ],
        "tests": judged.tests,
        "unverified": judged.unverified or None,
        "findings": [each.as_json() for each in judged.findings],
        "flags": [{"kind": flag.kind, "path": flag.shown} for flag in candidate.flags],
        "summary": change.answer.summary,
        "turns": change.turns,
        "resolved": list(change.resolved),
        "agent": change.agent,
    }
    return f"qa/impl-{row.key}.json", record


def landed_links(context: RunContext, task: PlanTask, change: Change) -> list[Link]:
    """What the commit belongs to: its plan task, as it was carried out, and its files."""
    if change.landing is None:
        return []
    run, commit = context.row.run, change.landing.commit
    files = [each.path.decode("utf-8", "backslashreplace") for each in change.candidate.changes]
    pairs = [
        *(("plan_task", task.id, "criterion", each.id) for each in task.criteria),
        ("plan_task", task.id, "commit", commit),
        *(("commit", commit, "file", path) for path in files),
    ]
    return [
        Link(
            kind,
            one,
            task.digest if kind == "plan_task" else None,
            other,
            two,
            None,
            "plan" if other != "file" else "diff",
            0,
            None,
            run,
        )
        for kind, one, other, two in pairs
    ]
