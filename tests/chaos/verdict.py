"""What must be true when everything has come to rest."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections import Counter, defaultdict
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Protocol

from orchestrator.coordinator.projector import LOG, message_line
from orchestrator.store import artifacts, messages
from orchestrator.store.store import Store
from tests import invariants
from tests.chaos import history
from tests.chaos.history import Traces
from tests.e2e.support import Lifecycle

BY = re.compile(r" by ([^\s:]+)")
MARK = re.compile(r"\(ref (\S+)\)")


class Records(Protocol):
    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]: ...


def at_rest(project: Lifecycle) -> list[str]:
    """Everything that the database and the files have to agree on."""
    store = Store(project.database)
    try:
        return [
            *broken_invariants(project.database),
            *lost_tasks(project),
            *unfinished(project),
            *wrong_contents(project),
            *wrong_files(project, store),
            *wrong_mirrors(project, store),
        ]
    finally:
        store.close()


def broken_invariants(database: Path) -> list[str]:
    return [f"invariant {what}: {rows[:5]}" for what, rows in invariants.offenders(database).items()]


def lost_tasks(project: Records) -> list[str]:
    """Every task that was ever made is there, and no other; none was worked off twice."""
    made: dict[str, set[str]] = defaultdict(set)
    for session, kind, data in project.rows(
        "SELECT session_id, type, data FROM messages WHERE type IN ('created', 'rework', 'revision') AND kind = 'event'"
    ):
        said = json.loads(data)
        listed = said["tasks"] if kind == "created" else said["made"]
        made[session].update(listed.split(", ") if isinstance(listed, str) else listed)
    there: dict[str, set[str]] = defaultdict(set)
    for session, key in project.rows("SELECT session_id, key FROM tasks"):
        there[session].add(key)
    faults = [
        f"{session}: tasks made {sorted(made[session] - there[session])} are lost, "
        f"{sorted(there[session] - made[session])} came from nowhere"
        for session in made | there
        if made[session] != there[session]
    ]
    return faults + [f"{row[0]} {row[1]} was completed {row[2]} times" for row in twice(project)]


def twice(project: Records) -> list[tuple[str, str, int]]:
    """Tasks that were worked off more than once, by their runs or by what was said about them."""
    return project.rows(
        "SELECT t.session_id, t.key, count(*) FROM runs r JOIN tasks t ON t.id = r.task_id "
        "WHERE r.outcome = 'completed' GROUP BY t.id HAVING count(*) > 1 "
        "UNION ALL SELECT session_id, json_extract(data, '$.task'), count(*) FROM messages "
        "WHERE kind = 'message' AND json_extract(data, '$.agent') IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1"
    )


def unfinished(project: Records) -> list[str]:
    return [
        f"{row[0]} {row[1]} is {row[2]} in a session that is {row[3]}"
        for row in project.rows(
            "SELECT s.id, t.key, t.status, s.status FROM tasks t JOIN sessions s ON s.id = t.session_id "
            "WHERE s.status NOT IN ('completed', 'cancelled') "
            "OR s.status = 'completed' AND t.status NOT IN ('completed', 'skipped') "
            "OR s.status = 'cancelled' AND t.status NOT IN ('completed', 'skipped', 'cancelled')"
        )
    ]


def wrong_contents(project: Records) -> list[str]:
    """Every content is what its digest says."""
    return [
        f"content {sha256} has other bytes"
        for sha256, body in project.rows("SELECT sha256, body FROM contents WHERE body IS NOT NULL")
        if hashlib.sha256(body).hexdigest() != sha256
    ]


def wrong_files(project: Lifecycle, store: Store) -> list[str]:
    """The newest version of each artifact is the file under its name; nobody edited one, and no draft is left."""
    faults = [
        f"{row[0]} {row[1]}: a version by user"
        for row in project.rows("SELECT session_id, path FROM artifacts WHERE author = 'user'")
    ]
    for (session,) in project.rows("SELECT id FROM sessions"):
        root = project.directory(session)
        for row in store.read(partial(artifacts.newest, session=session)):
            file = root / row.path
            if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != row.sha256:
                faults.append(f"{session} {row.path}: the file is not version {row.version}")
    return faults


def wrong_mirrors(project: Lifecycle, store: Store) -> list[str]:
    """messages.jsonl is the log, line for line."""
    faults = []
    for (session,) in project.rows("SELECT id FROM sessions"):
        rows = store.read(partial(messages.after, session=session, limit=1_000_000))
        lines = [json.dumps(message_line(row), ensure_ascii=False) for row in rows]
        file = project.directory(session) / LOG
        shown = file.read_text().splitlines() if file.is_file() else []
        if shown != lines:
            at = next((n for n, (a, b) in enumerate(zip(shown, lines, strict=False), 1) if a != b), None)
            faults.append(
                f"{session}: the mirror has {len(shown)} lines, the log {len(lines)}; first difference: {at}"
            )
    return faults


# the history


def against_history(project: Lifecycle, file: Path) -> list[str]:
    calls = history.read(file)
    sessions = {row[0]: _mark(row[1]) for row in project.rows("SELECT id, request FROM sessions")}
    keyed = {row[0]: row[1] for row in project.rows("SELECT id, session_id FROM commands")}
    said = {
        (row[0], row[1]): row[2].removeprefix("[chaos] ").partition(" ")[0]
        for row in project.rows("SELECT session_id, number, summary FROM messages WHERE sender = 'chaos'")
    }
    faults = [
        f"key {key} stands for {session}, whose request is of {sessions.get(session)}"
        for key, session in keyed.items()
        if sessions.get(session) != key
    ]
    return faults + history.compare(calls, traces(project), sessions) + history.messages(calls, said)


def _mark(request: str) -> str:
    found = MARK.search(request)
    return found[1] if found else request


def traces(project: Lifecycle) -> Traces:
    """What came from outside, by who asked for it."""
    found: Traces = defaultdict(Counter)
    for who, subject in project.rows("SELECT who, subject FROM decisions"):
        found[who][f"decision {subject.partition(' ')[0]}"] += 1
    for (who,) in project.rows(
        "SELECT author FROM memory WHERE kind = 'wisdom' AND author NOT IN (SELECT role FROM tasks)"
    ):
        found[who]["wisdom"] += 1
    for kind, summary in project.rows(
        "SELECT type, summary FROM messages WHERE kind = 'event' AND type IN ('resumed', 'cancelled', 'skipped')"
    ):
        by = BY.search(summary)
        found[by[1] if by else summary][f"event {kind}"] += 1
    for (data,) in project.rows("SELECT data FROM messages WHERE kind = 'event' AND type = 'paused'"):
        said = json.loads(data)
        if said["reason"] == "user":
            found[said["by"]]["event paused"] += 1
    for (summary,) in project.rows("SELECT summary FROM messages WHERE sender = 'chaos'"):
        found[summary.removeprefix("[chaos] ").partition(" ")[0]]["message"] += 1
    return found


# the probe


def overlaps(probe: Path) -> list[str]:
    """Two agents of one task at the same time, by their locks or by the times they wrote."""
    faults = []
    spans: dict[tuple[str, str], list[tuple[float, float, str]]] = defaultdict(list)
    begun: dict[tuple[int, str, str], float] = {}
    log = probe / "log"
    for line in log.read_text().splitlines() if log.exists() else ():
        said = json.loads(line)
        who = (said["pid"], said["run"], said["who"])
        if said["what"] == "start":
            begun[who] = said["at"]
            faults += [
                f"{said['session']} {said['task']}: an agent of run {run} lived when one of {said['run']} began"
                for run in said["met"]
            ]
        else:
            spans[said["session"], said["task"]].append((begun.pop(who), said["at"], said["run"]))
    for (session, task), found in spans.items():
        faults += [
            f"{session} {task}: agents of {one} and {other} worked at the same time"
            for (start, end, one), (begin, stop, other) in combinations(found, 2)
            if one != other and start < stop and begin < end
        ]
    return faults


def tracebacks(project: Lifecycle) -> list[str]:
    """Faults of ours in the logs of daemon and hosts: a kill is no reason for an exception that nobody expected."""
    faults = []
    for file in sorted((project.folder / ".workflow" / "logs").glob("*")):
        for line in file.read_text(errors="replace").splitlines():
            if "Traceback" in line or "AssertionError" in line:
                faults.append(f"{file.name}: {line[:2_000]}")
    return faults


def digest_of(database: Path) -> Counter[str]:
    """How many sessions and tasks of each status there are."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return Counter(
            dict(
                connection.execute(
                    "SELECT 'session ' || status, count(*) FROM sessions GROUP BY status"
                ).fetchall()
            )
            | dict(
                connection.execute("SELECT 'task ' || status, count(*) FROM tasks GROUP BY status").fetchall()
            )
            | dict(
                connection.execute(
                    "SELECT 'run ' || coalesce(outcome, 'open'), count(*) FROM runs GROUP BY 1"
                ).fetchall()
            )
        )
    finally:
        connection.close()
