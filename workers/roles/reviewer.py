"""The reviewer: scores the specification by rules (QUALITY), and reviews code (REVIEW)."""

from __future__ import annotations

from orchestrator.domain.agent_kinds import RULES
from orchestrator.domain.dataclass import asdict
from orchestrator.domain.documents import Catalogue
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.pauses import PAUSES
from orchestrator.domain.quality import Score
from orchestrator.domain.spec_items import FOLDER
from workers.builtin.request import analyse_request
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.context.sources import EXPLORATION
from workers.context.written_documents import known_of
from workers.documents.assess import assess
from workers.documents.content import Discovery
from workers.documents.fates import PATH as LEDGER
from workers.documents.fates import Ledger, read_ledger
from workers.documents.lint import Sources
from workers.documents.readiness import build_readiness, build_summary, pass_needs
from workers.roles import Produced
from workers.roles.drafting import discovery_of, edited, form, made_by, render_context, said

REVIEW = "REVIEW"  # the prefix of tasks that review code
_APPROVING = frozenset(pause.decision for pause in PAUSES.values() if FOLDER in pause.approves)


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The readiness report of the specification, or the review of code."""
    if context.row.prefix == REVIEW:
        from workers.roles import code_review  # git and the rules for code are not needed for a score

        return code_review.produce(context, calls)
    return _scored(context)


def _scored(context: RunContext) -> Produced:
    """Score, gate, readiness report and summary. By rules alone: the same documents give the same score."""
    catalogue, report = context.pack.documents, made_by(context, context.row.key)
    texts = {path: context.text(path) or "" for path in context.artifacts if path.startswith("spec/")}
    files = {path: text.encode() for path, text in texts.items() if path != report.path}
    language = context.session.language
    ledger, discovery = read_ledger(context.json(LEDGER)), discovery_of(context)
    asked = stated(context.session.request, language, discovery, ledger)
    gates = context.pack.gates
    score = assess(files, set(context.artifacts), asked, gates, catalogue, report.kind, _sources(context))
    pauses = bool(context.row.checkpoint_after)
    readiness = build_readiness(
        score, language, checkpoint=pauses, improvable=not _improved_nothing(context, score), ledger=ledger
    )
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
        gate={
            "gate": str(score.gate),
            "score": round(score.total, 2),
            "data": _gate_data(score, catalogue, language),
        },
        shared={"gate": str(score.gate), "score": round(score.total, 2)},
    )


def _sources(context: RunContext) -> Sources:
    """What the documents are held against: the request and everything that people and the repository said since."""
    ledger = read_ledger(context.json(LEDGER))
    unread = tuple(ledger.lost()) if ledger else ()
    given = [line for lines in context.wisdom.values() for line in lines]
    exploration, told = context.text(EXPLORATION), said(context)
    return Sources(
        request=context.session.request,
        language=context.session.language,
        discovery=discovery_of(context),
        unread=unread,
        given=(*given, *told, *([exploration] if exploration else [])),
        edits=tuple(edited(context)),
        said=told,
        approved=_approved(context),
    )


def _approved(context: RunContext) -> frozenset[str]:
    """The files of the specification that are as a person last approved them."""
    last = max(
        (row.at for row in context.decisions if row.subject.partition(" ")[0] in _APPROVING), default=None
    )
    if last is None:
        return frozenset()
    return frozenset(path for path, row in context.artifacts.items() if row.created_at <= last)


def stated(
    request: str, language: str, discovery: Discovery | None, ledger: Ledger | None = None
) -> list[str]:
    """Everything the request asks for: what its discovery took from it, and what its ledger says became nothing.

    Without a ledger the request itself is read by rules. What is ruled out is left aside.
    """
    rows = [row.text for row in discovery.requirements if row.kind != "exclusion"] if discovery else []
    if discovery and ledger:
        found = [*rows, *(goal.text for goal in discovery.goals), *ledger.lost()]
    else:
        read = analyse_request(request, language)
        found = [*(need.text for need in (*read.needs, *read.beyond) if need.kind != "exclusion"), *rows]
    return list(dict.fromkeys(found))


def _improved_nothing(context: RunContext, score: Score) -> bool:
    """Whether the last thing that a person asked for was `improve`, and its dimension is no higher than before."""
    last = context.decisions[-1] if context.decisions else None
    gates = [row for row in context.verdicts if row.kind == "gate"]
    if last is None or last.subject != "improve" or last.words not in score.dimensions or not gates:
        return False
    before = (gates[-1].data or {}).get("dimensions", {}).get(last.words)
    return before is not None and score.dimensions[last.words].score <= float(before["score"])


def _gate_data(score: Score, catalogue: Catalogue, language: str) -> JsonObject:
    """The five dimensions as plain values; a weak area names the draft that would have to change."""
    basis = score.basis
    return {
        "total": round(score.total, 2),
        "coverage": round(score.coverage, 2),
        "pass_needs": pass_needs(score, language) or None,
        "basis": basis and {"given": basis.given, "proposed": basis.proposed, "open": list(basis.open)},
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
