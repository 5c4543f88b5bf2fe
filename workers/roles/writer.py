"""The writer: every document but discovery and report, their revisions, and improvements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote

from orchestrator.domain.documents import DISCOVERY, DocumentDef
from orchestrator.domain.errors import AgentError
from orchestrator.domain.inert import one_line
from orchestrator.domain.revisions import IMPROVE
from orchestrator.domain.text_diff import in_short
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.context.written_documents import registered
from workers.documents.condensed import listed
from workers.documents.content import Architecture, ArchitectureReview, Content, Requirements
from workers.documents.hand_edits import changes, upheld
from workers.documents.identifiers import IDENTIFIER, Registered, allot
from workers.documents.still_said import still_said
from workers.documents.version_changes import version_changes
from workers.roles import Produced
from workers.roles.carrying import carry
from workers.roles.drafting import ask, before, facts, form, is_reworked, made_by, render_context

REVIEW = "Review this draft of an architecture critically: what is missing, wrong, risky or unproven?"
MOST_PIECES, LONGEST_PIECE = (
    3,
    120,
)  # of a document before a revised one: pieces that are quoted, and their characters
MOST_EDITS = 20  # of one document that become lines of `wisdom/decisions`
REVIEWED_BY = "technical"  # the perspective whose agent reads an architecture draft critically


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The task's document; for an improvement, every document it is to work on. Raises AgentError."""
    if context.row.prefix != IMPROVE:
        return _one(context, calls, made_by(context, context.row.key))
    wanted = [made_by(context, key) for key in context.payload["improve"]["documents"]]
    made = [
        _one(context, calls, document) for document in wanted if registered(context, document) is not None
    ]
    files = {path: entry for each in made for path, entry in each.files.items()}
    dimension = context.payload["improve"]["dimension"]
    return Produced(
        files=files,
        artifact=made[0].artifact,
        summary=f"{dimension}: worked on {', '.join(each.artifact for each in made)}",
        message_type="draft_revision",
        agent=made[0].agent,
        key_decisions=[decision for each in made for decision in each.key_decisions],
        notes=[note for each in made for note in each.notes],
        wisdom=[entry for each in made for entry in each.wisdom],
        changed=[line for each in made for line in each.changed or ()],
    )


def _one(context: RunContext, calls: AgentCalls, document: DocumentDef) -> Produced:
    known = facts(context, document)
    content, agent = ask(calls, document, known)
    context.check()
    wisdom: list[tuple[str, str]] = []
    edits: list[str] = []
    named: set[str] = set()
    delivered, left = registered(context, document), known["previous"]
    if delivered is not None and left is not None:
        told = changes(delivered.content, left)[:MOST_EDITS]
        wisdom = [("decisions", f"edited by hand in {document.path}: {line[:300]}") for line in told]
        named = {name for piece in known["feedback"] for name in IDENTIFIER.findall(piece)}
        content, held = upheld(content, delivered.content, left, named)
        edits = [f"{name}: what was written by hand holds; the reply had set it back" for name in held]
    extra: dict[str, object] = {}
    notes: list[str] = []
    if isinstance(content, Architecture):
        extra, notes = _reviewed(calls, document, known, content)
    earlier = before(context, document)
    in_force = {found for each in earlier.values() for found in each.ids()}
    kept, more = allot(content, delivered, known=in_force, kind=document.kind)
    shown = render_context(context, document, agent, earlier, extra=extra)
    if delivered is not None and left is not None:
        carried = carry(context, document, kept, delivered, left, shown, named)
        kept = carried.registered
        context.unmet += [text for text in carried.lost if text not in context.unmet]
        wisdom += [("decisions", f"edited by hand in {document.path}: {text}") for text in carried.lines]
    files = form(context, document, kept, shown)
    changed = None
    if delivered is not None:
        changed = version_changes(delivered.content, kept.content)
        if not known["is_dependent"]:
            context.unmet += _said_before(
                context, delivered.content, kept.content, earlier, known["feedback"]
            )
    return Produced(
        files=files,
        artifact=document.path,
        summary=_summary(kept, changed),
        changed=changed,
        message_type="draft_revision" if is_reworked(context) else "draft_ready",
        agent=agent,
        key_decisions=_decisions(kept, delivered),
        notes=[*notes, *edits, *more],
        wisdom=wisdom,
    )


def _said_before(
    context: RunContext,
    was: Content,
    now: Content,
    earlier: Mapping[str, Registered],
    words: Sequence[str],
) -> list[str]:
    """What documents before a revised one still say of what it has dropped or changed, each with what revises it."""
    if not isinstance(was, Requirements) or not isinstance(now, Requirements) or not words:
        return []
    told = []
    for kind, found in earlier.items():
        document = context.pack.documents[kind]
        pieces = [] if document.model == DISCOVERY else still_said(was, now, found.content, words)
        if pieces:
            quoted = ", ".join(f"“{one_line(piece, LONGEST_PIECE)}”" for piece in pieces[:MOST_PIECES])
            more = f" and {len(pieces) - MOST_PIECES} more" if len(pieces) > MOST_PIECES else ""
            command = f"lifecycle revise {document.task} {quote(one_line(' '.join(words)))}"
            told.append(f"{document.task} still says {quoted}{more}: {command}")
    return told


def _reviewed(
    calls: AgentCalls, document: DocumentDef, known: Mapping[str, object], draft: Architecture
) -> tuple[dict[str, object], list[str]]:
    """The second agent's critical reading. Without one the document says so; the draft stands all the same."""
    reviewers = calls.router.for_perspective(calls.run.pack, REVIEWED_BY, calls.run.notes.append)
    try:
        review, agent = ask(
            calls,
            document,
            {**known, "architecture": draft},
            kind="architecture_review",
            goal=REVIEW,
            schema=ArchitectureReview,
            agents=reviewers,
            extra=[("The draft to review", listed(draft.model_dump(mode="json")))],
        )
    except AgentError as error:
        calls.run.check()
        return {}, [f"the architecture was not reviewed by a second agent: {error.what}"]
    return {"review": review, "review_agent": agent}, []


def _summary(kept: Registered, changed: Sequence[str] | None) -> str:
    if changed is None:
        return f"{kept.document}: {len(kept.ids())} items"
    return f"{kept.document} revised: {in_short(changed)}"


def _decisions(kept: Registered, previous: Registered | None) -> list[str]:
    """What later tasks should know was decided: the architecture's decisions, or what a revision added."""
    if isinstance(kept.content, Architecture):
        return [f"{adr.id}: {adr.title}" for adr in kept.content.adrs]
    if previous is None:
        return [_summary(kept, None)]
    return [f"{kept.document}: new {name}" for name in sorted(kept.ids() - previous.ids())]
