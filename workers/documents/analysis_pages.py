"""The pages of an analysis for people: discussion.md, a timeline with every decision, and report.md."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain.json_types import JsonObject
from workers.documents.page import Printer


def timeline_page(
    title: str,
    language: str,
    analyses: Sequence[JsonObject],
    rounds: Sequence[JsonObject],
    conclusions: JsonObject | None = None,
) -> bytes:
    """What was analyzed, each round with what it changed, and the decisions that led there."""
    newest = conclusions or rounds[-1]
    return Printer(language).page(
        "discussion.md",
        "analysis_discussion.md.j2",
        _front(newest),
        name=title,
        analyses=analyses,
        rounds=rounds,
        told={insight["text"] for each in analyses for insight in each["key_insights"]},
        conclusions=conclusions,
    )


def report_page(title: str, language: str, conclusions: JsonObject, analyses: Sequence[JsonObject]) -> bytes:
    """The conclusions as somebody reads them who has seen nothing else of the session."""
    return Printer(language).page(
        "report.md",
        "analysis_report.md.j2",
        _front(conclusions),
        name=title,
        conclusions=conclusions,
        analyses=analyses,
        numbers={each["point"]: number for number, each in enumerate(conclusions["key_conclusions"], 1)},
    )


def _front(record: JsonObject) -> JsonObject:
    return {
        "session_id": record["session"],
        "document_type": record["schema"],
        "generated_at": record["generated_at"],
        "version": 1,
        "author": record["agent"],
        "task": record["task"],
    }
