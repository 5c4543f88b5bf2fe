"""A round of an analysis: what is confirmed, corrected and new, in the direction that a person gave (DISCUSS)."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.domain.analysis import ANALYZE, DIRECTION, ROUND, RoundType, round_number
from orchestrator.domain.json_types import JsonObject
from workers.agents import prompts
from workers.context.agent_calls import AgentCalls
from workers.context.analyses import (
    EXPLORATION_LIMIT,
    ROUNDS,
    TIMELINE,
    checked,
    compact_text,
    exploration_text,
    found_places,
    gone,
    known_insights,
    material,
    results,
    rounds,
    shown_places,
    stamped,
)
from workers.context.run_context import RunContext
from workers.documents.analysis_content import Answered, RoundContent
from workers.documents.analysis_pages import timeline_page
from workers.documents.cutting import cut
from workers.documents.frame import to_json
from workers.documents.labels import labels
from workers.explore.citations import CitationCheck
from workers.roles import Produced
from workers.roles.drafting import feedback
from workers.roles.explorer import exploration_of

LOOKS_FOR = "concept"  # the perspective from which a question is explored
GOALS = {
    RoundType.INITIAL: "Bring the analyses together: what they confirm in each other, what one corrects in another, what "
    "follows only from all of them.",
    RoundType.DEEPEN: "Go further in the direction so far: what the earlier rounds left open, answered from the project.",
    RoundType.ADJUSTED: "Look at everything again under the new focus: what holds for it, what must be corrected, what is "
    "new.",
    RoundType.QUESTIONS: "Answer each question of the person, from the project, with the lines that show it.",
}


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The round's record, and the discussion as a timeline. Raises AgentError."""
    number, kind = round_number(context.row.key), RoundType(context.payload[ROUND])
    direction = str(context.payload.get(DIRECTION) or "")
    before = rounds(context, number)  # one that is held again knows no later ones
    content, agent = _ask(context, calls, kind, direction, before)
    confirmed, weak = checked(context, content.confirmed)
    new, bare = checked(context, content.new_insights)
    corrected = [*content.corrected, *_gone(context, before)]
    record: JsonObject = {
        **stamped(context, "analysis-round"),
        "round": number,
        "type": kind.value,
        "user_feedback": direction or None,
        "updated_understanding": {
            "confirmed": confirmed,
            "corrected": corrected,
            "new_insights": new,
        },
        "answers": [_answer(context, each) for each in content.answers],
        "new_findings": list(content.new_findings),
        "new_questions": list(content.new_questions),
        "unverified": [*weak, *bare],
        "timestamp": stamped(context, "")["generated_at"],
        "agent": agent,
    }
    held = [*before, record]
    return Produced(
        files={
            f"{ROUNDS}{number}.json": (
                to_json(record),
                "analysis",
            ),  # a "discussion" would be left to be made anew
            TIMELINE: (
                timeline_page(context.session.title, context.session.language, results(context), held),
                "document",
            ),
        },
        artifact=f"{ROUNDS}{number}.json",
        summary=f"round {number} ({kind}): {len(confirmed)} confirmed, {len(corrected)} corrected, {len(new)} new",
        message_type="discussion_processed",
        agent=agent,
        key_decisions=[direction] if direction else [],
        notes=[f"no evidence was found for: {each['text'][:200]}" for each in record["unverified"]],
        shared=_memory(held),
    )


def _gone(context: RunContext, before: Sequence[JsonObject]) -> list[str]:
    """What the project no longer shows since it was found, whoever found it; each once."""
    phrase = labels(context.session.language).words["analysis_gone"]
    told = {text for each in before for text in each["updated_understanding"]["corrected"]}
    return [
        said
        for text in gone(context, round_number(context.row.key))
        if (said := phrase.format(text=text)) not in told
    ]


def _answer(context: RunContext, given: Answered) -> JsonObject:
    evidence, missing = found_places(CitationCheck(context.project), given.evidence)
    return {
        "question": given.question,
        "answer": given.answer,
        "evidence": evidence,
        **({"not_found": missing} if missing else {}),
    }


def _memory(held: Sequence[JsonObject]) -> JsonObject:
    """What the session knows by now: one entry a round, and the understanding they add up to."""
    parts = [each["updated_understanding"] for each in held]
    return {
        "discussions": [
            {
                "id": f"DISCUSS-{each['round']:03d}",
                "round": each["round"],
                "type": each["type"],
                "new_insight_count": len(each["updated_understanding"]["new_insights"]),
                "corrected_count": len(each["updated_understanding"]["corrected"]),
                "timestamp": each["timestamp"],
            }
            for each in held
        ],
        "current_understanding": {
            "established": _texts(part["confirmed"] for part in parts),
            "clarified": list(dict.fromkeys(text for part in parts for text in part["corrected"])),
            "key_insights": _texts(part["new_insights"] for part in parts),
        },
    }


def _texts(lists: object) -> list[str]:
    return list(dict.fromkeys(each["text"] for some in lists for each in some))  # type: ignore[attr-defined]


def _explored(
    context: RunContext, kind: RoundType, direction: str, before: Sequence[JsonObject]
) -> JsonObject | None:
    """What was analyzed may not hold the answer to a question, nor what lies deeper: both are looked for."""
    if kind is RoundType.QUESTIONS:
        return exploration_of(context, LOOKS_FOR, direction, leads=True)
    if kind is not RoundType.DEEPEN:
        return None
    asked = [text for each in before[-1:] for text in each["new_questions"]]
    words = "\n".join([direction, *asked, context.session.request])
    return exploration_of(
        context,
        LOOKS_FOR,
        words,
        leads=True,
        told=shown_places(known_insights(context, round_number(context.row.key))),
    )


def _ask(
    context: RunContext, calls: AgentCalls, kind: RoundType, direction: str, before: Sequence[JsonObject]
) -> tuple[RoundContent, str]:
    record = _explored(context, kind, direction, before)
    found = "\n".join(compact_text(each) for each in record["observations"]) if record else ""
    prompt = prompts.render(
        GOALS[kind],
        instructions=context.critic_instructions,
        task=context.row.key,
        language=context.session.language,
        schema=RoundContent,
        shared=[("The request", context.session.request), *material(context, round_number(context.row.key))],
        material=[
            (
                "Exploration for this round",
                exploration_text(record) if record else "",
            ),
            ("Findings by rule for this round", cut(found, EXPLORATION_LIMIT)),
        ],
        feedback=[*([direction] if direction else []), *feedback(context)],
    )
    known = {
        "request": context.session.request,
        "language": context.session.language,
        "analysis": {
            "type": kind.value,
            "direction": direction,
            "analyses": results(context),
            "rounds": list(before),
            "exploration": record or {},
            "gone": gone(context, round_number(context.row.key)),
        },
    }
    agents = calls.router.for_role(context.pack, context.pack.role_of(ANALYZE).name, context.notes.append)
    content, reply = calls.ask("analysis_round", prompt, RoundContent, known, agents)
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    return content, reply.agent
