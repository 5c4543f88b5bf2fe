"""The discuss of a run: which perspectives read which artifact, and what their verdict means for the report."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from orchestrator.domain.consensus import Consequence, consequence, key_finding, recommendation, report_text
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.model import Consensus
from orchestrator.domain.synthesis import synthesize
from orchestrator.store import records, transitions
from orchestrator.store.report import Discussed
from orchestrator.store.store import Tx
from workers.content import Critique
from workers.context import Context
from workers.inline.discuss import DiscussResult, discuss
from workers.inline.docgen import discussion as recording
from workers.inline.docgen.ids import content_path
from workers.roles import Produced
from workers.roles.documents import DOCUMENTS, facts, registered, stamp

ACTIONS = 3  # of each kind, in the report


@dataclass(frozen=True, slots=True)
class Critiqued:
    """What the runtime needs of a discussion."""

    consequence: Consequence
    stored: Discussed | None  # None: nobody answered, and the task goes on with a warning
    record: tuple[str, bytes] | None  # None: it could not be written, the verdict stands all the same
    summary: str  # the report's fixed form
    words: str | None
    mean: float | None
    wisdom: Sequence[tuple[str, str]]
    options: Sequence[Mapping[str, Any]] = ()


def critique(context: Context, produced: Produced) -> Critiqued:
    """Discuss the run's artifact from the perspectives of its round. Raises LeaseLost and RunReleased, else nothing."""
    row = context.row
    around = context.pack.rounds[row.round]
    text, content = artifact_of(context, produced)
    known = {
        **facts(context, _kind(produced.artifact)),
        "artifact_path": produced.artifact,
        "artifact": text,
        "artifact_content": content,
        "focus": around.focus,
    }
    done = discuss(
        context,
        around,
        known,
        stored=_stored(context),
        keep=lambda name, reply, agent, notes: keep_reply(context, name, reply, agent, notes),
        deadline=time.monotonic() + context.settings.discuss_seconds,
    )
    context.check()
    return _conclude(context, produced, done)


def artifact_of(context: Context, produced: Produced) -> tuple[str, Any]:
    """The artifact's text, with the files of its items, and its content where it has one."""
    folder = produced.artifact.rpartition("/")[0]
    paths = [produced.artifact]
    if produced.artifact.endswith("_index.md"):
        beside = {*produced.files, *context.artifacts}
        paths += sorted(path for path in beside if path.startswith(f"{folder}/") and path not in paths)
    texts = [
        produced.files[path][0].decode("utf-8", "replace") if path in produced.files else context.text(path)
        for path in paths
    ]
    text = "\n\n".join(found for found in texts if found is not None)
    kind = _kind(produced.artifact)
    if kind not in DOCUMENTS:
        return text, None
    body = produced.files.get(content_path(kind))
    if body is not None:
        return text, DOCUMENTS[kind].schema.model_validate(json.loads(body[0])["content"])
    known = registered(context, kind)
    return text, known.content if known else None


def _kind(path: str) -> str:
    return next((document.kind for document in DOCUMENTS.values() if document.path == path), "readiness")


def _stored(context: Context) -> dict[str, tuple[Critique, str, list[str]]]:
    """Replies that are there already: (reply, agent, notes) by perspective."""
    rows = context.store.read(lambda tx: records.critiques_of(tx, context.row.run))
    return {row.perspective: (Critique.model_validate(row.reply), row.agent, list(row.notes)) for row in rows}


def keep_reply(context: Context, perspective: str, reply: Critique, agent: str, notes: Sequence[str]) -> None:
    """Store a perspective's reply as it comes. Raises LeaseLost."""
    row = context.row

    def unit(tx: Tx) -> None:
        transitions.hold(tx, row.run, row.host)
        records.add_critique(tx, row.run, perspective, agent, reply.model_dump(mode="json"), list(notes))

    context.store.write(unit)


def _conclude(context: Context, produced: Produced, done: DiscussResult) -> Critiqued:
    row = context.row
    if done.verdict is None:
        warning = (
            f"{row.key}: the discussion {row.round} failed, nobody answered: {'; '.join(done.notes)[:500]}"
        )
        context.log.warning("discuss_failed", round=row.round, notes=list(done.notes))
        summary = f"[{row.role}] {row.key} complete. Discuss {row.round}: failed, no perspective answered"
        return Critiqued(Consequence("none"), None, None, summary, None, None, [("issues", warning)])
    verdict = done.verdict
    standalone = row.prefix == "DISCUSS"
    decided = any(found.subject == f"decide_discussion {row.key}" for found in context.decisions)
    follows = consequence(
        verdict, row.round, is_revision=row.revision_of is not None, standalone=standalone, decided=decided
    )
    synthesis = synthesize(done.replies, verdict)
    actions = [item.text for item in synthesis.actions]
    record = _record(context, produced, done, synthesis)
    path = record[0] if record else None
    summary = report_text(
        row.role, row.key, row.round, verdict, actions, produced.artifact, path, row.revision_of is not None
    )
    columns = {
        "round": row.round,
        "consensus": verdict.consensus,
        "severity": verdict.severity,
        "mean": round(verdict.mean, 2),
        "record": path,
        "data": {
            "actions": actions,
            "partial": done.partial,
            "notes": list(done.notes),
            "ratings": {reply.perspective: reply.rating for reply in done.replies},
            "agents": dict(done.agents),
            "artifact": produced.artifact,
        },
    }
    words = [d.text for d in verdict.divergences] + actions + list(synthesis.gaps)
    blocked = verdict.consensus is Consensus.BLOCKED
    return Critiqued(
        consequence=follows,
        stored=Discussed(
            follows, columns, _findings(done, synthesis), {"feedback": list(dict.fromkeys(words))}
        ),
        record=record,
        summary=summary,
        words=f"consensus_{verdict.consensus}" + (f" (severity={verdict.severity})" if blocked else ""),
        mean=round(verdict.mean, 2),
        wisdom=_wisdom(row.key, row.round, follows, verdict, actions),
        options=[
            {"label": item.text, "description": ", ".join(item.perspectives)}
            for item in synthesis.actions[:ACTIONS]
        ],
    )


def _findings(done: DiscussResult, synthesis: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for view in synthesis.views:
        found.append(
            {
                "kind": "divergence",
                "severity": view.severity,
                "perspective": ", ".join(view.perspectives),
                "text": view.text,
            }
        )
    for gap in synthesis.gaps:
        found.append({"kind": "missing", "severity": "HIGH", "perspective": "coverage", "text": gap})
    for item in synthesis.actions:
        found.append(
            {
                "kind": "action",
                "severity": None,
                "perspective": ", ".join(item.perspectives),
                "text": item.text,
            }
        )
    return found


def _wisdom(
    key: str, round_key: str, follows: Consequence, verdict: Any, actions: Sequence[str]
) -> list[tuple[str, str]]:
    """Warning and action items for the tasks to come, where the verdict asks for it."""
    if not follows.warns:
        return []
    reasons = "; ".join(d.text for d in verdict.divergences[:ACTIONS])
    lines = [f"{round_key} on {key}: proceed with caution, {verdict.severity or 'divided'}: {reasons}"]
    lines += [f"{round_key} on {key}: to do: {action}" for action in actions[:ACTIONS]]
    return [("issues", line) for line in lines]


def _record(
    context: Context, produced: Produced, done: DiscussResult, synthesis: Any
) -> tuple[str, bytes] | None:
    """The record's path and text; None, with a warning, when it cannot be made: the verdict stands all the same."""
    try:
        return _render(context, produced, done, synthesis)
    except (LifecycleError, ValueError, TypeError, KeyError) as error:
        context.notes.append(f"the record of {context.row.round} could not be written: {error}")
        context.log.exception("record_failed", round=context.row.round)
        return None


def _render(context: Context, produced: Produced, done: DiscussResult, synthesis: Any) -> tuple[str, bytes]:
    row, verdict = context.row, done.verdict
    assert verdict is not None
    labels = {name: view.label for name, view in context.pack.perspectives.items()}
    path = recording.record_path(row.round, row.revision_no)
    shown = recording.Discussion(
        round=row.round,
        artifact=produced.artifact,
        perspectives=tuple(labels.get(reply.perspective, reply.perspective) for reply in done.replies),
        consensus=str(verdict.consensus),
        mean=round(verdict.mean, 2),
        revision=row.revision_no,
        severity=str(verdict.severity or ""),
        recommendation=recommendation(verdict, row.round, row.revision_of is not None),
        ratings=tuple(
            recording.Rating(
                labels.get(reply.perspective, reply.perspective),
                done.agents[reply.perspective],
                reply.rating,
                key_finding(reply),
            )
            for reply in done.replies
        ),
        themes=tuple(recording.Theme(theme.text, theme.perspectives) for theme in synthesis.themes),
        divergences=tuple(
            recording.Divergence(v.text, str(v.severity), v.perspectives) for v in synthesis.views
        ),
        coverage_gaps=synthesis.gaps,
        action_items=tuple(item.text for item in synthesis.actions),
        open_questions=synthesis.questions,
        risks=tuple(recording.RiskEntry(text) for reply in done.replies for text in reply.risks),
        notes=tuple(done.notes),
        partial=done.partial,
    )
    if row.prefix == "DISCUSS":
        shown = replace(shown, standalone=_standalone(context, done, synthesis))
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


def _standalone(context: Context, done: DiscussResult, synthesis: Any) -> recording.Standalone:
    """What a round of its own keeps besides: continuity, sentiment, risks, decisions, advice."""
    row, verdict = context.row, done.verdict
    assert verdict is not None
    earlier = tuple(found.record for found in context.verdicts if found.kind == "discuss" and found.record)
    decided = [found for found in context.decisions if found.subject == f"decide_discussion {row.key}"]
    follows = consequence(
        verdict, row.round, is_revision=row.revision_of is not None, standalone=True, decided=bool(decided)
    )
    return recording.Standalone(
        previous_rounds=earlier,
        sentiment=sentiment(verdict.mean),
        risk_flags=tuple(
            f"{r.perspective}: risk level {r.risk_level}"
            for r in done.replies
            if r.risk_level in ("high", "critical")
        ),
        decision_log=tuple(
            f"{stamp(found.at)} {found.who}: {found.subject}: {found.words}" for found in context.decisions
        ),
        advice=tuple(item.text for item in synthesis.actions[:ACTIONS]),
        options=tuple(item.text for item in synthesis.actions[:ACTIONS]) if not follows.completes else (),
        needs_decision=not follows.completes,
        decision=recording.Decision(decided[-1].who, stamp(decided[-1].at), decided[-1].words)
        if decided
        else None,
    )


def sentiment(mean: float) -> str:
    """positive (4 and more), neutral (3), concerns (2), critical."""
    return next(
        (name for least, name in ((4, "positive"), (3, "neutral"), (2, "concerns")) if mean >= least),
        "critical",
    )
