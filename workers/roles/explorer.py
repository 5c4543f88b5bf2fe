"""The explorer: what the project holds from one perspective (EXPLORE), and what that means for the question (ANALYZE)."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping

from orchestrator.domain import ids
from orchestrator.domain.analysis import ANALYZE, DIRECTION, LEADS, PERSPECTIVE
from orchestrator.domain.errors import GitError
from orchestrator.domain.json_types import JsonObject
from workers.agents import prompts
from workers.context.agent_calls import AgentCalls
from workers.context.analyses import (
    ANALYSES,
    EXPLORATION_LIMIT,
    EXPLORATIONS,
    analyses,
    checked,
    compact_text,
    exploration_text,
    explorations,
    rounds,
    shown_places,
    stamped,
)
from workers.context.run_context import RunContext
from workers.documents.analysis_content import AnalysisContent
from workers.documents.cutting import cut
from workers.documents.features import asked
from workers.documents.frame import to_json
from workers.explore import explore
from workers.explore.observation_rules import in_code
from workers.explore.observations import observe
from workers.explore.ranking import named_words
from workers.explore.seen import Asked
from workers.explore.structure import COMMITS
from workers.git.changed_often import changed_often
from workers.roles import Produced
from workers.roles.drafting import feedback

ASKING = (  # words of a question, not of its subject
    "analyze", "analyse", "investigate", "analysis", "quick", "thorough", "detailed", "overview", "deep", "instead", "look",
    "focus", "about", "project", "code", "how", "what", "why", "where", "which", "who", "after", "happen", "work", "use",
    "get", "make", "please", "tell", "show", "explain", "describe", "find", "deepen", "continue", "further",
    "分析", "调研", "如何", "怎么",
    "什么", "为什", "哪些", "项目", "代码", "怎样", "请问", "深入", "继续",
)  # fmt: skip
SECONDS = 60.0  # that the rules of a perspective may read
GOAL = (
    "Analyze the project for the request, from the perspective of {perspective}: {label}. Say what is so and what follows "
    "from it, each insight with the lines that show it. What you cannot show is a question."
)


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The exploration or the analysis of the task's perspective. Raises AgentError."""
    return _analyzed(context, calls) if context.row.prefix == ANALYZE else _explored(context)


def question_of(context: RunContext) -> str:
    """The request, with the direction that a person gave for this task before it."""
    return "\n".join(filter(None, [context.payload.get(DIRECTION), context.session.request]))


def _explored(context: RunContext) -> Produced:
    name = str(context.payload[PERSPECTIVE])
    record = exploration_of(context, name, context.session.request, leads=bool(context.payload.get(LEADS)))
    tag = hashlib.sha256(context.session.request.encode("utf-8", "replace")).hexdigest()[:8]
    path = f"{EXPLORATIONS}{name}-{tag}.json"
    found = record["observations"]
    files = len(record["relevant_files"])
    return Produced(
        files={path: (to_json({**stamped(context, "exploration"), **record}), "exploration")},
        artifact=path,
        summary=f"{name}: {files} relevant files, {len(found)} findings by rule",
        message_type="exploration_ready",
        agent="builtin",
        notes=record["_metadata"]["notes"],
        shared={"perspective": name, "findings": len(found)},
    )


def exploration_of(
    context: RunContext,
    name: str,
    question: str,
    *,
    leads: bool,
    told: Iterable[tuple[str, int]] = (),
    plain: Iterable[str] = (),
) -> JsonObject:
    """The exploration of a perspective with what its rules found.

    `leads`: it answers the question itself. `told`: places that were shown before.
    `plain`: words that tell what to do, not about what; they count where the question has no other.
    """
    view = context.pack.analysis.perspectives[name]
    record = explore(
        context.project,
        question,
        view.angle,
        named_words(asked(in_code(question))),
        cache_dir=context.workflow / "cache" / "explorations",
        stop=context.live.stop,
    )
    context.check()
    changed, lost = _history(context)
    found, notes = observe(
        context.project,
        name,
        record,
        asked=Asked.of(
            question,
            view.words,
            ASKING,
            views=[
                *(word for each in context.pack.analysis.perspectives.values() for word in each.words),
                *plain,
            ],
            language=context.session.language,
            leads=leads,
            told=told,
        ),
        changed=changed,
        skip=context.workflow,
        deadline=time.monotonic() + SECONDS,
        stop=context.live.stop,
    )
    return {
        **record,
        "perspective": name,
        "observations": [each.as_record() for each in found],
        "_metadata": {**record["_metadata"], "notes": [*record["_metadata"]["notes"], *lost, *notes]},
    }


def _history(context: RunContext) -> tuple[Mapping[str, int], list[str]]:
    """What changed most often, or a note why nobody knows."""
    try:
        return changed_often(context.project, COMMITS), []
    except GitError as problem:
        return {}, [f"no history was read: {problem.what}"]


def _analyzed(context: RunContext, calls: AgentCalls) -> Produced:
    name, direction = str(context.payload[PERSPECTIVE]), context.payload.get(DIRECTION)
    known = explorations(context, name)
    record = next(iter(known.values()), None)
    focus = direction or "\n".join(feedback(context))
    if focus or record is None:  # another focus, or its exploration was left out
        leads = bool(direction or context.payload.get(LEADS))
        question = str(focus or context.session.request)
        first = [each for each in analyses(context) if not each["is_direction_fix"]] if direction else []
        told = shown_places(insight for each in first for insight in each["key_insights"])
        record = exploration_of(context, name, question, leads=leads, told=told)
    content, agent = _ask(context, calls, name, record)
    shown, bare = checked(context, content.key_insights)
    key = ids.parse_key(context.row.key)
    path = f"{ANALYSES}analysis-{'fix-' if direction else ''}{key.base[-3:]}.json"
    kept: JsonObject = {
        **stamped(context, "analysis"),
        "perspective": name,
        "is_direction_fix": bool(direction),
        "adjusted_focus": direction,
        "agent": agent,
        "key_insights": [{**each, "confidence": "medium"} for each in shown],
        "unverified": bare,
        **content.model_dump(mode="json", exclude={"key_insights"}),
    }
    context.notes.extend(f"no evidence was found for: {each['text'][:200]}" for each in bare)
    return Produced(
        files={path: (to_json(kept), "analysis")},
        artifact=path,
        summary=f"{name}: {len(shown)} insights with evidence, {len(bare)} without",
        message_type="analysis_ready",
        agent=agent,
        key_decisions=[each["text"][:200] for each in shown[:3]],
        shared={"perspective": name, "insights": len(shown), "unverified": len(bare)},
    )


def _ask(
    context: RunContext, calls: AgentCalls, name: str, record: JsonObject
) -> tuple[AnalysisContent, str]:
    view = context.pack.analysis.perspectives[name]
    findings = "\n".join(compact_text(each) for each in record.get("observations", ()))
    before = [(f"Round {each['round']}", compact_text(each)) for each in rounds(context)]
    prompt = prompts.render(
        GOAL.format(perspective=name, label=view.label),
        instructions=context.instructions,
        task=context.row.key,
        language=context.session.language,
        schema=AnalysisContent,
        shared=[("The request", context.session.request)],
        material=[
            ("The direction of this analysis", str(context.payload.get(DIRECTION) or "")),
            (f"Exploration: {name}", exploration_text(record)),
            ("Findings by rule, each with lines that show it", cut(findings, EXPLORATION_LIMIT)),
            *before,
            *((f"Team notes: {title}", "\n".join(lines)) for title, lines in context.wisdom.items()),
        ],
        feedback=feedback(context),
    )
    known = {
        "request": question_of(context),
        "language": context.session.language,
        "codebase": record,
        "analysis": {
            "perspective": name,
            "label": view.label,
            "exploration": record,
            "leads": bool(context.payload.get(LEADS) or context.payload.get(DIRECTION)),
        },
    }
    content, reply = calls.ask("analysis", prompt, AnalysisContent, known)
    context.notes.extend(f"{reply.agent}: {note}" for note in reply.notes)
    return content, reply.agent
