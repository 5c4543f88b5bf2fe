"""The results of a session's discussions and gates, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.domain.agent_kinds import by_rules
from orchestrator.domain.errors import NotAllowedNow, UnknownName
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.domain.revisions import IMPROVE
from orchestrator.store import records, sessions, tasks
from orchestrator.store.rows import StoredCritique, Verdict
from orchestrator.store.store import Tx
from orchestrator.views import measured


def discussion(tx: Tx, session: str, name: str) -> JsonObject:
    """The newest verdict of a round (`DISCUSS-002`, `D2` or `2`), each perspective's rating, and what divided them."""
    found = _discussions(tx, session)
    wanted = _round(name)
    mine = [row for row in found if row.round == wanted or row.task == name.upper()]
    if not mine:
        _refuse_undecided(tx, session, wanted)
        known = list(dict.fromkeys(row.round or "" for row in found))
        raise UnknownName(
            "round", name, known, fix="`lifecycle discuss` lists the discussions that have taken place"
        )
    newest = mine[-1]
    return {
        "session": session,
        "round": newest.round,
        "task": newest.task,
        **verdict(newest),
        "by_rules": _by_rules(newest),
        "record": newest.record,
        "held": len(mine),
        "ratings": [_rating(row) for row in records.critiques_of(tx, newest.run_id)],
        **_effects(measured.Discussions(tx, session).findings(newest)),
        "findings": [
            {"kind": row.kind, "severity": row.severity, "perspective": row.perspective, "text": row.text}
            for row in records.findings_of(tx, newest.id)
        ],
    }


def _refuse_undecided(tx: Tx, session: str, wanted: str) -> None:
    """Raises NotAllowedNow for the round that waits for a person: its verdict is stored with the decision."""
    row = sessions.get(tx, session)
    if (
        row is None
        or row.status != SessionStatus.PAUSED
        or row.paused_for is not PauseReason.DISCUSSION_BLOCKED
    ):
        return
    if (row.pause_detail or {}).get("round") == wanted:
        raise NotAllowedNow(
            f"{wanted} waits for your decision",
            why="its record is written with the decision",
            fix="`lifecycle check` shows what it found, and how to decide",
        )


def discussions(tx: Tx, session: str) -> list[JsonObject]:
    """The discussions of a session, oldest first: round, task, verdict and record of each."""
    return [
        {
            "round": row.round,
            "task": row.task,
            **verdict(row),
            "by_rules": _by_rules(row),
            "record": row.record,
        }
        for row in _discussions(tx, session)
    ]


def measured_discussions(tx: Tx, session: str) -> list[JsonObject]:
    """The same, each with the number of its critics' findings and of those that led to a change."""
    held = measured.Discussions(tx, session)
    return [
        {**view, "effects": held.counts(row)}
        for view, row in zip(discussions(tx, session), held.verdicts, strict=True)
    ]


def _effects(found: Sequence[measured.Finding]) -> JsonObject:
    """`effects`: how many findings came to what; `measured`: each of them."""
    return {
        "effects": measured.counted(found),
        "measured": [
            {
                "perspective": each.perspective,
                "agent": each.agent,
                "kind": each.kind,
                "text": each.text,
                "effect": str(each.effect),
            }
            for each in found
        ],
    }


def _discussions(tx: Tx, session: str) -> list[Verdict]:
    return [row for row in records.verdicts_of(tx, session) if row.kind == "discuss"]


def scores(tx: Tx, session: str) -> JsonObject | None:
    """The newest readiness report: gate, score and its dimensions."""
    gates = [row for row in records.verdicts_of(tx, session) if row.kind == "gate"]
    if not gates:
        return None
    newest = gates[-1]
    found: Mapping[str, Json] = (newest.data or {}).get("dimensions", {})
    return {
        "gate": newest.gate,
        "score": newest.score,
        "task": newest.task,
        "dimensions": {name: round(float(each["score"]), 1) for name, each in found.items()},
        "pass_needs": (newest.data or {}).get("pass_needs"),
        "basis": (newest.data or {}).get("basis"),
        "improved": _improved(tx, newest, found),
    }


def _improved(tx: Tx, gate: Verdict, dimensions: Mapping[str, Json]) -> JsonObject | None:
    """What the `improve` before this report has gained; None when the report follows none."""
    every = {row.key: row for row in tasks.all_tasks(tx, gate.session_id)}
    for key in every[gate.task].blocked_by:
        asked: Mapping[str, Json] = every[key].payload.get("improve") or {}
        dimension, before = str(asked.get("dimension")), asked.get("score")
        if every[key].prefix != IMPROVE or dimension not in dimensions or before is None:
            continue
        after = float(dimensions[dimension]["score"])
        return {
            "task": key,
            "dimension": dimension,
            "before": round(float(before), 1),
            "after": round(after, 1),
            "gain": round(after - float(before), 1),
            "target": asked.get("target"),
        }
    return None


def _by_rules(row: Verdict) -> bool | None:
    """Whether no model has judged; None where that was not noted."""
    agents = (row.data or {}).get("agents")
    return None if agents is None else by_rules(agents.values())


def verdict(row: Verdict) -> JsonObject:
    return {"consensus": row.consensus, "severity": row.severity, "mean": row.mean}


def faults(tx: Tx, session: str, task: str) -> tuple[list[JsonObject], str | None]:
    """What blocked the newest discussion of a task, the most severe first, and its name for `discuss`."""
    held = [row for row in records.verdicts_of(tx, session) if row.kind == "discuss" and row.task == task]
    if not held:
        return [], None
    found = [row for row in records.findings_of(tx, held[-1].id) if row.severity]
    divided = [row for row in found if row.kind == "divergence"] or found
    divided.sort(key=lambda row: _GRAVITY.index(row.severity or ""))
    views = [
        {"severity": row.severity, "perspectives": _names(row.perspective), "text": row.text}
        for row in divided
    ]
    return views, _short(held[-1].round or "")


def _names(joined: str | None) -> list[str]:
    return [name.strip() for name in (joined or "").split(",") if name.strip()]


def _short(round_key: str) -> str:
    digits = round_key.removeprefix("DISCUSS-")
    return str(int(digits)) if digits.isascii() and digits.isdigit() else round_key


def _rating(row: StoredCritique) -> JsonObject:
    reply: Mapping[str, Json] = row.reply if isinstance(row.reply, dict) else {}
    return {
        "perspective": row.perspective,
        "agent": row.agent,
        "rating": reply.get("rating"),
        "reply": row.reply,
    }


def _round(name: str) -> str:
    digits = name.upper().removeprefix("DISCUSS-").removeprefix("D")
    return (
        f"DISCUSS-{int(digits):03d}"
        if digits.isascii() and digits.isdigit() and len(digits) < 4
        else name.upper()
    )


_GRAVITY = ("HIGH", "MEDIUM", "LOW")
