"""The built-in critique reads documents for real: sound ones get a 4, each damage is found and named."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.builtin_chain import DATA, artifact, ask, chain, criticise

KINDS = ("discovery", "brief", "requirements", "architecture", "epics")
PERSPECTIVES = ("product", "technical", "quality", "risk", "coverage", "clarity")
REQUESTS = {
    "clinic": (DATA / "clinic-booking.md").read_text(),
    "logs": (DATA / "log-shipper.zh.md").read_text(),
    "thin": "Build a URL shortener with an admin dashboard",
    "thin zh": "为小型餐馆做一个扫码点餐系统",
}


@cache
def _facts(name: str) -> tuple[tuple[str, Any], ...]:
    return tuple(chain(REQUESTS[name]).items())


def facts_of(name: str) -> dict[str, Any]:
    return dict(_facts(name))


def texts(critique: Any) -> str:
    return " ".join(weakness.text for weakness in critique.weaknesses)


def grave(critique: Any) -> list[str]:
    return [weakness.text for weakness in critique.weaknesses if weakness.severity in ("high", "critical")]


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("perspective", PERSPECTIVES)
def test_sound_document_has_no_grave_weakness_and_strengths(name: str, kind: str, perspective: str) -> None:
    facts = facts_of(name)

    found = criticise(kind, perspective, facts, artifact(kind, facts))

    assert found.rating >= 3 and grave(found) == [] and found.missing_requirements == []
    assert found.strengths
    assert found.risk_level in ((None,) if perspective != "risk" else ("low", "medium"))


SECTIONS = [
    ("clinic", "brief", "Scope", "Scope"),
    ("clinic", "architecture", "Components", "Components"),
    ("clinic", "epics", "MVP", "MVP"),
    ("logs", "brief", "范围", "范围"),
]


@pytest.mark.parametrize(("name", "kind", "heading", "called"), SECTIONS)
def test_deleted_section_is_named_and_rated_two(name: str, kind: str, heading: str, called: str) -> None:
    facts = facts_of(name)
    text, count = re.subn(
        rf"^## {heading}\b.*?(?=^## )", "", artifact(kind, facts), flags=re.MULTILINE | re.DOTALL
    )
    assert count == 1

    found = criticise(kind, "quality", facts, text)

    assert found.rating <= 2 and called in texts(found)


@pytest.mark.parametrize("broken", ["[more]()", "[more](#no-such-heading)", "[REQ-777](REQ-777-gone.md)"])
def test_broken_link_is_named_and_rated_two(broken: str) -> None:
    facts = facts_of("clinic")
    text = artifact("requirements", facts) + f"\nSee {broken}.\n"

    found = criticise("requirements", "quality", facts, text)

    assert found.rating <= 2 and broken.rpartition("(")[2].rstrip(")") in texts(found)


def test_link_to_a_missing_file_beside_the_document_is_named(tmp_path: Path) -> None:
    facts = facts_of("thin")
    folder = tmp_path / "spec"
    folder.mkdir()
    (folder / "there.md").write_text("x")
    (folder / "product-brief.md").write_text("x")
    text = artifact("brief", facts) + "\n[one](there.md) [two](gone.md)\n"

    found = criticise("brief", "quality", facts, text, workdir=tmp_path)

    assert found.rating == 2 and "gone.md" in texts(found) and "there.md" not in texts(found)


@pytest.mark.parametrize("name", ["clinic", "logs"])
def test_each_removed_requirement_is_missed_by_coverage_in_its_own_words(name: str) -> None:
    facts = facts_of(name)
    items = facts["requirements"].items
    for lost in items:
        kept = [item for item in items if item.quote != lost.quote]
        facts["requirements"] = facts["requirements"].model_copy(update={"items": kept})

        found = criticise("requirements", "coverage", facts, artifact("requirements", facts), brief=None)

        assert found.rating <= 2 and lost.quote in found.missing_requirements, lost.quote


@pytest.mark.parametrize(
    ("criterion", "kind"),
    [("The screen is nice and friendly.", "requirements"), ("界面友好", "requirements")],
)
def test_untestable_criterion_is_named_and_rated_three(criterion: str, kind: str) -> None:
    facts = facts_of("clinic")
    items = facts[kind].items
    changed = items[0].model_copy(update={"acceptance_criteria": [criterion]})
    facts[kind] = facts[kind].model_copy(update={"items": [changed, *items[1:]]})

    found = criticise(kind, "quality", facts, artifact(kind, facts))

    assert found.rating <= 3 and criterion.rstrip(".") in texts(found)
    assert criterion in found.testability_issues


def test_placeholder_is_a_fault_unless_the_request_says_it() -> None:
    facts = facts_of("thin")
    text = artifact("brief", facts) + "\n\nTODO: fill in\n"

    asked = criticise("brief", "quality", facts, text, request=facts["request"] + " TODO list")

    assert criticise("brief", "quality", facts, text).rating <= 2
    assert grave(asked) == []


OWN_WORDS = [  # words of a request that look like something left to be filled in, defined or linked
    "Build a TODO app",
    "Write a todo-list manager with TBD dates and FIXME tags",
    "Send a mail that begins with {{ first_name }} and ends with {{unsubscribe_url}} or [placeholder].",
    "The form must show <your name> and [insert date here] until the user types. XXX marks must be kept.",
    "- The linter must report TODO and FIXME.\n- Prices are TBD.\n- Owner: [your name]\n- `{{ a | upper }}` must work.",
    "Replace all \\{\\{ name \\}\\} markers with {{ name }} in the lorem ipsum page",
    "做一个待填写的表单系统,显示待补充的字段",
    "Implement REQ-777 and ADR-012 of the old specification; G-009 stays.",
    "See [the guide](guide.md) and [top](#top). Users must follow [the docs](docs/a.md).",
]


@pytest.mark.parametrize("text", OWN_WORDS)
def test_words_of_the_request_are_no_fault_of_its_documents(text: str) -> None:
    facts = chain(text)

    for kind in KINDS:
        for perspective in PERSPECTIVES:
            found = criticise(kind, perspective, facts, artifact(kind, facts))

            assert found.rating >= 3 and grave(found) == [], (kind, perspective, texts(found))


@pytest.mark.parametrize("given", ["feedback", "edited"])
def test_placeholder_that_a_person_wrote_is_no_fault(given: str) -> None:
    facts = facts_of("thin")
    text = artifact("brief", facts) + "\n\nPrices: \\[your price\\]\n"

    found = criticise("brief", "quality", facts, text, **{given: ["Prices: [your price]"]})

    assert criticise("brief", "quality", facts, text).rating == 2
    assert grave(found) == []


def test_must_without_a_story_is_named() -> None:
    facts = facts_of("clinic")
    lost = facts["requirements"].items[0].id
    epics = facts["epics"].items
    without = [epic for epic in epics if lost not in epic.requirements]
    facts["epics"] = facts["epics"].model_copy(update={"items": without})
    text = re.sub(rf"{lost}[^\n]*", "", artifact("epics", facts))

    found = criticise("epics", "technical", facts, text)

    assert found.rating <= 2 and lost in texts(found)


HAND_WRITTEN = """# Brief

## Vision
Patients wait at home.

## Problem
People leave the line.

## Users
Patients, desk staff.

## Goals
Fewer than 5 patients lost per clinic and day after three months; median time at the desk under 40 seconds.
60 % of patients join by phone. We want patients to join the queue from their phone and arrive when it is nearly their turn.

## Scope
Out: payments and medical records are not handled in the first version.

## Constraints
HTTP gateway.
"""


def test_coverage_of_a_brief_by_another_writer_checks_goals_and_exclusions_alone() -> None:
    facts = {"request": REQUESTS["clinic"], "language": "en"}

    found = criticise("brief", "coverage", facts, HAND_WRITTEN)
    without = criticise(
        "brief", "coverage", facts, HAND_WRITTEN.replace("60 % of patients join by phone.", "")
    )

    assert found.rating >= 4 and found.missing_requirements == []
    assert without.missing_requirements == ["60 % of patients join by phone."]


def test_first_round_compares_with_the_request_text() -> None:
    facts = facts_of("clinic")
    lost = facts["discovery"].requirements[1].text
    text = artifact("discovery", facts).replace(lost, "")

    found = criticise("discovery", "coverage", facts, text, discovery=None, round_key="DISCUSS-001")

    assert found.missing_requirements == [lost]


def test_unprotected_personal_data_is_a_high_risk() -> None:
    facts = {"request": "The shop must store each customer's address and phone numbers.", "language": "en"}

    found = criticise(
        "requirements", "risk", facts, "# Requirements\n\n## Requirements\n\nStore address and phone.\n"
    )

    assert found.risk_level == "high"


def test_focus_words_of_an_unknown_perspective_are_looked_for() -> None:
    facts = facts_of("clinic")
    given = {"name": "operations", "label": "Operator", "focus": ["encrypted data"]}

    found = criticise("requirements", "operations", facts, artifact("requirements", facts), perspective=given)

    assert grave(found) == [] and "encrypted data" in found.strengths[0]


def test_empty_document_gets_a_one() -> None:
    assert criticise("brief", "product", facts_of("thin"), "  \n").rating == 1


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.text(max_size=300), st.sampled_from(PERSPECTIVES))
def test_any_text_can_be_criticised(request: str, text: str, perspective: str) -> None:
    facts = {
        "request": request,
        "artifact": text,
        "artifact_path": "spec/product-brief.md",
        "perspective": {"name": perspective},
    }

    assert 1 <= ask("critique", **facts).rating <= 5
