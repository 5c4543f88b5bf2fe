"""What a request in plain prose says is bad today is the problem of its brief."""

# ruff: noqa: E501 - a row a case

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin.request import analyse_request

TOLD = [
    (
        "We have 14 rooms on three floors. People lose about ten minutes per meeting because rooms are double booked. Build a room booking tool.",
        "People lose about ten minutes per meeting because rooms are double booked.",
    ),
    (
        "We run a small bakery. Every week two or three cakes are forgotten. Staff complain. Build an order book that shows what is due today.",
        "Staff complain.",
    ),
    (
        "Build a key register for our club. Members argue about who has the key, and the caretaker drives out for nothing. The register must show who has each key.",
        "Members argue about who has the key, and the caretaker drives out for nothing.",
    ),
    (
        "Patients wait twenty minutes in the line. Build an appointment page. Patients can cancel an appointment.",
        "Patients wait twenty minutes in the line.",
    ),
    (
        "我们有14间会议室。员工每次会议浪费十分钟，因为会议室经常被重复预订。做一个会议室预订系统。",
        "员工每次会议浪费十分钟，因为会议室经常被重复预订。",
    ),
]
ASKED = [
    "Wrong passwords are rejected.",
    "Empty orders are deleted.",
    "If payment fails, the order is cancelled.",
    "When an order is forgotten, the clerk sends a message.",
    "The manager sees overbooked rooms.",
    "Members may not book a room twice.",
]


@pytest.mark.parametrize(("request_text", "told"), TOLD)
def test_what_is_bad_today_is_the_problem_and_no_requirement(request_text: str, told: str) -> None:
    facts = chain(request_text)

    assert told in facts["brief"].situation
    assert told not in [item.statement for item in facts["requirements"].items]
    assert not facts["brief"].dependencies
    assert len(facts["requirements"].items) >= 1


@pytest.mark.parametrize("asked", ASKED)
def test_what_the_product_does_when_something_is_bad_stays_asked_for(asked: str) -> None:
    found = analyse_request(f"Build an order tool for a depot. {asked} Clerks enter orders.")

    assert asked in [need.text for need in found.needs] and asked not in found.situation


@pytest.mark.parametrize("owned", ["We have a PostgreSQL server.", "We already use Keycloak for logins."])
def test_what_somebody_has_that_the_product_can_use_stays_a_dependency(owned: str) -> None:
    found = analyse_request(f"Build a room booking tool. {owned} Staff can book a room.")

    assert found.dependencies == (owned,)
