"""The analyst: explores the repository and takes the request apart (RESEARCH)."""

from __future__ import annotations

import json

from workers.context import Context
from workers.inline import explore as exploring
from workers.inline.docgen.render import render
from workers.roles import Produced
from workers.roles.documents import (
    DOCUMENTS,
    EXPLORATION,
    Registered,
    as_product,
    ask,
    content_path,
    facts,
    registered,
)
from workers.roles.writer import render_context

ANGLE = "general"


def produce(context: Context) -> Produced:
    """The exploration and the discovery documents. Raises AgentError."""
    document = DOCUMENTS["discovery"]
    exploration = exploring.explore(
        context.project,
        context.session.request,
        ANGLE,
        cache_dir=context.store.path.parent / "cache" / "explorations",
        stop=context.live.stop,
    )
    context.check()
    found = (json.dumps(exploration, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
    known = {**facts(context, document.kind), "codebase": exploration}
    content, agent = ask(
        context, document, known, extra=[("The repository, as explored now", found.decode())]
    )
    previous = registered(context, document.kind)
    kept = Registered(content)
    files = render(document.kind, kept, render_context(context, document, agent, known, previous))
    cached = {f"{ANGLE}": EXPLORATION}
    index = (json.dumps({"explorations": cached}, indent=1) + "\n").encode()
    decisions = [
        f"complexity: {content.complexity}",
        *(f"explore {found.name}" for found in content.exploration_dimensions),
    ]
    return Produced(
        files={
            **{path: (body, "document") for path, body in files.items()},
            EXPLORATION: (found, "exploration"),
            "explorations/cache-index.json": (index, "exploration"),
            content_path(document.kind): as_product(kept),
        },
        artifact=document.path,
        summary=f"{len(content.requirements)} requirement sentences, {len(content.open_questions)} open questions",
        message_type="research_ready",
        agent=agent,
        key_decisions=decisions,
        wisdom=[("learnings", f"the request is about: {content.title}")],
        shared={"complexity": content.complexity, "ui": content.ui, "domain": content.domain},
    )
