"""The history of a client: what it asked for and what it was told, on disk before it goes on.

`invoke` is written before the command begins, `ok`, `fail` or `unknown` when it has ended. What was told `ok` must be in
the database, what was told `fail` must have left nothing, `unknown` (killed, interrupted) has left all of it or nothing;
and nothing may be there that nobody asked for.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Traces = dict[str, Counter[str]]  # who -> what of it is in the database, how often

# What each command leaves behind, once; `decision` rows beyond these are allowed to those that answer a pause.
LEAVES: dict[str, frozenset[str]] = {
    "check": frozenset(),
    "daemon": frozenset(),
    "start": frozenset(),  # its session is looked for by itself: several commands may share a key
    "msg": frozenset({"message"}),
    "revise": frozenset({"decision revise"}),
    "feedback": frozenset({"decision feedback", "wisdom"}),
    "recheck": frozenset({"decision recheck"}),
    "improve": frozenset({"decision improve"}),
    "pause": frozenset({"event paused"}),
    "resume": frozenset({"event resumed"}),
    "retry": frozenset({"event resumed", "decision retry"}),
    "skip": frozenset({"event resumed", "event skipped", "decision skip"}),
    "cancel": frozenset({"decision cancel", "event cancelled"}),
}
ANSWERS = ("resume", "retry", "skip")


@dataclass
class Call:
    """One command as its client saw it."""

    id: str
    kind: str
    mark: str  # what a session made by it has in its request: its key, else its id
    outcome: str = "unknown"
    told: dict[str, Any] = field(default_factory=dict)  # what an `ok` said: session, id of a message
    invoked: float = 0.0
    returned: float = float("inf")


class History:
    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def note(self, event: str, id: str, **more: Any) -> None:
        line = {"event": event, "id": id, "at": time.monotonic(), **more}
        os.write(self._file, json.dumps(line).encode() + b"\n")
        os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)


def read(file: Path) -> list[Call]:
    calls: dict[str, Call] = {}
    for line in file.read_text().splitlines():
        said = json.loads(line)
        if said["event"] == "invoke":
            calls[said["id"]] = Call(said["id"], said["kind"], said["mark"], invoked=said["at"])
            continue
        call = calls[said["id"]]
        call.outcome, call.returned, call.told = said["event"], said["at"], said["told"]
    return list(calls.values())


def compare(calls: list[Call], traces: Traces, sessions: dict[str, str]) -> list[str]:
    """What the history and the database disagree on; `sessions` are id -> mark of those there are."""
    faults = []
    known = {call.id for call in calls}
    faults += [
        f"nobody asked for {dict(found)} by {who}" for who, found in traces.items() if who not in known
    ]
    faults += _sessions(calls, sessions)
    for call in calls:
        found = traces.get(call.id, Counter())
        extra = Counter({what: n for what, n in found.items() if what not in LEAVES[call.kind]})
        if call.kind in ANSWERS:
            extra = Counter({what: n for what, n in extra.items() if not what.startswith("decision ")})
        there = {what: found[what] for what in LEAVES[call.kind]}
        whole, none = all(n >= 1 for n in there.values()), not +found
        twice = call.kind not in ANSWERS and any(n > 1 for n in there.values())
        if extra or twice or not {"ok": whole, "fail": none, "unknown": whole or none}[call.outcome]:
            faults.append(f"{call.id} {call.kind} was told {call.outcome}, and left {dict(found)}")
    return faults


def _sessions(calls: list[Call], sessions: dict[str, str]) -> list[str]:
    starts = [call for call in calls if call.kind == "start"]
    made: dict[str, list[str]] = {}
    for session, mark in sessions.items():
        made.setdefault(mark, []).append(session)
    faults = [
        f"nobody asked for the session of {mark}" for mark in made if mark not in {c.mark for c in starts}
    ]
    faults += [f"{mark} made several sessions: {found}" for mark, found in made.items() if len(found) > 1]
    told: dict[str, set[str]] = {}
    for call in starts:
        if call.outcome == "ok":
            told.setdefault(call.mark, set()).add(call.told["session"])
    faults += [
        f"{mark} was told {sorted(names)}, there is {made.get(mark, [])}"
        for mark, names in told.items()
        if names != set(made.get(mark, []))
    ]
    refused = {call.mark for call in starts} - {call.mark for call in starts if call.outcome != "fail"}
    faults += [f"{mark} was refused and made {made[mark]}" for mark in refused if mark in made]
    return faults


def messages(calls: list[Call], rows: dict[tuple[str, int], str]) -> list[str]:
    """What is wrong with acknowledged messages; `rows` are (session, number) -> who said it, as the database has them."""
    said = [
        (call, (call.told["session"], int(call.told["id"].removeprefix("MSG-"))))
        for call in calls
        if call.kind == "msg" and call.outcome == "ok"
    ]
    faults = [
        f"{call.id} was told {where}, there is {rows.get(where)}"
        for call, where in said
        if rows.get(where) != call.id
    ]
    for one, (session, number) in said:
        for other, (same, later) in said:
            if same == session and one.returned < other.invoked and number >= later:
                faults.append(f"{one.id} was over before {other.id} began, but they are {number} and {later}")
    return faults
