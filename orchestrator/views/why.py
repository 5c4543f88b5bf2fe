"""Explains the state of a task by the rules that decide it (orchestrator.domain.scheduling)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.elsewhere import WHY_HERE, stay_here
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import UNFINISHED, SessionStatus, TaskState, TaskStatus
from orchestrator.domain.run_phases import WAITS
from orchestrator.domain.scheduling import is_due, offers, unmet
from orchestrator.store import leases, queries, tasks
from orchestrator.store.rows import Session, Task
from orchestrator.store.store import Tx
from orchestrator.store.task_states import graph
from orchestrator.views import landed, limits, stalls
from orchestrator.views.cost import by, run_views
from orchestrator.views.engine import queue_line
from orchestrator.views.lookup import named
from orchestrator.views.next_steps import actions, other_agent, revise


def why(tx: Tx, session: Session, task: Task, rows: Sequence[Task] | None = None) -> JsonObject:
    """The state of a task in one word (`state`), the reasons in sentences (`because`), and `commands` that help.

    `rows`: the session's tasks, if they were read already.
    """
    every = graph(tasks.all_tasks(tx, session.id) if rows is None else rows)
    state = every[task.key]
    if state.status is not TaskStatus.PENDING:
        found = _ENDED[state.status](tx, session, task)
    else:
        found = _pending(tx, session, task, every)
    word, because, commands = _led(tx, session, found)
    if (chosen := task.payload.get("agent")) and state.status in (*UNFINISHED, TaskStatus.COMPLETED):
        because = [*because, f"it asks {chosen} first, as a user has chosen on a retry"]
    elif (chosen := session.options.get("agent")) and state.status in UNFINISHED:
        because = [*because, f"it asks {chosen} first, as a user has chosen for the fork"]
    suffix = named(tx, session.id)
    return {
        "session": session.id,
        "task": task.key,
        "status": task.status,
        "state": word,
        "because": because,
        "commands": [
            f"{each}{suffix}" if each.split()[1] in _OF_A_SESSION and suffix not in each else each
            for each in commands
        ],
    }


Found = tuple[str, list[str], list[str]]


def _led(tx: Tx, session: Session, found: Found) -> Found:
    """What was found, and of a task under way that nobody goes on with it while no coordinator runs."""
    word, because, commands = found
    if word not in _UNDER_WAY or session.status != SessionStatus.ACTIVE:
        return found
    missing = stalls.missing_process(tx, is_offered=False, changed_at=session.updated_at)
    if missing is None:
        return found
    others = [each for each in commands if each not in (*_STARTS, "lifecycle log -f")]
    return word, [*because, missing.says], [*_STARTS, *others]


def _pending(tx: Tx, session: Session, task: Task, every: Mapping[str, TaskState]) -> Found:
    """The first thing that keeps a pending task from running, in the coordinator's order."""
    state = every[task.key]
    waits = [_waits(every, key) for key in unmet(state, every)]
    halted = _halted(tx, session)
    if waits:
        after = [f"then: {halted[0]}"] if halted else []
        return "blocked", waits + after, [f"lifecycle why {key}" for key in unmet(state, every)[:1]]
    if halted:
        return "paused", [halted[0]], halted[1]
    if not is_due(state, tx.now):
        if task.limited_by is not None:
            return _limited(tx, task)
        failed = f"attempt {task.attempts} of {task.max_attempts} failed: {task.error or 'unknown error'}"
        return (
            "delayed",
            [f"it will be retried at {stamp(task.not_before)}", failed],
            [f"lifecycle runs {task.key}"],
        )
    if state.offered:
        return _offered(tx, task)
    return _ready(tx, session, task, every)


def _limited(tx: Tx, task: Task) -> Found:
    """It waits for the account whose limit ends first, of those it could use."""
    held = [each for each in limits.limit_views(tx) if each["account"] == task.limited_by]
    because = [f"it will be retried at {stamp(task.not_before)}, by itself; the attempt does not count"]
    ways = [limits.way_on(each["account"]) for each in held]
    return (
        "delayed",
        because + [limits.in_words(each) for each in held],
        [*ways, f"lifecycle runs {task.key}"],
    )


def _waits(every: Mapping[str, TaskState], key: str) -> str:
    blocker = every[key]
    approval = ", then for your approval" if blocker.checkpoint_after else ""
    return f"waits for {key}, which is {blocker.status}{approval}"


def _halted(tx: Tx, session: Session) -> tuple[str, list[str]] | None:
    if session.status == SessionStatus.ACTIVE:
        return None
    if session.status != SessionStatus.PAUSED:
        return f"the session is {session.status}", []
    reason = session.paused_for
    since = stamp(session.updated_at)
    ways = [each["command"] for each in actions(tx, session)]
    return f"the session is paused ({reason}) until you answer; last changed {since}", ways


def _offered(tx: Tx, task: Task) -> Found:
    """It is offered, and waits for a slot on a host that serves its role."""
    since = f"offered since {stamp(task.offered_at)}"
    queue = queue_line(tx, task)
    hosts = [host for host in leases.live_hosts(tx) if not host.draining]
    serving = [host for host in hosts if task.role in host.roles]
    if not hosts:
        return (
            "offered",
            [
                since,
                *queue,
                "no worker host is running; the coordinator starts one unless own_host is off",
                stalls.no_host_of(tx, task.role),
            ],
            ["lifecycle daemon status", "lifecycle resume", "lifecycle worker"],
        )
    if not serving:
        known = sorted({role for host in hosts for role in host.roles})
        if stay_here([task.role]) and all(host.token for host in hosts):
            names = ", ".join(sorted({str(host.token) for host in hosts}))
            said = f"no worker host of this machine is up; joined from elsewhere: {names}, and {WHY_HERE}"
            return "offered", [since, *queue, said], ["lifecycle worker", "lifecycle host list"]
        served = f"no worker host serves the role {task.role}; served: {', '.join(known)}"
        return (
            "offered",
            [since, *queue, served, stalls.no_host_of(tx, task.role)],
            ["lifecycle worker"],
        )
    busy = queries.open_by_host(tx)
    slots = sum(host.slots for host in serving)
    used = sum(busy.get(host.incarnation, 0) for host in serving)
    if used >= slots:
        return (
            "offered",
            [since, *queue, f"no slot is free: {used} of {slots} are in use"],
            ["lifecycle list"],
        )
    return (
        "offered",
        [since, *queue, f"{slots - used} of {slots} slots are free: it is about to start"],
        ["lifecycle log -f"],
    )


def _ready(tx: Tx, session: Session, task: Task, every: Mapping[str, TaskState]) -> Found:
    """It is ready, and waits for the coordinator to offer it."""
    running = tasks.open_runs(tx, session.id)
    sequential = session.options.get("execution") == "sequential"
    ready = [every[row.key] for row in tasks.ready(tx, session.id)]
    chosen = offers(ready, open_runs=len(running), sequential=sequential, now=tx.now)
    if task.key not in chosen and sequential:
        first = ", ".join(run.key for run in running) or next((s.key for s in ready if s.key != task.key), "")
        return (
            "waiting",
            [f"one task at a time (--execution sequential): {first} comes first"],
            ["lifecycle check"],
        )
    if leases.leader(tx) is None:
        if stalls.is_coming_up(tx, session.updated_at):
            return "ready", ["it is ready: the coordinator is being started"], ["lifecycle log -f"]
        return (
            "ready",
            ["it is ready, but no coordinator is running"],
            ["lifecycle resume", "lifecycle daemon start"],
        )
    return "ready", ["it is ready: the coordinator is about to offer it"], ["lifecycle log -f"]


def _running(tx: Tx, session: Session, task: Task) -> Found:
    run = next(run for run in tasks.open_runs(tx, session.id) if run.task_id == task.id)
    seconds = (tx.now - run.opened_at) // 1_000_000
    because = [
        f"it has been running for {seconds} s, phase {run.phase}, run {run.id[-8:]} on host {run.host[:10]}"
    ]
    because += [f"but {why}" for row, why in leases.overdue_runs(tx) if row.id == run.id]
    because += [WAITS[run.phase]] if run.phase in WAITS else []
    before = landed.waits_to_land(tx, session.id, run.id)
    if before:
        because.append(f"it waits for its turn to land, after {', '.join(before)}")
    elif before is not None:
        because.append("it is its turn to land")
    return "running", because, ["lifecycle log -f"]


def _failed(tx: Tx, session: Session, task: Task) -> Found:
    because = [
        f"{task.attempts} of {task.max_attempts} attempts failed, the last one with: {task.error or 'unknown error'}"
    ]
    other = other_agent(tx, task)
    ways = [
        f"lifecycle resume --retry {task.key}",
        *([f"lifecycle resume --retry {task.key} --agent {quote(other)}"] if other else []),
        f"lifecycle resume --skip {task.key}",
        f"lifecycle runs {task.key}",
    ]
    return "failed", because, ways


def _completed(tx: Tx, session: Session, task: Task) -> Found:
    ways = [revision] if (revision := revise(tx, session, task.key)) else []
    run = next(
        each for each in reversed(run_views(tx, session.id, task.key)) if each["outcome"] == "completed"
    )
    who = f"{by(run['agent'])}, " if run["agent"] else ""
    because = [
        f"completed at {stamp(task.finished_at)} by run {run['run'][-8:]} ({who}{run['seconds']:.0f} s)"
    ]
    return "completed", because, [*ways, f"lifecycle runs {task.key}"]


def _skipped(tx: Tx, session: Session, task: Task) -> Found:
    return "skipped", [f"it was skipped by a user at {stamp(task.finished_at)}"], []


def _cancelled(tx: Tx, session: Session, task: Task) -> Found:
    return "cancelled", [f"the session was cancelled at {stamp(task.finished_at)}"], []


_UNDER_WAY = ("running", "offered", "delayed")
_STARTS = ("lifecycle resume", "lifecycle daemon start")
_OF_A_SESSION = ("why", "runs", "resume", "log", "check")
_ENDED = {
    TaskStatus.IN_PROGRESS: _running,
    TaskStatus.FAILED: _failed,
    TaskStatus.COMPLETED: _completed,
    TaskStatus.SKIPPED: _skipped,
    TaskStatus.CANCELLED: _cancelled,
}
