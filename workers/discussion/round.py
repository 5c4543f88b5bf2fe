"""The discuss of a run: which perspectives read which artifact, and what their verdict means for the report."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence

from orchestrator.domain.agent_kinds import by_rules
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.dynamic_session import ARTIFACT
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import Consensus, Severity
from orchestrator.domain.own_discussion import EARLIER, OPTION
from orchestrator.domain.synthesis import Synthesis, synthesize
from orchestrator.domain.verdicts import (
    Consequence,
    Verdict,
    consequence,
    report_text,
)
from orchestrator.door.desk import Decision, Discussed, GivenCritique, RoundFinding, RoundVerdict
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext, decision_on, storable
from workers.context.team_results import quoted_lines
from workers.context.written_documents import registered
from workers.discussion.critics import Answer
from workers.discussion.perspectives import NEVER_NOTES, DiscussResult, discuss
from workers.discussion.record import ACTIONS, Former, is_standalone, write_record
from workers.documents.as_written import written_contents
from workers.documents.content import Content, Critique
from workers.documents.identifiers import content_path
from workers.documents.lint import findings_of, listed
from workers.documents.models import model_of
from workers.roles import Produced
from workers.roles.drafting import edited, facts

FAULTS = 10  # that a pause keeps of a discussion which waits for a person


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
    options: Sequence[Mapping[str, Json]] = ()
    faults: Sequence[Mapping[str, Json]] = ()  # what divided the perspectives, the gravest first


def critique(calls: AgentCalls, produced: Produced) -> Critiqued:
    """Discuss the run's artifact from the perspectives of its round.

    Raises LeaseLost, RunReleased and StoreError; anything else that goes wrong is a failed discussion, not a failed task.
    """
    context = calls.run
    try:
        done = _held(calls, produced)
    except NEVER_NOTES:
        raise
    except Exception as error:
        context.end_if_replaced(error)
        context.log.exception("discuss_broken", round=context.row.round)
        done = DiscussResult(None, notes=(f"{type(error).__name__}: {error}",))
    context.check()
    return (
        _failed(context, done) if done.verdict is None else _conclude(context, produced, done, done.verdict)
    )


def _held(calls: AgentCalls, produced: Produced) -> DiscussResult:
    context = calls.run
    around = context.pack.rounds[context.row.discussed_in]
    text, content = artifact_of(context, produced)
    document = context.pack.documents.of_path(produced.artifact)
    own = (
        OPTION in context.session.options
    )  # a file of one's own: there is no request but what it says itself
    known = {
        **facts(context, document),
        **({"request": text} if own else {}),
        "artifact_path": produced.artifact,
        "artifact": text,
        "artifact_content": content,
        "edited": edited(context),
        "focus": around.focus,
        "gate": _gate(context, produced) if around.signs_off else None,
    }
    judged = {**known, **_as_edited(context, known)}
    if own:  # what is left open in it is not excused by standing in it
        judged["request"] = ""
    if ARTIFACT in context.payload:
        judged["codebase"] = quoted_lines(context, produced.files)
    known["findings"] = findings_of(judged, context.workdir)
    return discuss(
        calls,
        around,
        known,
        earlier=_earlier(context),
        findings=listed(known["findings"], "" if document is None or document.is_report else document.kind),
        made=produced.files,
        stored=_stored(context),
        keep=lambda answers: _keep(context, answers),
        deadline=time.monotonic() + context.settings.discuss_seconds,
    )


def _as_edited(context: RunContext, known: Mapping[str, Json]) -> dict[str, Content]:
    """The documents as a person's edits left them; nothing where nobody edited any."""
    if not known["edited"]:
        return {}
    texts = {path: context.text(path) or "" for path in context.artifacts if path.startswith("spec/")}
    return written_contents(texts, context.pack.documents)


def _gate(context: RunContext, produced: Produced) -> JsonObject | None:
    """What the quality check found: this run's own, else the last one; None before there is any."""
    if produced.gate is not None:
        return {**produced.gate}
    last = next((row for row in reversed(context.verdicts) if row.kind == "gate"), None)
    return {"gate": str(last.gate), "score": last.score, "data": last.data} if last else None


def _earlier(context: RunContext) -> list[tuple[str, str]]:
    """The records of earlier rounds: for a round of its own all of them, else the last one."""
    paths = _earlier_paths(context)
    shown = paths if is_standalone(context.row) else paths[-1:]
    return [(f"An earlier record: {path}", context.text(path) or "") for path in shown]


def _earlier_paths(context: RunContext) -> list[str]:
    before = sorted(path for path in context.artifacts if path.startswith(EARLIER))  # of the same file
    told = [found.record for found in context.verdicts if found.kind == "discuss"]
    return [*before, *(path for path in told if path is not None and path in context.artifacts)]


def artifact_of(context: RunContext, produced: Produced) -> tuple[str, Content | None]:
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
    document = context.pack.documents.of_path(produced.artifact)
    if document is None or document.is_report:
        return text, None
    body = produced.files.get(content_path(document.kind))
    if body is not None:
        return text, model_of(document).model_validate(json.loads(body[0])["content"])
    known = registered(context, document)
    return text, known.content if known else None


def _stored(context: RunContext) -> dict[str, Answer]:
    """The replies that are there already, by perspective."""
    rows = context.desk.critiques(context.row.run)
    return {
        row.perspective: Answer(Critique.model_validate(row.reply), row.agent, tuple(row.notes))
        for row in rows
    }


def _keep(context: RunContext, answers: Mapping[str, Answer]) -> None:
    """Store the replies of one call as they come, all or none. Raises LeaseLost."""
    context.check()
    replies = [
        GivenCritique(name, answer.agent, answer.critique.model_dump(mode="json"), tuple(answer.notes))
        for name, answer in answers.items()
    ]
    context.desk.keep_critiques(context.row, replies)


def _failed(context: RunContext, done: DiscussResult) -> Critiqued:
    """Nobody answered: the task goes on, with a warning."""
    row = context.row
    why = "; ".join(filter(None, [*done.notes, done.partial])) or "no perspective was left"
    context.log.warning("discuss_failed", round=row.round, why=why)
    return Critiqued(
        consequence=Consequence("none"),
        stored=None,
        record=None,
        summary=f"[{row.role}] {row.key} complete. Discuss {row.round}: failed, no perspective answered",
        words=None,
        mean=None,
        wisdom=[("issues", storable(f"{row.key}: the discussion {row.round} failed: {why[:500]}"))],
    )


def _conclude(context: RunContext, produced: Produced, done: DiscussResult, verdict: Verdict) -> Critiqued:
    row = context.row
    follows = _follows(context, verdict)
    synthesis = synthesize(done.replies, verdict)
    actions = [item.text for item in synthesis.actions]
    former = Former(tuple(_earlier_paths(context)), _decision(context), follows.completes)
    record = write_record(context, produced.artifact, done, verdict, synthesis, former)
    path = record[0] if record else None
    summary = report_text(
        row.role,
        row.key,
        row.discussed_in,
        verdict,
        actions,
        produced.artifact,
        path,
        signs_off=context.pack.rounds[row.discussed_in].signs_off,
        is_revision=row.revision_of is not None,
        by_rules=by_rules(done.answers[reply.perspective].agent for reply in done.replies),
    )
    came_to = RoundVerdict(
        round=row.round,
        consensus=verdict.consensus,
        severity=verdict.severity,
        mean=round(verdict.mean, 2),
        record=path,
        data={
            "actions": actions,
            "partial": done.partial,
            "notes": list(done.notes),
            "ratings": {reply.perspective: reply.rating for reply in done.replies},
            "agents": {reply.perspective: done.answers[reply.perspective].agent for reply in done.replies},
            "artifact": produced.artifact,
        },
    )
    words = [d.text for d in verdict.divergences] + actions + list(synthesis.gaps)
    blocked = verdict.consensus is Consensus.BLOCKED
    return Critiqued(
        consequence=follows,
        stored=Discussed(
            follows, came_to, _findings(synthesis), {"feedback": [], "remarks": list(dict.fromkeys(words))}
        ),
        record=record,
        summary=summary,
        words=f"consensus_{verdict.consensus}" + (f" (severity={verdict.severity})" if blocked else ""),
        mean=round(verdict.mean, 2),
        wisdom=_wisdom(row.key, row.discussed_in, follows, verdict, actions),
        options=[
            {"label": item.text, "description": ", ".join(item.perspectives)}
            for item in synthesis.actions[:ACTIONS]
        ],
        faults=[
            {"severity": d.severity, "perspectives": list(d.perspectives), "text": one_line(d.text, 1_000)}
            for d in verdict.divergences[:FAULTS]
        ],
    )


def _follows(context: RunContext, verdict: Verdict) -> Consequence:
    row = context.row
    return consequence(
        verdict,
        signs_off=context.pack.rounds[row.discussed_in].signs_off,
        is_revision=row.revision_of is not None,
        standalone=is_standalone(row),
        decided=_decision(context) is not None,
    )


def _decision(context: RunContext) -> Decision | None:
    """What a person decided on this very discussion."""
    own = decision_on(context.row)
    return next((found for found in reversed(context.decisions) if found.subject == own), None)


def _findings(synthesis: Synthesis) -> list[RoundFinding]:
    rows: list[tuple[str, Severity | None, Sequence[str], str]] = [
        *(("divergence", view.severity, view.perspectives, view.text) for view in synthesis.views),
        *(("missing", Severity.HIGH, ("coverage",), gap) for gap in synthesis.gaps),
        *(("action", None, item.perspectives, item.text) for item in synthesis.actions),
    ]
    return [RoundFinding(kind, severity, ", ".join(who), text) for kind, severity, who, text in rows]


def _wisdom(
    key: str, round_key: str, follows: Consequence, verdict: Verdict, actions: Sequence[str]
) -> list[tuple[str, str]]:
    """Warning and action items for the tasks to come, where the verdict asks for it."""
    if not follows.warns:
        return []
    reasons = "; ".join(d.text for d in verdict.divergences[:ACTIONS])
    lines = [f"{round_key} on {key}: proceed with caution, {verdict.severity or 'divided'}: {reasons}"]
    lines += [f"{round_key} on {key}: to do: {action}" for action in actions[:ACTIONS]]
    return [("issues", one_line(line)) for line in lines]
