"""What a command's revisions came to: what each changed, and what is left open of a person's words and edits."""

from __future__ import annotations

from typing import TypedDict

from orchestrator.store import messages
from orchestrator.store.store import Tx


class Changed(TypedDict):
    task: str
    changed: list[str]  # a line each; empty where nothing was


class Unmet(TypedDict):
    task: str  # the first one that says it
    text: str


class Revised(TypedDict):
    changed: list[Changed]
    unmet: list[Unmet]


def revised(tx: Tx, session: str, after: int) -> Revised:
    """What the revisions said in messages behind number `after`."""
    changed: list[Changed] = []
    unmet: dict[str, str] = {}
    while batch := messages.after(tx, session, after):
        after = batch[-1].number
        for row in batch:
            data = row.data or {}
            if "revised" in data:
                changed.append({"task": data["task"], "changed": data["revised"]})
            if text := data.get("unmet"):
                unmet.setdefault(text, data["task"])
    return {"changed": changed, "unmet": [{"task": task, "text": text} for text, task in unmet.items()]}
