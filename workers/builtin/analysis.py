"""What a request says, as values. Every text in them is taken from the request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from orchestrator.domain.clarified import asked_part
from orchestrator.domain.dataclass import dataclass, field
from workers.builtin.clauses import Clause
from workers.documents.content import Entity, Moscow

Kind = Literal[
    "functional", "nonfunctional", "constraint", "exclusion", "goal"
]  # goal: where coverage compares
Category = Literal["", "P", "S", "SC", "U"]


@dataclass(frozen=True, slots=True)
class Need:
    """One requirement, constraint or exclusion of the request."""

    text: str
    quote: str  # the sentence it stands in, word for word
    kind: Kind
    moscow: Moscow
    category: Category = ""
    clause: Clause = field(default_factory=lambda: Clause("", "en"))
    by_default: bool = False  # no modal verb said its priority
    part: bool = False  # a "with ..." part of a one-line request
    block: str = ""  # of the request, where it stands
    parent: str = ""  # the block of the statement it belongs to
    title: str = ""  # its short name, where the request gives one
    given: str = ""  # the priority its author gave it
    release: str = ""  # the phase or version its author put it into
    shown: str = ""  # how a report of a defect lets it be seen: a criterion


@dataclass(frozen=True, slots=True)
class Goal:
    text: str
    metric: str = ""
    target: str = ""
    baseline: str = ""


@dataclass(frozen=True, slots=True)
class Risk:
    text: str
    mitigation: str = ""


@dataclass(frozen=True, slots=True)
class Criterion:
    """A condition by which the statement of a block is accepted."""

    text: str
    block: str


@dataclass(frozen=True, slots=True)
class Actor:
    name: str
    needs: tuple[str, ...] = ()


def told_whole(needs: Sequence[Need]) -> Need | None:
    """The first need, where it is a named thing and the next ones are clauses of the same line; else None."""
    is_told = len(needs) > 1 and needs[0].title and needs[0].quote == needs[1].quote and not needs[1].title
    return needs[0] if is_told else None


@dataclass(frozen=True, slots=True)
class RequestAnalysis:
    """What a request says, sorted. Every text is taken from the request."""

    text: str
    language: str
    title: str
    defect: str = ""  # of a report: what is broken
    needs: tuple[Need, ...] = ()
    beyond: tuple[Need, ...] = ()  # the rest of a request with more needs than one specification can carry
    goals: tuple[Goal, ...] = ()
    risks: tuple[Risk, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    done: tuple[str, ...] = ()  # finished already
    form: str = ""  # what the text is when it is no request: log, code, prompt, essay
    actors: tuple[Actor, ...] = ()
    situation: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()  # of these, what stands in a section about the problem
    dependencies: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    data: tuple[Entity, ...] = ()  # what is kept, with the fields that the request names
    technologies: tuple[tuple[str, str], ...] = ()  # (name, layer)
    domain: str = ""
    product: str = ""  # how a sentence speaks of it; empty: the request gives it no noun
    keeps_nothing: bool = False  # a tool or a library that works on its input
    manual: bool = False  # the text explains something that exists
    thin: bool = False  # a request of one or two sentences: there is little to be carried
    vague: bool = False  # too few words to say what is wanted: nothing is taken from them, all is asked
    ui: bool = False

    @property
    def asked(self) -> str:
        """The text without what its author answered before the start."""
        return asked_part(self.text)

    @property
    def requirements(self) -> tuple[Need, ...]:
        """Everything to be carried by a REQ or NFR: all needs but the exclusions."""
        return tuple(need for need in self.needs if need.kind != "exclusion")

    @property
    def told(self) -> Need | None:
        """The line of a request that asks for a thing, where the clauses that tell of the thing are needs as well."""
        return told_whole(self.needs) if self.thin else None

    @property
    def exclusions(self) -> tuple[Need, ...]:
        return tuple(need for need in self.needs if need.kind == "exclusion")

    @property
    def constraints(self) -> tuple[Need, ...]:
        return tuple(need for need in self.needs if need.kind in ("constraint", "nonfunctional"))
