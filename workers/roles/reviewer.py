"""The reviewer: scores the specification by rules and writes the readiness report (QUALITY)."""

from __future__ import annotations

from dataclasses import asdict

from orchestrator.domain.agent_kinds import RULES
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.quality import Score
from workers.builtin.request import analyse_request
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.documents.assess import assess
from workers.documents.content import Discovery
from workers.documents.fates import PATH as LEDGER
from workers.documents.fates import Ledger, read_ledger
from workers.documents.readiness import build_readiness, build_summary
from workers.roles import Produced
from workers.roles.drafting import discovery_of, form, known_of, made_by, render_context


def produce(context: RunContext, _: AgentCalls) -> Produced:
    """Score, gate, readiness report and summary. By rules alone: the same documents give the same score."""
    catalogue, report = context.pack.documents, made_by(context, context.row.key)
    texts = {path: context.text(path) or "" for path in context.artifacts if path.startswith("spec/")}
    files = {path: text.encode() for path, text in texts.items() if path != report.path}
    language = context.session.language
    ledger = read_ledger(context.json(LEDGER))
    asked = stated(context.session.request, language, discovery_of(context), ledger)
    score = assess(files, set(context.artifacts), asked, context.pack.gates, catalogue, report.kind)
    pauses = bool(context.row.checkpoint_after)
    readiness = build_readiness(score, language, checkpoint=pauses, ledger=ledger)
    known = known_of(context, [catalogue[kind] for kind in report.scores])
    shown = render_context(context, report, RULES, known, status="complete")
    made = form(context, report, (readiness, build_summary(score, known, language)), shown)
    return Produced(
        files={path: (body, "report") for path, (body, _) in made.items()},
        artifact=report.path,
        summary=f"gate {score.gate} with {score.total:.1f} %, coverage {score.coverage:.0f} %",
        message_type="quality_result",
        agent=RULES,
        notes=score.notes,
        gate={"gate": str(score.gate), "score": round(score.total, 2), "data": _gate_data(score, catalogue)},
        shared={"gate": str(score.gate), "score": round(score.total, 2)},
    )


def stated(
    request: str, language: str, discovery: Discovery | None, ledger: Ledger | None = None
) -> list[str]:
    """Everything the request asks for, and what a discovery saw in it besides; what is ruled out left aside.

    Read from the request itself: held against what was carried, the share would always be whole. A block that nobody read
    may ask for something too.
    """
    read = analyse_request(request, language)
    needs = (*read.needs, *read.beyond)
    said = {text for need in needs for text in (need.text, need.quote)}
    rows = discovery.requirements if discovery else []
    return [
        *(need.text for need in needs if need.kind != "exclusion"),
        *(row.text for row in rows if row.kind != "exclusion" and row.text not in said),
        *(entry.text for entry in (ledger.unread() if ledger else ())),
    ]


def _gate_data(score: Score, catalogue: Catalogue) -> JsonObject:
    """The five dimensions as plain values; a weak area names the draft that would have to change."""
    return {
        "total": round(score.total, 2),
        "coverage": round(score.coverage, 2),
        "dimensions": {
            name: {
                "score": round(found.score, 2),
                "weight": found.weight,
                "notes": list(found.notes),
                "weak": [
                    {**asdict(area), "document": _draft_of(area.where, catalogue)} for area in found.weak
                ],
            }
            for name, found in score.dimensions.items()
        },
    }


def _draft_of(where: str, catalogue: Catalogue) -> str | None:
    """The task that writes the document at a path, or the one that defines an identifier."""
    document = catalogue.about(where)
    return document.task if document else None
