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


FORWARDED = """From: Mira
To: Makers
Subject: {}: lift page

Hello,

{}

Mira

> From: Bo
> Sent: 3 May
>
> Tenants must see which lift is stuck.
>> From: Mira
>> Sent: 2 May
>>
>> - The janitor must get a list every morning
>> - The page must print labels
"""


@pytest.mark.parametrize(
    ("kind", "says"), [("FW", "please send us an offer."), ("Re", "see below, this is the list.")]
)
def test_mail_that_hands_on_others_asks_for_what_they_ask(kind: str, says: str) -> None:
    found = analyse_request(FORWARDED.format(kind, says))

    assert [need.text.rstrip(".") for need in found.requirements] == [
        "Tenants must see which lift is stuck",
        "The janitor must get a list every morning",
        "The page must print labels",
    ]


def test_mail_that_only_answers_does_not() -> None:
    found = analyse_request(FORWARDED.format("Re", "We need a page for repairs."))

    assert [need.text for need in found.requirements] == ["We need a page for repairs."]


@pytest.mark.parametrize(
    "said",
    [
        'See "How lifts are named".',
        "As requested by the board I have listed what the office needs.",
        "Not urgent.",
        "Please give me a rough estimate by Friday.",
    ],
)
def test_what_is_said_of_the_mail_is_not_asked_for(said: str) -> None:
    assert len(read(said).needs) == 2


def test_what_is_indispensable_must_be_there() -> None:
    found = read("Indispensable, too, is a public list of stuck lifts.")

    assert [need.given for need in found.requirements if "public list" in need.text] == ["Must"]


def test_why_something_is_left_out_stays_with_it() -> None:
    said = "Explicitly excluded are the goods lifts; the factory takes care of them"

    assert left_out(read(f"{said}.")) == [said]
    assert left_out(read("Explicitly excluded are the goods lifts; tenants must see the others.")) == [
        "Explicitly excluded are the goods lifts"
    ]


def test_several_things_that_are_wanted_are_no_goal() -> None:
    found = read("We want printed labels for the doors.")

    assert found.goals == ()
    assert "We want printed labels for the doors." in [need.text for need in found.requirements]


def test_reason_that_is_wanted_is_a_goal_beside_what_follows() -> None:
    found = read("I want to stop losing keys, so a key that is out too long has to show up in red.")

    assert [goal.text for goal in found.goals] == ["I want to stop losing keys"]
    assert "a key that is out too long has to show up in red." in [need.text for need in found.requirements]


def test_no_drawbacks_are_no_risk() -> None:
    found = analyse_request(
        "# Hook\n\nThe hook must fire.\n\n## Drawbacks\n\nThere are no known drawbacks.\n"
    )

    assert found.risks == ()


@pytest.mark.parametrize(
    "said",
    ["So big letters, please.", "English and Polish in the app.", "Everything on one screen in large type."],
)
def test_how_easily_it_is_used_may_only_be_named(said: str) -> None:
    assert [need.category for need in read(said).needs if need.kind == "nonfunctional"] == ["U"]


def test_what_is_told_of_big_letters_is_no_wish() -> None:
    assert all(need.kind == "functional" for need in read("Our old page has big letters.").needs)


def test_where_it_runs_and_what_it_must_do_are_two_things() -> None:
    found = read("It will run on one old PC in the cellar, and it must start after a power cut.")

    assert [(need.kind, need.text) for need in found.needs][1:3] == [
        ("constraint", "It will run on one old PC in the cellar"),
        ("nonfunctional", "it must start after a power cut."),
    ]


@pytest.mark.parametrize(
    ("more", "asked"),
    [
        ("one form for each repair\n- photo of the door", 4),
        ("red tape\n- dust\n- old oil\n- grey paint\n- rust\n- cobwebs", 2),
    ],
)
def test_items_of_a_list_are_asked_for_where_a_third_of_them_says_so(more: str, asked: int) -> None:
    request = (
        f"Hi,\n\nOur lifts are old.\n\n- the page shows each lift\n- {more}\n\nThe page must print a list.\n"
    )

    assert len(analyse_request(request).needs) == asked


def test_short_request_says_its_parts_without_verbs() -> None:
    found = analyse_request(
        "Could someone make a page for the lift rota? One janitor per week, and please no app to install."
    )

    assert [need.text for need in found.exclusions] == ["no app to install"]
    assert any(need.text.startswith("One janitor per week") for need in found.requirements)


@pytest.mark.parametrize("said", ["No chat, no ratings.", "No chat and no ratings."])
def test_several_things_that_there_are_none_of(said: str) -> None:
    assert [
        need.text for need in analyse_request(f"Make a page where tenants lend tools. {said}").exclusions
    ] == [said]


def test_day_until_which_it_is_wanted_leaves_nothing_out() -> None:
    assert analyse_request("Make a page where every tenant must sign, no later than May.").exclusions == ()


def test_what_people_might_do_to_get_round_it_is_a_risk() -> None:
    assert len(read("Tenants might click it away just to be done.").risks) == 1
    assert read("Tenants might click a lift to see its state.").risks == ()
