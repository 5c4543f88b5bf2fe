"""The rounds of frontend work: what the first audit finds is mended by one more task, and a second audit is the last.

The transaction that completes the first audit makes both tasks; whoever waits for that audit, such as the review, then waits
for the second one as well. An audit that a fix round repeats has no rounds of its own: its verdict is the last one. One that
is repeated because a person asked for other work has both rounds again.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain import ids
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.evidence import Finding
from orchestrator.domain.frontend_audit import FAIL, NEEDS_FIX, ROUNDS
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.revisions import AUDITS, Edge, Graph
from orchestrator.lifecycle import rework
from orchestrator.lifecycle.finished_run import Report
from orchestrator.store import messages, tasks, work
from orchestrator.store.store import Tx
from orchestrator.store.task_states import graph

BUILDS = "DEV-FE"  # prefix of who builds a frontend
ROUND = "audit_round"  # of a payload: which one it is
NAMED = 50  # findings that the task is given


@dataclass(frozen=True, slots=True)
class NextRound:
    """Whoever mends, the audit behind it, and who waits for that audit from now on."""

    build: TaskState
    audit: TaskState
    edges: tuple[Edge, ...]

    @property
    def tasks(self) -> tuple[TaskState, TaskState]:
        return self.build, self.audit


def round_of(payload: Mapping[str, Json], revision_of: str | None) -> int:
    """The number of an audit's round; one that a fix round repeats is in the last."""
    return int(payload.get(ROUND, ROUNDS if revision_of else 1))


def begun_anew(prefix: str) -> JsonObject:
    """What the payload of a repetition has besides, where work that a person asked for is judged."""
    return {ROUND: 1} if prefix == AUDITS else {}


def next_round(state: Graph, audit: str) -> NextRound | None:
    """What follows an audit that found too much; None where nobody of the session builds its frontend."""
    done = state[audit]
    builders = [each for each in state.values() if each.prefix == BUILDS]
    if not builders:
        return None
    build = _pending(builders[0], _next_key(state, BUILDS), audit)
    again = _pending(done, _next_key(state, AUDITS), build.key)
    waiting = (
        each.key for each in state.values() if audit in each.blocked_by and each.status is TaskStatus.PENDING
    )
    return NextRound(build, again, tuple((key, again.key) for key in waiting))


def fix_number(state: Graph) -> int:
    """The number of the next repair of what an audit found, among all of the session: each made an audit of its own."""
    return sum(each.prefix == AUDITS and each.revision_of is None for each in state.values())


def apply(tx: Tx, report: Report) -> tuple[PauseReason | None, JsonObject]:
    """Carry out what follows from an audit, in its transaction; the pause, if any, with its detail."""
    row = report.row
    if row.prefix != AUDITS or report.verdict is None:
        return None, {}
    data = report.verdict.data
    found = [Finding.from_json(each) for each in data["findings"]]
    listed: list[Json] = [each.as_json() for each in found[:NAMED]]
    if data["verdict"] == FAIL:
        why = f"the audit of the frontend fails in its last round with {data['overall']} of 10 points"
        messages.say(tx, row.session_id, row.role, "fix_required", why, data={"findings": listed})
        return PauseReason.REVISION_EXHAUSTED, {"why": why, "findings": listed}
    if data["verdict"] != NEEDS_FIX:
        return None, {}
    state = graph(tasks.all_tasks(tx, row.session_id))
    made = next_round(state, row.key)
    if made is None:
        return None, {}
    there = work.work_of(tx, row.session_id)
    number = round_of(row.payload, row.revision_of)
    fix: JsonObject = {
        "round": number,
        "number": fix_number(state),
        "of": AUDITS,
        "findings": listed,
        "head": there.head if there else "",
    }
    payloads: dict[str, JsonObject] = {
        made.build.key: {"fix": fix},
        made.audit.key: {**row.payload, ROUND: number + 1},
    }
    ids_made = rework.add_tasks(
        tx, row.session_id, made.tasks, report.max_attempts, lambda task: payloads[task.key]
    )
    for waiting, blocker in made.edges:
        rework.add_edge(tx, row.session_id, waiting, blocker, ids_made)
    keys = ", ".join(task.key for task in made.tasks)
    messages.event(
        tx, row.session_id, "audit_round", f"audit round {number + 1}: {keys}", number=number + 1, tasks=keys
    )
    return None, {}


def _pending(like: TaskState, key: str, blocker: str) -> TaskState:
    """A new task of the same kind behind `blocker`."""
    return replace(
        like,
        key=key,
        status=TaskStatus.PENDING,
        blocked_by=(blocker,),
        round=None,
        revision_of=None,
        revision_no=0,
        made_for=False,
        checkpoint_after=False,
        offered=False,
        not_before=None,
        attempts=0,
        seq=0,
    )


def _next_key(state: Graph, prefix: str) -> str:
    numbers = [int(ids.parse_key(key).base[-3:]) for key, each in state.items() if each.prefix == prefix]
    return f"{prefix}-{max(numbers, default=0) + 1:03d}"
