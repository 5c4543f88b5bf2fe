"""Capability gaps: work that a generated role named beside its result becomes a task, in the completing transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.config.role_files import path_of, role_file
from orchestrator.domain import ids
from orchestrator.domain.capability_gaps import Assignment, assignment, capability_named
from orchestrator.domain.dataclass import asdict
from orchestrator.domain.dynamic import CODE, KIND
from orchestrator.domain.dynamic_session import (
    ARTIFACT,
    CAPABILITY,
    DISCUSSED,
    REASON,
    TEAM_TASK,
    change_task,
    phase_of,
)
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.pipelines import Pack, Role
from orchestrator.lifecycle import rework
from orchestrator.lifecycle.finished_run import Report
from orchestrator.store import artifacts, messages, records, sessions, tasks
from orchestrator.store.rows import Task
from orchestrator.store.store import Tx

LONGEST = 1_000  # characters of what a gap says


def apply(tx: Tx, report: Report) -> tuple[str, ...]:
    """The tasks that a report's gaps make, behind the reported one; a note for each that nobody can do."""
    made: list[str] = []
    for gap in report.gaps:
        pack = sessions.pack(tx, report.row.session_id)
        if pack.roles[report.row.role].kind != KIND:
            return ()
        key = _fill(tx, report, pack, gap)
        if key is not None:
            made.append(key)
    return tuple(made)


def _fill(tx: Tx, report: Report, pack: Pack, gap: Mapping[str, Json]) -> str | None:
    session = report.row.session_id
    name, text = one_line(str(gap["capability"]), 60), one_line(str(gap["task"]), LONGEST)
    rows = tasks.all_tasks(tx, session)
    known = next((row.key for row in rows if row.payload.get(REASON) == text), None)
    added = sum(REASON in row.payload and row.revision_of is None for row in rows)
    capability = capability_named(name, text, pack.dynamic)
    decided = assignment(pack, capability, added, can_code=report.can_code)
    key = None
    if known is None and decided.role is not None:
        _keep_role(tx, session, pack, decided, decided.role)
        key = _add_task(tx, report, pack, decided, decided.role, rows, text)
    why = decided.why if known is None else f"{known} does it already"
    if known is None and key is None:
        records.add_wisdom(
            tx, session, "issues", report.row.role, f"left open, {decided.why}: {text}", report.row.key
        )
    messages.say(
        tx,
        session,
        report.row.role,
        "capability_gap",
        f"{report.row.key}: {capability.name} is needed: {text}",
        data={
            "task": report.row.key,
            "capability": capability.name,
            "decision": "note" if known else decided.kind,
            "role": decided.role.name if key and decided.role else None,
            "made": key,
        },
    )
    messages.event(
        tx,
        session,
        "capability_gap",
        f"{key} is made for the {decided.role.name}: {why}"
        if key and decided.role
        else f"nothing is made: {why}",
        task=report.row.key,
        made=key,
    )
    return key


def _keep_role(tx: Tx, session: str, pack: Pack, decided: Assignment, role: Role) -> None:
    """The session's snapshot and the role's file, where the gap changes or makes a role; a person's edit of it stays."""
    if decided.kind == "task":
        return
    data = sessions.snapshot(tx, session)
    sessions.keep_snapshot(tx, session, {**data, "roles": {**data["roles"], role.name: asdict(role)}})
    versions = artifacts.versions(tx, session, path_of(role.name))
    if versions and versions[-1].author == "user":
        return
    own = [each for each in pack.dynamic.capabilities.values() if each.prefix in role.works]
    body = role_file(role, own)
    digest = artifacts.put(tx, body)
    artifacts.register(
        tx,
        session,
        path_of(role.name),
        digest,
        len(body),
        "analysis",
        author="coordinator",
        task=None,
        run=None,
    )


def _add_task(
    tx: Tx, report: Report, pack: Pack, decided: Assignment, role: Role, rows: Sequence[Task], text: str
) -> str:
    """One task behind the reported one; what waits for that and comes later by its tier waits for the new one too."""
    session, prefix = report.row.session_id, decided.capability.prefix
    numbers = [int(ids.parse_key(row.key).base[-3:]) for row in rows if ids.parse_key(row.key).stem == prefix]
    key = f"{prefix}-{max(numbers, default=0) + 1:03d}"
    work = role.works[prefix]
    payload: JsonObject = {CAPABILITY: decided.capability.name, REASON: text}
    if work in DISCUSSED:
        payload[ARTIFACT] = f"artifacts/{key}.md"
    if work == CODE:
        payload[TEAM_TASK] = change_task(pack, text[:200], text)
    new = TaskState(key, role.name, prefix, TaskStatus.PENDING, (report.row.key,), phase=phase_of(work))
    made = rework.add_tasks(tx, session, (new,), report.max_attempts, lambda _: payload)
    tiers = {each.prefix: each.tier for each in pack.dynamic.capabilities.values()}
    for row in rows:
        waits = row.status == TaskStatus.PENDING and report.row.key in row.blocked_by
        if waits and tiers.get(row.prefix, 0) > decided.capability.tier:
            rework.add_edge(tx, session, row.key, key, made)
    return key
