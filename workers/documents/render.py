"""Documents from content: `render` gives registered content its files.

A file of an item (requirement, decision, epic) changes only when the item does: an item that is the same as in the
previous version keeps its bytes, a person's edit of them included, and its version is the one it last changed in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import regex
from pydantic import BaseModel

from workers.documents import diagrams
from workers.documents.content import Architecture, Brief, Discovery, Epics, Requirements
from workers.documents.identifiers import Registered, content_path
from workers.documents.page import Printer
from workers.documents.readiness import Readiness, Summary

Files = Mapping[str, bytes]

MOSCOW = ("Must", "Should", "Could", "Won't")
INDEX = {
    "brief": "spec/product-brief.md",
    "requirements": "spec/requirements/_index.md",
    "architecture": "spec/architecture/_index.md",
    "epics": "spec/epics/_index.md",
    "readiness": "spec/readiness-report.md",
}
SUMMARY = "spec/spec-summary.md"
CONFIG = "spec/spec-config.json"
DISCOVERY = "spec/discovery-context.json"
DESIGN = "analysis/design-intelligence.json"
DEPENDENCIES = {
    "brief": (DISCOVERY,),
    "requirements": (DISCOVERY, INDEX["brief"]),
    "architecture": (INDEX["brief"], INDEX["requirements"]),
    "epics": (INDEX["brief"], INDEX["requirements"], INDEX["architecture"]),
    "readiness": (INDEX["brief"], INDEX["requirements"], INDEX["architecture"], INDEX["epics"]),
}
_STAMP = regex.compile(rb"^(generated_at|version|author|task): .*$", regex.MULTILINE)


@dataclass(frozen=True, slots=True)
class RenderContext:
    """What a document says about itself, and the documents it links to."""

    session_id: str
    title: str  # short name of what is to be made
    phase: str
    status: str  # draft, revised, complete ...
    generated_at: str  # ISO 8601
    version: int
    agent: str
    task: str
    language: str = "en"
    dependencies: tuple[str, ...] | None = None  # None: those the kind of document has
    documents: Mapping[str, Registered] = field(default_factory=dict)  # the documents before, by name
    facts: Mapping[str, Any] = field(
        default_factory=dict
    )  # codebase; review, review_agent (architecture); request
    folders: tuple[Any, ...] = ()  # folders with a user's own templates and labels, first one wins


def render(
    document: str, content: Any, context: RenderContext, previous: Files | None = None
) -> dict[str, bytes]:
    """All files of one document by path in the session directory, its content for later tasks among them.

    `content`: `Registered` (from `ids.allot`) for discovery, brief, requirements, architecture and epics; a pair of
    `Readiness` and `Summary` for readiness. `previous`: the files of the version before, so that untouched items keep theirs.
    """
    files = _BY_DOCUMENT[document](content, context, previous or {})
    if isinstance(content, Registered):
        files[content_path(document)] = _json(content.to_json())
    return files


def _discovery(registered: Registered, context: RenderContext, previous: Files) -> dict[str, bytes]:
    content = registered.content
    assert isinstance(content, Discovery)
    config = {
        "session_id": context.session_id,
        "title": content.title,
        "language": context.language,
        "complexity": content.complexity,
        "dimensions": [dimension.name for dimension in content.exploration_dimensions],
        "ui": content.ui,
        **_stamps(context),
    }
    found = content.model_dump(mode="json", exclude={"design_notes"})
    files = {
        CONFIG: _json(config),
        DISCOVERY: _json(
            {
                "session_id": context.session_id,
                **found,
                "codebase": context.facts.get("codebase"),
                **_stamps(context),
            }
        ),
    }
    if content.ui:
        design = {
            "session_id": context.session_id,
            "target_users": found["target_users"],
            "notes": [note.model_dump(mode="json") for note in content.design_notes],
            **_stamps(context),
        }
        files[DESIGN] = _json(design)
    return files


def _brief(registered: Registered, context: RenderContext, previous: Files) -> dict[str, bytes]:
    brief = registered.content
    assert isinstance(brief, Brief)
    printer = _printer(registered, context)
    questions = list(brief.open_questions)
    for goal in brief.goals:
        if not goal.metric:
            questions.append(printer.text("metric_question", id=goal.id))
        if not goal.target:
            questions.append(printer.text("target_question", id=goal.id))
    withdrawn = registered.withdrawn.goals
    page = _index(
        printer, context, "brief", "brief.md.j2", doc=brief, questions=questions, withdrawn=withdrawn
    )
    return {INDEX["brief"]: page}


def _requirements(registered: Registered, context: RenderContext, previous: Files) -> dict[str, bytes]:
    content, withdrawn = registered.content, registered.withdrawn.requirements
    assert isinstance(content, Requirements)
    printer = _printer(registered, context)
    brief = context.documents.get("brief")
    goals = [
        {
            "id": goal.id,
            "text": goal.text,
            "served_by": [item.id for item in content.items if goal.id in item.goals],
        }
        for goal in (brief.content.goals if brief and isinstance(brief.content, Brief) else [])
    ]
    functional = [item for item in content.items if item.kind == "functional"]
    counted = [sum(item.moscow == moscow for item in content.items) for moscow in MOSCOW]
    counts = dict(zip(("must", "should", "could", "wont"), counted, strict=True))
    counts |= {"functional": len(functional), "nonfunctional": len(content.items) - len(functional)}
    page = _index(
        printer,
        context,
        "requirements",
        "requirements.md.j2",
        doc=content,
        goals=goals,
        functional=functional,
        nonfunctional=[item for item in content.items if item.kind == "nonfunctional"],
        by_moscow=[(name, [item.id for item in content.items if item.moscow == name]) for name in MOSCOW],
        counts=counts,
        questions=content.open_questions,
        withdrawn=withdrawn,
    )
    items = _items(
        printer, registered, "requirement", content.items, withdrawn, context, previous, _traced_goals
    )
    return {INDEX["requirements"]: page, **items}


def _architecture(registered: Registered, context: RenderContext, previous: Files) -> dict[str, bytes]:
    content, withdrawn = registered.content, registered.withdrawn.adrs
    assert isinstance(content, Architecture)
    printer = _printer(registered, context)
    page = _index(
        printer,
        context,
        "architecture",
        "architecture.md.j2",
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
    items = _items(
        printer, registered, "adr", content.adrs, withdrawn, context, previous, _traced_requirements
    )
    return {INDEX["architecture"]: page, **items}


def _epics(registered: Registered, context: RenderContext, previous: Files) -> dict[str, bytes]:
    content, withdrawn = registered.content, registered.withdrawn.epics
    assert isinstance(content, Epics)
    printer = _printer(registered, context)
    stories = [story for epic in content.items for story in epic.stories]
    steps = order(content)
    page = _index(
        printer,
        context,
        "epics",
        "epics.md.j2",
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
    items = _items(
        printer, registered, "epic", content.items, withdrawn, context, previous, _traced_requirements
    )
    return {INDEX["epics"]: page, **items}


def _readiness(
    content: tuple[Readiness, Summary], context: RenderContext, previous: Files
) -> dict[str, bytes]:
    report, summary = content
    printer = _printer(None, context)
    summary_dependencies = (INDEX["readiness"],)
    return {
        INDEX["readiness"]: _index(printer, context, "readiness", "readiness.md.j2", doc=report),
        SUMMARY: printer.page(
            SUMMARY,
            "summary.md.j2",
            _front(context, "summary", summary_dependencies),
            title=context.title,
            doc=summary,
        ),
        content_path("readiness"): _json({"document": "readiness", **report.to_value()}),
    }


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


def _chains(content: Epics, context: RenderContext) -> list[dict[str, Any]]:
    """One row a requirement: the goals it serves, the designs that answer it, the stories that build it."""
    requirements, architecture = context.documents.get("requirements"), context.documents.get("architecture")
    if requirements is None or not isinstance(requirements.content, Requirements):
        return []
    design = architecture.content if architecture and isinstance(architecture.content, Architecture) else None
    rows = []
    for item in requirements.content.items:
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


def _items(
    printer: Printer,
    registered: Registered,
    kind: str,
    items: Sequence[Any],
    withdrawn: Sequence[Any],
    context: RenderContext,
    previous: Files,
    traced: Callable[[Any], list[str]],
) -> dict[str, bytes]:
    """One file an item, also for the withdrawn ones; what did not change keeps its bytes."""
    folder = f"spec/{registered.document}"
    before = _before(registered.document, previous)
    lost = [story for story in registered.withdrawn.stories if kind == "epic"]
    files = {}
    for item, gone in [*((item, False) for item in items), *((item, True) for item in withdrawn)]:
        path = f"{folder}/{registered.files[item.id]}"
        stories = [story for story in lost if story.id.startswith(f"STORY-{item.id.removeprefix('EPIC-')}-")]
        state = (item, gone, [] if gone else stories)
        if path in previous and before.get(item.id) == state:
            files[path] = previous[path]
            continue
        front = {
            **_front(context, kind, DEPENDENCIES[registered.document]),
            "status": "withdrawn" if gone else "current",
            "id": item.id,
            "traces_to": traced(item),
        }
        page = printer.page(
            path,
            f"{kind}.md.j2",
            front,
            item=item,
            is_withdrawn=gone,
            withdrawn_stories=[] if gone else stories,
        )
        files[path] = previous[path] if _same_but_stamps(page, previous.get(path)) else page
    return files


def _before(document: str, previous: Files) -> dict[str, tuple[Any, bool, list[Any]]]:
    """The items of the version before: each with whether it was withdrawn, and its withdrawn stories."""
    data = previous.get(content_path(document))
    if data is None:
        return {}
    old = Registered.from_json(json.loads(data))
    kept = {"requirements": "items", "architecture": "adrs", "epics": "items"}[document]
    gone = {"requirements": "requirements", "architecture": "adrs", "epics": "epics"}[document]
    states: dict[str, tuple[Any, bool, list[Any]]] = {}
    for item in getattr(old.content, kept):
        prefix = f"STORY-{item.id.removeprefix('EPIC-')}-"
        states[item.id] = (
            item,
            False,
            [story for story in old.withdrawn.stories if story.id.startswith(prefix)],
        )
    states.update({item.id: (item, True, []) for item in getattr(old.withdrawn, gone)})
    return states


def _same_but_stamps(page: bytes, old: bytes | None) -> bool:
    """Whether two versions of an item's file differ only in who wrote it when."""
    return old is not None and _unstamped(page) == _unstamped(old)


def _unstamped(page: bytes) -> bytes:
    head, mark, body = page.partition(b"\n---\n")
    return _STAMP.sub(b"", head) + mark + body


def _traced_goals(item: Any) -> list[str]:
    return list(item.goals)


def _traced_requirements(item: Any) -> list[str]:
    stories = getattr(item, "stories", [])
    return list(
        dict.fromkeys([*item.requirements, *(name for s in stories for name in [*s.requirements, *s.adrs])])
    )


def _index(printer: Printer, context: RenderContext, document: str, template: str, **values: Any) -> bytes:
    front = _front(context, document, DEPENDENCIES[document])
    return printer.page(INDEX[document], template, front, title=context.title, **values)


def _front(context: RenderContext, kind: str, dependencies: Sequence[str]) -> dict[str, Any]:
    """The frontmatter; an item's always names the same dependencies, or its bytes would change with them."""
    item = kind in ("requirement", "adr", "epic")
    return {
        "session_id": context.session_id,
        "phase": context.phase,
        "document_type": kind,
        "status": context.status,
        "generated_at": context.generated_at,
        "version": context.version,
        "dependencies": list(dependencies if item or context.dependencies is None else context.dependencies),
        "author": context.agent,
        "task": context.task,
    }


def _printer(registered: Registered | None, context: RenderContext) -> Printer:
    paths = {
        name: f"spec/{known.document}/{file}"
        for known in [*context.documents.values(), *([registered] if registered else [])]
        for name, file in known.files.items()
    }
    for known in [*context.documents.values(), *([registered] if registered else [])]:
        if isinstance(known.content, Brief):
            paths |= {goal.id: f"{INDEX['brief']}#{goal.id.lower()}" for goal in known.content.goals}
            paths |= {goal.id: f"{INDEX['brief']}#{goal.id.lower()}" for goal in known.withdrawn.goals}
        if isinstance(known.content, Epics):
            stories = [(story.id, epic.id) for epic in known.content.items for story in epic.stories]
            paths |= {story: f"spec/epics/{known.files[epic]}" for story, epic in stories}
    return Printer(context.language, context.folders, paths)


def _stamps(context: RenderContext) -> dict[str, Any]:
    return {
        "phase": context.phase,
        "status": context.status,
        "generated_at": context.generated_at,
        "version": context.version,
        "author": context.agent,
        "task": context.task,
    }


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2, default=_plain) + "\n").encode("utf-8", "replace")


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return str(value)


_BY_DOCUMENT: dict[str, Callable[[Any, RenderContext, Files], dict[str, bytes]]] = {
    "discovery": _discovery,
    "brief": _brief,
    "requirements": _requirements,
    "architecture": _architecture,
    "epics": _epics,
    "readiness": _readiness,
}
