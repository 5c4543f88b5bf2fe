"""What writing any document has in common: the facts, the prompt, an agent's content, ids, form, and its check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from orchestrator.domain.errors import LifecycleError
from orchestrator.store.rows import Verdict
from workers.agents import prompts
from workers.agents.protocol import Agent
from workers.context.agent_calls import CRITICAL, AgentCalls
from workers.context.run_context import RunContext, answered
from workers.documents.content import Architecture, Brief, Discovery, Epics, Requirements
from workers.documents.identifiers import Registered, content_path
from workers.documents.reader import validate
from workers.documents.render import RenderContext, render

EXPLORATION = "explorations/explore-general.json"


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the specification."""

    kind: str
    task: str  # the task that writes it
    path: str  # its main file
    schema: type[BaseModel]
    needs: tuple[str, ...]  # kinds it is drafted with, in order


DOCUMENTS = {
    document.kind: document
    for document in (
        Document("discovery", "RESEARCH-001", "spec/discovery-context.json", Discovery, ()),
        Document("brief", "DRAFT-001", "spec/product-brief.md", Brief, ("discovery",)),
        Document(
            "requirements", "DRAFT-002", "spec/requirements/_index.md", Requirements, ("discovery", "brief")
        ),
        Document(
            "architecture",
            "DRAFT-003",
            "spec/architecture/_index.md",
            Architecture,
            ("discovery", "brief", "requirements"),
        ),
        Document(
            "epics",
            "DRAFT-004",
            "spec/epics/_index.md",
            Epics,
            ("discovery", "brief", "requirements", "architecture"),
        ),
    )
}
BY_TASK = {document.task: document for document in DOCUMENTS.values()}


class DocumentFaulty(LifecycleError):
    """The document does not have the form it must have."""

    remedy = "`lifecycle resume --retry TASK` tries again; `lifecycle runs TASK` shows the attempts"


def registered(context: RunContext, kind: str) -> Registered | None:
    """A document's content as it was registered last, None when it is not written yet."""
    value = context.json(content_path(kind))
    return None if value is None else Registered.from_json(value)


def before(context: RunContext, document: Document) -> dict[str, Registered]:
    """The documents this one builds on, by kind."""
    found = {kind: registered(context, kind) for kind in document.needs}
    return {kind: known for kind, known in found.items() if known is not None}


def facts(context: RunContext, kind: str) -> dict[str, Any]:
    """Everything a document is written from, as values (workers/agents/facts.py)."""
    known: dict[str, Any] = {
        "request": context.session.request,
        "language": context.session.language,
        "codebase": repository(context.json(EXPLORATION)),
        "feedback": feedback(context),
        "remarks": list(context.payload.get("remarks", [])),
        "improve": context.payload.get("improve"),
        "action_items": action_items(context),
        "wisdom": {name: list(lines) for name, lines in context.wisdom.items()},
        "decisions": key_decisions(context),
    }
    for other in DOCUMENTS:
        found = registered(context, other)
        known[other] = found.content if found else None
    reworked = context.row.revision_of is not None or context.row.prefix == "IMPROVE"
    known["previous"] = known.get(kind) if reworked else None
    return known


def repository(exploration: dict[str, Any] | None) -> dict[str, Any] | None:
    """The exploration, when it found a repository at all; None for an empty folder."""
    return exploration if exploration and exploration.get("codebase") else None


def feedback(context: RunContext) -> list[str]:
    """What this version has to answer: a person's words, given to it or in a discussion."""
    return [*context.payload.get("feedback", []), *answered(context.row, context.decisions)]


def key_decisions(context: RunContext) -> list[str]:
    """What the role's earlier tasks decided, by the accumulator that each passed on."""
    return [str(line) for entry in context.accumulator for line in entry.get("key_decisions", [])]


def action_items(context: RunContext) -> list[str]:
    """The last round's action items, for the next document."""
    last = last_round(context)
    return list(last.data.get("actions", [])) if last is not None else []


def last_round(context: RunContext) -> Verdict | None:
    """The last discussion's verdict."""
    return next((row for row in reversed(context.verdicts) if row.kind == "discuss"), None)


def ask(
    calls: AgentCalls,
    document: Document,
    known: Mapping[str, Any],
    *,
    kind: str | None = None,
    schema: type[BaseModel] | None = None,
    agents: Sequence[Agent] | None = None,
    extra: Sequence[tuple[str, str]] = (),
) -> tuple[Any, str]:
    """The content and the name of the agent that gave it. Raises AgentError."""
    context = calls.run
    wanted, kind = schema or document.schema, kind or document.kind
    prompt = prompts.render(
        kind,
        instructions=context.critic_instructions if kind in CRITICAL else context.instructions,
        task=context.row.key,
        language=context.session.language,
        schema=wanted,
        material=[*_material(context, document), *extra],
        feedback=[*known["feedback"], *known["remarks"]],
        improve=known["improve"],
    )
    content, reply = calls.ask(kind, prompt, wanted, known, agents)
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    context.unmet.extend(text for text in reply.unmet if text not in context.unmet)
    return content, reply.agent


def _material(context: RunContext, document: Document) -> list[tuple[str, str]]:
    """The request, the repository, and everything written before, as text; a person's edits included."""
    blocks = [("The request", context.session.request), ("The repository", context.text(EXPLORATION) or "")]
    for kind in document.needs:
        blocks.append((f"The {kind}, as it is registered", context.text(content_path(kind)) or ""))
        blocks += _edited(context, kind)
    if context.row.revision_of is not None or context.row.prefix == "IMPROVE":
        blocks.append(("The version to revise", context.text(content_path(document.kind)) or ""))
        blocks += _edited(context, document.kind)
    blocks.append(("Action items of the last discussion", "\n".join(action_items(context))))
    last = last_round(context)
    if last is not None and last.record:
        blocks.append(("The record of the last discussion", context.text(last.record) or ""))
    blocks.append(("Decisions so far", "\n".join(key_decisions(context))))
    blocks += [(f"Team notes: {name}", "\n".join(lines)) for name, lines in context.wisdom.items()]
    return blocks


def _edited(context: RunContext, kind: str) -> list[tuple[str, str]]:
    """The document's files that a person edited, as they are now."""
    main = DOCUMENTS[kind].path
    folder = main.removesuffix("_index.md")
    mine = [
        path for path in context.artifacts if path == main or (folder != main and path.startswith(folder))
    ]
    return [
        (f"The {kind}, as a person edited it: {path}", context.text(path) or "")
        for path in mine
        if context.artifacts[path].author == "user"
    ]


def render_context(context: RunContext, document: Document, agent: str, **extra: Any) -> RenderContext:
    """What the document says about itself. Its stamp is the run's opening, so that a second attempt writes the same."""
    current = context.artifacts.get(document.path)
    known = before(context, document)
    discovery = known.get("discovery") or registered(context, "discovery")
    return RenderContext(
        session_id=context.session.id,
        title=getattr(discovery.content, "title", "") if discovery else context.session.title,
        phase=context.row.phase,
        status="revised" if context.row.revision_of else "draft",
        generated_at=stamp(context.row.opened_at),
        version=(current.version if current else 0) + 1,
        agent=agent,
        task=context.row.key,
        language=context.session.language,
        documents=known,
        facts=extra,
    )


def stamp(micros: int) -> str:
    """ISO 8601, UTC, to the second."""
    return datetime.fromtimestamp(micros / 1e6, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def form(
    context: RunContext, document: Document, content: Registered, shown: RenderContext
) -> dict[str, tuple[bytes, str]]:
    """All files of the document, checked: path -> (bytes, kind). Raises DocumentFaulty."""
    kept = {
        path: (context.text(path) or "").encode() for path in context.artifacts if path.startswith("spec/")
    }
    files = render(document.kind, content, shown, previous=kept)
    faults = validate(files, {*context.artifacts, *files})
    if faults:
        raise DocumentFaulty(f"{document.path} has {len(faults)} fault(s) of form", why="; ".join(faults[:5]))
    return {path: (body, "content" if "/.content/" in path else "document") for path, body in files.items()}
