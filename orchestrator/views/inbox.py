"""What waits for the user over all sessions of a project, in one read; empty: what runs, and where it will pause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import UNFINISHED, SessionStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.waiting import Held, urgency
from orchestrator.store import edit_conflicts, rate_limits, records, sessions, tasks, waiting
from orchestrator.store.edit_conflicts import EditConflict
from orchestrator.store.rows import RateLimit, Session
from orchestrator.store.store import Tx
from orchestrator.store.waiting import WaitingSession
from orchestrator.views import cost, disk_space, limits, next_steps, resumption, stalls

LIMIT = 100  # entries that are listed
RUNNING = 20  # sessions that are named as running
WORDS = 200  # characters of what an entry says
_TOLD = ("question", "error", "why", "words")  # of a pause's detail, what tells most first


class Blocked(TypedDict):
    """What cannot go on before the entry is answered."""

    sessions: int
    tasks: int


class Entry(TypedDict):
    """One thing that waits for the user. `name` stays the same while it waits, `number` is its place in the list."""

    number: int
    name: str
    kind: str  # a pause reason, or `domain.waiting.Held`
    session: str | None
    title: str
    mode: str | None
    says: str
    means: str | None  # what the answer does
    since: str | None
    waits_seconds: float | None
    blocks: Blocked
    cost: JsonObject | None  # so far
    command: str


class Running(TypedDict):
    """A session that needs nobody, and the task after which it will."""

    session: str
    title: str
    mode: str
    elapsed_seconds: float
    running: int
    checkpoint: str | None


class Inbox(TypedDict):
    """`waiting` and `active` count all; `entries` and `running` hold the first of them."""

    waiting: int
    active: int
    entries: list[Entry]
    running: list[Running]


def inbox(tx: Tx, room: disk_space.Room, limit: int = LIMIT) -> Inbox:
    """What waits: disk first, then stalled, agents, and the longest waiting."""
    counts = waiting.by_status(tx)
    active = counts.get(SessionStatus.ACTIVE, 0)
    held = _held(tx, room, active)
    paused = [_session(tx, row) for row in waiting.paused(tx, limit)]
    found = [entry for _, entry in sorted([*held, *paused], key=lambda each: each[0])]
    for number, entry in enumerate(found, 1):
        entry["number"] = number
    return {
        "waiting": len(held) + counts.get(SessionStatus.PAUSED, 0),
        "active": active,
        "entries": found[:limit],
        "running": [
            {
                "session": row.id,
                "title": row.title,
                "mode": row.mode,
                "elapsed_seconds": cost.seconds(row.created_at, tx.now),
                "running": row.running,
                "checkpoint": row.checkpoint,
            }
            for row in waiting.active(tx, RUNNING)
        ],
    }


def waiting_count(tx: Tx, room: disk_space.Room) -> int:
    """How many things wait, all of them: `waiting` of the inbox, without what it lists."""
    counts = waiting.by_status(tx)
    return len(_held(tx, room, counts.get(SessionStatus.ACTIVE, 0))) + counts.get(SessionStatus.PAUSED, 0)


def opened(tx: Tx, room: disk_space.Room, name: str) -> JsonObject:
    """One entry, by its number or its name, with `pause`: what it asks, and every command that answers it.

    Raises UnknownName.
    """
    listed = inbox(tx, room)
    found = next((each for each in listed["entries"] if name in (str(each["number"]), each["name"])), None)
    session = None if found is not None and found["session"] is None else _waiting_session(tx, found, name)
    if found is None and session is None:
        known = [f"{each['number']} ({each['name']})" for each in listed["entries"]]
        raise UnknownName("entry of the inbox", name, known, fix="`lifecycle inbox` lists them")
    return {
        "entry": found,
        "pause": None if session is None else next_steps.pause_view(tx, session),
    }


def _waiting_session(tx: Tx, found: Entry | None, name: str) -> Session | None:
    """The session of an entry, or one that waits beyond the end of the list."""
    row = sessions.get(tx, name if found is None else str(found["session"]))
    return row if row is not None and row.status == SessionStatus.PAUSED else None


_Placed = tuple[tuple[int, int, str], Entry]


def _entry(kind: str, name: str, since: int | None, now: int, **given: Json) -> _Placed:
    entry: Entry = {
        "number": 0,
        "name": name,
        "kind": kind,
        "session": None,
        "title": "",
        "mode": None,
        "says": "",
        "means": None,
        "since": stamp(since),
        "waits_seconds": None if since is None else cost.seconds(since, now),
        "blocks": {"sessions": 0, "tasks": 0},
        "cost": None,
        "command": "",
    }
    entry.update(given)  # type: ignore[typeddict-item]
    return urgency(kind, since, name), entry


def _session(tx: Tx, row: WaitingSession) -> _Placed:
    counts = tasks.counts(tx, row.id)
    reason = PauseReason(row.pause_reason)
    return _entry(
        row.pause_reason,
        row.id,
        row.since or row.created_at,
        tx.now,
        session=row.id,
        title=row.title,
        mode=row.mode,
        says=_says(row.pause_detail or {}),
        means=resumption.meaning(tx, row.id, reason),
        blocks={"sessions": 1, "tasks": sum(counts.get(status, 0) for status in UNFINISHED)},
        cost=cost.cost(records.cost_of(tx, row.id)),
        command=f"lifecycle inbox {row.id}",
    )


def _says(detail: Mapping[str, Json]) -> str:
    """What a pause is about, in a line."""
    told = next((str(detail[name]) for name in _TOLD if detail.get(name)), "")
    about = str(detail.get("task") or "")
    return one_line(": ".join(part for part in (about, told) if part), WORDS)


def _held(tx: Tx, room: disk_space.Room, active: int) -> list[_Placed]:
    """What keeps work from going on though no session is paused for it."""
    found: list[_Placed] = []
    if room.is_short:
        blocks = {"sessions": active, "tasks": 0}
        found.append(
            _entry(
                Held.DISK_SPACE,
                "disk",
                None,
                tx.now,
                says=f"{room.says}: {disk_space.FIX}",
                blocks=blocks,
                command="lifecycle doctor",
            )
        )
    limited = rate_limits.limited_now(tx)
    if limited:
        blocked = waiting.limited(tx)
        found += [_limit(row, tx.now, blocked) for row in limited]
    found += [_conflict(tx, each) for each in edit_conflicts.in_all(tx)]
    return [*found, *_lacking(tx, active)] if active else found


def _lacking(tx: Tx, active: int) -> list[_Placed]:
    """Runs that nobody has recovered, and the process that active sessions lack."""
    found = [
        _entry(
            Held.LOST_RUN,
            f"runs:{session}",
            None,
            tx.now,
            session=session,
            says=one_line("; ".join(lines), WORDS),
            blocks={"sessions": 1, "tasks": len(lines)},
            command=f"lifecycle resume {session}",
        )
        for session, lines in stalls.lost_runs(tx).items()
    ]
    missing = stalls.missing_process(tx, waiting.is_offered(tx), waiting.changed_at(tx))
    if missing is not None:
        kind = missing.kind
        blocks = {"sessions": active, "tasks": 0}
        command = "lifecycle daemon start" if kind is Held.NO_COORDINATOR else "lifecycle daemon status"
        found.append(_entry(kind, kind, None, tx.now, says=missing.says, blocks=blocks, command=command))
    return found


def _conflict(tx: Tx, each: EditConflict) -> _Placed:
    """An edit that came too late: its session goes on without it."""
    return _entry(
        Held.EDIT_CONFLICT,
        f"edit:{each.session}:{each.number}",
        each.since,
        tx.now,
        session=each.session,
        says=one_line(edit_conflicts.in_words(each), WORDS),
        command=f"lifecycle check {each.session}",
    )


def _limit(row: RateLimit, now: int, held: Mapping[str, tuple[int, int]]) -> _Placed:
    count, of = held.get(row.name, (0, 0))
    return _entry(
        Held.RATE_LIMIT,
        f"account:{row.name}",
        row.since_at,
        now,
        says=one_line(limits.in_words(limits.limit_view(row)), WORDS),
        means="use the account again at once",
        blocks={"sessions": of, "tasks": count},
        command=limits.way_on(row.name),
    )
