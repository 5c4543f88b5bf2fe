"""The architect's advice and the supervisor's checks of a session, as people see them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from orchestrator.domain import concerns, supervision
from orchestrator.domain.agent_kinds import by_rules
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import artifacts
from orchestrator.store.store import Tx

SIZE_LIMIT = 1024 * 1024  # bytes of one record


def advice_views(tx: Tx, session: str) -> list[JsonObject]:
    """Each piece of advice with its verdict and its concerns, by the name of its file."""
    return [
        {
            "task": record.get("task"),
            "mode": record.get("mode"),
            "question": record.get("question"),
            "verdict": record.get("verdict"),
            "answer": record.get("answer") or "",
            "concerns": [
                {"severity": each.get("severity"), "text": each.get("text")}
                for each in _objects(record.get("concerns"))
            ],
            "agent": record.get("agent"),
            "by_rules": by_rules([str(record.get("agent"))]),
            "record": path,
            "page": f"{path.removesuffix('.json')}.md",
        }
        for path, record in _records(tx, session, concerns.FOLDER)
    ]


def supervision_views(tx: Tx, session: str) -> list[JsonObject]:
    """Each supervision with its verdict, its mean, and what did not pass."""
    return [
        {
            "task": record.get("task"),
            "verdict": record.get("verdict"),
            "mean": record.get("mean"),
            "checks": {str(each.get("check")): each.get("result") for each in _objects(record.get("checks"))},
            "risks": [
                f"{each.get('check')}: {each.get('says')}"
                for each in _objects(record.get("checks"))
                if each.get("result") != supervision.PASS
            ],
            "record": path,
            "page": f"{path.removesuffix('.json')}.md",
        }
        for path, record in _records(tx, session, supervision.FOLDER)
    ]


def _records(tx: Tx, session: str, folder: str) -> Iterator[tuple[str, JsonObject]]:
    """The newest version of each; one that a person has edited beyond recognition is left out."""
    for row in artifacts.newest(tx, session):
        if not row.path.startswith(folder) or not row.path.endswith(".json") or row.size > SIZE_LIMIT:
            continue
        try:
            record = json.loads(artifacts.body(tx, row.sha256))
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and record.get("verdict"):
            yield row.path, record


def _objects(value: object) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
