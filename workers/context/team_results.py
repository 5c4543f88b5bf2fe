"""What a task of dynamic mode goes on from: the results of the tasks before it, and what it is to do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from orchestrator.domain.dynamic import Capability
from orchestrator.domain.dynamic_session import ARTIFACT, CAPABILITY, REASON
from orchestrator.domain.json_types import Json, JsonObject
from workers.context.analyses import found_places, stamped
from workers.context.run_context import RunContext
from workers.context.sources import Files
from workers.documents.analysis_content import Place
from workers.explore.citations import CitationCheck

FOLDER = "artifacts/"


def capability_of(context: RunContext) -> Capability:
    """What the task is a piece of."""
    return context.pack.dynamic.capabilities[str(context.payload[CAPABILITY])]


def paths_of(context: RunContext) -> tuple[str, str]:
    """Where the task's result is written: as people read it, and as programs do."""
    page = str(context.payload[ARTIFACT])
    return page, f"{page.removesuffix('.md')}.json"


def asked_of(context: RunContext) -> str:
    """What the task is about: the request, with what another task found before it."""
    return "\n".join(filter(None, [context.payload.get(REASON), context.session.request]))


def results_before(context: RunContext) -> dict[str, JsonObject]:
    """Path -> result of the other tasks, as they are now."""
    own = paths_of(context)[1] if ARTIFACT in context.payload else ""
    found = (path for path in sorted(context.artifacts) if _is_result(path))
    return {path: context.json(path) for path in found if path != own}


def former(context: RunContext) -> JsonObject | None:
    """The version before this one."""
    known: JsonObject | None = context.json(paths_of(context)[1])
    return known


def result_of(context: RunContext, schema: str, agent: str, title: str) -> JsonObject:
    """What every result says about itself."""
    return {
        **stamped(context, schema),
        "capability": context.payload[CAPABILITY],
        "title": title,
        "agent": agent,
        "dependencies": [path.replace(".json", ".md") for path in results_before(context)],
    }


def quoted_lines(context: RunContext, made: Files) -> str:
    """The lines of the project that results quote: what stands in them is the project's, and no fault of a result."""
    texts = [body.decode("utf-8", "replace") for path, (body, _) in made.items() if _is_result(path)]
    records = [*results_before(context).values(), *(json.loads(text) for text in texts)]
    return "\n".join(quote for record in records for quote in _quotes(record))


def _quotes(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _quotes(each)
    elif isinstance(value, dict):
        if {"path", "line", "quote"} <= value.keys():
            yield str(value["quote"])
        for each in value.values():
            yield from _quotes(each)


def _is_result(path: str) -> bool:
    return path.startswith(FOLDER) and path.endswith(".json")


def verified(
    context: RunContext, points: Sequence[tuple[Mapping[str, Json], Sequence[Place]]]
) -> tuple[list[JsonObject], list[str]]:
    """Each point with the places that are there, and the texts that name none but such that are not."""
    check = CitationCheck(context.project)
    kept: list[JsonObject] = []
    bare: list[str] = []
    for said, places in points:
        evidence, missing = found_places(check, places)
        kept.append({**said, "evidence": evidence})
        if missing and not evidence:
            bare.append(str(said["text"]))
    return kept, bare
