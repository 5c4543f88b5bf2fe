"""A plan that follows an approved change of the specification: asked for, and made into tasks (docs/planning.md).

The approval asks for it in its own transaction: `PLAN-001-R<n>`, for which stale work and all judges wait. Its report, or its
own approval, makes the tasks: only what is affected is carried out again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import UNFINISHED, TaskState, TaskStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.plan_marks import DELTA, PLAN_DIGEST, PLAN_TASK, PLANS, TASK_DIGEST
from orchestrator.domain.revisions import JUDGES, Graph
from orchestrator.lifecycle import fan_out, rework
from orchestrator.lifecycle.audit_rounds import begun_anew
from orchestrator.lifecycle.delta_fan_out import plan_delta_fan_out, waiting_for_plan
from orchestrator.lifecycle.fix_rounds import again
from orchestrator.lifecycle.specified import Specified, is_carried_out
from orchestrator.store import checks, messages, sessions, tasks, transitions, work
from orchestrator.store.rows import Task
from orchestrator.store.store import Tx
from orchestrator.store.task_states import graph

STALE = "stale"  # of the payload of a plan that follows another: the plan tasks that are affected
REVIEWS = "REVIEW"
SINCE = "since"  # of a review's payload: it reads what has landed after this commit


@dataclass(frozen=True, slots=True)
class Begun:
    """The plan that was asked for, and runs whose agents must stop now."""

    key: str
    released: tuple[str, ...] = ()


def begin(
    tx: Tx,
    session: str,
    found: Specified,
    max_attempts: int,
    *,
    words: Sequence[str] = (),
    who: str = "",
    made_for: bool = False,
) -> Begun:
    """Ask for a plan that follows the changes, and words of a person; what it may change waits for it.

    One that is on its way already will follow them as well.
    """
    rows = tasks.all_tasks(tx, session)
    state = graph(rows)
    base = next(each for each in state.values() if each.prefix == PLANS and each.revision_of is None)
    plan, made = open_plan(state), {}
    if plan is None:
        plan = replace(again(state, base, (base.key,)), made_for=made_for)
        kept = {name: value for name, value in _payload_of(rows, base.key).items() if name != "feedback"}
        given = {
            STALE: sorted(found.stale),
            **({"feedback": list(words)} if words else {}),
            **({"asked_by": who} if who else {}),
        }
        payload = {**kept, **given}
        made = rework.add_tasks(tx, session, (plan,), max_attempts, lambda _: payload)
    blocked = plan.key
    waiting = [
        each
        for each in waiting_for_plan(state, carriers(rows), found.stale)
        if blocked not in each.blocked_by
    ]
    running = tuple(each.key for each in waiting if each.status is TaskStatus.IN_PROGRESS)
    released = rework.release(tx, session, running, f"waits for {plan.key}")
    for each in waiting:
        rework.add_edge(tx, session, each.key, plan.key, made)
    stale = ", ".join(sorted(found.stale)) or "no task of the plan"
    messages.event(
        tx,
        session,
        "delta_plan",
        f"{plan.key} follows what changed in the specification: {stale} affected",
        task=plan.key,
        plan_tasks=sorted(found.stale),
        **found.changes.as_json(),
    )
    return Begun(plan.key, tuple(released))


def open_plan(state: Graph) -> TaskState | None:
    """The plan that is being made, if there is one."""
    return next((each for each in state.values() if each.prefix == PLANS and each.status in UNFINISHED), None)


def make_tasks(tx: Tx, session: str, planned: JsonObject, after: str, max_attempts: int) -> tuple[str, ...]:
    """Make the tasks of a plan (`fan_out.reported`) behind the task `after`; their keys.

    Where tasks of a plan were made before, only of what is not carried out as it is planned now.
    """
    rows = tasks.all_tasks(tx, session)
    if not is_carried_out(rows):
        return fan_out.apply(tx, session, planned, after, max_attempts)
    digest = sessions.subject_digest(tx, session, PauseReason.PLAN_APPROVAL)
    state = graph(rows)
    held = carriers(rows)
    found = [fan_out.planned_task(each) for each in planned["tasks"]]
    rerun = _rerun(tx, session, rows, held, planned)
    made = plan_delta_fan_out(state, held, found, rerun, after)
    work_now = work.work_of(tx, session)
    head = work_now.head if work_now is not None else ""
    entries = fan_out.chosen_entries(tx, session, planned)
    payloads = {row.key: row.payload for row in rows}

    def payload(task: TaskState) -> JsonObject:
        before = payloads.get(task.revision_of or "", {})
        if task.prefix in JUDGES:
            since = {SINCE: head} if task.prefix == REVIEWS else {}
            return {**before, **since, **begun_anew(task.prefix)}
        entry = entries[made.carried_out[task.key]]
        kept = {name: value for name, value in before.items() if name not in ("agent", "feedback")}
        return {**kept, PLAN_TASK: entry["id"], PLAN_DIGEST: digest, **fan_out.of_planned(entry)}

    new = rework.add_tasks(tx, session, made.tasks, max_attempts, payload)
    released = rework.release(tx, session, made.release, f"{after} changed what it was to do")
    for key, blocker in made.edges:
        rework.add_edge(tx, session, key, blocker, new)
    for key in made.skip:
        _end(tx, session, key, after)
    _carry_over(tx, rows, made.skip, entries, digest)
    carried = {**made.carried_out, **_carried_over(rows, made.skip, entries)}
    messages.event(
        tx,
        session,
        "fan_out",
        f"{after}: {', '.join(made.carried_out) or 'nothing'} to be carried out again; the rest stays",
        digest=digest,
        tasks=carried,
        made=[task.key for task in made.tasks],
        released=released,
        skipped=list(made.skip),
    )
    return tuple(made.carried_out)


def carriers(rows: Iterable[Task]) -> dict[str, str]:
    """Plan task -> the original that carries it out."""
    return {
        str(row.payload[PLAN_TASK]): row.key
        for row in rows
        if PLAN_TASK in row.payload and row.revision_of is None
    }


def landed(rows: Sequence[Task]) -> frozenset[str]:
    """The plan tasks of which some version was carried out."""
    return frozenset(
        str(row.payload[PLAN_TASK])
        for row in rows
        if PLAN_TASK in row.payload and row.status == TaskStatus.COMPLETED
    )


def carried_digests(links: Iterable[checks.Link], rows: Sequence[Task]) -> dict[str, str]:
    """Plan task -> the digest of what is being carried out, else of what was carried out last, else of what is to be."""
    known = [row for row in rows if TASK_DIGEST in row.payload]
    found = {str(row.payload[PLAN_TASK]): str(row.payload[TASK_DIGEST]) for row in known}
    for link in links:
        if (link.from_kind, link.to_kind) == ("plan_task", "commit") and link.from_digest:
            found[link.from_id] = link.from_digest
    on_the_way = [row for row in known if row.status in UNFINISHED]
    return {**found, **{str(row.payload[PLAN_TASK]): str(row.payload[TASK_DIGEST]) for row in on_the_way}}


def _rerun(
    tx: Tx, session: str, rows: Sequence[Task], held: Mapping[str, str], planned: JsonObject
) -> frozenset[str]:
    """Plan tasks that are new, that are planned in other words now, or whose items have changed."""
    changed = (planned.get(DELTA) or {}).get("changed", ())
    before = carried_digests(checks.links_of(tx, session), rows)
    return frozenset(
        str(each["id"])
        for each in planned["tasks"]
        if each["id"] not in held
        or each["id"] in changed
        or before.get(str(each["id"]), each.get("digest")) != each.get("digest")
    )


def _payload_of(rows: Iterable[Task], key: str) -> JsonObject:
    return next(row.payload for row in rows if row.key == key)


def _end(tx: Tx, session: str, key: str, after: str) -> None:
    """End a task that has not landed and that nobody asks for any more."""
    row = tasks.task(tx, session, key)
    if row is not None and transitions.skip(tx, row.id):
        messages.event(tx, session, "skipped", f"{key}: {after} replaces it", task=key)


def _carried_over(
    rows: Iterable[Task], ended: Sequence[str], entries: Mapping[str, JsonObject]
) -> dict[str, str]:
    """The tasks that stay and have not landed yet -> their plan tasks."""
    return {
        row.key: str(row.payload[PLAN_TASK])
        for row in rows
        if row.payload.get(PLAN_TASK) in entries
        and row.status in (TaskStatus.PENDING, TaskStatus.FAILED)
        and row.key not in ended
    }


def _carry_over(
    tx: Tx, rows: Sequence[Task], ended: Sequence[str], entries: Mapping[str, JsonObject], digest: str | None
) -> None:
    """Tasks that stay and have not begun belong to the new plan as well."""
    kept = _carried_over(rows, ended, entries)
    for row in rows:
        if row.key in kept:
            transitions.set_payload(tx, row.id, {**row.payload, PLAN_DIGEST: digest})
