"""Documents of dynamic mode: a design, a text, a plan without code, whatever was asked for (DESIGN, DRAFT, PLAN, TASK)."""

from __future__ import annotations

from orchestrator.domain.dynamic import Capability
from orchestrator.domain.json_types import JsonObject
from workers.agents import prompts
from workers.context.agent_calls import AgentCalls
from workers.context.analyses import EXPLORATION_LIMIT, compact_text, exploration_text
from workers.context.run_context import RunContext
from workers.context.team_results import (
    asked_of,
    capability_of,
    former,
    paths_of,
    result_of,
    results_before,
    verified,
)
from workers.documents.cutting import cut
from workers.documents.frame import to_json
from workers.documents.team_content import TeamDocument
from workers.documents.team_pages import team_page
from workers.explore import explore
from workers.explore.ranking import named_words
from workers.roles import Produced
from workers.roles.drafting import feedback

GOAL = (
    "Write the document that the request asks of its {capability}. It rests on the request, on what the team has found, and "
    "on the project; a statement about the project names the lines that show it. Invent no number, name or address. Where "
    "something has to be known first, ask."
)
KIND = "team_document"


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The document, its statements about the project checked. Raises AgentError."""
    capability = capability_of(context)
    record = _explored(context) if capability.explores else None
    content, agent = _ask(context, calls, capability, record)
    page, path = paths_of(context)
    sections: list[JsonObject] = []
    bare: list[str] = []
    for each in content.sections:
        points, unshown = verified(context, [({"text": point.text}, point.evidence) for point in each.points])
        sections.append({"heading": each.heading, "text": each.text, "points": points})
        bare += unshown
    result: JsonObject = {
        **result_of(context, "team-document", agent, content.title),
        **content.model_dump(mode="json", exclude={"sections", "title", "capability_gaps"}),
        "sections": sections,
        "unverified": bare,
    }
    current = context.artifacts.get(page)
    version = (current.version if current else 0) + 1
    return Produced(
        files={
            path: (to_json(result), "analysis"),
            page: (team_page(page, context.session.language, result, version=version), "document"),
        },
        artifact=page,
        summary=f"{capability.name}: {len(sections)} sections, {len(content.open_questions)} open questions",
        message_type="draft_revision" if context.row.revision_of else "draft_ready",
        agent=agent,
        key_decisions=[text[:200] for text in content.key_decisions[:3]],
        notes=[f"no evidence was found for: {text[:200]}" for text in bare],
        shared={"capability": capability.name, "sections": len(sections)},
        gaps=[each.model_dump() for each in content.capability_gaps],
    )


def _explored(context: RunContext) -> JsonObject | None:
    """What the project holds for the request; None for an empty folder."""
    record = explore(
        context.project,
        asked_of(context),
        "general",
        named_words(asked_of(context)),
        cache_dir=context.workflow / "cache" / "explorations",
        stop=context.live.stop,
    )
    context.check()
    return record if record.get("codebase") else None


def _ask(
    context: RunContext, calls: AgentCalls, capability: Capability, record: JsonObject | None
) -> tuple[TeamDocument, str]:
    before, known_results = former(context), results_before(context)
    asked = [*feedback(context), *context.payload.get("remarks", [])]
    prompt = prompts.render(
        GOAL.format(capability=capability.name),
        instructions=context.instructions,
        task=context.row.key,
        language=context.session.language,
        schema=TeamDocument,
        shared=[("The request", context.session.request)],
        material=[
            ("What this task is for", str(context.payload.get("reason") or "")),
            ("The repository", exploration_text(record) if record else ""),
            *(
                (f"Result of the team: {path}", cut(compact_text(each), EXPLORATION_LIMIT))
                for path, each in known_results.items()
            ),
            ("The version to revise", compact_text(before) if before else ""),
            *((f"Team notes: {title}", "\n".join(lines)) for title, lines in context.wisdom.items()),
        ],
        feedback=asked,
    )
    known = {
        "request": asked_of(context),
        "language": context.session.language,
        "codebase": record,
        "feedback": feedback(context),
        "remarks": list(context.payload.get("remarks", [])),
        "team": {
            "capability": capability.name,
            "focus": list(capability.focus),
            "results": known_results,
            "former": before,
            "title": context.session.title,
        },
    }
    content, reply = calls.ask(KIND, prompt, TeamDocument, known)
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    return content, reply.agent
