"""What the lint reads: the documents as one list of statements, each with its place, and the sources they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from orchestrator.domain.dataclass import dataclass, field
from workers.documents.content import (
    Architecture,
    Brief,
    Content,
    Declared,
    Discovery,
    Epics,
    Requirement,
    Requirements,
)
from workers.documents.identifiers import IDENTIFIER, items_of
from workers.documents.lint.rules import short

C = TypeVar("C", bound=Content)
ASKING = frozenset({"goal", "requirement", "scope", "epic", "story"})  # forms by which something is asked for


@dataclass(frozen=True)
class Sources:
    """What the documents are held against."""

    request: str = ""
    language: str = "en"  # of the findings
    discovery: Discovery | None = None
    unread: tuple[str, ...] = ()  # blocks and statements of the request that became nothing, by the ledger
    given: tuple[str, ...] = ()  # what people said since, and what the repository shows
    edits: tuple[
        str, ...
    ] = ()  # documents as a person edited them: judged, but whose numbers are that person's
    said: tuple[str, ...] = ()  # a person's own words since the request: feedback and answers
    approved: frozenset[str] = frozenset()  # files that nobody has changed since a person approved them

    @cached_property
    def whole(self) -> str:
        """Everything that was given, as one text."""
        found = [self.request, *self.given]
        if self.discovery is not None:
            found.append(self.discovery.model_dump_json())
        return "\n".join(found)


@dataclass(frozen=True, slots=True)
class Said:
    """One statement of a document."""

    document: str
    place: str
    form: str  # goal, requirement, scope, out, constraint, component, operation, decision, epic, story ...
    text: str
    title: str = ""
    source: str = ""
    reason: str = ""
    refs: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # what else belongs to it: criteria, a story's sentence, a description
    must: bool = False
    open: bool = True  # it is asked for in this version


@dataclass(frozen=True)
class Specification:
    """The documents of one session, those that are there."""

    contents: Mapping[str, Content]
    sources: Sources = field(default_factory=Sources)

    def of(self, model: type[C]) -> list[tuple[str, C]]:
        """The documents of a model with their kinds."""
        return [(kind, found) for kind, found in self.contents.items() if isinstance(found, model)]

    @cached_property
    def requirements(self) -> list[tuple[str, Requirement]]:
        """The requirements that hold in this version, with the document they stand in."""
        return [
            (kind, item)
            for kind, found in self.of(Requirements)
            for item in found.items
            if item.moscow != "Won't"
        ]

    @cached_property
    def statements(self) -> list[Said]:
        """Every statement of every document, in order."""
        found = [*self._briefs(), *self._requirements(), *self._architectures(), *self._epics()]
        return [*found, *self._declared()]

    @cached_property
    def by_id(self) -> dict[str, Said]:
        """The statements that carry an identifier."""
        return {said.place: said for said in self.statements if IDENTIFIER.fullmatch(said.place)}

    @cached_property
    def defined(self) -> dict[str, set[str]]:
        """Identifiers by their prefix, as far as documents at hand define them."""
        known: dict[str, set[str]] = {}
        prefixes: tuple[tuple[type[Content], tuple[str, ...]], ...] = (
            (Brief, ("G",)),
            (Requirements, ("REQ", "NFR")),
            (Architecture, ("ADR",)),
            (Epics, ("EPIC", "STORY")),
        )
        for model, names in prefixes:
            ids = [item.id for _, content in self.of(model) for item in items_of(content)]
            if any(IDENTIFIER.fullmatch(one) for one in ids):
                known.update({name: set(ids) for name in names})
        for _, content in self.of(Declared):
            for section in content.layout:
                if section.id:
                    known[section.id] = {item.id for item in content.items(section)}
        return known

    def questions(self, kind: str) -> list[str]:
        """What a document asks."""
        return list(getattr(self.contents.get(kind), "open_questions", []))

    def _briefs(self) -> Iterator[Said]:
        for kind, brief in self.of(Brief):
            for goal in brief.goals:
                yield Said(
                    kind,
                    place_of(goal.id, goal.text),
                    "goal",
                    goal.text,
                    source=goal.source,
                    reason=goal.reason,
                    also=tuple(filter(None, (goal.metric, goal.target))),
                )
            for form, rows in (
                ("vision", [brief.vision]),
                ("scope", brief.in_scope),
                ("out", brief.out_of_scope),
                ("assumption", brief.assumptions),
                ("constraint", brief.constraints),
                ("dependency", brief.dependencies),
                ("risk", brief.risks),
            ):
                for row in rows:
                    yield Said(
                        kind,
                        place_of("", row.text) if form != "vision" else form,
                        form,
                        row.text,
                        source=row.source,
                        reason=row.reason,
                        open=form != "out",
                    )

    def _requirements(self) -> Iterator[Said]:
        for kind, content in self.of(Requirements):
            for item in content.items:
                story = item.user_story
                yield Said(
                    kind,
                    place_of(item.id, item.title),
                    "requirement",
                    item.statement,
                    title=item.title,
                    source=item.source,
                    reason=item.reason,
                    refs=tuple(item.goals),
                    also=(
                        *item.acceptance_criteria,
                        *([f"{story.as_a} {story.i_want} {story.so_that}"] if story else []),
                        item.quote,
                    ),
                    must=item.moscow == "Must",
                    open=item.moscow != "Won't",
                )
            for row in content.integrations:
                yield Said(
                    kind,
                    place_of("", row.text),
                    "integration",
                    row.text,
                    source=row.source,
                    reason=row.reason,
                )

    def _architectures(self) -> Iterator[Said]:
        for kind, content in self.of(Architecture):
            if content.style is not None:
                style = content.style
                yield Said(kind, "style", "style", style.text, source=style.source, reason="style")
            for part in content.components:
                yield Said(
                    kind,
                    short(part.name, 60),
                    "component",
                    part.responsibility,
                    title=part.name,
                    source=part.source,
                    reason=part.reason or "component",  # what it is responsible for is its reason
                    refs=tuple(part.requirements),
                )
            for row in content.api:
                yield Said(
                    kind,
                    short(row.name, 60),
                    "operation",
                    row.purpose,
                    title=row.name,
                    refs=tuple(row.requirements),
                )
            for statement in content.security:
                yield Said(
                    kind,
                    place_of("", statement.text),
                    "security",
                    statement.text,
                    source=statement.source,
                    reason=statement.reason,
                )
            for adr in content.adrs:
                yield Said(
                    kind,
                    place_of(adr.id, adr.title),
                    "decision",
                    adr.decision,
                    title=adr.title,
                    source=adr.source,
                    reason=adr.reason or adr.context,
                    refs=tuple(adr.requirements),
                    also=(adr.context, *adr.consequences),
                )

    def _epics(self) -> Iterator[Said]:
        for kind, content in self.of(Epics):
            for epic in content.items:
                yield Said(
                    kind,
                    place_of(epic.id, epic.title),
                    "epic",
                    epic.goal,
                    title=epic.title,
                    source=epic.source,
                    reason=epic.reason or "epic",
                    refs=tuple(epic.requirements),
                    also=tuple(story.title for story in epic.stories),
                    open=epic.moscow != "Won't",
                )
                for story in epic.stories:
                    yield Said(
                        kind,
                        place_of(story.id, story.title),
                        "story",
                        story.i_want,
                        title=story.title,
                        refs=(*story.requirements, *story.adrs),
                        also=(story.as_a, story.so_that, *story.acceptance_criteria),
                        open=epic.moscow != "Won't",
                    )

    def _declared(self) -> Iterator[Said]:
        for kind, content in self.of(Declared):
            for section in content.layout:
                for row in content.entries(section):
                    yield Said(
                        kind,
                        place_of(getattr(row, "id", ""), row.text),
                        "entry",
                        row.text,
                        source=row.source,
                        reason=row.reason,
                    )


def place_of(identifier: str, text: str) -> str:
    """How a finding names an item: by its identifier, before it has one by its beginning."""
    named = identifier and not identifier.lower().startswith("new")
    return identifier if named else f"“{short(text, 60)}”"
