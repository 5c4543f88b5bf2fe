"""Identifiers are allotted by code, once (docs/domain.md, section 10)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.docgen_samples import english, register
from workers.documents.content import (
    Adr,
    Architecture,
    Brief,
    Component,
    Epic,
    Epics,
    Goal,
    Requirement,
    Requirements,
    Statement,
    Story,
)
from workers.documents.identifiers import Registered, allot, items_of
from workers.documents.models import MODELS


def requirements(*items: Requirement) -> Requirements:
    return Requirements(items=list(items))


def requirement(identifier: str = "new", **changes: Any) -> Requirement:
    return Requirement(**{"id": identifier, "title": "Book a slot", "statement": "Book.", **changes})


def ids(registered: Registered) -> list[str]:
    return [item.id for item in items_of(registered.content)]


def test_each_kind_has_a_series_of_its_own() -> None:
    nonfunctional = [
        requirement(kind="nonfunctional", category=category) for category in ("P", "S", "SC", "U", "P")
    ]

    registered, notes = allot(requirements(requirement(), *nonfunctional, requirement()))

    assert ids(registered) == [
        "REQ-001",
        "NFR-P-001",
        "NFR-S-001",
        "NFR-SC-001",
        "NFR-U-001",
        "NFR-P-002",
        "REQ-002",
    ]
    assert notes == []


def test_a_revision_keeps_named_items_and_gives_new_ones_the_next_number() -> None:
    first, _ = allot(requirements(requirement(title="One"), requirement(title="Two")))

    second, _ = allot(
        requirements(requirement("new", title="Three"), requirement("req-002", title="Two, changed")), first
    )

    assert ids(second) == ["REQ-003", "REQ-002"]
    assert [item.id for item in second.withdrawn.requirements] == ["REQ-001"]
    assert second.files["REQ-002"] == first.files["REQ-002"] == "REQ-002-two.md"


def test_a_withdrawn_number_is_never_used_again() -> None:
    first, _ = allot(requirements(requirement(), requirement()))
    second, _ = allot(requirements(requirement("REQ-001")), first)

    third, notes = allot(requirements(requirement("REQ-001"), requirement("REQ-002"), requirement()), second)

    assert ids(third) == ["REQ-001", "REQ-003", "REQ-004"]
    assert [item.id for item in third.withdrawn.requirements] == ["REQ-002"]
    assert any("REQ-003" in note and "REQ-002" in note for note in notes)


def test_numbers_of_any_earlier_version_are_taken() -> None:
    registered, _ = allot(requirements(requirement()), taken={"REQ-007", "NFR-P-009", "rubbish"})

    assert ids(registered) == ["REQ-008"]


def test_an_unknown_id_is_new_and_its_name_resolves_in_the_reply() -> None:
    epics = Epics(
        items=[
            Epic(id="EPIC-007", title="A", goal="x"),
            Epic(id="new:b", title="B", goal="x", depends_on=["EPIC-007", "new:a"]),
            Epic(id="new", title="C", goal="x", depends_on=["NEW: B", "EPIC-044"]),
        ]
    )

    registered, notes = allot(epics)

    assert ids(registered) == ["EPIC-001", "EPIC-002", "EPIC-003"]
    assert [epic.depends_on for epic in registered.content.items] == [[], ["EPIC-001"], ["EPIC-002"]]  # type: ignore[attr-defined]
    assert sum("dropped" in note for note in notes) == 2
    assert sum("it is new" in note for note in notes) == 1


def test_two_items_with_one_id_get_two() -> None:
    first, _ = allot(requirements(requirement()))

    second, notes = allot(requirements(requirement("REQ-001"), requirement("REQ-001")), first)

    assert ids(second) == ["REQ-001", "REQ-002"]
    assert len(notes) == 1


def test_an_item_that_changes_its_kind_gets_a_new_id() -> None:
    first, _ = allot(requirements(requirement()))

    second, _ = allot(requirements(requirement("REQ-001", kind="nonfunctional", category="S")), first)

    assert ids(second) == ["NFR-S-001"]
    assert [item.id for item in second.withdrawn.requirements] == ["REQ-001"]


def test_references_to_unknown_ids_are_dropped_with_a_note() -> None:
    content = requirements(requirement(goals=["G-001", "g-001: Book", "G-009", "REQ-001"]))

    registered, notes = allot(content, known={"G-001"})

    assert registered.content.items[0].goals == ["G-001"]  # type: ignore[attr-defined]
    assert len(notes) == 2


def test_references_are_kept_when_nothing_is_known() -> None:
    registered, _ = allot(requirements(requirement(goals=["G-001", "nonsense"])))

    assert registered.content.items[0].goals == ["G-001"]  # type: ignore[attr-defined]


def test_components_depend_on_components_of_the_document() -> None:
    content = Architecture(
        overview="",
        style=Statement(text="x"),
        components=[
            Component(name="A", responsibility="x", depends_on=["A", "B", "C"]),
            Component(name="B", responsibility="x"),
        ],
        adrs=[Adr(title="T", context="c", decision="d", requirements=["REQ-001", "ADR-001"])],
    )

    registered, notes = allot(content, known={"REQ-001"})

    assert registered.content.components[0].depends_on == ["B"]  # type: ignore[attr-defined]
    assert registered.content.adrs[0].requirements == ["REQ-001"]  # type: ignore[attr-defined]
    assert len(notes) == 2


def test_a_dependency_that_closes_a_cycle_is_dropped() -> None:
    epics = Epics(
        items=[
            Epic(id="new:a", title="A", goal="x", depends_on=["new:c"]),
            Epic(id="new:b", title="B", goal="x", depends_on=["new:a"]),
            Epic(id="new:c", title="C", goal="x", depends_on=["new:b"]),
        ]
    )

    registered, notes = allot(epics)

    assert [epic.depends_on for epic in registered.content.items] == [["EPIC-003"], ["EPIC-001"], []]  # type: ignore[attr-defined]
    assert len(notes) == 1


def test_stories_are_numbered_within_their_epic_and_withdrawn_with_it() -> None:
    def story(identifier: str = "new") -> Story:
        return Story(id=identifier, title="S", as_a="a", i_want="b")

    first, _ = allot(
        Epics(
            items=[
                Epic(title="A", goal="x", stories=[story(), story()]),
                Epic(title="B", goal="x", stories=[story()]),
            ]
        )
    )
    second, _ = allot(
        Epics(items=[Epic(id="EPIC-001", title="A", goal="x", stories=[story("STORY-001-002"), story()])]),
        first,
    )

    assert ids(first) == ["EPIC-001", "EPIC-002", "STORY-001-001", "STORY-001-002", "STORY-002-001"]
    assert ids(second) == ["EPIC-001", "STORY-001-002", "STORY-001-003"]
    assert second.withdrawn.ids() == {"EPIC-002", "STORY-001-001", "STORY-002-001"}


def test_goals_are_withdrawn_too() -> None:
    brief = Brief(
        title="T", vision=Statement(text="v"), situation="s", goals=[Goal(text="a"), Goal(text="b")]
    )
    first, _ = allot(brief)

    second, _ = allot(brief.model_copy(update={"goals": [Goal(id="G-002", text="b")]}), first)

    assert (ids(first), ids(second)) == (["G-001", "G-002"], ["G-002"])
    assert second.withdrawn.ids() == {"G-001"}


@pytest.mark.parametrize("name", MODELS)
def test_registered_content_survives_its_file(name: str) -> None:
    registered = register(english())[name]

    assert Registered.from_json(registered.to_json(), MODELS[name]) == registered


@pytest.mark.parametrize(
    "value", [None, [], {}, {"document": "poem", "files": {}}, {"document": "brief", "files": {}}, 7]
)
def test_what_is_no_registered_content_is_a_value_error(value: Any) -> None:
    with pytest.raises(ValueError):
        Registered.from_json(value)
