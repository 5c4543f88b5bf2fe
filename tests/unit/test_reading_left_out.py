"""What requests leave out and whom they are for, in forms that are no list below a heading."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from workers.builtin import analyse_request
from workers.documents.reading_words import clause_role, priority_of, role_of, word_role

REST = "\n\n## Requirements\n\n- The warden must see every open lock\n"


def left_out(text: str) -> list[str]:
    return [need.text for need in analyse_request(text + REST).exclusions]


def users(text: str) -> list[str]:
    return [actor.name for actor in analyse_request(text + REST).actors]


@pytest.mark.parametrize(
    ("said", "out"),
    [
        (
            "# Locks\n\nWe will also **not** migrate the old archive.",
            ["We will also not migrate the old archive."],
        ),
        ("# Locks\n\nIt needn't cover the fishing permits.", ["It needn't cover the fishing permits."]),
        ("# Locks\n\nBoat trailers. I'd say not in the first year.", ["I'd say not in the first year."]),
        (
            "# Locks\n\n## Open questions\n\nThe toll of the sea lock comes from #81, let's leave that out here.",
            ["The toll of the sea lock comes from #81, let's leave that out here."],
        ),
        (
            "# Locks\n\n## In scope / out of scope\n\nWe will not replace the till, and season tickets are not supported in the first year.",
            ["We will not replace the till", "season tickets are not supported in the first year."],
        ),
        (
            "# Locks\n\n## FAQ\n\n*Play store?* No native app. It is a page in the browser.",
            ["No native app."],
        ),
        (
            "# 船闸\n\n（补充：上次说的夜航功能已经取消，不再讨论。）",
            ["（补充：上次说的夜航功能已经取消，不再讨论。）"],
        ),
    ],
)
def test_prose_that_leaves_something_out(said: str, out: list[str]) -> None:
    assert left_out(said) == out


@pytest.mark.parametrize(
    ("said", "out"),
    [
        ("# Locks\n\n## Features\n\n### F7 Tide tables — **Won't (this season)**", ["Tide tables"]),
        (
            "# Locks\n\n## REMOVED Requirements\n\n### Requirement: Paper slips\n\n**Reason**: nobody fills them in.",
            ["Paper slips"],
        ),
        (
            "# Locks\n\n## Capabilities\n\n| ID | Capability | What it does |\n|---|---|---|\n| F-1 | ~~Toll export~~ | the office has its own tool |\n",
            ["Toll export"],
        ),
        (
            "# Locks\n\n## Capabilities\n\n| ID | Requirement | Status | Notes |\n|---|---|---|---|\n| F-1 | Open the gates by voice | Dropped | too loud there |\n",
            ["Open the gates by voice"],
        ),
        (
            "# Locks\n\n## Scope\n\n| In scope | Out of scope |\n|---|---|\n| Gate times | Tolls |\n| | Dredging plans |\n",
            ["Tolls", "Dredging plans"],
        ),
        (
            "# 船闸\n\n## 功能\n\n- 船员可以互相换班（一期不做，先用微信群）",
            ["船员可以互相换班（一期不做，先用微信群）"],
        ),
    ],
)
def test_items_headings_and_rows_that_are_left_out(said: str, out: list[str]) -> None:
    assert left_out(said) == out


@pytest.mark.parametrize(
    ("answer", "out"),
    [("No, skippers walk.", []), ("No idea.", []), ("It does not know the tide.", [])],
)
def test_an_answer_that_denies_no_part_leaves_nothing_out(answer: str, out: list[str]) -> None:
    assert left_out(f"# Locks\n\n## FAQ\n\n*By phone?* {answer}") == out


@pytest.mark.parametrize(
    ("said", "names"),
    [
        (
            "# Locks\n\n## Why\n\nThose who feel it most are skippers of small boats and the crews of barges.",
            ["skippers of small boats", "crews of barges"],
        ),
        (
            "# Locks\n\n## Goals\n\nFewer waits.\n\nWho: **skippers** (about 400), **lock keepers** (9), **pier staff** at the gates.",
            ["skippers", "lock keepers", "pier staff"],
        ),
        (
            "# Locks\n\n## Use cases\n\n### UC-1 Pass\n\n| | |\n|---|---|\n| Primary actor | Visitor |\n| Trigger | The horn sounds |\n",
            ["Visitor"],
        ),
        (
            "# Locks\n\n## Scope of work\n\n1. Roles: Gate Clerk, Site Manager, Auditor (read only).",
            ["Gate Clerk", "Site Manager", "Auditor"],
        ),
        ("# 船闸\n\n使用的人是前台和兽医，字要大。", ["前台", "兽医"]),
    ],
)
def test_users_that_no_list_of_users_names(said: str, names: list[str]) -> None:
    assert set(names) <= set(users(said))


def test_personas_in_columns_say_their_goals() -> None:
    read = analyse_request(
        "# Locks\n\n## Personas\n\n| | Skipper | Keeper |\n|---|---|---|\n| Goal | be through before dark | know who waits |\n"
        + REST
    )

    assert [goal.text for goal in read.goals] == ["be through before dark", "know who waits"]


@pytest.mark.parametrize(
    ("heading", "priority"),
    [
        ("F7 Tide tables — Won't (this season)", "Won't"),
        ("F6 Weather — P2", "Could"),
        ("Tide tables (this season)", ""),
    ],
)
def test_a_heading_ends_in_its_priority(heading: str, priority: str) -> None:
    assert priority_of(heading) == priority


@pytest.mark.parametrize(
    "said",
    [
        "Mooring fees are not handled here.",
        "Sounding of the canal comes in stage 2 only.",
        "Night opening is ruled out by the insurer.",
        "Nor is it intended that the page sells maps.",
        "What nobody wants is a camera on the gate.",
        "The wages stay a matter for the town office.",
        "A newsletter was turned down by the council.",
        "No link with the police is foreseen.",
        "The statistics are for a later project.",
        "The tool does no bookkeeping.",
    ],
)
def test_prose_leaves_out_in_many_words(said: str) -> None:
    assert left_out(f"# Locks\n\n## Remarks\n\nThe lock is old. {said}") == [said]


@pytest.mark.parametrize(
    "said",
    ["Requests without a licence are turned down by the warden.", "There will be no downtime at night."],
)
def test_rules_of_the_product_are_not_left_out(said: str) -> None:
    assert left_out(f"# Locks\n\n## Features\n\n- {said}") == []


def test_questions_with_answers_are_read_by_their_answers() -> None:
    asked = (
        "# Locks\n\n## Questions skippers will ask\n\n**Can I choose the chamber?**\nNo. The warden assigns it.\n\n"
        "**Will you sell maps?**\nWe do not sell maps, neither here nor at the quay.\n\n"
        "**Do I need an account?**\nNo. A phone number is enough to book.\n\n"
        "**Is there something for our own people?**\nA head warden can see which locks are shut."
    )

    assert left_out(asked) == ["The warden assigns it.", "We do not sell maps, neither here nor at the quay."]
    assert "head warden" in users(asked)


def test_answers_below_open_questions_stay_open() -> None:
    assert left_out("# Locks\n\n## Open questions\n\n**Will you sell maps?**\nNo. Or perhaps later.") == []


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("Hors\u2011scope V1", "non_goal"),
        ("Fora do escopo do piloto", "non_goal"),
        ("What the guild hopes for", "goal"),
        ("In scope", "requirement"),
    ],
)
def test_heading_in_other_marks_and_with_more_words(heading: str, role: str) -> None:
    assert (role_of(heading) or clause_role(heading)) == role


@pytest.mark.parametrize(
    "sentence",
    [
        "A lottery was on our list and I have crossed it off for this year.",
        "We are not interested in rankings of the skippers.",
        "We have thought of a map with all buoys and decided against it.",
        "We had dreamt of a shop for sails, but that is another business.",
        "The letters will go on being posted by the harbour office.",
        "Replacing the crane is left to the yard.",
        "A second language is for another year.",
        "The north quay has to wait for the next release.",
        "A wall of fame was suggested by a member and voted down.",
        "The fuel pump may be the subject of a later order.",
        "Pictures of boats later, perhaps.",
        "We do without vouchers.",
        "Some asked for a webcam; the board has said no.",
    ],
)
def test_what_a_letter_leaves_out_is_left_out(sentence: str) -> None:
    read = analyse_request(f"Dear Ms Holm,\n\nwe want a page on which guests book a berth.\n\n{sentence}\n")

    assert [need.text for need in read.exclusions] == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "The alarm rings until the skipper crosses it off.",
        "If a race is put off, all crews must get a message.",
        "The price must be taken off the bill.",
        "The choice of colours is left to the supplier.",
        "Guests have to wait for the harbour master.",
    ],
)
def test_what_a_thing_does_is_not_left_out(sentence: str) -> None:
    read = analyse_request(f"Dear Ms Holm,\n\nwe want a page on which guests book a berth.\n\n{sentence}\n")

    assert not read.exclusions


@pytest.mark.parametrize(
    ("request_text", "left_out"),
    [
        (
            "# Barco\n\nQueremos una página.\n\nTampoco se contempla una tienda.\n",
            ["Tampoco se contempla una tienda."],
        ),
        ("# Barco\n\nQueremos uma página.\n\nNão precisa de loja.\n", ["Não precisa de loja."]),
        ("# Barco\n\nQueremos uma página.\n\nNão precisa de internet.\n", []),
    ],
)
def test_further_languages_leave_out_too(request_text: str, left_out: list[str]) -> None:
    assert [need.text for need in analyse_request(request_text).exclusions] == left_out


def test_lead_of_what_is_left_out_and_a_wish_behind_its_list_are_not_left_out() -> None:
    request = (
        "# Berths\n\n## Features\n\n- Guests book a berth\n\n## What I do not want\n\n"
        "- a newsletter\n- accounts with badges\n\nIt has to be online in May.\n"
    )
    letter = (
        "Dear Ms Holm,\n\nwe want a page with berths.\n\nA few things we do not want. We don't want a shop.\n"
    )

    assert [need.text for need in analyse_request(request).exclusions] == [
        "a newsletter",
        "accounts with badges",
    ]
    assert [need.text for need in analyse_request(letter).exclusions] == ["We don't want a shop."]


def test_no_before_a_time_is_a_condition() -> None:
    request = "# Berths\n\n## Features\n\n- No reply in 12 h: the berth is free again\n- No mooring fees\n"

    assert [need.text for need in analyse_request(request).exclusions] == ["No mooring fees"]


def test_leave_taking_struck_questions_and_parked_ideas_are_not_left_out() -> None:
    request = (
        "# Berths\n\n## Features\n\n- Guests book a berth\n\n## What we have not agreed on\n\nWho pays for the buoy?\n\n"
        "## Parking lot\n\n- Could be fun: a picture of each boat\n- Q: ~~one key per crew?~~ → decided: yes, one key\n"
        "- A webcam\n\nWith kind regards\nMoira Quill\n"
    )
    read = analyse_request(request)

    assert [need.text for need in read.exclusions] == ["A webcam"]
    assert read.questions == ("Who pays for the buoy?",)


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("My guesses, not facts", ""),
        ("Signed off (Ida, in May)", ""),
        ("When no lock is found", ""),
        ("为什么不修船闸", "problem"),
        ("Must not look like", "requirement"),
        ("Useful but we can live without it", "requirement"),
        ("Secondary users later", "user"),
        ("In / out of scope", ""),
        ("Not in this version", "non_goal"),
        ("What we will not build", "non_goal"),
        ("Later — not now", "non_goal"),
        ("Never", "non_goal"),
        ("本次不做", "non_goal"),
    ],
)
def test_a_heading_leaves_out_only_what_it_says_is_left_out(heading: str, role: str) -> None:
    assert (role_of(heading) or clause_role(heading) or word_role(heading)) == role


@pytest.mark.parametrize(
    ("said", "out"),
    [
        ("A full lock will not affect the boats downstream.", []),
        ("Old passes will not be visible to guests.", []),
        ("The skippers do not need to call the tower.", []),
        ("You hear the skipper himself. Not a summary. A record.", []),
        ("We will not paint the gates.", ["We will not paint the gates."]),
        ("We do not need to print passes.", ["We do not need to print passes."]),
        ("- Not a booking system", ["Not a booking system"]),
        ("- `open` - The pass is new\n- `declined` - The guest has refused the pass", []),
        ("- `declined` Passes for dogs", ["Passes for dogs"]),
    ],
)
def test_what_something_does_not_affect_and_people_need_not_do_is_not_left_out(
    said: str, out: list[str]
) -> None:
    assert left_out(f"# Locks\n\n## Requirements\n\n{said}") == out
