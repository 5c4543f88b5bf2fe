"""Drives the built-in agent through all documents of one request, with identifiers allotted as the product does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.config.shipped import shipped_documents
from orchestrator.domain.ids import slug
from workers.agents.protocol import AgentRequest
from workers.builtin import BuiltinAgent, detect_language
from workers.documents.content import Architecture, Brief, Epics, Requirements
from workers.documents.frame import RenderContext
from workers.documents.identifiers import Registered, items_of
from workers.documents.render import render

DATA = Path(__file__).parents[1] / "data" / "ideas"


def ask(kind: str, round_key: str | None = None, workdir: Path = Path(), **facts: Any) -> Any:
    request = AgentRequest(
        kind=kind,
        prompt="",
        schema=None,
        facts=facts,
        workdir=workdir,
        session="TLS-x-2026-01-01",
        task="T-001",
        role="writer",
        run="run",
        round=round_key,
    )
    return BuiltinAgent().ask(request).data


def chain(text: str, codebase: dict[str, Any] | None = None) -> dict[str, Any]:
    facts: dict[str, Any] = {"request": text, "language": detect_language(text), "codebase": codebase}
    facts["discovery"] = ask("discovery", **facts)
    for kind in ("brief", "requirements", "architecture", "epics"):
        facts[kind] = numbered(ask(kind, **facts))
    return facts


def numbered(content: Any) -> Any:
    """Allot identifiers to what is new; what has one keeps it."""
    if isinstance(content, Brief):
        return content.model_copy(update={"goals": _ids(content.goals, "G")})
    if isinstance(content, Requirements):
        items = list(content.items)
        for kind in ("REQ", "NFR-P", "NFR-S", "NFR-SC", "NFR-U"):
            at = [
                i
                for i, item in enumerate(items)
                if (f"NFR-{item.category}" if item.kind == "nonfunctional" else "REQ") == kind
            ]
            for i, row in zip(at, _ids([items[i] for i in at], kind), strict=True):
                items[i] = row
        return content.model_copy(update={"items": items})
    if isinstance(content, Architecture):
        return content.model_copy(update={"adrs": _ids(content.adrs, "ADR")})
    assert isinstance(content, Epics)
    epics = _ids(content.items, "EPIC")
    names = {old.id: new.id for old, new in zip(content.items, epics, strict=True)}
    done = []
    for epic in epics:
        stories = _ids(epic.stories, epic.id.replace("EPIC", "STORY"))
        done.append(
            epic.model_copy(
                update={"stories": stories, "depends_on": [names.get(one, one) for one in epic.depends_on]}
            )
        )
    return content.model_copy(update={"items": done})


def _ids(rows: list[Any], prefix: str) -> list[Any]:
    used = sum(not row.id.startswith("new") for row in rows)
    done = []
    for row in rows:
        if row.id.startswith("new"):
            used += 1
            row = row.model_copy(update={"id": f"{prefix}-{used:03d}"})
        done.append(row)
    return done


def artifact(kind: str, facts: dict[str, Any]) -> str:
    """The document as the product writes it: its index and the files of its items."""
    files = pages(kind, facts)
    return "\n\n".join(
        text for path, text in files.items() if path.endswith((".md", "discovery-context.json"))
    )


def pages(kind: str, facts: dict[str, Any]) -> dict[str, str]:
    """The files of a document as the product writes them, by path."""
    kinds = ("discovery", "brief", "requirements", "architecture", "epics")
    registered = {name: _registered(facts[name]) for name in kinds if name in facts}
    context = RenderContext(
        session_id=f"TLS-{slug(facts['request'])}-2026-01-01",
        title=facts["discovery"].title,
        phase="spec",
        status="complete",
        generated_at="2026-01-01T00:00:00Z",
        version=1,
        agent="builtin",
        task="DRAFT-001",
        language=facts["language"],
        documents=registered,
        facts=facts,
    )
    return {path: text.decode() for path, text in render(kind, registered[kind], context).items()}


def _registered(content: Any) -> Registered:
    return Registered(content=content, files={item.id: f"{item.id}.md" for item in items_of(content)})


def criticise(kind: str, name: str, facts: dict[str, Any], text: str, **more: Any) -> Any:
    path = shipped_documents()[kind].path
    given = {
        **facts,
        "artifact": text,
        "artifact_path": path,
        "artifact_content": facts.get(kind),
        "perspective": {"name": name},
    }
    return ask("critique", **{**given, **more})
