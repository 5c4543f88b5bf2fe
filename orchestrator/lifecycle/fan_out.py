"""Makes the tasks of a plan: one for each of its tasks, in place of the pipeline's placeholder (docs/planning.md).

A pipeline names IMPL-001 before anybody knows how many there will be. The plan's first task becomes that one, the others
new ones beside it, with the plan's own edges; whatever waits for the placeholder waits for all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from orchestrator.domain import ids
from orchestrator.domain.concerns import MODE, AdviceMode
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.pipelines import Pack
from orchestrator.domain.plan import Dependency, Plan, PlanTask
from orchestrator.domain.plan_checks import order, with_overlaps
from orchestrator.domain.plan_marks import (
    ADVISES,
    AGENT,
    APPROVE_PLAN,
    CARRIES_OUT,
    DELTA,
    HIGH,
    PLAN_DIGEST,
    PLAN_TASK,
    PLANS,
    TASK_DIGEST,
)
from orchestrator.domain.revisions import Edge, Graph
from orchestrator.domain.supervision import SUPERVISE
from orchestrator.lifecycle import rework
from orchestrator.store import messages, sessions, tasks, transitions
from orchestrator.store.rows import Task
from orchestrator.store.store import Tx
from orchestrator.store.task_states import graph


@dataclass(frozen=True, slots=True)
class FanOut:
    """What a plan adds to a session, applied in one transaction."""

    carried_out: Mapping[str, str]  # task -> the plan task that it carries out
    placeholders: tuple[str, ...] = ()  # of `carried_out`, those that were there before
    tasks: tuple[TaskState, ...] = ()  # new and pending, blockers first
    edges: tuple[Edge, ...] = ()  # existing tasks that wait for one more
    unused: tuple[str, ...] = ()  # placeholders that no plan task needs


def reported(plan: Plan, agents: Collection[str], delta: JsonObject | None = None) -> JsonObject:
    """What a worker reports of a plan so that its tasks can be made: ids, edges, sides, and agents that are known."""
    return {
        **({} if delta is None else {DELTA: delta}),
        "level": plan.complexity.level,
        "tasks": [
            {
                "id": task.id,
                "side": task.side,
                "digest": task.digest,
                "depends_on": list(task.waits_for),
                "agent": next((name for name in (task.executor, plan.executor) if name in agents), None),
            }
            for task in with_overlaps(plan.tasks)
        ],
    }


def plan_fan_out(state: Graph, planned: Sequence[PlanTask], *, adviser: TaskState | None = None) -> FanOut:
    """The tasks and edges for a plan's tasks; `adviser`, new or there already, comes between the plan and all of them.

    Where all have one side, TASK-00n becomes the n-th of its prefix. Nothing where no placeholder waits for a plan.
    """
    holders = _placeholders(state)
    sorted_tasks = order(planned)
    if not holders or sorted_tasks is None:
        return FanOut({})
    named = _named(state, holders, planned)
    of_task = {plan_task: key for key, plan_task in named.items()}
    new: list[TaskState] = [] if adviser is None or adviser.key in state else [adviser]
    edges: list[Edge] = []
    for task in sorted_tasks:
        key = of_task[task.id]
        before = tuple(of_task[needed] for needed in task.waits_for)
        extra = before if adviser is None else (adviser.key, *before)
        if key in state:
            edges += [(key, blocker) for blocker in extra if blocker not in state[key].blocked_by]
        else:
            like = state[holders[_prefix(holders, task)]]
            blockers = tuple(dict.fromkeys((*like.blocked_by, *extra)))
            new.append(replace(like, key=key, blocked_by=blockers, offered=False, attempts=0, seq=0))
    made = {task.key for task in new}
    for holder in holders.values():
        waiting = [s for s in state.values() if holder in s.blocked_by and s.status is TaskStatus.PENDING]
        mine = [key for key in named if key in made and _like(key, holder)]
        edges += [(each.key, key) for each in waiting for key in mine]
    used = tuple(key for key in named if key in state)
    unused = tuple(holder for holder in holders.values() if holder not in named)
    return FanOut(named, used, tuple(new), tuple(edges), unused)


def _placeholders(state: Graph) -> dict[str, str]:
    """Prefix -> the pipeline's first task of that prefix, while it has not begun and waits for a plan."""
    found: dict[str, str] = {}
    for key, each in state.items():
        waits = any(_is_plan(state, blocker) for blocker in each.blocked_by)
        if each.prefix in CARRIES_OUT.values() and each.revision_of is None and waits:
            found.setdefault(each.prefix, key)
    return {prefix: key for prefix, key in found.items() if state[key].status is TaskStatus.PENDING}


def _is_plan(state: Graph, key: str) -> bool:
    """Whether a task makes the plan, or checks it before it is carried out."""
    if key not in state:
        return False
    checked = state[key].blocked_by if state[key].prefix == SUPERVISE else ()
    return state[key].prefix == PLANS or any(_is_plan(state, each) for each in checked)


def _prefix(holders: Mapping[str, str], task: PlanTask) -> str:
    """Who carries out a plan task; a pipeline with one side does all with it."""
    wanted = CARRIES_OUT[task.side]
    return wanted if wanted in holders else next(iter(holders))


def _named(state: Graph, holders: Mapping[str, str], planned: Sequence[PlanTask]) -> dict[str, str]:
    """Key -> plan task, by the order of the plan tasks' ids; the first of each prefix is its placeholder."""
    named: dict[str, str] = {}
    last = dict.fromkeys(holders, 0)
    for task in sorted(planned, key=lambda each: each.id):
        prefix = _prefix(holders, task)
        if not last[prefix]:
            key = holders[prefix]
        else:
            key = f"{prefix}-{last[prefix] + 1:03d}"
            while key in state:  # a number that was used is not given again
                last[prefix] += 1
                key = f"{prefix}-{last[prefix] + 1:03d}"
        last[prefix] = int(ids.parse_key(key).base[-3:])
        named[key] = task.id
    return named


def _like(key: str, holder: str) -> bool:
    return ids.parse_key(key).stem == ids.parse_key(holder).stem


def apply(tx: Tx, session: str, fan_out: JsonObject, after: str, max_attempts: int) -> tuple[str, ...]:
    """Make the tasks of a plan (`reported`) behind the task `after`, in the caller's transaction; their keys.

    Each names the digest of the plan's files, so that it is known which plan it was made from.
    """
    rows = tasks.all_tasks(tx, session)
    if any(PLAN_TASK in row.payload for row in rows):
        messages.event(tx, session, "fan_out", f"{after}: the tasks of the plan before stay as they are")
        return ()
    digest = sessions.subject_digest(tx, session, PauseReason.PLAN_APPROVAL)
    state = graph(rows)
    pack = sessions.pack(tx, session)
    planned = [planned_task(each) for each in fan_out["tasks"]]
    adviser = _adviser(pack, state, after) if fan_out["level"] == HIGH else _newest_adviser(state)
    plan = plan_fan_out(state, planned, adviser=adviser)
    entries = chosen_entries(tx, session, fan_out)

    def payload(key: str, before: JsonObject) -> JsonObject:
        task = plan.carried_out.get(key)
        if task is None:
            return {MODE: AdviceMode.PLAN.value}
        kept = {name: value for name, value in before.items() if name != "agent"}
        return {**kept, PLAN_TASK: task, PLAN_DIGEST: digest, **of_planned(entries[task])}

    for key in plan.placeholders:
        row = tasks.task(tx, session, key)
        assert row is not None
        transitions.set_payload(tx, row.id, payload(key, row.payload))
    made = rework.add_tasks(tx, session, plan.tasks, max_attempts, lambda task: payload(task.key, {}))
    for waiting, blocker in plan.edges:
        rework.add_edge(tx, session, waiting, blocker, made)
    for key in plan.unused:
        row = tasks.task(tx, session, key)
        if row is not None and transitions.skip(tx, row.id):
            messages.event(tx, session, "skipped", f"{key}: the plan has no work for it", task=key)
    messages.event(
        tx,
        session,
        "fan_out",
        f"the plan of {after} is carried out by {', '.join(plan.carried_out) or 'nothing new'}",
        digest=digest,
        tasks=dict(plan.carried_out),
        made=[task.key for task in plan.tasks],
    )
    return tuple(plan.carried_out)


def chosen_entries(tx: Tx, session: str, fan_out: JsonObject) -> dict[str, JsonObject]:
    """Plan task -> what was reported of it; an agent that a person chose for every role goes before that of the plan."""
    of_session = sessions.session_state(tx, session).options.get(AGENT)
    return {each["id"]: {**each, "agent": None if of_session else each["agent"]} for each in fan_out["tasks"]}


def of_planned(each: JsonObject) -> JsonObject:
    """What the payload of a task says of the plan task that it carries out: its digest, and the agent to ask first."""
    known = {TASK_DIGEST: each.get("digest"), "agent": each["agent"]}
    return {name: value for name, value in known.items() if value}


def planned_task(each: JsonObject) -> PlanTask:
    """A plan task as far as its place in the graph goes, from what was reported of it."""
    waits = tuple(Dependency(needed) for needed in each["depends_on"])
    return PlanTask(each["id"], each["id"], side=each["side"], depends_on=waits)


def _adviser(pack: Pack, state: Graph, after: str) -> TaskState | None:
    """The architect's task behind the plan: the one that is there, else a new one where the session has an architect."""
    if (there := _newest_adviser(state)) is not None:
        return there
    role = next((role for role in pack.roles.values() if "ARCH" in role.prefixes and role.installed), None)
    if role is None or after not in state:
        return None
    return TaskState(ADVISES, role.name, "ARCH", TaskStatus.PENDING, (after,), phase=state[after].phase)


def _newest_adviser(state: Graph) -> TaskState | None:
    """The newest version of the architect's task behind the plan."""
    versions = [each for each in state.values() if ADVISES in (each.key, each.revision_of)]
    return max(versions, key=lambda each: each.revision_no, default=None)


def advise_on(tx: Tx, session: str, fan_out: JsonObject, after: str, max_attempts: int) -> None:
    """Let the architect read a plan of high complexity while a person decides about it."""
    state = graph(tasks.all_tasks(tx, session))
    pack = sessions.pack(tx, session)
    adviser = _adviser(pack, state, after) if fan_out["level"] == HIGH else None
    if adviser is not None and adviser.key not in state:
        rework.add_tasks(tx, session, (adviser,), max_attempts, lambda _: {MODE: AdviceMode.PLAN.value})


def refuse_revision(rows: Iterable[Task], key: str, options: JsonObject) -> None:
    """Raise NotAllowedNow for a plan that a person approves (`options`) and that is not carried out; others pass."""
    if not ids.is_key(key) or ids.parse_key(key).stem != PLANS:
        return
    base = ids.parse_key(key).base
    if any(PLAN_TASK in row.payload for row in rows):
        return
    if options.get(APPROVE_PLAN):
        raise NotAllowedNow(
            f"the plan of {base} waits for your approval",
            why="it is made anew when you reject it",
            fix='lifecycle feedback "what to change"',
        )
