"""The results of dynamic mode as people read them."""

from __future__ import annotations

from orchestrator.domain.json_types import JsonObject
from workers.documents.page import Printer


def team_page(path: str, language: str, record: JsonObject, *, version: int) -> bytes:
    """The page of a result; findings and documents differ in their template."""
    front: JsonObject = {
        "session_id": record["session"],
        "document_type": record["schema"],
        "generated_at": record["generated_at"],
        "version": version,
        "dependencies": record["dependencies"],
        "author": record["agent"],
        "task": record["task"],
    }
    template = "team_findings.md.j2" if record["schema"] == "team-findings" else "team_document.md.j2"
    return Printer(language).page(path, template, front, doc=record)
