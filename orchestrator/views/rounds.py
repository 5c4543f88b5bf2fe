"""The history of a session's discussions: a row a perspective, a column each time a round was held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.json_types import Json
from orchestrator.domain.shared_calls import apart
from orchestrator.store import records
from orchestrator.store.rows import Finding, StoredCritique, Verdict
from orchestrator.store.store import Tx

DIVERGENCE, ACTION = "divergence", "action"  # kinds of findings of a verdict

SEVERITIES = ("LOW", "MEDIUM", "HIGH")


class Divergence(TypedDict):
    severity: str | None
    perspectives: list[str]
    text: str


class Column(TypedDict):
    """One time a round was held: of the task itself, or of a revision of it. `column` is its name."""

    column: str
    round: str
    task: str
    at: str | None
    consensus: str | None
    severity: str | None
    mean: float | None
    divergences: list[Divergence]
    actions: list[str]
    record: str | None


class Cell(TypedDict):
    """`rating` is None where the reply has none; `model` where the agent told none."""

    rating: int | float | None
    agent: str
    model: str | None


class Row(TypedDict):
    """`cells`: by the name of the column; a perspective that was not asked in a round has none there."""

    perspective: str
    cells: dict[str, Cell]


class History(TypedDict):
    session: str
    columns: list[Column]
    rows: list[Row]


def history(tx: Tx, session: str) -> History:
    """Every discussion that has a verdict, oldest first."""
    verdicts = [row for row in records.verdicts_of(tx, session) if row.kind == "discuss"]
    models = _models(tx, session)
    rows: dict[str, dict[str, Cell]] = {}
    columns: list[Column] = []
    for row in verdicts:
        column = _column(row, records.findings_of(tx, row.id), {each["column"] for each in columns})
        columns.append(column)
        for critique in records.critiques_of(tx, row.run_id):
            model = models.get((row.run_id, critique.perspective))
            rows.setdefault(critique.perspective, {})[column["column"]] = _cell(critique, model)
    return {
        "session": session,
        "columns": columns,
        "rows": [{"perspective": name, "cells": cells} for name, cells in rows.items()],
    }


def _column(row: Verdict, found: list[Finding], taken: set[str]) -> Column:
    name = f"{row.round} {row.task}"
    number = 2
    while name in taken:  # a standalone discussion may be held of the same task again
        name = f"{row.round} {row.task} ({number})"
        number += 1
    return {
        "column": name,
        "round": row.round or "",
        "task": row.task,
        "at": stamp(row.created_at),
        "consensus": row.consensus,
        "severity": row.severity,
        "mean": row.mean,
        "divergences": [
            {
                "severity": each.severity,
                "perspectives": [
                    part.strip() for part in (each.perspective or "").split(",") if part.strip()
                ],
                "text": each.text,
            }
            for each in found
            if each.kind == DIVERGENCE
        ],
        "actions": [each.text for each in found if each.kind == ACTION],
        "record": row.record,
    }


def each_once(divergences: Sequence[Divergence]) -> list[Divergence]:
    """What divided a discussion, each text once with all whom it divided, the most severe first: pairs repeat it."""
    found: dict[str, Divergence] = {}
    for each in sorted(divergences, key=lambda each: -SEVERITIES.index(each["severity"] or "LOW")):
        known = found.setdefault(each["text"], {**each, "perspectives": []})
        known["perspectives"] += [name for name in each["perspectives"] if name not in known["perspectives"]]
    return list(found.values())


def _cell(row: StoredCritique, model: str | None) -> Cell:
    reply: Mapping[str, Json] = row.reply if isinstance(row.reply, Mapping) else {}
    rating = reply.get("rating")
    is_number = isinstance(rating, int | float) and not isinstance(rating, bool)
    return {"rating": rating if is_number else None, "agent": row.agent, "model": model}


def _models(tx: Tx, session: str) -> dict[tuple[str, str], str]:
    """(run, perspective) -> the model that answered last; of a shared call for each of its perspectives."""
    found = {}
    for call in records.calls_of(tx, session):
        if call.perspective is not None and call.model is not None:
            for name in apart(call.perspective):
                found[call.run_id, name] = call.model
    return found
