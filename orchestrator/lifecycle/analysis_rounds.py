"""The rounds of an analysis that a person directs: the pause behind each, and the tasks of the next (docs/analyze.md)."""

from __future__ import annotations

from orchestrator.domain import ids
from orchestrator.domain.analysis import (
    ANALYZE,
    DIRECTED,
    DIRECTION,
    DISCUSS,
    LAST_ROUND,
    PERSPECTIVE,
    PHASE,
    ROUND,
    SYNTH,
    Direction,
    RoundType,
    direction_of,
    named_perspectives,
    round_number,
)
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import TaskState, TaskStatus
from orchestrator.domain.pipelines import Pack, from_snapshot
from orchestrator.lifecycle import rework
from orchestrator.store import messages, sessions, tasks
from orchestrator.store.rows import Run, Task
from orchestrator.store.store import Tx

QUESTION = "What is the next round for?"
OPTIONS = {  # what can be said, and what it leads to
    RoundType.DEEPEN.value: "a round that goes on from the open questions",
    "How ...?": "a round that answers your questions",
    "instead look at ...": "an analysis with that focus, then a round",
    RoundType.DONE.value: "the conclusions; no further round",
}


def asks(row: Run) -> JsonObject | None:
    """What a person is asked behind a round; None where the conclusions follow by themselves."""
    if row.prefix != DISCUSS or not row.payload.get(DIRECTED) or round_number(row.key) >= LAST_ROUND:
        return None
    options: list[Json] = [{"label": label, "means": means} for label, means in OPTIONS.items()]
    return {"question": QUESTION, "options": options}


def say_round(tx: Tx, row: Run) -> None:
    """Log that a round of an analysis was held."""
    if row.prefix != DISCUSS or ROUND not in row.payload:
        return
    number = round_number(row.key)
    forced = bool(row.payload.get(DIRECTED)) and number >= LAST_ROUND
    more = ": the last one, the conclusions follow" if forced else ""
    messages.say(
        tx,
        row.session_id,
        row.role,
        "discussion_round",
        f"{row.key}: round {number} ({row.payload[ROUND]}) was held{more}",
        data={"task": row.key, "round": number, "type": row.payload[ROUND]},
    )


def next_round(tx: Tx, session: str, after: str, text: str, max_attempts: int) -> Direction:
    """Make the tasks that a person's words ask for, behind the round `after`; none for `done`. Raises UsageError."""
    pack, _ = from_snapshot(sessions.snapshot(tx, session))
    direction = direction_of(text, pack.analysis)
    if direction.type is RoundType.DONE:
        return direction
    rows = tasks.all_tasks(tx, session)
    number = max(round_number(row.key) for row in rows if row.prefix == DISCUSS) + 1
    discuss = f"{DISCUSS}-{number:03d}"
    new: list[TaskState] = []
    payloads: dict[str, JsonObject] = {}
    before = after
    if direction.type is RoundType.ADJUSTED:
        fixes = sum(row.prefix == ANALYZE and _is_fix(row.key) for row in rows)
        key = f"{ANALYZE}-fix-{fixes + 1:03d}"
        new.append(_task(pack, key, ANALYZE, (after,)))
        payloads[key] = {PERSPECTIVE: _view(rows, direction, pack), DIRECTION: direction.text}
        before = key
    new.append(_task(pack, discuss, DISCUSS, (before,)))
    payloads[discuss] = {ROUND: direction.type.value, DIRECTION: direction.text, DIRECTED: True}
    made = rework.add_tasks(tx, session, tuple(new), max_attempts, lambda state: payloads[state.key])
    for row in rows:
        if row.prefix == SYNTH and row.status == TaskStatus.PENDING:
            rework.add_edge(tx, session, row.key, discuss, made)
    kind = "direction_adjusted" if direction.type is RoundType.ADJUSTED else "state_update"
    unclear = "" if direction.clear else ", since no word told otherwise"
    messages.say(
        tx,
        session,
        "coordinator",
        kind,
        f"round {number}: {direction.type}{unclear}",
        data={"tasks": list(made), "type": direction.type.value, "clear": direction.clear},
    )
    return direction


def _task(pack: Pack, key: str, prefix: str, blockers: tuple[str, ...]) -> TaskState:
    return TaskState(key, pack.role_of(prefix).name, prefix, TaskStatus.PENDING, blockers, phase=PHASE)


def _is_fix(key: str) -> bool:
    return ids.parse_key(key).stem.endswith("-fix")


def _view(rows: list[Task], direction: Direction, pack: Pack) -> str:
    """The perspective of an analysis with a new focus: what the words name, else the first of the session."""
    named = named_perspectives(direction.text, pack.analysis)
    used = (
        str(row.payload[PERSPECTIVE]) for row in rows if row.prefix == ANALYZE and PERSPECTIVE in row.payload
    )
    return named[0] if named else next(used)
