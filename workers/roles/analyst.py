"""The analyst: explores the repository and takes the request apart (RESEARCH)."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.context.sources import EXPLORATION
from workers.documents.fates import PATH as LEDGER
from workers.documents.fates import book
from workers.documents.features import asked
from workers.documents.frame import to_json
from workers.documents.identifiers import allot
from workers.documents.labels import labels
from workers.explore import explore
from workers.explore.ranking import named_words
from workers.roles import Produced
from workers.roles.drafting import ask, facts, form, made_by, render_context, repository

ANGLE = "general"


def produce(context: RunContext, calls: AgentCalls) -> Produced:
    """The exploration and the discovery documents. Raises AgentError."""
    document = made_by(context, context.row.key)
    exploration = explore(
        context.project,
        context.session.request,
        ANGLE,
        named_words(asked(context.session.request)),
        cache_dir=context.workflow / "cache" / "explorations",
        stop=context.live.stop,
    )
    context.check()
    known = {**facts(context, document), "codebase": repository(exploration)}
    explored = json.dumps(exploration, ensure_ascii=False, indent=1) + "\n"
    content, agent = ask(calls, document, known, exploration=exploration)
    booked = book(context.session.request, content)
    kept, notes = allot(booked.discovery, kind=document.kind)
    shown = render_context(
        context, document, agent, {}, extra={"codebase": exploration.get("codebase"), "booked": booked}
    )
    fates = booked.ledger.fates
    index = json.dumps({"explorations": {ANGLE: PurePosixPath(EXPLORATION).name}}, indent=1) + "\n"
    return Produced(
        files={
            **form(context, document, kept, shown),
            EXPLORATION: (explored.encode("utf-8", "replace"), "exploration"),
            "explorations/cache-index.json": (index.encode(), "exploration"),
            LEDGER: (to_json(booked.ledger.model_dump(mode="json")), "ledger"),
        },
        artifact=document.path,
        summary=f"{len(content.requirements)} requirement sentences, {len(content.open_questions)} open questions; "
        f"of {fates.blocks} blocks of the request {fates.taken} are taken, {fates.partly} in part, "
        f"{fates.skipped} skipped, {fates.unread} not read",
        message_type="research_ready",
        agent=agent,
        key_decisions=[
            f"complexity: {content.complexity}",
            *(f"explore: {d.name}" for d in content.exploration_dimensions),
        ],
        notes=notes,
        wisdom=[("learnings", labels(context.session.language).words["learned"].format(title=content.title))],
        shared={"complexity": content.complexity, "domain": content.domain, "ui": content.ui},
    )
