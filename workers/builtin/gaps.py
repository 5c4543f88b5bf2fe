"""What a request leaves open that its author can say in a line: asked before the first task, on a terminal."""

from __future__ import annotations

from orchestrator.domain.clarified import MOST_QUESTIONS
from orchestrator.domain.json_types import JsonObject
from workers.builtin.analysis import RequestAnalysis
from workers.builtin.request import analyse_request
from workers.documents.lexicon import lexicon


def gaps(request: str) -> list[JsonObject]:
    """`key`, `question` and `heading` of each gap, most important first, in the language of the request.

    Empty for a text that asks for nothing to be built: no answer would make it a request.
    """
    found = analyse_request(request)
    if found.form:
        return []
    wording = lexicon(found.language).wording
    return [
        {"key": key, "question": wording[f"gap_{key}"], "heading": wording[f"gap_{key}_heading"]}
        for key, said in _said(found)
        if not said
    ][:MOST_QUESTIONS]


def _said(a: RequestAnalysis) -> tuple[tuple[str, bool], ...]:
    return (
        ("what", not a.vague),
        ("goal", bool(a.goals or a.situation) and not a.vague),
        ("user", bool(a.actors)),
        ("scope", bool(a.exclusions)),
        ("constraint", any(need.kind == "constraint" for need in a.needs)),
        ("success", any(goal.metric or goal.target for goal in a.goals) or bool(a.criteria)),
    )
