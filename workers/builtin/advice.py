"""What one perspective would do next with a sound document: always about this document, never a fault.

A dict from (kind of document, perspective) to a function is at the end; what is not in it gets the general remarks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from orchestrator.domain.dataclass import replace
from workers.builtin.material import Material
from workers.builtin.names import external
from workers.builtin.phrases import lower_first, short, strip_end, unique
from workers.documents.content import Architecture, Brief, Epics, Requirement, Requirements, Story
from workers.documents.lexicon import lexicon_of
from workers.documents.lint import Artifact

MOST = 3  # suggestions of one perspective on a sound document
_SIZES = ("S", "M", "L", "XL")


def advice(doc: Artifact, m: Material, name: str) -> list[str]:
    """At most three next steps for this document, in the field of the perspective; none when there is nothing to say."""
    said = _ADVICE.get((doc.kind, name))
    return unique(said(doc, m) if said else ())[:MOST]


Said = Iterator[str]


def _scope_of_idea(doc: Artifact, m: Material) -> Said:
    if not m.analysis.actors:
        yield m.say("suggest_users")
    if not m.analysis.goals:
        yield m.say("suggest_success")
    if not m.analysis.exclusions:
        yield m.say("suggest_scope")


def _dangers_of_idea(doc: Artifact, m: Material) -> Said:
    a = m.analysis
    for text in a.dependencies[:1]:
        yield m.say("suggest_mitigate", text=strip_end(text))
    for text in m.personal()[:1]:
        yield m.say("suggest_protect", text=strip_end(text))
    if not a.constraints:
        yield m.say("suggest_limits")


def _open_in_idea(doc: Artifact, m: Material) -> Said:
    for text in m.analysis.questions[:2]:
        yield m.say("suggest_answer", text=text)
    if not m.analysis.questions and len(m.things()) > 1:
        yield m.say("suggest_entity", things=m.lex.join(m.told_things(3)))


def _goals_to_settle(doc: Artifact, m: Material) -> Said:
    goals = doc.content.goals if isinstance(doc.content, Brief) else []
    for goal in goals:
        if not goal.target and goal.source == "stated":
            yield m.say("suggest_metric", text=strip_end(goal.text))
        elif goal.source == "proposed":
            yield m.say("suggest_proposed_only", text=f"{goal.id} {strip_end(goal.text)}")
    if isinstance(doc.content, Brief) and not doc.content.out_of_scope:
        yield m.say("suggest_scope")


def _feasible(doc: Artifact, m: Material) -> Said:
    numbers = [n for n in m.analysis.needs if n.category in ("P", "SC") and any(c.isdigit() for c in n.text)]
    for need in numbers[:1]:
        yield m.say("suggest_measure", text=strip_end(need.text))
    for text in m.analysis.dependencies[:1]:
        yield m.say("suggest_away", text=short(external(text), 110))
    if not m.analysis.constraints:
        yield m.say("suggest_limits")


def _criteria_to_add(doc: Artifact, m: Material) -> Said:
    items = _stated(doc)
    for item in items:
        lex = lexicon_of(item.statement)
        if lex.find("vague", item.statement) and not any(c.isdigit() for c in item.statement):
            yield m.say("suggest_vague", id=item.id, text=lower_first(item.title))
    for item in items:
        if item.kind == "functional" and item.moscow == "Must" and len(item.acceptance_criteria) == 1:
            yield m.say("suggest_failure", id=item.id, text=lower_first(item.title))
            return


def _priorities(doc: Artifact, m: Material) -> Said:
    items = _stated(doc)
    if len(items) > 3 and all(item.moscow == "Must" for item in items):
        yield m.say("suggest_all_must", id=items[-1].id, text=lower_first(items[-1].title))
    own = [f"{item.id} {lower_first(item.title)}" for item in _items(doc) if item.source == "proposed"]
    if own:
        yield m.say("suggest_unasked", names=m.several(own[:3]))


def _choices(doc: Artifact, m: Material) -> Said:
    if not isinstance(doc.content, Architecture):
        return
    still = [row.layer for row in doc.content.stack if row.choice == m.say("stack_open")]
    if still:
        yield m.say("suggest_choice", layers=m.lex.join(still))
    for part in doc.content.components:
        if not part.requirements:
            yield m.say("suggest_idle", text=part.name)


def _failures(doc: Artifact, m: Material) -> Said:
    if not isinstance(doc.content, Architecture):
        return
    for text in doc.content.external_systems[:2]:
        yield m.say("suggest_away", text=text)
    if m.keeps_data:
        yield m.say("suggest_store", things=m.lex.join(m.told_things(3)))


def _smaller(doc: Artifact, m: Material) -> Said:
    epics = doc.content.items if isinstance(doc.content, Epics) else []
    later = [item for item in _items(_with(doc, m, "requirements")) if item.moscow in ("Should", "Could")]
    if later and len(epics) > 2 and all(epic.mvp for epic in epics):
        yield m.say(
            "suggest_smaller", text=m.several(f"{item.id} {lower_first(item.title)}" for item in later[:3])
        )


def _slices(doc: Artifact, m: Material) -> Said:
    stories = _stories(doc)
    largest = max(stories, key=lambda story: _SIZES.index(story.size), default=None)
    if largest is not None and largest.size in ("L", "XL"):
        yield m.say("suggest_split", text=f"{largest.id} {lower_first(largest.title)}")
    elif stories:
        yield m.say("suggest_first_slice", text=f"{stories[0].id} {lower_first(stories[0].title)}")


def _story_criteria(doc: Artifact, m: Material) -> Said:
    single = [story for story in _stories(doc) if len(story.acceptance_criteria) == 1]
    for story in single[:1]:
        yield m.say("suggest_failure", id=story.id, text=lower_first(story.title))


def _weak_points(doc: Artifact, m: Material) -> Said:
    rows = [block.text for block in doc.blocks if block.kind == "paragraph"]
    at = next((i for i, row in enumerate(rows) if "_index.md" in row or "product-brief.md" in row), -1)
    if 0 <= at < len(rows) - 1 and "/" in rows[at]:
        yield m.say("suggest_weak", text=short(rows[at + 1], 200))


def _still_open(doc: Artifact, m: Material) -> Said:
    for key in ("architecture", "requirements", "brief"):
        rows = list(getattr(m.facts.get(key), "open_questions", []))
        for text in rows[:1]:
            yield m.say("suggest_open", text=text)


def _with(doc: Artifact, m: Material, key: str) -> Artifact:
    """The report, with the document it reports on as its content."""
    return replace(doc, content=m.facts.get(key))


def _items(doc: Artifact) -> list[Requirement]:
    return list(doc.content.items) if isinstance(doc.content, Requirements) else []


def _stories(doc: Artifact) -> list[Story]:
    epics = doc.content.items if isinstance(doc.content, Epics) else []
    return [story for epic in epics for story in epic.stories]


def _stated(doc: Artifact) -> list[Requirement]:
    return [item for item in _items(doc) if item.source == "stated" and item.moscow != "Won't"]


_ADVICE: dict[tuple[str, str], Callable[[Artifact, Material], Said]] = {
    ("discovery", "product"): _scope_of_idea,
    ("discovery", "risk"): _dangers_of_idea,
    ("discovery", "coverage"): _open_in_idea,
    ("brief", "product"): _goals_to_settle,
    ("brief", "technical"): _feasible,
    ("requirements", "quality"): _criteria_to_add,
    ("requirements", "product"): _priorities,
    ("architecture", "technical"): _choices,
    ("architecture", "risk"): _failures,
    ("epics", "product"): _smaller,
    ("epics", "technical"): _slices,
    ("epics", "quality"): _story_criteria,
    ("readiness", "quality"): _weak_points,
    ("readiness", "product"): _still_open,
    ("readiness", "technical"): lambda doc, m: _choices(_with(doc, m, "architecture"), m),
    ("readiness", "risk"): lambda doc, m: _failures(_with(doc, m, "architecture"), m),
    ("readiness", "coverage"): lambda doc, m: _priorities(_with(doc, m, "requirements"), m),
}
