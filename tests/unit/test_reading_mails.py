"""Mails, issues from a template and pasted sheets, as people send them."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin.amended import parts
from workers.builtin.goals import goal_of
from workers.builtin.request import analyse_request
from workers.builtin.said_sections import section_rows
from workers.documents.lexicon import lexicon_of

MAIL = """From: Ilka Brandt <ilka@example.com>
To: Rune
Subject: Loan desk for our toy library

Hi Rune,

We write every loan on a card. What I'd like is something where the volunteer scans the box and the parent gets a reminder. I'd be happy if the lost boxes drop to less than 3 a month. Please don't make us type the old cards in again.

Kind regards, Ilka

Ilka Brandt | Toy Library Nord | Tel. 0555-010203
Please consider the environment before printing this email.
If you are not the intended recipient, delete it.
"""


def test_mail_is_read_without_its_head_and_its_foot() -> None:
    found = analyse_request(MAIL)

    assert found.title == "Loan desk for our toy library"
    assert [need.text for need in found.needs] == [
        "the volunteer scans the box and the parent gets a reminder",
        "Please don't make us type the old cards in again.",
    ]
    assert [actor.name for actor in found.actors] == ["volunteer", "parent"]
    assert [goal.target for goal in found.goals] == ["less than 3 a month"]
    assert not found.exclusions


def test_what_stands_behind_a_farewell_is_read_where_it_is_a_list_or_a_postscript() -> None:
    listed = (
        MAIL.partition("Ilka Brandt |")[0] + "- The desk must print a label\n- The desk must open on Sunday\n"
    )
    more = MAIL.partition("Ilka Brandt |")[0] + "PS: The desk must print a label\n"

    assert [need.text for need in analyse_request(listed).needs][2:] == [
        "The desk must print a label",
        "The desk must open on Sunday",
    ]
    assert "The desk must print a label" in analyse_request(more).needs[-1].text


ISSUE = """---
name: Feature request
title: "[FEATURE] Merge two shelves"
---

### Describe the solution

It must merge 20k books in < 2 s. Not needed: renaming shelves.

- [ ] I am willing to submit a PR
- [x] I have searched the existing issues
"""


def test_issue_has_the_title_of_its_front_matter_and_asks_for_none_of_its_boxes() -> None:
    found = analyse_request(ISSUE)

    assert found.title == "Merge two shelves"
    assert [need.text for need in found.needs if need.kind != "exclusion"] == [
        "It must merge 20k books in < 2 s."
    ]
    assert [need.text for need in found.exclusions] == ["renaming shelves."]


def test_what_is_ruled_out_gives_no_title() -> None:
    found = analyse_request(
        "Make me a page for our choir. I don't need a login with passwords. Singers say if they come. No payments."
    )

    assert "login" not in found.title.lower()
    assert [need.text for need in found.exclusions] == [
        "I don't need a login with passwords.",
        "No payments.",
    ]


SHEET = """KENNEL SHEET\t\t\t
\t\t\t
Ref\tRequirement\tMoSCoW\tRemarks
K-1\tPrint a label for each dog\tM\tmust survive rain
K-2\tShow the walks of today\tS\tAnna asked
\t\t\t
Tab 2: KPIs\t\t\t
KPI\tLast year\tYear 1\tYear 2
Dogs without a walk\t31\t20\tunder 5
"""


def test_sheet_is_read_tab_by_tab_with_its_remarks_and_its_last_target() -> None:
    found = analyse_request(SHEET)

    assert [need.text for need in found.needs] == [
        "Print a label for each dog (must survive rain)",
        "Show the walks of today",
    ]
    assert [(goal.target, goal.baseline) for goal in found.goals] == [("under 5", "31; Year 1: 20")]


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("Onboard at least **15** growers who list produce", "at least 15"),
        ("A steady trend for 70% of users over their first 90 days", "70%"),
        ("补贴在次月 5 日前发放到位", "次月 5 日前"),
    ],
)
def test_target_of_a_goal(said: str, target: str) -> None:
    assert goal_of(said, lexicon_of(said)).target == target


@pytest.mark.parametrize(
    ("section", "users"),
    [
        ("- Farmers\n- Traders\n\nDesign must prioritize clarity and readability.", ["Farmers", "Traders"]),
        ("- Farmers\n\nPolicies, not role names, decide on access.", ["Farmers"]),
        (
            "- **Customers**: Benefit from better service and communication\n- **Growers**: Get orders",
            ["Customers", "Growers"],
        ),
        ("- **Registered User** – can bid\n- **Guest** – can look", ["Registered User", "Guest"]),
        ("- Development (fundraising) teams\n- Clerks", ["Development teams", "Clerks"]),
        ("### Admin/Manager\n- Sees all plants\n\n### Grower\n- Edits plants", ["Admin/Manager", "Grower"]),
    ],
)
def test_users_are_people_and_no_parts_of_sentences(section: str, users: list[str]) -> None:
    found = analyse_request(
        f"# App\n\n## Target users\n\n{section}\n\n## Requirements\n\n- The app must show prices\n"
    )

    assert [actor.name for actor in found.actors] == users


def test_user_interface_names_no_users() -> None:
    found = analyse_request(
        "# Cahier des charges\n\n## Utilisateurs\n\n- Joueurs\n\n## Interfaces utilisateur\n\n- **Boutons** préférés\n"
    )

    assert [actor.name for actor in found.actors] == ["Joueurs"]


def test_words_of_a_person_about_users_and_why_something_is_dropped() -> None:
    rows = section_rows(["The users are backup operators at remote sites."])

    assert [(row.role, row.text) for row in rows] == [("user", "backup operators at remote sites.")]
    assert section_rows(["Users are able to log in."]) == []
    assert parts("Drop REQ-005 and NFR-S-002: they come from a footer.") == [
        "Drop REQ-005 and NFR-S-002",
        "they come from a footer.",
    ]


@pytest.mark.parametrize(
    "title",
    [
        "Fix: words() counts 'end.' and 'end' as two words.",
        "fix(cli): exit code is 0 when the file is missing",
    ],
)
def test_criterion_of_a_fix_asks_for_the_end_of_what_is_wrong(title: str) -> None:
    required = chain(title)["requirements"].items[0]

    assert [text.partition(":")[0] for text in required.acceptance_criteria] == [
        "The steps that lead to it today are repeated after the change, and it does not appear",
        "A test fails without the change and succeeds with it (proposed, to be confirmed)",
    ]


@pytest.mark.parametrize("smiley", [":)", ":-)", ":D", ":P"])
def test_smiley_ends_no_label(smiley: str) -> None:
    found = analyse_request(
        f"Hi all,\n\nhope you all survived the fair {smiley} We need a list of visitors. The host must see who has come.\n"
    )

    assert found.goals == ()
    assert [need.text.endswith(("a list of visitors.", "who has come.")) for need in found.needs] == [
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("said", "is_asked"),
    [
        ("In an evacuation Sandra needs to see who is in the building right now.", True),
        ("Sandra writes the names in a book right now.", False),
    ],
)
def test_what_must_be_seen_right_now_is_asked_for(said: str, is_asked: bool) -> None:
    found = analyse_request(f"Hi Tom,\n\nWe need a tool for the reception. {said} The list must be sorted.\n")

    assert (said in [need.text for need in found.needs]) is is_asked
