"""The record of a discussion, from its replies and its verdict (docs/domain.md, section 8)."""

from __future__ import annotations

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.synthesis import Synthesis
from orchestrator.domain.verdicts import Verdict, key_finding, recommendation
from orchestrator.door.desk import Decision, Run
from workers.context.run_context import RunContext
from workers.context.written_documents import stamp
from workers.discussion import record_page as recording
from workers.discussion.perspectives import NEVER_NOTES, DiscussResult

ACTIONS = 3  # action items in the report, the advice and the options


@dataclass(frozen=True, slots=True)
class Former:
    """What a round of its own goes on from."""

    records: tuple[str, ...]  # of the rounds before
    decision: Decision | None  # a person's, on this very discussion
    completes: bool  # False: it waits for that decision


def is_standalone(row: Run) -> bool:
    """Whether the task is a round of its own."""
    return bool(row.prefix == "DISCUSS")


def write_record(
    context: RunContext,
    artifact: str,
    done: DiscussResult,
    verdict: Verdict,
    synthesis: Synthesis,
    former: Former,
) -> tuple[str, bytes] | None:
    """The record's path and text; None, with a warning, when it cannot be made: the verdict stands all the same."""
    try:
        return _render(context, artifact, done, verdict, synthesis, former)
    except NEVER_NOTES:
        raise
    except Exception as error:
        context.end_if_replaced(error)
        context.notes.append(f"the record of {context.row.round} could not be written: {error}")
        context.log.exception("record_failed", round=context.row.round)
        return None


def _render(
    context: RunContext,
    artifact: str,
    done: DiscussResult,
    verdict: Verdict,
    synthesis: Synthesis,
    former: Former,
) -> tuple[str, bytes]:
    row = context.row
    labels = {name: view.label for name, view in context.pack.perspectives.items()}
    path = recording.record_path(row.discussed_in, row.revision_no)
    shown = recording.Discussion(
        round=row.discussed_in,
        artifact=artifact,
        perspectives=tuple(labels.get(reply.perspective, reply.perspective) for reply in done.replies),
        consensus=str(verdict.consensus),
        mean=round(verdict.mean, 2),
        revision=row.revision_no,
        severity=str(verdict.severity or ""),
        recommendation=recommendation(
            verdict,
            signs_off=context.pack.rounds[row.discussed_in].signs_off,
            is_revision=row.revision_of is not None,
        ),
        ratings=tuple(
            recording.Rating(
                labels.get(reply.perspective, reply.perspective),
                done.answers[reply.perspective].agent,
                reply.rating,
                key_finding(reply),
            )
            for reply in done.replies
        ),
        themes=synthesis.themes,
        divergences=synthesis.views,
        coverage_gaps=synthesis.gaps,
        action_items=tuple(item.text for item in synthesis.actions),
        open_questions=synthesis.questions,
        risks=tuple(
            risk
            for reply in done.replies
            for risk in done.answers[reply.perspective].critique.risks[: len(reply.risks)]
        ),
        notes=tuple(done.notes),
        partial=done.partial,
        standalone=_standalone(context, done, verdict, synthesis, former) if is_standalone(row) else None,
    )
    current = context.artifacts.get(path)
    files = recording.render_discussion(
        shown,
        session_id=context.session.id,
        phase=row.phase,
        task=row.key,
        generated_at=stamp(row.opened_at),
        version=(current.version if current else 0) + 1,
        language=context.session.language,
    )
    return path, files[path]


def _standalone(
    context: RunContext, done: DiscussResult, verdict: Verdict, synthesis: Synthesis, former: Former
) -> recording.Standalone:
    """What a round of its own keeps besides: continuity, sentiment, risks, decisions, advice."""
    decided = former.decision
    advice = tuple(item.text for item in synthesis.actions[:ACTIONS])
    return recording.Standalone(
        previous_rounds=former.records,
        sentiment=sentiment(verdict.mean),
        risk_flags=tuple(
            f"{r.perspective}: risk level {r.risk_level}"
            for r in done.replies
            if r.risk_level in ("high", "critical")
        ),
        decision_log=tuple(
            f"{stamp(found.at)} {found.who}: {found.subject}: {found.words}" for found in context.decisions
        ),
        advice=advice,
        options=() if former.completes else advice,
        needs_decision=not former.completes,
        decision=recording.Decision(decided.who, stamp(decided.at), decided.words) if decided else None,
    )


def sentiment(mean: float) -> str:
    """positive (4 and more), neutral (3), concerns (2), critical."""
    return next(
        (name for least, name in ((4, "positive"), (3, "neutral"), (2, "concerns")) if mean >= least),
        "critical",
    )
