"""The lint finds each planted fault and names its place; on good documents it finds little, whoever wrote them."""

# ruff: noqa: E501 - a row a case

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.specifications import NAMES, facts_of
from workers.documents.content import Goal, Requirement, Statement, UserStory
from workers.documents.lint import findings_of
from workers.documents.lint.rules import SEVERITIES, rules

Facts = dict[str, Any]


@pytest.mark.parametrize("name", NAMES)
def test_good_documents_have_no_error_and_hardly_a_warning(name: str) -> None:
    found = findings_of(facts_of(name))

    assert [each for each in found if each.severity == "error"] == []
    assert sum(each.severity == "warning" for each in found) <= 2, found


def item(facts: Facts, kind: str, at: int, **update: Any) -> Facts:
    """The facts with one item of a document changed."""
    items = list(facts[kind].items)
    items[at] = items[at].model_copy(update=update)
    return {**facts, kind: facts[kind].model_copy(update={"items": items})}


def brief(facts: Facts, **update: Any) -> Facts:
    return {**facts, "brief": facts["brief"].model_copy(update=update)}


def goal(facts: Facts, text: str, **more: Any) -> Facts:
    goals = list(facts["brief"].goals)
    return brief(facts, goals=[goals[0].model_copy(update={"text": text, **more}), *goals[1:]])


def story(facts: Facts, **update: Any) -> Facts:
    epic = facts["epics"].items[0]
    stories = [epic.stories[0].model_copy(update=update), *epic.stories[1:]]
    return item(facts, "epics", 0, stories=stories)


def without(facts: Facts, *ids: str) -> Facts:
    kept = [row for row in facts["requirements"].items if row.id not in ids]
    return {**facts, "requirements": facts["requirements"].model_copy(update={"items": kept})}


def design(facts: Facts, **update: Any) -> Facts:
    return {**facts, "architecture": facts["architecture"].model_copy(update=update)}


def _nonsense(facts: Facts) -> Facts:
    parts = [
        part.model_copy(update={"name": f"Zorblat {at}", "responsibility": f"Frumps the quindle {at}"})
        for at, part in enumerate(facts["architecture"].components)
    ]
    return design(facts, components=parts, adrs=[])


NEW = Requirement(title="Rent out electric scooters", statement="Members rent electric scooters.")
# fmt: off
PLANTED: list[tuple[str, str, Callable[[Facts], Facts]]] = [
    ("header_title", "G-001", lambda f: goal(f, "Target Metric")),
    ("header_title", "REQ-001", lambda f: item(f, "requirements", 0, statement="Description")),
    ("header_title", "G-001", lambda f: goal(f, "目标值")),
    ("short_text", "REQ-003", lambda f: item(f, "requirements", 2, statement="Booking length")),
    ("short_title", "REQ-001", lambda f: item(f, "requirements", 0, title="Reserve")),
    ("duplicate", "REQ-002", lambda f: item(f, "requirements", 1, statement=f["requirements"].items[0].statement)),
    ("spellings", "epics", lambda f: story(f, title="Reserve a freebike or a FreeBike or free-bike")),
    (
        "risk_as_wish",
        "REQ-006",
        lambda f: item(f, "requirements", 5, statement="Members lose patience with a web page on a slow phone"),
    ),
    ("problem_as_wish", "G-001", lambda f: goal(f, f["discovery"].situation[0])),
    ("non_goal_as_goal", "G-001", lambda f: goal(f, "We do not want electric scooters")),
    (
        "non_goal_as_goal",
        "“Rent out electric scooters”",
        lambda f: {
            **f,
            "requirements": f["requirements"].model_copy(update={"items": [*f["requirements"].items, NEW]}),
        },
    ),
    (
        "withdrawn",
        "“A booking lasts at most 12 hours.”",
        lambda f: item(
            brief(f, in_scope=[Statement(text="A booking lasts at most 12 hours.", source="stated")]),
            "requirements", 2, moscow="Won't",
        ),
    ),
    ("withdrawn", "STORY-001-001", lambda f: item(story(f, requirements=["REQ-003"], adrs=[]), "requirements", 2, moscow="Won't")),
    ("lost", "R-003", lambda f: without(f, "REQ-004")),
    ("lost_goal", "brief", lambda f: goal(f, "Everybody is happy", metric="", target="")),
    ("lost_exclusion", "brief", lambda f: brief(f, out_of_scope=[])),
    ("distorted", "REQ-004", lambda f: item(f, "requirements", 3, title="Zorblat", statement="Quindles frump.")),
    (
        "unsupported",
        "“The fleet is insured against theft abroad”",
        lambda f: brief(
            f, constraints=[Statement(text="The fleet is insured against theft abroad", source="stated")]
        ),
    ),
    ("foreign", "architecture", _nonsense),
    ("forced_traces", "architecture", _nonsense),
    ("unknown_number", "REQ-003", lambda f: item(f, "requirements", 2, statement="A booking lasts 36 hours.")),
    ("no_criteria", "REQ-003", lambda f: item(f, "requirements", 2, acceptance_criteria=[])),
    (
        "untestable",
        "REQ-003",
        lambda f: item(f, "requirements", 2, acceptance_criteria=["The booking page is nice and friendly."]),
    ),
    (
        "template_criterion",
        "REQ-003",
        lambda f: item(
            f, "requirements", 2, acceptance_criteria=["Given the delivered work, when it is verified, then it works."]
        ),
    ),
    (
        "restating_criterion",
        "REQ-003",
        lambda f: item(f, "requirements", 2, acceptance_criteria=["A booking lasts at most 12 hours."]),
    ),
    (
        "contradicting_criterion",
        "REQ-003",
        lambda f: item(f, "requirements", 2, acceptance_criteria=["A booking does not last at most 12 hours."]),
    ),
    (
        "contradicting_criterion",
        "REQ-003",
        lambda f: item(f, "requirements", 2, acceptance_criteria=["It is not true that a test ends it: 12 hours."]),
    ),
    ("goal_without_metric", "G-001", lambda f: goal(f, "Bookings without a call", metric="", target="")),
    ("orphan_goal", "G-003", lambda f: brief(f, goals=[*f["brief"].goals, Goal(id="G-003", text="Grow to more houses")])),
    ("orphan_requirement", "REQ-003", lambda f: item(f, "requirements", 2, goals=[])),
    ("no_design", "REQ-003", lambda f: design(f, components=[p for p in f["architecture"].components if p.name != "Booking"])),
    ("no_story", "REQ-006", lambda f: item(f, "epics", 2, stories=[], requirements=[])),
    ("no_stories", "EPIC-003", lambda f: item(f, "epics", 2, stories=[])),
    ("dead_reference", "STORY-001-001", lambda f: story(f, requirements=["REQ-777"])),
    ("forced_trace", "STORY-001-001", lambda f: story(f, title="Choose a colour", i_want="green", so_that="", acceptance_criteria=[])),
    ("story_without_user", "STORY-001-001", lambda f: story(f, as_a="someone")),
    ("story_without_user", "REQ-003", lambda f: item(f, "requirements", 2, user_story=UserStory(as_a="-", i_want="an end"))),
    ("story_without_criteria", "STORY-001-001", lambda f: story(f, acceptance_criteria=[])),
    ("proposal_without_reason", "REQ-003", lambda f: item(f, "requirements", 2, source="proposed")),
    (
        "one_choice",
        "ADR-001",
        lambda f: design(f, adrs=[f["architecture"].adrs[0].model_copy(update={"alternatives": []})]),
    ),
    ("repeats", "impact", lambda f: brief(f, impact=f["discovery"].situation[0])),
]
# fmt: on


@pytest.mark.parametrize(("rule", "place", "plant"), PLANTED)
def test_planted_fault_is_named_with_its_place_and_a_fix(
    rule: str, place: str, plant: Callable[[Facts], Facts]
) -> None:
    facts = facts_of("bike-sharing")
    before = {(found.rule, found.place) for found in findings_of(facts)}

    found = findings_of(plant(facts))

    named = [each for each in found if each.rule == rule and each.place == place]
    assert named and (rule, place) not in before, found
    assert all(each.text and each.fix for each in named)


def test_criteria_that_all_deny_are_an_error() -> None:
    facts = facts_of("bike-sharing")
    for at, row in enumerate(facts["requirements"].items):
        turned = [text.replace(", then ", ", then it is not so that ") for text in row.acceptance_criteria]
        facts = item(facts, "requirements", at, acceptance_criteria=turned)

    assert "negated_criteria" in {found.rule for found in findings_of(facts)}


def test_error_that_the_document_asks_about_is_a_warning() -> None:
    facts = item(facts_of("bike-sharing"), "requirements", 2, acceptance_criteria=[])
    asked = facts["requirements"].model_copy(
        update={"open_questions": ["By what does one see that REQ-003 holds?"]}
    )

    (found,) = [each for each in findings_of({**facts, "requirements": asked}) if each.rule == "no_criteria"]

    assert (found.severity, found.asked) == ("warning", True)


def test_each_rule_speaks_both_languages_and_names_known_perspectives() -> None:
    for rule in rules().values():
        assert rule.severity in SEVERITIES
        assert set(rule.concerns) <= {"product", "technical", "quality", "risk", "coverage"} and rule.concerns
        assert all(text for wording in rule.wording.values() for text in wording)


def test_documents_without_sources_or_of_one_kind_alone_can_be_read() -> None:
    facts = facts_of("bike-sharing")

    for kind in ("brief", "requirements", "architecture", "epics"):
        for given in ({kind: facts[kind]}, {kind: facts[kind], "discovery": facts["discovery"]}):
            assert {found.document for found in findings_of(given)} <= {kind}
