"""For whom a thing is, and for whom it is not."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin import analyse_request
from workers.documents.audience import addressed, denied, says_nothing_else, without_denied

CLINIC = """# Clinic desk

Build a booking desk for a small clinic. The tool is for receptionists, not for patients.
A receptionist enters the patient's number. Patients are told by phone. Patients get no account.
"""


@pytest.mark.parametrize(
    ("text", "whom"),
    [
        ("The tool is for receptionists, not for patients.", "patients"),
        ("It is not meant for patients.", "patients"),
        ("Not intended for use by patients or their families.", "patients or their families"),
        ("We need a tool, not for patients but for nurses, that lists the beds.", "patients"),
        ("本系统面向护士，不面向患者。", "患者"),
        ("Das Werkzeug ist für Pfleger, nicht für Patienten.", "Patienten"),
    ],
)
def test_whom_a_thing_is_not_for_is_found(text: str, whom: str) -> None:
    assert [name.strip() for _, name in denied(text)] == [whom]
    assert whom not in without_denied(text) and len(without_denied(text)) == len(text)


def test_sentence_that_says_more_is_no_denial_alone() -> None:
    assert says_nothing_else("It is not meant for patients.")
    assert not says_nothing_else("The tool is for receptionists, not for patients.")
    assert addressed("The tool is for receptionists, not for patients.") == "receptionists"
    assert addressed("This document is for the council.") == ""


def test_those_it_is_not_for_are_no_users_however_often_they_are_named() -> None:
    found = analyse_request(CLINIC)

    assert [actor.name for actor in found.actors] == ["receptionists"]
    assert "not for patients" in [need.text for need in found.exclusions]


def test_those_it_is_not_for_are_no_part_of_the_vision() -> None:
    facts = chain(CLINIC)

    assert "patients" not in facts["brief"].vision.text
    assert [user.name for user in facts["brief"].users] == ["Receptionists"]


def test_list_of_users_is_believed_against_a_sentence() -> None:
    found = analyse_request(f"{CLINIC}\n## Users\n- Receptionists\n- Patients\n")

    assert {actor.name for actor in found.actors} >= {"Receptionists", "Patients"}
