"""What people leave out, aim at, depend on and fear in spoken words."""

from __future__ import annotations

import pytest

from workers.builtin.analysis import RequestAnalysis
from workers.builtin.request import analyse_request


def read(said: str) -> RequestAnalysis:
    return analyse_request(
        f"Hi,\n\nThe lift office needs a page for repairs. {said} The page must print a list.\n\nRegards\nBo\n"
    )


def left_out(found: RequestAnalysis) -> list[str]:
    return [need.text.rstrip(".") for need in found.exclusions]


@pytest.mark.parametrize(
    "said",
    [
        "We are not doing escalators",
        "Explicitly excluded are the goods lifts",
        "Nor is it planned that tenants pay here",
        "Spare parts we leave to the factory",
        "What nobody needs is a chat",
        "I took out two things: the map and the rota",
        "No invoices, the accountant does them",
    ],
)
def test_what_is_left_out(said: str) -> None:
    assert left_out(read(f"{said}.")) == [said]


@pytest.mark.parametrize(
    "said",
    [
        "If we leave a list for the janitor, he must see it.",
        "The janitor must be told when we took the lift out of service.",
        "The page must show the lifts that are not doing well.",
    ],
)
def test_what_only_sounds_so_is_not_left_out(said: str) -> None:
    assert left_out(read(said)) == []


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("We wish to shorten the time to a repair, currently five days, to two.", "two"),
        ("Stuck doors should become a thing of the past.", ""),
        ("The idle hours of the lifts are to come down by a third.", "a third"),
        ("Nobody should wait longer than 20 minutes for an answer.", ""),
        ("I don't care how it looks as long as open repairs get down to zero.", "zero"),
        ("At least 60% of repairs on the same day.", ""),
    ],
)
def test_what_is_aimed_at(said: str, target: str) -> None:
    goals = read(said).goals

    assert len(goals) == 1
    assert target in goals[0].target


def test_what_somebody_must_do_is_no_goal() -> None:
    assert read("The janitor must stay at most 20 minutes.").goals == ()


@pytest.mark.parametrize(
    "said",
    [
        "The works council has to agree first.",
        "Blocked by LIFT-12 (new sensor).",
        "We also need Rita's password and she is away.",
        "The insurer checks the shaft, and until that is done we cannot start.",
    ],
)
def test_what_it_waits_for(said: str) -> None:
    assert [text.rstrip(".") for text in read(said).dependencies] == [said.rstrip(".")]


def test_what_a_tenant_must_agree_to_is_a_requirement() -> None:
    assert read("Tenants must agree to the terms.").dependencies == ()


@pytest.mark.parametrize(
    "said", ["One worry, if the sensor freezes nobody sees it.", "My fear: the tenants call anyway."]
)
def test_what_is_feared(said: str) -> None:
    assert len(read(said).risks) == 1


def test_what_is_undecided_is_asked() -> None:
    assert read("It is still undecided who pays for the sensors.").questions == (
        "It is still undecided who pays for the sensors.",
    )


@pytest.mark.parametrize(
    "said", ["900 EUR is all we have.", "Hosting in our own data centre, nothing outside."]
)
def test_what_binds_the_work(said: str) -> None:
    assert [need.text for need in read(said).needs if need.kind == "constraint"] == [said]


def test_what_is_done_under_a_condition_is_not_done_already() -> None:
    found = read("As soon as the repair is finished the tenant gets a text message.")

    assert found.done == ()
    assert any("text message" in need.text for need in found.requirements)
