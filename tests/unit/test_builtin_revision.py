"""Revisions by the built-in agent: what stands stays, what was asked for is added."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.builtin_chain import DATA, ask, chain

REQUESTS = [
    (DATA / "clinic-booking.md").read_text(),
    (DATA / "log-shipper.zh.md").read_text(),
    "Build a URL shortener",
]
WISHES = [
    ("also export the report as CSV for auditors", "Must"),
    ("The system should remind people one day before.", "Should"),
    ("还应该支持按部门导出审计记录", "Should"),
]


CLINIC = "Build a booking tool for a small clinic. Patients book appointments online. Staff see a calendar."


def revised(kind: str, facts: dict[str, Any], *feedback: str, **more: Any) -> Any:
    return ask(kind, **{**facts, "previous": facts[kind], "feedback": list(feedback), **more})


@pytest.mark.parametrize("text", REQUESTS)
@pytest.mark.parametrize(("wish", "moscow"), WISHES)
def test_feedback_becomes_a_new_requirement_and_the_others_stay_equal(
    text: str, wish: str, moscow: str
) -> None:
    facts = chain(text)

    after = revised("requirements", facts, wish)

    before = facts["requirements"].items
    (new,) = after.items[len(before) :]
    assert after.items[: len(before)] == before
    assert (new.id, new.quote, new.moscow) == ("new", wish, moscow)
    assert new.acceptance_criteria


@pytest.mark.parametrize("text", REQUESTS)
def test_new_requirement_gets_a_component_a_decision_and_a_story(text: str) -> None:
    facts = chain(text)
    after = revised("requirements", facts, WISHES[0][0])
    after = after.model_copy(
        update={"items": [*after.items[:-1], after.items[-1].model_copy(update={"id": "REQ-900"})]}
    )
    facts["requirements"] = after

    design = revised("architecture", facts)
    facts["architecture"], plan = design, revised("epics", facts)

    assert any("REQ-900" in part.requirements for part in design.components)
    assert any("REQ-900" in adr.requirements and len(adr.alternatives) >= 2 for adr in design.adrs)
    assert "REQ-900" in [ref for epic in plan.items for story in epic.stories for ref in story.requirements]
    assert plan.items[:-1] == chain(text)["epics"].items
    assert design.adrs[:-1] == chain(text)["architecture"].adrs


@pytest.mark.parametrize("at", [1, -2])
def test_lost_sentence_named_by_a_divergence_comes_back_as_it_was(at: int) -> None:
    facts = chain(REQUESTS[0])
    lost = facts["requirements"].items[at]
    kept = [item for item in facts["requirements"].items if item.id != lost.id]
    facts["requirements"] = facts["requirements"].model_copy(update={"items": kept})
    request = "Patients must be able to join."  # the sentence is known from the words of the divergence

    after = revised("requirements", facts, f"missing requirement: {lost.quote}")
    alone = revised("requirements", facts, f"missing requirement: {lost.quote}", request=request)

    found = [(item.quote, item.kind, item.category) for item in after.items[len(kept) :]]
    assert found == [(lost.quote, lost.kind, lost.category)]
    assert lost.quote in [item.quote for item in alone.items[len(kept) :]]


REMARKS = [
    "rated 2 of 5: The section is missing: scope",
    "risk level high",
    "Repair or remove the link to REQ-001.md.",
    "suggestions only",
]


@pytest.mark.parametrize("remark", REMARKS)
def test_remark_about_form_makes_no_requirement(remark: str) -> None:
    facts = chain(REQUESTS[0])

    assert revised("requirements", facts, remarks=[remark]).items == facts["requirements"].items


def test_brief_takes_a_wish_into_its_scope_and_an_exclusion_out_of_it() -> None:
    facts = chain(REQUESTS[0])

    after = revised(
        "brief", facts, "Patients must be able to cancel.", "It won't send letters in the first version."
    )

    assert after.in_scope[-1].text == "Patients must be able to cancel."
    assert after.out_of_scope[-1].text == "It won't send letters in the first version."
    assert after.goals == facts["brief"].goals


def test_revision_without_anything_new_changes_nothing() -> None:
    facts = chain(REQUESTS[0])

    for kind in ("requirements", "architecture", "epics"):
        assert revised(kind, facts) == facts[kind]


def test_improving_depth_deepens_the_weak_items_alone() -> None:
    facts = chain(REQUESTS[0])
    items = facts["requirements"].items
    at = next(at for at, item in enumerate(items) if item.acceptance_criteria)
    weak = items[at].model_copy(update={"acceptance_criteria": ["It is good."]})
    others = [*items[:at], *items[at + 1 :]]
    facts["requirements"] = facts["requirements"].model_copy(
        update={"items": [*items[:at], weak, *items[at + 1 :]]}
    )

    after = revised("requirements", facts, improve={"dimension": "depth", "target": 80, "weak": [weak.id]})

    assert [item for item in after.items if item.id != weak.id] == others
    assert after.items[at].id == weak.id
    assert after.items[at].acceptance_criteria == items[at].acceptance_criteria


def test_improving_depth_fills_stories_without_criteria_and_leaves_the_others() -> None:
    facts = chain(REQUESTS[0])
    epics = facts["epics"].items
    bare = epics[0].stories[0].model_copy(update={"acceptance_criteria": [], "so_that": ""})
    first = epics[0].model_copy(update={"stories": [bare, *epics[0].stories[1:]]})
    facts["epics"] = facts["epics"].model_copy(update={"items": [first, *epics[1:]]})

    after = revised("epics", facts, improve={"dimension": "depth", "target": 80, "weak": [bare.id]})

    assert after.items == epics


def test_a_revised_architecture_takes_the_technologies_that_are_asked_for_and_says_what_it_does_not_do() -> (
    None
):
    facts = chain(CLINIC)
    asked = "Use PostgreSQL as database. Deploy on Kubernetes. Split the calendar into two components."

    design = ask("architecture", **{**facts, "previous": facts["architecture"], "feedback": [asked]})

    assert [row.choice for row in design.stack] == ["PostgreSQL", "Kubernetes"]
    (said,) = [each for each in design.open_questions if "Split the calendar" in each]
    assert said.startswith("Not done") and not any("technologies" in each for each in design.open_questions)
    later = {**facts, "architecture": design, "previous": design}
    again = ask("architecture", **{**later, "feedback": ["Use SQLite instead of PostgreSQL."]})
    assert [row.choice for row in again.stack] == ["Kubernetes", "SQLite"]
    assert not any("SQLite" in each for each in again.open_questions)
    epics = ask("epics", **{**later, "previous": facts["epics"], "feedback": [asked]})
    assert [each for each in epics.open_questions if "PostgreSQL" in each or "Kubernetes" in each] == []
    assert any("Split the calendar" in each for each in epics.open_questions)


@pytest.mark.parametrize(
    "said",
    [
        "The requirements are too vague, please make them testable.",
        "Most of the acceptance criteria are still untestable.",
        "The brief reads too generic.",
        "需求写得太笼统。",
    ],
)
def test_what_somebody_thinks_of_the_documents_is_no_requirement(said: str) -> None:
    facts = chain(CLINIC)

    after = revised("requirements", facts, said)

    assert after.items == facts["requirements"].items
    assert any(said.rstrip(".。") in each for each in after.open_questions)


def test_what_documents_are_to_do_in_the_product_is_a_requirement() -> None:
    facts = chain(CLINIC)

    after = revised("requirements", facts, "The documents are signed by the doctor.")

    assert len(after.items) == len(facts["requirements"].items) + 1


def test_what_a_person_changed_by_hand_is_not_asked_for_again_as_the_request_says_it() -> None:
    facts = chain(
        "Build a label printer app. A librarian prints QR labels on a Brother printer. It must keep a log."
    )
    items = [
        item.model_copy(update={"statement": item.statement.replace("Brother", "Zebra"), "quote": ""})
        for item in facts["requirements"].items
    ]
    left = facts["requirements"].model_copy(update={"items": items})

    after = ask(
        "requirements", **{**facts, "previous": left, "delivered": facts["requirements"], "feedback": []}
    )

    assert [item.statement for item in after.items] == [item.statement for item in items]


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("Make the reservation window 30 days instead of 14", "for 14 days", "for 30 days"),
        ("Reminders should go out every 3 days, not every 2", "every 2 days", "every 3 days"),
        ("Slots should hold 20 orders rather than 10", "hold 10 orders", "hold 20 orders"),
        ("Change the order deadline from 8 pm to 6 pm", "until 8 pm", "until 6 pm"),
    ],
)
def test_number_that_takes_the_place_of_another_is_changed_where_that_stands(
    words: str, before: str, after: str
) -> None:
    said = [
        "Guests can reserve a plant for 14 days.",
        "The shop must send reminders every 2 days.",
        "Pick-up slots hold 10 orders.",
        "Customers can order until 8 pm.",
    ]
    facts = chain(" ".join(["Build a plant shop.", *said]))

    items = revised("requirements", facts, words).items

    assert [item.statement for item in items] == [
        item.statement.replace(before, after) for item in facts["requirements"].items
    ]
    assert any(after in item.statement for item in items)


def test_question_about_a_requirement_has_the_number_that_it_has_now() -> None:
    facts = chain("Build a plant shop. Customers can order until 8 pm. Guests can see the beds.")

    after = revised("requirements", facts, "Change the order deadline from 8 pm to 6 pm")

    asked = [text for text in after.open_questions if "order until" in text]
    assert asked and all("6 pm" in text for text in asked)
