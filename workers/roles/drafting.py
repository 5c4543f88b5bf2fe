"""What writing any document has in common: the facts, the prompt, an agent's content, ids, form, and its check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import TemplateError
from pydantic import BaseModel

from orchestrator.domain.documents import DISCOVERY, DocumentDef
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.revisions import FEEDBACK_TO, IMPROVE
from orchestrator.door.desk import StoredVerdict
from workers.agents import prompts
from workers.agents.protocol import Agent
from workers.context.agent_calls import CRITICAL, AgentCalls
from workers.context.run_context import DECIDED, RunContext, answered
from workers.context.sources import EXPLORATION, sources
from workers.context.written_documents import known_of, registered, stamp
from workers.documents.condensed import compact, condensed
from workers.documents.content import Discovery
from workers.documents.frame import RenderContext
from workers.documents.identifiers import Registered, content_path
from workers.documents.models import MODELS, model_of
from workers.documents.page_form import validate
from workers.documents.readiness import Readiness, Summary
from workers.documents.render import render

_TOLD = ("feedback", "revise", DECIDED, "answer")  # subjects of decisions whose words say what is wanted


class DocumentFaulty(LifecycleError):
    """The document does not have the form it must have."""

    remedy = "`lifecycle resume --retry TASK` tries again; `lifecycle runs TASK` shows the attempts"


def made_by(context: RunContext, key: str) -> DocumentDef:
    """The document that a task makes; a session has no task of its own that makes none."""
    made = context.pack.documents.of_task(key)
    assert made is not None, key
    return made


def before(context: RunContext, document: DocumentDef) -> dict[str, Registered]:
    """The documents this one builds on, by kind."""
    return known_of(context, context.pack.documents.before(document.kind))


def facts(context: RunContext, document: DocumentDef | None) -> JsonObject:
    """Everything a document is written from, as values (workers/agents/facts.py)."""
    documents = context.pack.documents
    written = known_of(context, documents)
    known: JsonObject = {
        "request": context.session.request,
        "language": context.session.language,
        "codebase": repository(context.json(EXPLORATION)),
        "feedback": feedback(context),
        "said": said(context),
        "is_dependent": FEEDBACK_TO in context.payload,
        "remarks": list(context.payload.get("remarks", [])),
        "improve": context.payload.get("improve"),
        "action_items": action_items(context),
        "wisdom": {name: list(lines) for name, lines in context.wisdom.items()},
        "decisions": key_decisions(context),
        "document": document,
        "drafted_from": [],
    }
    for other in documents:
        found = written.get(other.kind)
        known[other.kind] = found.content if found else None
        if found and other.model in MODELS:  # who knows the model finds it, whatever the pack calls it
            known[other.model] = known.get(other.model) or found.content
    if document is not None:
        earlier = [written.get(kind) for kind in document.drafted_from]
        known["drafted_from"] = [found.content for found in earlier if found]
    known["previous"] = known.get(document.kind) if document and is_reworked(context) else None
    delivered = registered(context, document) if document and known["previous"] is not None else None
    known["delivered"] = delivered.content if delivered else None
    return known


def edited(context: RunContext) -> list[str]:
    """The specification's files that a person edited last, as they are now."""
    return [
        context.text(path) or ""
        for path, row in context.artifacts.items()
        if row.author == "user" and path.startswith("spec/")
    ]


def is_reworked(context: RunContext) -> bool:
    """Whether the task makes a new version of something."""
    return context.row.revision_of is not None or context.row.prefix == IMPROVE


def repository(exploration: JsonObject | None) -> JsonObject | None:
    """The exploration, when it found a repository at all; None for an empty folder."""
    return exploration if exploration and exploration.get("codebase") else None


def feedback(context: RunContext) -> list[str]:
    """What this version has to answer: a person's words, given to it or in a discussion."""
    return [*context.payload.get("feedback", []), *answered(context.row, context.decisions)]


def said(context: RunContext) -> tuple[str, ...]:
    """Everything that people have said of the documents since the request, in this version's round or an earlier one."""
    return tuple(row.words for row in context.decisions if row.subject.startswith(_TOLD))


def key_decisions(context: RunContext) -> list[str]:
    """What the role's earlier tasks decided, by the accumulator that each passed on."""
    return [str(line) for entry in context.accumulator for line in entry.get("key_decisions", [])]


def action_items(context: RunContext) -> list[str]:
    """The last round's action items, for the next document."""
    last = last_round(context)
    return list(last.data.get("actions", [])) if last is not None else []


def last_round(context: RunContext) -> StoredVerdict | None:
    """The last discussion's verdict."""
    return next((row for row in reversed(context.verdicts) if row.kind == "discuss"), None)


def ask(
    calls: AgentCalls,
    document: DocumentDef,
    known: Mapping[str, Json],
    *,
    kind: str | None = None,
    goal: str = "",
    schema: type[BaseModel] | None = None,
    agents: Sequence[Agent] | None = None,
    extra: Sequence[tuple[str, str]] = (),
    exploration: JsonObject | None = None,
) -> tuple[Any, str]:
    """The content and the name of the agent that gave it; `exploration`: one that is not stored yet. Raises AgentError.

    A critical question goes to somebody who is told what the draft was made from, and nothing of what its author said.
    """
    context = calls.run
    wanted, kind = schema or model_of(document), kind or document.kind
    prompt = prompts.render(
        goal or document.purpose,
        instructions=context.critic_instructions if kind in CRITICAL else context.instructions,
        task=context.row.key,
        language=context.session.language,
        schema=wanted,
        shared=sources(context, context.pack.documents.before(document.kind), exploration=exploration),
        material=[*([] if kind in CRITICAL else _own_material(context, document)), *extra],
        feedback=[] if kind in CRITICAL else [*known["feedback"], *known["remarks"]],
        improve=None if kind in CRITICAL else known["improve"],
    )
    content, reply = calls.ask(kind, prompt, wanted, known, agents)
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    context.unmet.extend(text for text in reply.unmet if text not in context.unmet)
    return content, reply.agent


def _own_material(context: RunContext, document: DocumentDef) -> list[tuple[str, str]]:
    """What only this task works with: the version to revise, the last round, what was decided and learned."""
    blocks = []
    if is_reworked(context):
        blocks.append(("The version to revise", compact(context.text(content_path(document.kind)) or "")))
        blocks += _edited(context, document)
    last = last_round(context)
    record = context.text(last.record) if last is not None and last.record else None
    if record:
        blocks.append(("The record of the last discussion", condensed(record)))
    else:
        blocks.append(("Action items of the last discussion", "\n".join(action_items(context))))
    blocks.append(("Decisions so far", "\n".join(key_decisions(context))))
    blocks += [(f"Team notes: {name}", "\n".join(lines)) for name, lines in context.wisdom.items()]
    return blocks


def _edited(context: RunContext, document: DocumentDef) -> list[tuple[str, str]]:
    """The document's files that a person edited, as they are now."""
    return [
        (f"As a person edited it: {path}", condensed(context.text(path) or ""))
        for path, row in context.artifacts.items()
        if document.owns(path) and row.author == "user"
    ]


def render_context(
    context: RunContext,
    document: DocumentDef,
    agent: str,
    documents: Mapping[str, Registered],
    status: str = "",
    extra: Mapping[str, object] = {},
) -> RenderContext:
    """What the document says about itself. Its stamp is the run's opening, so that a second attempt writes the same."""
    current = context.artifacts.get(document.path)
    discovery = discovery_of(context)
    return RenderContext(
        session_id=context.session.id,
        title=discovery.title if discovery else context.session.title,
        phase=context.row.phase,
        status=status or ("revised" if context.row.revision_of else "draft"),
        generated_at=stamp(context.row.opened_at),
        version=(current.version if current else 0) + 1,
        agent=agent,
        task=context.row.key,
        language=context.session.language,
        documents=documents,
        facts=extra,
        catalogue=context.pack.documents,
    )


def discovery_of(context: RunContext) -> Discovery | None:
    """The session's discovery, when it has one and it is written."""
    found = known_of(context, [each for each in context.pack.documents if each.model == DISCOVERY])
    return next((each.content for each in found.values() if isinstance(each.content, Discovery)), None)


def form(
    context: RunContext,
    document: DocumentDef,
    content: Registered | tuple[Readiness, Summary],
    shown: RenderContext,
) -> dict[str, tuple[bytes, str]]:
    """All files of the document, checked: path -> (bytes, kind). Raises DocumentFaulty."""
    kept = {
        path: (context.text(path) or "").encode() for path in context.artifacts if path.startswith("spec/")
    }
    try:
        files = render(document.kind, content, shown, previous=kept)
    except (TemplateError, RecursionError, ValueError, TypeError, ArithmeticError, LookupError) as error:
        if not document.template_text and not isinstance(error, TemplateError):
            raise  # our own template's fault, not the pack's
        raise DocumentFaulty(
            f"the template of {document.kind} cannot be printed",
            why=f"{document.template}: {type(error).__name__}: {error}",
        ) from error
    faults = validate(files, {*context.artifacts, *files})
    if faults:
        raise DocumentFaulty(f"{document.path} has {len(faults)} fault(s) of form", why="; ".join(faults[:5]))
    return {path: (body, "content" if "/.content/" in path else "document") for path, body in files.items()}
