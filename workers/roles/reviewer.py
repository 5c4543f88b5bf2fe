"""The reviewer: scores the specification by rules and writes the readiness report (QUALITY)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from orchestrator.domain.quality import Score
from workers.builtin.request import analyse_request
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.documents.assess import assess
from workers.documents.content import Discovery
from workers.documents.identifiers import Registered
from workers.documents.reader import validate
from workers.documents.readiness import build_readiness, build_summary
from workers.documents.render import RenderContext, render
from workers.roles import Produced
from workers.roles.documents import BY_TASK, DOCUMENTS, DocumentFaulty, registered, stamp

REPORT = "spec/readiness-report.md"


def produce(context: RunContext, _: AgentCalls) -> Produced:
    """Score, gate, readiness report and summary. By rules alone: the same documents give the same score."""
    texts = {path: context.text(path) or "" for path in context.artifacts if path.startswith("spec/")}
    files = {path: text.encode() for path, text in texts.items() if path != REPORT}
    known = {kind: found for kind in DOCUMENTS if (found := registered(context, kind)) is not None}
    discovery = known.get("discovery")
    asked = stated(context.session.request, context.session.language, discovery)
    score = assess(files, set(context.artifacts), asked, context.pack.gates)
    language = context.session.language
    readiness = build_readiness(score, language, checkpoint=bool(context.row.checkpoint_after))
    current = context.artifacts.get(REPORT)
    shown = RenderContext(
        session_id=context.session.id,
        title=getattr(discovery.content, "title", context.session.title)
        if discovery
        else context.session.title,
        phase=context.row.phase,
        status="complete",
        generated_at=stamp(context.row.opened_at),
        version=(current.version if current else 0) + 1,
        agent="rules",
        task=context.row.key,
        language=language,
        documents=known,
    )
    made = render("readiness", (readiness, build_summary(score, known, language)), shown)
    faults = validate(made, {*context.artifacts, *made})
    if faults:
        raise DocumentFaulty("the readiness report has faults of form", why="; ".join(faults[:5]))
    return Produced(
        files={path: (body, "report") for path, body in made.items()},
        artifact=REPORT,
        summary=f"gate {score.gate} with {score.total:.1f} %, coverage {score.coverage:.0f} %",
        message_type="quality_result",
        agent="rules",
        notes=score.notes,
        gate={"gate": str(score.gate), "score": round(score.total, 2), "data": _gate_data(score)},
        shared={"gate": str(score.gate), "score": round(score.total, 2)},
    )


def stated(request: str, language: str, discovery: Registered | None) -> list[str]:
    """Everything the request asks for, and what a discovery saw in it besides; what is ruled out left aside.

    Read from the request itself: held against what was carried, the share would always be whole.
    """
    read = analyse_request(request, language)
    needs = (*read.needs, *read.beyond)
    said = {text for need in needs for text in (need.text, need.quote)}
    content = discovery.content if discovery else None
    rows = content.requirements if isinstance(content, Discovery) else []
    return [
        *(need.text for need in needs if need.kind != "exclusion"),
        *(row.text for row in rows if row.kind != "exclusion" and row.text not in said),
    ]


def _gate_data(score: Score) -> dict[str, Any]:
    """The five dimensions as plain values; a weak area names the draft that would have to change."""
    return {
        "total": round(score.total, 2),
        "coverage": round(score.coverage, 2),
        "dimensions": {
            name: {
                "score": round(found.score, 2),
                "weight": found.weight,
                "notes": list(found.notes),
                "weak": [{**asdict(area), "document": _draft_of(area.where)} for area in found.weak],
            }
            for name, found in score.dimensions.items()
        },
    }


def _draft_of(where: str) -> str | None:
    """The task that writes the document at a path, or the one that defines an identifier."""
    for task, document in BY_TASK.items():
        folder = document.path.rpartition("/")[0]
        if (
            where == document.path
            or (folder != "spec" and where.startswith(f"{folder}/"))
            or where == document.kind
        ):
            return task
    return next((task for prefix, task in _BY_IDENTIFIER.items() if where.startswith(prefix)), None)


_BY_IDENTIFIER = {
    "G-": "DRAFT-001",
    "REQ-": "DRAFT-002",
    "NFR-": "DRAFT-002",
    "ADR-": "DRAFT-003",
    "EPIC-": "DRAFT-004",
    "STORY-": "DRAFT-004",
}
