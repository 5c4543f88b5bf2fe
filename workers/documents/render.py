"""Documents from content: `render` gives registered content its files, one function a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from orchestrator.domain.documents import DocumentDef
from workers.documents import diagrams
from workers.documents.carried import with_lines
from workers.documents.content import Architecture, Brief, Declared, Discovery, Epics, Requirements
from workers.documents.fates import Booked, with_sources
from workers.documents.frame import RenderContext, front_of, index_page, printer_for, stamps, to_json
from workers.documents.identifiers import Registered, content_path
from workers.documents.item_files import Files, item_files, traced_goals, traced_requirements
from workers.documents.readiness import Readiness, Summary

MOSCOW = ("Must", "Should", "Could", "Won't")
SUMMARY = "spec/spec-summary.md"
CONFIG = "spec/spec-config.json"
DESIGN = "analysis/design-intelligence.json"


def render(
    kind: str, content: Any, context: RenderContext, previous: Files | None = None
) -> dict[str, bytes]:
    """All files of one document by path in the session directory, its content for later tasks among them.

    `content`: `Registered` (from `identifiers.allot`), for a report a pair of `Readiness` and `Summary`.
    `previous`: the files of the version before, so that untouched items keep theirs.
    """
    document = context.catalogue[kind]
    files = _BY_MODEL[document.model](document, content, context, previous or {})
    if isinstance(content, Registered):
        if any(content.by_hand):
            page, _ = with_lines(files[document.path].decode(), content.by_hand)
            files[document.path] = page.encode()
        files[content_path(kind)] = to_json(content.to_json())
    return files


def _discovery(
    document: DocumentDef, registered: Registered, context: RenderContext, previous: Files
) -> dict[str, bytes]:
    content = registered.content
    assert isinstance(content, Discovery)
    config = {
        "session_id": context.session_id,
        "title": content.title,
        "language": context.language,
        "complexity": content.complexity,
        "dimensions": [dimension.name for dimension in content.exploration_dimensions],
        "ui": content.ui,
        **stamps(context),
    }
    booked = context.facts.get("booked")
    sources = booked.sources if isinstance(booked, Booked) else {}
    found = with_sources(content.model_dump(mode="json", exclude={"design_notes"}), sources)
    files = {
        CONFIG: to_json(config),
        document.path: to_json(
            {
                "session_id": context.session_id,
                **found,
                "codebase": context.facts.get("codebase"),
                **stamps(context),
            }
        ),
    }
    if content.ui:
        design = {
            "session_id": context.session_id,
            "target_users": found["target_users"],
            "notes": [note.model_dump(mode="json") for note in content.design_notes],
            **stamps(context),
        }
        files[DESIGN] = to_json(design)
    return files


def _brief(
    document: DocumentDef, registered: Registered, context: RenderContext, previous: Files
) -> dict[str, bytes]:
    brief = registered.content
    assert isinstance(brief, Brief)
    printer = printer_for(registered, context)
    questions = list(brief.open_questions)
    for goal in brief.goals:
        if not goal.metric:
            questions.append(printer.text("metric_question", id=goal.id))
        if not goal.target:
            questions.append(printer.text("target_question", id=goal.id))
    page = index_page(
        printer, context, document, doc=brief, questions=questions, withdrawn=registered.withdrawn.goals
    )
    return {document.path: page}


def _requirements(
    document: DocumentDef, registered: Registered, context: RenderContext, previous: Files
) -> dict[str, bytes]:
    content, withdrawn = registered.content, registered.withdrawn.requirements
    assert isinstance(content, Requirements)
    printer = printer_for(registered, context)
    brief = context.content_of(Brief)
    goals = [
        {
            "id": goal.id,
            "text": goal.text,
            "served_by": [item.id for item in content.items if goal.id in item.goals],
        }
        for goal in (brief.goals if brief else [])
    ]
    functional = [item for item in content.items if item.kind == "functional"]
    counted = [sum(item.moscow == moscow for item in content.items) for moscow in MOSCOW]
    counts = dict(zip(("must", "should", "could", "wont"), counted, strict=True))
    counts |= {"functional": len(functional), "nonfunctional": len(content.items) - len(functional)}
    page = index_page(
        printer,
        context,
        document,
        doc=content,
        goals=goals,
        functional=functional,
        nonfunctional=[item for item in content.items if item.kind == "nonfunctional"],
        by_moscow=[(name, [item.id for item in content.items if item.moscow == name]) for name in MOSCOW],
        counts=counts,
        questions=content.open_questions,
        withdrawn=withdrawn,
    )
    items = item_files(printer, document, registered, "requirement", context, previous, traced_goals)
    return {document.path: page, **items}


def _architecture(
    document: DocumentDef, registered: Registered, context: RenderContext, previous: Files
) -> dict[str, bytes]:
    content, withdrawn = registered.content, registered.withdrawn.adrs
    assert isinstance(content, Architecture)
    printer = printer_for(registered, context)
    page = index_page(
        printer,
        context,
        document,
        doc=content,
        context_diagram=diagrams.context(context.title, content.actors, content.external_systems),
        component_diagram=diagrams.components(content),
        review=context.facts.get("review"),
        review_by=printer.text(
            "by", agent=context.facts.get("review_agent", "–"), task=context.task, version=context.version
        ),
        questions=content.open_questions,
        withdrawn=withdrawn,
    )
    items = item_files(printer, document, registered, "adr", context, previous, traced_requirements)
    return {document.path: page, **items}


def _epics(
    document: DocumentDef, registered: Registered, context: RenderContext, previous: Files
) -> dict[str, bytes]:
    content, withdrawn = registered.content, registered.withdrawn.epics
    assert isinstance(content, Epics)
    printer = printer_for(registered, context)
    stories = [story for epic in content.items for story in epic.stories]
    steps = order(content)
    page = index_page(
        printer,
        context,
        document,
        doc=content,
        stories=stories,
        counts={
            "epics": len(content.items),
            "stories": len(stories),
            "mvp": sum(epic.mvp for epic in content.items),
        },
        order=steps,
        order_diagram=diagrams.order(steps),
        epic_diagram=diagrams.epics(content.items),
        chains=_chains(content, context),
        questions=content.open_questions,
        withdrawn=withdrawn,
    )
    items = item_files(printer, document, registered, "epic", context, previous, traced_requirements)
    return {document.path: page, **items}


def _readiness(
    document: DocumentDef, content: tuple[Readiness, Summary], context: RenderContext, previous: Files
) -> dict[str, bytes]:
    report, summary = content
    printer = printer_for(None, context)
    return {
        document.path: index_page(printer, context, document, doc=report),
        SUMMARY: printer.page(
            SUMMARY,
            "summary.md.j2",
            front_of(context, "summary", (document.path,)),
            title=context.title,
            doc=summary,
        ),
        content_path(document.kind): to_json({"document": document.kind, **report.to_value()}),
    }


def _declared(
    document: DocumentDef, registered: Registered, context: RenderContext, previous: Files
) -> dict[str, bytes]:
    content = registered.content
    assert isinstance(content, Declared)
    sections = [
        {
            "key": section.key,
            "text": getattr(content, section.key) if section.form == "text" else "",
            "statements": [] if section.id else content.entries(section),
            "items": content.items(section),
        }
        for section in content.layout
    ]
    page = index_page(
        printer_for(registered, context),
        context,
        document,
        doc=content,
        name=document.title,
        sections=sections,
        questions=content.open_questions,
        withdrawn=registered.withdrawn.items,
    )
    return {document.path: page}


def order(content: Epics) -> list[list[str]]:
    """The epics in steps: each step needs only the steps before it; within one, the more wanted first."""
    rank = {epic.id: (not epic.mvp, MOSCOW.index(epic.moscow)) for epic in content.items}
    waiting = {epic.id: {other for other in epic.depends_on if other in rank} for epic in content.items}
    steps: list[list[str]] = []
    while waiting:
        ready = [name for name, needs in waiting.items() if not needs & waiting.keys()] or list(waiting)
        steps.append(sorted(ready, key=lambda name: rank[name]))
        for name in ready:
            del waiting[name]
    return steps


def _chains(content: Epics, context: RenderContext) -> list[dict[str, object]]:
    """One row a requirement: the goals it serves, the designs that answer it, the stories that build it."""
    requirements, design = context.content_of(Requirements), context.content_of(Architecture)
    if requirements is None:
        return []
    rows: list[dict[str, object]] = []
    for item in requirements.items:
        adrs = [adr.id for adr in design.adrs if item.id in adr.requirements] if design else []
        parts = [part.name for part in design.components if item.id in part.requirements] if design else []
        rows.append(
            {
                "goals": item.goals,
                "requirement": item.id,
                "parts": parts,
                "adrs": adrs,
                "stories": [
                    s.id for epic in content.items for s in epic.stories if item.id in s.requirements
                ],
            }
        )
    return rows


_BY_MODEL: dict[str, Callable[[DocumentDef, Any, RenderContext, Files], dict[str, bytes]]] = {
    "discovery": _discovery,
    "brief": _brief,
    "requirements": _requirements,
    "architecture": _architecture,
    "epics": _epics,
    "readiness": _readiness,
    "declared": _declared,
}
