"""Findings of dynamic mode: what the project holds for the request, each with the lines that show it (RESEARCH, ANALYSIS)."""

from __future__ import annotations

from orchestrator.domain.analysis import chosen_perspectives
from orchestrator.domain.json_types import JsonObject
from workers.agents import prompts
from workers.context.agent_calls import AgentCalls
from workers.context.analyses import EXPLORATION_LIMIT, checked, compact_text, exploration_text
from workers.context.run_context import RunContext
from workers.context.team_results import (
    asked_of,
    capability_of,
    former,
    paths_of,
    result_of,
    results_before,
)
from workers.documents.cutting import cut
from workers.documents.frame import to_json
from workers.documents.team_content import Findings
from workers.documents.team_pages import team_page
from workers.roles import Produced
from workers.roles.drafting import feedback
from workers.roles.explorer import exploration_of

GOAL = (
    "Do the {capability} that the request asks for. Say what is so and what follows from it, each insight with the lines of "
    "the project that show it. What you cannot show is a question."
)


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """What was found, checked line by line. Raises AgentError."""
    name = chosen_perspectives(asked_of(context), (), context.pack.analysis, 1)[0]
    doing = (word for each in context.pack.dynamic.capabilities.values() for word in each.words)
    record = exploration_of(context, name, asked_of(context), leads=True, plain=doing)
    content, agent = _ask(context, calls, name, record)
    shown, bare = checked(context, content.key_insights)
    page, path = paths_of(context)
    result: JsonObject = {
        **result_of(context, "team-findings", agent, context.session.title),
        "perspective": name,
        **content.model_dump(mode="json", exclude={"key_insights", "capability_gaps"}),
        "key_insights": shown,
        "unverified": [each["text"] for each in bare],
    }
    current = context.artifacts.get(page)
    version = (current.version if current else 0) + 1
    context.notes.extend(f"no evidence was found for: {each['text'][:200]}" for each in bare)
    return Produced(
        files={
            path: (to_json(result), "analysis"),
            page: (team_page(page, context.session.language, result, version=version), "document"),
        },
        artifact=page,
        summary=f"{capability_of(context).name}: {len(shown)} insights with evidence, {len(bare)} without",
        message_type="analysis_ready",
        agent=agent,
        key_decisions=[each["text"][:200] for each in shown[:3]],
        notes=record["_metadata"]["notes"],
        shared={"capability": capability_of(context).name, "insights": len(shown), "unverified": len(bare)},
        gaps=[each.model_dump() for each in content.capability_gaps],
    )


def _ask(context: RunContext, calls: AgentCalls, name: str, record: JsonObject) -> tuple[Findings, str]:
    view, before = context.pack.analysis.perspectives[name], former(context)
    found = "\n".join(compact_text(each) for each in record["observations"])
    prompt = prompts.render(
        GOAL.format(capability=capability_of(context).name),
        instructions=context.instructions,
        task=context.row.key,
        language=context.session.language,
        schema=Findings,
        shared=[("The request", context.session.request)],
        material=[
            ("What this task is for", str(context.payload.get("reason") or "")),
            (f"Exploration: {name}", exploration_text(record)),
            ("Findings by rule, each with lines that show it", cut(found, EXPLORATION_LIMIT)),
            *(
                (f"Result of the team: {path}", compact_text(each))
                for path, each in results_before(context).items()
            ),
            ("The version to revise", compact_text(before) if before else ""),
            *((f"Team notes: {title}", "\n".join(lines)) for title, lines in context.wisdom.items()),
        ],
        feedback=[*feedback(context), *context.payload.get("remarks", [])],
    )
    known = {
        "request": asked_of(context),
        "language": context.session.language,
        "codebase": record,
        "analysis": {"perspective": name, "label": view.label, "exploration": record, "leads": True},
    }
    content, reply = calls.ask("analysis", prompt, Findings, known)
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    return content, reply.agent
