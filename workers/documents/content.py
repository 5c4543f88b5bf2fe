"""What agents deliver: validated content. Templates give it its form, code gives it its ids (docs/domain.md, section 10).

Every list item that is documented under an identifier has `id`: an existing identifier to keep or change that item, or
"new", or "new:<handle>" when another item of the same reply refers to it by that handle. References (`goals`,
`requirements`, `depends_on`, `adrs` ...) hold identifiers, or "new:<handle>" of the same reply.
`source` says where a statement comes from: `stated` in the request, found in the `repository`, or `proposed` by the agent,
then with its `reason`.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from orchestrator.domain.documents import Section

Source = Literal["stated", "repository", "proposed"]
Moscow = Literal["Must", "Should", "Could", "Won't"]
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=20_000)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


class Content(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Statement(Content):
    text: Line
    source: Source = "proposed"
    reason: Text = ""  # why it is proposed; empty for stated and repository


class BriefRisk(Statement):
    mitigation: Text = ""


class User(Content):
    name: Line
    needs: list[Line] = []
    source: Source = "proposed"


class Stated(Content):
    """One statement of the request, taken over word for word; a plain text is one too."""

    text: Line
    source: Text = ""  # the block of the request it stands in; code fills it in (documents/fates.py)

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value


class StatedGoal(Stated):
    metric: Text = ""  # how it is measured
    target: Text = ""  # the value that counts as success
    baseline: Text = ""  # the value of today


class StatedRisk(Stated):
    mitigation: Text = ""


class StatedCriterion(Stated):
    parent: Text = ""  # the statement it belongs to: its block, then its id


class StatedRequirement(Stated):
    id: Text = ""  # its own (FR-3), else one that code allots
    kind: Literal["functional", "nonfunctional", "constraint", "exclusion"]
    moscow: Moscow
    category: Literal["", "P", "S", "SC", "U"] = (
        ""  # non-functional: performance, security, scalability, usability
    )
    actor: Text = ""
    title: Text = ""  # its short name, where the request gives one
    priority: Text = ""  # Must, Should, Could or Won't, only where the request says so
    release: Text = ""  # the phase or version that the request puts it into
    parent: Text = ""  # the statement it is a detail of


class Fates(Content):
    """How many blocks of the request were taken, taken in part, skipped for a reason, or not read (documents/fates.py)."""

    blocks: int = 0
    taken: int = 0
    partly: int = 0
    skipped: int = 0
    unread: int = 0
    left: list[Text] = []  # statements of the blocks taken in part that became nothing


class Dimension(Content):
    name: Line
    why: Line


class Entity(Content):
    name: Line
    description: Text = ""
    attributes: list[Line] = []
    relations: list[Line] = []
    source: Source = "proposed"


class Discovery(Content):
    title: Line  # short name of what is to be made
    problem_statement: Line
    situation: list[Line] = []  # sentences of the request that describe the present
    goals: list[StatedGoal] = []  # stated goals and success measures
    target_users: list[User] = []
    domain: Line
    constraints: list[Line] = []
    requirements: list[StatedRequirement] = []
    exclusions: list[Line] = []
    acceptance: list[StatedCriterion] = []  # conditions by which a requirement is accepted
    risks: list[StatedRisk] = []
    done: list[Stated] = []  # finished already: asked for no more
    entities: list[Line] = []
    data_model: list[Entity] = []  # what is kept, with the fields that the request names
    dependencies: list[Line] = []  # existing systems, people or contracts it relies on
    exploration_dimensions: list[Dimension] = Field(default=[], max_length=5)
    complexity: Literal["low", "medium", "high"] = "low"
    complexity_reason: Text = ""
    open_questions: list[Line] = []
    ui: bool = False
    form: Text = ""  # what the text is when it is no plain request: manual, log, code, prompt, minutes, essay
    fates: Fates = Fates()  # code fills it in
    design_notes: list[Statement] = []  # only for UI work: goes to analysis/design-intelligence.json


class Goal(Content):
    id: Line = "new"
    text: Line
    metric: Text = ""  # how it is measured
    target: Text = ""  # a value given in the request, or empty: then it becomes an open question
    baseline: Text = ""  # the value of today, where the request gives it
    source: Source = "proposed"
    reason: Text = ""


class Synthesis(Content):
    product: Text = ""
    technical: Text = ""
    user: Text = ""


class Brief(Content):
    title: Line
    vision: Statement
    situation: Text
    impact: Text = ""
    users: list[User] = []
    goals: list[Goal] = []
    in_scope: list[Statement] = []
    out_of_scope: list[Statement] = []
    assumptions: list[Statement] = []
    constraints: list[Statement] = []
    dependencies: list[Statement] = []
    risks: list[BriefRisk] = []
    synthesis: Synthesis = Synthesis()
    open_questions: list[Line] = []


class UserStory(Content):
    as_a: Line
    i_want: Line
    so_that: Text = ""


class Requirement(Content):
    id: Line = "new"
    kind: Literal["functional", "nonfunctional"] = "functional"
    category: Literal["", "P", "S", "SC", "U"] = ""  # for nonfunctional: makes NFR-P-001, ...
    title: Line
    statement: Line
    user_story: UserStory | None = None
    acceptance_criteria: list[Line] = []
    moscow: Moscow = "Must"
    release: Text = ""  # the phase or version that the request puts it into
    goals: list[Line] = []  # G-001 ...
    quote: Text = ""  # the sentence of the request it carries, word for word
    source: Source = "proposed"
    reason: Text = ""


class Requirements(Content):
    summary: Text = ""
    items: list[Requirement] = []
    entities: list[Entity] = []
    integrations: list[Statement] = []
    open_questions: list[Line] = []


class Component(Content):
    name: Line
    responsibility: Line
    requirements: list[Line] = []
    depends_on: list[Line] = []  # names of other components
    files: list[Line] = []  # existing files of the repository it maps to
    source: Source = "proposed"
    reason: Text = ""


class Choice(Content):
    layer: Line  # language, storage, interface, deployment ...
    choice: Line
    rationale: Line
    source: Source = "proposed"


class Operation(Content):
    """One operation the system offers (an endpoint, a command, a function), by name and purpose."""

    name: Line
    purpose: Line
    requirements: list[Line] = []


class Alternative(Content):
    name: Line
    pros: list[Line] = []
    cons: list[Line] = []


class Adr(Content):
    id: Line = "new"
    title: Line
    context: Line
    decision: Line
    alternatives: list[Alternative] = []
    consequences: list[Line] = []
    requirements: list[Line] = []
    source: Source = "proposed"
    reason: Text = ""


class Architecture(Content):
    overview: Text
    style: Statement | None = None  # None: nothing known decides it
    actors: list[Line] = []  # for the context diagram
    external_systems: list[Line] = []
    components: list[Component] = []
    stack: list[Choice] = []
    data_model: list[Entity] = []
    api: list[Operation] = []
    security: list[Statement] = []
    adrs: list[Adr] = []
    open_questions: list[Line] = []


class Concern(Content):
    text: Line
    severity: Literal["low", "medium", "high", "critical"] = "medium"
    refers_to: Text = ""


class ArchitectureReview(Content):
    """The second agent's critical reading of an architecture draft."""

    concerns: list[Concern] = []
    suggestions: list[Line] = []


class Story(Content):
    id: Line = "new"
    title: Line
    as_a: Line
    i_want: Line
    so_that: Text = ""
    acceptance_criteria: list[Line] = []
    size: Literal["S", "M", "L", "XL"] = "M"
    requirements: list[Line] = []
    adrs: list[Line] = []


class Epic(Content):
    id: Line = "new"
    title: Line
    goal: Line
    moscow: Moscow = "Must"
    mvp: bool = True
    release: Text = ""  # the phase or version that the request puts it into
    requirements: list[Line] = []
    depends_on: list[Line] = []  # other epics
    stories: list[Story] = []
    source: Source = "proposed"
    reason: Text = ""


class Epics(Content):
    summary: Text = ""
    items: list[Epic] = []
    open_questions: list[Line] = []


class Item(Content):
    """An entry of a declared document that keeps its identifier."""

    id: Line = "new"
    text: Line
    source: Source = "proposed"
    reason: Text = ""


class Declared(Content):
    """A document whose sections are data; `workers.documents.models` makes a class of each."""

    layout: ClassVar[tuple[Section, ...]] = ()

    title: Line
    open_questions: list[Line] = []

    def entries(self, section: Section) -> list[Statement | Item]:
        """The statements or items of a section; none of a text."""
        return [] if section.form == "text" else list(getattr(self, section.key))

    def items(self, section: Section) -> list[Item]:
        """The items of a section; none of any other form."""
        return [entry for entry in self.entries(section) if isinstance(entry, Item)]


class Weakness(Content):
    text: Line
    severity: Literal["low", "medium", "high", "critical"] = "medium"


class Risk(Content):
    description: Line
    likelihood: Literal["low", "medium", "high"] = "medium"
    impact: Literal["low", "medium", "high"] = "medium"
    mitigation: Text = ""


class Critique(Content):
    """One perspective's reading of an artifact (docs/domain.md, section 8)."""

    rating: Annotated[int, Field(ge=1, le=5, strict=True)]
    strengths: list[Line] = []
    weaknesses: list[Weakness] = []
    suggestions: list[Line] = []
    missing_requirements: list[Line] = []  # coverage only; each quotes one
    risk_level: Literal["low", "medium", "high", "critical"] | None = None  # risk only
    risks: list[Risk] = []
    testability_issues: list[Line] = []
    open_questions: list[Line] = []
    assumptions: list[Line] = []
