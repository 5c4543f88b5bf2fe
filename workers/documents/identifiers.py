"""Identifiers: code allots them once, and keeps what a later version leaves out as withdrawn (docs/domain.md, section 10).

An agent's reply names an existing id or "new" ("new:<handle>" when the same reply refers to it). What a reply calls an item
is a name, valid in that reply only; `allot` turns names into numbers and references into ids.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

import regex
from pydantic import BaseModel, Field

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.ids import slug
from orchestrator.domain.json_types import Json, JsonObject
from workers.documents.by_hand import ByHand
from workers.documents.content import (
    Adr,
    Architecture,
    Brief,
    Content,
    Declared,
    Discovery,
    Epic,
    Epics,
    Goal,
    Item,
    Requirement,
    Requirements,
    Story,
)
from workers.documents.models import MODELS

C = TypeVar("C", bound=Content)
Numbered: TypeAlias = Goal | Requirement | Adr | Epic | Story | Item  # what carries an identifier

IDENTIFIER = regex.compile(
    r"(?<![\w-])(?:G-\d{3,}|REQ-\d{3,}|NFR-(?:P|SC|S|U)-\d{3,}|ADR-\d{3,}|EPIC-\d{3,}|STORY-\d{3,}-\d{3,})(?![\w]|-\d)"
)


class Withdrawn(Content):
    """Items of earlier versions that a later one left out. Their files stay, their numbers are never used again."""

    goals: list[Goal] = Field(default=[])
    requirements: list[Requirement] = Field(default=[])
    adrs: list[Adr] = Field(default=[])
    epics: list[Epic] = Field(default=[])
    stories: list[Story] = Field(default=[])
    items: list[Item] = Field(default=[])  # of declared documents

    def ids(self) -> set[str]:
        kinds = (self.goals, self.requirements, self.adrs, self.epics, self.stories, self.items)
        return {item.id for kind in kinds for item in kind}


@dataclass(frozen=True, slots=True)
class Registered:
    """A document's content as the product keeps it: ids allotted, withdrawn items beside it, a file name for each id."""

    content: Content
    withdrawn: Withdrawn = field(default_factory=Withdrawn)
    files: Mapping[str, str] = field(default_factory=dict)  # id -> file name, kept for ever
    document: str = ""  # its kind; empty: the kind that is called like its model
    by_hand: ByHand = ByHand()

    def __post_init__(self) -> None:
        if not self.document:
            named = next(name for name, model in MODELS.items() if isinstance(self.content, model))
            object.__setattr__(self, "document", named)

    def ids(self) -> set[str]:
        """The identifiers in force: later documents may refer to these."""
        return {item.id for item in items_of(self.content)}

    def to_json(self) -> JsonObject:
        """Plain values, for a file beside the document."""
        return {
            "document": self.document,
            "content": self.content.model_dump(mode="json"),
            "withdrawn": self.withdrawn.model_dump(
                mode="json", exclude=None if self.withdrawn.items else {"items"}
            ),
            "files": dict(self.files),
            **({"by_hand": self.by_hand.to_json()} if any(self.by_hand) else {}),
        }

    @classmethod
    def from_json(cls, value: Json, schema: type[Content] | None = None) -> Registered:
        """Raises ValueError for anything `to_json` did not give. `schema`: None means the shipped model."""
        if not isinstance(value, dict) or not isinstance(value.get("files"), dict):
            raise ValueError("this is no content of a document")
        model = schema or MODELS.get(str(value.get("document")))
        if model is None:
            raise ValueError("this is no content of a shipped document")
        return cls(
            content=model.model_validate(value.get("content")),
            withdrawn=Withdrawn.model_validate(value.get("withdrawn")),
            files={str(key): str(name) for key, name in value["files"].items()},
            document=str(value.get("document", "")),
            by_hand=ByHand.from_json(value.get("by_hand")),
        )


def content_path(document: str) -> str:
    """Where a document's content lies in the session directory, for later tasks and revisions."""
    return f"spec/.content/{document}.json"


def items_of(content: Content) -> list[Numbered]:
    """The items of a document that carry an identifier."""
    if isinstance(content, Brief):
        return list(content.goals)
    if isinstance(content, Requirements):
        return list(content.items)
    if isinstance(content, Architecture):
        return list(content.adrs)
    if isinstance(content, Epics):
        return [*content.items, *(story for epic in content.items for story in epic.stories)]
    if isinstance(content, Declared):
        return [item for section in content.layout for item in content.items(section)]
    return []


def allot(
    content: Content,
    previous: Registered | None = None,
    taken: Collection[str] = (),
    known: Collection[str] | None = None,
    kind: str = "",
) -> tuple[Registered, list[str]]:
    """Give every item of a reply its id and resolve its references; also the notes on what had to be set right.

    `taken`: ids any earlier version used. `known`: ids in force in the documents before; a reference to another id is
    dropped. None leaves such references as they are. `kind`: the document's, where it is not called like its model.
    """
    if isinstance(content, Discovery):
        return Registered(content, document=kind), []
    numbers = _Numbers(previous, taken, known)
    kept, withdrawn = _BY_MODEL.get(type(content), _declared)(content, numbers)
    return Registered(kept, withdrawn, numbers.files, kind), numbers.notes


class _Numbers:
    """The allotting of one reply: which numbers are used, what the reply called its items, what was noted."""

    def __init__(
        self, previous: Registered | None, taken: Collection[str], known: Collection[str] | None
    ) -> None:
        self.before = previous.content if previous else None
        self.withdrawn = previous.withdrawn if previous else Withdrawn()
        self.files: dict[str, str] = dict(previous.files) if previous else {}
        self.free = (
            previous.ids() if previous else set()
        )  # existing ids that no item of the reply has claimed yet
        self.used = self.free | self.withdrawn.ids() | set(taken)
        self.known = None if known is None else set(known)
        self.names: dict[str, str] = {}
        self.notes: list[str] = []

    def claim(self, item: Numbered, prefix: str) -> str:
        """The id of one item: the existing one it names when that is of its kind, else the next number."""
        name = _name(item.id)
        if name in self.free and _series(name) == prefix:
            self.free.discard(name)
            self.names[name] = name
            return name
        number = 1 + max(
            (int(used.rpartition("-")[2]) for used in self.used if _series(used) == prefix), default=0
        )
        allotted = f"{prefix}-{number:03d}"
        self.used.add(allotted)
        if name in self.names:
            self.notes.append(
                f"{allotted}: another item is already called {name}; references to {name} mean that one"
            )
        elif name and name != "NEW":
            self.names[name] = allotted
            if not name.startswith("NEW:"):
                self.notes.append(
                    f"{allotted}: the reply called it {name}, which is not an item of this document; it is new"
                )
        return allotted

    def name_file(self, identifier: str, title: str) -> None:
        words = slug(title) if any(letter.isalnum() for letter in title) else ""
        self.files.setdefault(identifier, f"{identifier}-{words}.md" if words else f"{identifier}.md")

    def inside(self, owner: str, references: Iterable[str], prefix: str) -> list[str]:
        """References to items of the same reply."""
        return self._resolved(owner, references, lambda name: self._own(name, prefix))

    def outside(self, owner: str, references: Iterable[str], prefixes: tuple[str, ...]) -> list[str]:
        """References to items of the documents before."""
        return self._resolved(owner, references, lambda name: self._foreign(name, prefixes))

    def _own(self, name: str, prefix: str) -> str | None:
        found = self.names.get(name)
        return found if found and found.startswith(f"{prefix}-") else None

    def _foreign(self, name: str, prefixes: tuple[str, ...]) -> str | None:
        right = IDENTIFIER.fullmatch(name) and name.startswith(prefixes)
        return name if right and (self.known is None or name in self.known) else None

    def _resolved(
        self, owner: str, references: Iterable[str], find: Callable[[str], str | None]
    ) -> list[str]:
        kept: dict[str, None] = {}
        for reference in references:
            found = find(_name(reference))
            if found is None:
                self.notes.append(
                    f"{owner}: the reference to {_name(reference)[:80]} was dropped; there is no such item"
                )
            elif found != owner:
                kept[found] = None
        return list(kept)


def _name(text: str) -> str:
    """What a reply calls an item, in one spelling: `req-001`, `REQ-001: Title` and `[REQ-001]` are one."""
    upper = " ".join(text.split()).upper()
    handle = regex.match(r"NEW\s*:\s*(.+)", upper)
    if handle:
        return f"NEW:{handle[1]}"
    found = IDENTIFIER.search(upper)
    return found[0] if found else upper


def _series(identifier: str) -> str:
    return identifier.rpartition("-")[0]


def _brief(content: Brief, numbers: _Numbers) -> tuple[Brief, Withdrawn]:
    goals = [goal.model_copy(update={"id": numbers.claim(goal, "G")}) for goal in content.goals]
    left = _left_out(numbers.before, numbers)
    withdrawn = numbers.withdrawn.model_copy(update={"goals": [*numbers.withdrawn.goals, *left]})
    return content.model_copy(update={"goals": goals}), withdrawn


def _requirements(content: Requirements, numbers: _Numbers) -> tuple[Requirements, Withdrawn]:
    items = []
    for item in content.items:
        category = item.category or "U"
        identifier = numbers.claim(item, "REQ" if item.kind == "functional" else f"NFR-{category}")
        goals = numbers.outside(identifier, item.goals, ("G-",))
        update = {"id": identifier, "goals": goals, "category": "" if item.kind == "functional" else category}
        items.append(item.model_copy(update=update))
        numbers.name_file(identifier, item.title)
    left = _left_out(numbers.before, numbers)
    withdrawn = numbers.withdrawn.model_copy(
        update={"requirements": [*numbers.withdrawn.requirements, *left]}
    )
    return content.model_copy(update={"items": items}), withdrawn


def _architecture(content: Architecture, numbers: _Numbers) -> tuple[Architecture, Withdrawn]:
    names = {component.name for component in content.components}
    components = []
    for component in content.components:
        needs = [other for other in dict.fromkeys(component.depends_on) if other != component.name]
        numbers.notes += [
            f"{component.name}: the reference to component {other[:80]} was dropped; there is no such component"
            for other in needs
            if other not in names
        ]
        update = {
            "requirements": numbers.outside(component.name, component.requirements, ("REQ-", "NFR-")),
            "depends_on": [other for other in needs if other in names],
        }
        components.append(component.model_copy(update=update))
    api = [
        operation.model_copy(
            update={"requirements": numbers.outside(operation.name, operation.requirements, ("REQ-", "NFR-"))}
        )
        for operation in content.api
    ]
    adrs = []
    for adr in content.adrs:
        identifier = numbers.claim(adr, "ADR")
        requirements = numbers.outside(identifier, adr.requirements, ("REQ-", "NFR-"))
        adrs.append(adr.model_copy(update={"id": identifier, "requirements": requirements}))
        numbers.name_file(identifier, adr.title)
    left = _left_out(numbers.before, numbers)
    withdrawn = numbers.withdrawn.model_copy(update={"adrs": [*numbers.withdrawn.adrs, *left]})
    return content.model_copy(update={"components": components, "api": api, "adrs": adrs}), withdrawn


def _epics(content: Epics, numbers: _Numbers) -> tuple[Epics, Withdrawn]:
    named = [epic.model_copy(update={"id": numbers.claim(epic, "EPIC")}) for epic in content.items]
    epics: list[Epic] = []
    for epic in named:
        numbers.name_file(epic.id, epic.title)
        update = {
            "requirements": numbers.outside(epic.id, epic.requirements, ("REQ-", "NFR-")),
            "depends_on": numbers.inside(epic.id, epic.depends_on, "EPIC"),
            "stories": [_story(story, epic.id, numbers) for story in epic.stories],
        }
        epics.append(epic.model_copy(update=update))
    left = _left_out(numbers.before, numbers)
    withdrawn = numbers.withdrawn.model_copy(
        update={
            "epics": [*numbers.withdrawn.epics, *(item for item in left if isinstance(item, Epic))],
            "stories": [*numbers.withdrawn.stories, *(item for item in left if isinstance(item, Story))],
        }
    )
    return content.model_copy(update={"items": _without_cycles(epics, numbers)}), withdrawn


def _declared(content: Declared, numbers: _Numbers) -> tuple[Declared, Withdrawn]:
    update = {
        section.key: [
            item.model_copy(update={"id": numbers.claim(_plainly(item, section.id), section.id)})
            for item in content.items(section)
        ]
        for section in content.layout
        if section.id
    }
    left = _left_out(numbers.before, numbers)
    withdrawn = numbers.withdrawn.model_copy(update={"items": [*numbers.withdrawn.items, *left]})
    return content.model_copy(update=update), withdrawn


def _plainly(item: Item, prefix: str) -> Item:
    """The item under its bare identifier, where the reply says more beside it: `RISK-001: Delay`."""
    found = regex.search(rf"(?<![\w-]){prefix}-\d{{3,}}(?![\w-])", item.id.upper())
    return item.model_copy(update={"id": found[0]}) if found else item


def _story(story: Story, epic: str, numbers: _Numbers) -> Story:
    identifier = numbers.claim(story, f"STORY-{epic.removeprefix('EPIC-')}")
    update = {
        "id": identifier,
        "requirements": numbers.outside(identifier, story.requirements, ("REQ-", "NFR-")),
        "adrs": numbers.outside(identifier, story.adrs, ("ADR-",)),
    }
    return story.model_copy(update=update)


def _without_cycles(epics: list[Epic], numbers: _Numbers) -> list[Epic]:
    """The epics without the dependencies that close a cycle, in order of appearance; an order must exist."""
    needs: dict[str, set[str]] = {epic.id: set() for epic in epics}

    def reaches(start: str, goal: str) -> bool:
        seen, open_ends = set(), [start]
        while open_ends:
            here = open_ends.pop()
            if here not in seen:
                seen.add(here)
                open_ends.extend(needs[here])
        return goal in seen

    for epic in epics:
        for other in epic.depends_on:
            if reaches(other, epic.id):
                numbers.notes.append(f"{epic.id}: the dependency on {other} was dropped; it closes a cycle")
            else:
                needs[epic.id].add(other)
    return [
        epic.model_copy(
            update={"depends_on": [other for other in epic.depends_on if other in needs[epic.id]]}
        )
        for epic in epics
    ]


def _left_out(before: BaseModel | None, numbers: _Numbers) -> list[Numbered]:
    """Items of the version before that the reply did not name: they are withdrawn now."""
    left = (
        [item for item in items_of(before) if item.id in numbers.free] if isinstance(before, Content) else []
    )
    numbers.notes += [f"{item.id}: withdrawn, this version leaves it out" for item in left]
    return left


_BY_MODEL: dict[type[Content], Callable[[Any, _Numbers], tuple[Content, Withdrawn]]] = {
    Brief: _brief,
    Requirements: _requirements,
    Architecture: _architecture,
    Epics: _epics,
}
