"""What the score looks at: the documents of a specification as facts (docs/domain.md, section 11)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.basis import Basis
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.documents import DIMENSIONS


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the specification: its index and the files of its items taken together."""

    kind: str
    path: str
    sections: Mapping[str, str]  # key -> text; present without substance: ""
    headings: tuple[str, ...] = ()  # section headings
    broken_links: tuple[str, ...] = ()
    text: str = ""  # the whole text


@dataclass(frozen=True, slots=True)
class Item:
    """One link of the chain goal -> requirement -> design -> story."""

    id: str
    text: str
    refs: frozenset[str] = frozenset()  # ids it names; empty: keyword overlap decides
    open: bool = True  # False: it is not asked for in this version
    given: bool = True  # False: its writer proposed it (domain/basis.py)
    says: str = ""  # its statement alone; empty: `text`


@dataclass(frozen=True, slots=True)
class Criterion:
    owner: str
    text: str
    given: bool = True


@dataclass(frozen=True, slots=True)
class AdrFacts:
    id: str
    rationale: bool
    alternatives: int
    consequences: bool
    given: bool = True  # a requirement that it is about is given


@dataclass(frozen=True, slots=True)
class StoryFacts:
    id: str
    sentence: str
    criteria: int
    estimate: bool
    given: bool = True  # a requirement that it builds is given


@dataclass(frozen=True, slots=True)
class Fault:
    """One finding of the lint (workers/documents/lint), as the score takes it."""

    where: str  # an identifier, or a document
    dimension: str
    is_error: bool
    text: str
    todo: str


@dataclass(frozen=True, slots=True)
class Spec:
    """Everything the score looks at."""

    documents: tuple[Document, ...] = ()
    goals: tuple[Item, ...] = ()
    requirements: tuple[Item, ...] = ()
    designs: tuple[Item, ...] = ()  # components and decisions
    stories: tuple[Item, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    adrs: tuple[AdrFacts, ...] = ()
    story_facts: tuple[StoryFacts, ...] = ()
    stated: tuple[str, ...] = ()  # the original requirements, word for word
    required: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # kind -> section keys
    measures: tuple[str, ...] = DIMENSIONS  # what is scored
    uncovered: tuple[str, ...] | None = (
        None  # of `stated`, what no item carries; None: words of the text decide
    )
    faults: tuple[Fault, ...] = ()  # errors and warnings of the lint
    forced: frozenset[tuple[str, str]] = frozenset()  # traces whose ends have nothing in common
    hollow: frozenset[str] = frozenset()  # criteria that decide nothing, whatever their form
    bare: frozenset[str] = frozenset()  # requirements that need a criterion and have none
    basis: Basis | None = None  # None: nobody knows what was given
    proposed: frozenset[tuple[str, str]] = frozenset()  # kind and key of sections that hold proposals alone
    request: str = ""  # what people wrote: its spellings and styles are theirs
