"""The rounds of an analysis that a person directs: the pause behind each, and the tasks of the next (docs/analyze.md)."""

from __future__ import annotations

from collections.abc import Sequence

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
from orchestrator.domain.dataclass import replace
from orchestrator.domain.errors import NotAllowedNow, UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SessionStatus, TaskState, TaskStatus
from orchestrator.domain.pipelines import Pack
from orchestrator.lifecycle import rework
from orchestrator.store import messages, sessions, tasks
from orchestrator.store.rows import Run, Session, Task
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
    if ids.parse_key(row.key).revision:
        return None  # a round held again: what follows it was decided the first time
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
    pack = sessions.pack(tx, session)
    direction = direction_of(text, pack.analysis)
    if direction.type is not RoundType.DONE:
        _add_round(tx, session, pack, after, direction, max_attempts, directed=True)
    return direction


def goes_on(session: Session, rows: Sequence[Task]) -> bool:
    """Whether feedback continues the session as an analysis that has its conclusions."""
    return session.status == SessionStatus.COMPLETED and any(row.prefix == SYNTH for row in rows)


def continue_analysis(tx: Tx, session: str, text: str, max_attempts: int) -> list[str]:
    """One more round of a completed analysis, then its conclusions anew; the new tasks. Raises UsageError, NotAllowedNow."""
    pack = sessions.pack(tx, session)
    direction = direction_of(text, pack.analysis)
    if direction.type is RoundType.DONE:
        raise UsageError(
            "the analysis is done already",
            why="feedback on it asks for another round",
            fix='lifecycle feedback "a question, or another focus"',
        )
    rows = [row for row in tasks.all_tasks(tx, session) if row.status == TaskStatus.COMPLETED]
    last = max((row for row in rows if row.prefix in (ANALYZE, DISCUSS)), key=_place, default=None)
    if last is None:
        raise NotAllowedNow(
            "there is no analysis to continue",
            why="none of its tasks was completed",
            fix='lifecycle start --mode analyze "..."',
        )
    return _add_round(tx, session, pack, last.key, direction, max_attempts, directed=False)


def _place(row: Task) -> tuple[bool, int, int]:
    return row.prefix == DISCUSS, int(ids.parse_key(row.key).base[-3:]), row.revision_no


def _add_round(
    tx: Tx, session: str, pack: Pack, after: str, direction: Direction, max_attempts: int, *, directed: bool
) -> list[str]:
    """The tasks of one round behind `after`; the conclusions wait for it, and are written anew where they were."""
    rows = tasks.all_tasks(tx, session)
    number = max((round_number(row.key) for row in rows if row.prefix == DISCUSS), default=0) + 1
    if number > LAST_ROUND:
        raise NotAllowedNow(
            f"{LAST_ROUND} rounds were held",
            why="an analysis has no more",
            fix='lifecycle start --mode analyze-deep "..." begins another',
        )
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
    payloads[discuss] = {ROUND: direction.type.value, DIRECTION: direction.text}
    payloads[discuss] |= {DIRECTED: True} if directed else {}
    waiting = [row for row in rows if row.prefix == SYNTH and row.status == TaskStatus.PENDING]
    ends = [row for row in rows if row.prefix == SYNTH]
    if not waiting and ends:
        base = ids.parse_key(ends[0].key).base
        again = 1 + max(row.revision_no for row in ends)
        key = ids.revision_key(base, again)
        end = _task(pack, key, SYNTH, (discuss,))
        new.append(replace(end, revision_of=base, revision_no=again))
        payloads[key] = {}
    made = rework.add_tasks(tx, session, tuple(new), max_attempts, lambda state: payloads[state.key])
    for row in waiting:
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
    return list(made)


def _task(pack: Pack, key: str, prefix: str, blockers: tuple[str, ...]) -> TaskState:
    return TaskState(key, pack.role_of(prefix).name, prefix, TaskStatus.PENDING, blockers, phase=PHASE)


def _is_fix(key: str) -> bool:
    parsed = ids.parse_key(key)
    return parsed.stem.endswith("-fix") and not parsed.revision


def _view(rows: Sequence[Task], direction: Direction, pack: Pack) -> str:
    """The perspective of an analysis with a new focus: what the words name, else the first of the session."""
    named = named_perspectives(direction.text, pack.analysis)
    used = (
        str(row.payload[PERSPECTIVE]) for row in rows if row.prefix == ANALYZE and PERSPECTIVE in row.payload
    )
    return named[0] if named else next(used)
