"""What a session will send to its agents, estimated before it starts: calls, characters, tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.domain.documents import DISCOVERY
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import TaskDef
from orchestrator.views.layout import Plan

FRAME = 6_000  # characters of a prompt beside its material: rules, role, task, schema, the last record
LEAST_DOCUMENT, DOCUMENT_SHARE = 4_000, 0.6  # a document's characters: that, and a share of the request
LONGEST_DOCUMENT = 40_000  # workers/context/sources.py cuts there
SMALL_ARTIFACT = 20_000  # workers/discussion/groups.py merges below
REVIEWED, REVIEWER = "architecture", "technical"  # a draft of that model is read by that perspective's agent
LETTERS_PER_TOKEN, CHARACTERS_PER_TOKEN_ZH = 4.0, 1.5


def sending(
    planned: Plan, written_by: Mapping[str, str | None], spoken_by: Mapping[str, str | None]
) -> JsonObject:
    """About what will be sent. `written_by` and `spoken_by`: the paid agent of each task and perspective, None: rules.

    It is what a call reads; a client that goes on with its conversation sends less.
    """
    request = len(planned.request)
    document = min(LONGEST_DOCUMENT, round(LEAST_DOCUMENT + DOCUMENT_SHARE * request))
    calls = characters = 0
    for task in planned.pipeline.tasks:
        sources = _sources(planned, task)
        if written_by.get(task.key):
            calls, characters = calls + 1, characters + FRAME + request + sources * document
        made = planned.pack.documents.of_task(task.key)
        if made is not None and made.model == REVIEWED and spoken_by.get(REVIEWER):
            calls, characters = calls + 1, characters + FRAME + request + (sources + 1) * document
        groups = _groups(planned, task, spoken_by, document)
        read = (
            max(1, sources) if groups == 1 else 1
        )  # one call reads all sources, each of several the discovery
        calls, characters = calls + groups, characters + groups * (FRAME + request + (read + 1) * document)
    per_token = CHARACTERS_PER_TOKEN_ZH if planned.language == "zh" else LETTERS_PER_TOKEN
    return {"calls": calls, "characters": characters, "tokens": round(characters / per_token)}


def _sources(planned: Plan, task: TaskDef) -> int:
    """How many documents stand before the one that the task makes."""
    made = planned.pack.documents.of_task(task.key)
    if made is None or made.model == DISCOVERY:
        return 0
    return len({*made.drafted_from})


def _groups(planned: Plan, task: TaskDef, spoken_by: Mapping[str, str | None], artifact: int) -> int:
    """How many paid calls the round of a task makes."""
    if task.round is None:
        return 0
    agents: Sequence[str] = [
        agent for view in planned.pack.rounds[task.round].perspectives if (agent := spoken_by.get(view))
    ]
    critics = planned.options.critics or "auto"
    if critics == "merged":
        return min(1, len(agents))
    return len(set(agents)) if critics == "auto" and artifact <= SMALL_ARTIFACT else len(agents)
