"""The record of a discussion: what the perspectives said of an artifact and what follows (docs/domain.md, section 8)."""

from __future__ import annotations

from pathlib import Path

from orchestrator.domain.critiques import Divergence
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.synthesis import Theme
from workers.documents.content import Risk
from workers.documents.page import Printer


@dataclass(frozen=True, slots=True)
class Rating:
    label: str  # the perspective as a person reads it
    agent: str
    rating: int
    key_finding: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided in a blocked round."""

    who: str
    when: str
    text: str


@dataclass(frozen=True, slots=True)
class Standalone:
    """What a round that is a task of its own keeps besides."""

    previous_rounds: tuple[str, ...] = ()  # paths of records
    sentiment: str = ""
    risk_flags: tuple[str, ...] = ()
    decision_log: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    needs_decision: bool = False
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Discussion:
    round: str  # DISCUSS-002
    artifact: str  # path in the session directory
    perspectives: tuple[str, ...]
    consensus: str  # reached, blocked
    mean: float | None
    revision: int = 0  # n of the -R<n> task it belongs to
    severity: str = ""
    recommendation: str = ""
    ratings: tuple[Rating, ...] = ()
    themes: tuple[Theme, ...] = ()
    divergences: tuple[Divergence, ...] = ()
    coverage_gaps: tuple[str, ...] = ()
    action_items: tuple[str, ...] = ()  # most important first
    open_questions: tuple[str, ...] = ()
    risks: tuple[Risk, ...] = ()
    notes: tuple[str, ...] = ()  # what was cut, replaced, left out
    partial: str = ""  # why not every perspective answered
    standalone: Standalone | None = None


def record_path(round: str, revision: int = 0) -> str:
    return (
        f"discussions/{round}-R{revision}-discussion.md" if revision else f"discussions/{round}-discussion.md"
    )


def render_discussion(
    discussion: Discussion,
    *,
    session_id: str,
    phase: str,
    task: str,
    generated_at: str,
    version: int = 1,
    agent: str = "",
    language: str = "en",
    folders: tuple[Path, ...] = (),
) -> dict[str, bytes]:
    """The record's file by path."""
    path = record_path(discussion.round, discussion.revision)
    front: JsonObject = {
        "session_id": session_id,
        "phase": phase,
        "document_type": "discussion",
        "status": "partial" if discussion.partial else "complete",
        "generated_at": generated_at,
        "version": version,
        "dependencies": [discussion.artifact],
        "author": agent or ", ".join(dict.fromkeys(rating.agent for rating in discussion.ratings)),
        "task": task,
        "round": discussion.round,
    }
    return {path: Printer(language, folders).page(path, "discussion.md.j2", front, doc=discussion)}
