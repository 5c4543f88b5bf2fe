"""The second reading of an architecture draft: what no part carries, what was not weighed, what is still open."""

from __future__ import annotations

from workers.builtin.architecture import referred
from workers.builtin.material import Material
from workers.builtin.phrases import best, short
from workers.documents.content import Architecture, ArchitectureReview, Concern


def answer(m: Material) -> ArchitectureReview:
    found = [m.facts.get("architecture"), m.facts.get("artifact_content"), m.facts.get("previous")]
    design = next((piece for piece in found if isinstance(piece, Architecture)), None)
    if design is None:
        return ArchitectureReview()
    concerns = [
        *_uncarried(m, design),
        *_unweighed(m, design),
        *_unhidden(m, design),
        *_unprotected(m, design),
    ]
    open_rows = [row for row in design.stack if row.choice == m.say("stack_open")]
    concerns += [Concern(text=m.say("review_stack", layer=row.layer), severity="low") for row in open_rows]
    first = design.components[0].name if design.components else m.analysis.title
    advice = [m.say("review_suggest_open", component=first)] if open_rows else []
    if m.analysis.constraints:
        advice.append(m.say("review_suggest_limits"))
    return ArchitectureReview(concerns=concerns, suggestions=advice)


def _uncarried(m: Material, design: Architecture) -> list[Concern]:
    carried = referred(design)
    return [
        Concern(
            text=m.say("review_component", id=item.id, title=item.title), severity="high", refers_to=item.id
        )
        for item in m.wanted
        if item.moscow == "Must" and item.id not in carried
    ]


def _unweighed(m: Material, design: Architecture) -> list[Concern]:
    return [
        Concern(text=m.say("review_alternatives", title=adr.title), severity="medium", refers_to=adr.id)
        for adr in design.adrs
        if len(adr.alternatives) < 2
    ]


def _unhidden(m: Material, design: Architecture) -> list[Concern]:
    names = [(part.name, f"{part.name} {part.responsibility}") for part in design.components]
    return [
        Concern(text=m.say("review_external", text=short(text, 200)), severity="medium")
        for text in design.external_systems
        if best(text, names)[0] < 0.3
    ]


def _unprotected(m: Material, design: Architecture) -> list[Concern]:
    said = [(str(i), row.text) for i, row in enumerate(design.security)]
    return [
        Concern(text=m.say("review_security", title=item.title), severity="high", refers_to=item.id)
        for item in m.wanted
        if item.category == "S" and item.moscow == "Must" and best(item.statement, said)[0] < 0.3
    ]
