"""The synthesizer: the conclusions of an analysis, as values and as a report (SYNTH)."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.text import overlap
from workers.agents import prompts
from workers.context.agent_calls import AgentCalls
from workers.context.analyses import (
    CONCLUSIONS,
    REPORT,
    TIMELINE,
    checked,
    gone,
    material,
    results,
    rounds,
    stamped,
)
from workers.context.run_context import RunContext
from workers.documents.analysis_content import ConclusionsContent
from workers.documents.analysis_pages import report_page, timeline_page
from workers.documents.frame import to_json
from workers.roles import Produced

GOAL = "Write the conclusions: what the request asked, what is so, what to do, each point with the lines that show it."
SAME = 0.5  # of their words that two texts share when they say the same


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """conclusions.json and report.md; empty ones where nothing was analyzed. Raises AgentError."""
    found, held = results(context), rounds(context)
    prompt = prompts.render(
        GOAL,
        instructions=context.instructions,
        task=context.row.key,
        language=context.session.language,
        schema=ConclusionsContent,
        shared=[("The request", context.session.request), *material(context)],
    )
    known = {
        "request": context.session.request,
        "language": context.session.language,
        "analysis": {"analyses": found, "rounds": held, "gone": gone(context)},
    }
    content, reply = calls.ask("conclusions", prompt, ConclusionsContent, known)
    shown, bare = checked(context, content.key_conclusions)
    points: list[JsonObject] = [
        {"point": each["text"], "evidence": each["evidence"], "confidence": _confidence(each, found)}
        for each in shown
    ]
    points += [{"point": each["text"], "evidence": [], "confidence": "low"} for each in bare]
    conclusions: JsonObject = {
        **stamped(context, "conclusions"),
        "summary": content.summary,
        "key_conclusions": points,
        "recommendations": [each.model_dump(mode="json") for each in content.recommendations],
        "open_questions": list(content.open_questions),
        "decision_trail": [_step(each) for each in held],
        "cross_perspective": _across(found),
        "follow_up": list(content.follow_up),
        "agent": reply.agent,
    }
    title, language = context.session.title, context.session.language
    return Produced(
        files={
            CONCLUSIONS: (to_json(conclusions), "analysis"),
            REPORT: (report_page(title, language, conclusions, found), "document"),
            TIMELINE: (timeline_page(title, language, found, held, conclusions), "document"),
        },
        artifact=REPORT,
        summary=f"{len(points)} conclusions, {len(content.recommendations)} recommendations",
        message_type="synthesis_ready",
        agent=reply.agent,
        key_decisions=[each["point"][:200] for each in points[:5]],
        notes=[f"no evidence was found for: {each['text'][:200]}" for each in bare],
        shared={"conclusions": len(points), "recommendations": len(content.recommendations)},
    )


def _step(held: JsonObject) -> JsonObject:
    return {"round": held["round"], "type": held["type"], "words": held["user_feedback"]}


def _files_of(record: JsonObject) -> set[str]:
    return {place["path"] for insight in record["key_insights"] for place in insight["evidence"]}


def _confidence(point: JsonObject, results: Iterable[JsonObject]) -> str:
    """By code: high where two perspectives have shown the same file or said the same, medium where one has."""
    paths = {place["path"] for place in point["evidence"]}
    views = {
        record["perspective"]
        for record in results
        for insight in record["key_insights"]
        if paths & {place["path"] for place in insight["evidence"]}
        and max(overlap(point["text"], insight["text"]), overlap(insight["text"], point["text"])) >= SAME
    }
    return "high" if len(views) > 1 else "medium"


def _across(results: list[JsonObject]) -> JsonObject:
    """Files that several perspectives point to, what they contradict each other in, and what only one saw."""
    by_file: dict[str, set[str]] = {}
    for record in results:
        for path in _files_of(record):
            by_file.setdefault(path, set()).add(record["perspective"])
    convergent = [
        {"path": path, "perspectives": sorted(views)}
        for path, views in sorted(by_file.items(), key=lambda each: (-len(each[1]), each[0]))
        if len(views) > 1
    ]
    unique = [
        {"perspective": record["perspective"], "text": insight["text"]}
        for record in results
        for insight in record["key_insights"]
        if all(len(by_file[place["path"]]) == 1 for place in insight["evidence"])
    ]
    conflicts = [
        {"perspective": record["perspective"], "text": text}
        for record in results
        for text in record["discussion_points"]
    ]
    return {"convergent": convergent, "conflicts": conflicts, "unique": unique}
