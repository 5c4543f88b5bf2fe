"""Who counts as a user: people by what they do, not things, makers, or labels beside a persona."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from workers.builtin.people import late_subjects, names_somebody, people_in, persona
from workers.builtin.people_reached import people_reached
from workers.builtin.request import analyse_request
from workers.builtin.story_tellers import story_roles
from workers.documents.lexicon import lexicon_of


def users(request: str) -> list[str]:
    return [actor.name for actor in analyse_request(request).actors]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("The planner computes a route every five minutes", []),
        ("The planner wants to see the routes of a day", ["planner"]),
        ("The supplier shall train the staff on site", []),
        ("Patient names are shown as initials", []),
        ("A volunteer lock with two gates", []),
        ("A courier hands the parcel over", ["courier"]),
        ("A bell lets porters ring", ["porters"]),
        ("Travel agencies issue vouchers", ["Travel agencies"]),
        ("The kitchen gets the list at nine", ["kitchen"]),
        ("The kitchen has a sink", []),
    ],
)
def test_people_are_told_from_things_makers_and_longer_names(text: str, people: list[str]) -> None:
    assert people_in(text, lexicon_of(text)) == people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Drivers of the parcel vans scan each stop", ["Drivers of the parcel vans"]),
        ("The keeper of the boat house must see it", ["keeper of the boat house"]),
        ("The tenant's neighbour signs the lease", ["tenant's neighbour"]),
        ("Il custode del parco consulta l'elenco", ["custode del parco"]),
        ("As educadoras da creche central recebem a lista", ["educadoras da creche central"]),
        ("Le gardien du square ne voit rien", ["gardien du square"]),
        ("The baker gets a list of the day", ["baker"]),
        ("Bakers of bread print it", ["Bakers of bread"]),
        ("Bakers get the sheet of the day", ["Bakers"]),
    ],
)
def test_name_is_taken_with_what_belongs_to_it(text: str, people: list[str]) -> None:
    assert people_in(text, lexicon_of(text)) == people


def test_name_in_a_text_about_users_is_taken_to_the_end_of_its_clause() -> None:
    request = (
        "# Maps\n\n## Users\n\nIt will be used by the editors of walking maps, by the hut's warden, and by "
        "rangers who check the signs.\n\n## Features\n\n- Maps can be printed\n"
    )

    assert users(request) == ["editors of walking maps", "hut's warden", "rangers"]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("In the morning the bakers get the list of orders", ["bakers"]),
        ("At the end of the day the cashier counts the notes", ["cashier"]),
        ("On the screen of the receptionist a list appears", []),
        ("During the week, prices are shown to nobody", []),
    ],
)
def test_who_acts_behind_a_time_or_a_place_is_found(text: str, people: list[str]) -> None:
    assert late_subjects(text, lexicon_of(text)) == people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Debts are to be seen by board members only", ["board members"]),
        (
            "The tide table is kept by the harbour master and printed by skippers",
            ["harbour master", "skippers"],
        ),
        ("Daily list of what is on loan, to desk clerks", ["desk clerks"]),
        ("One page for senders, carriers and the depot clerk", ["senders", "carriers", "depot clerk"]),
        ("After 3 minutes the call goes on to the nurse on duty", ["nurse on duty"]),
        ("Whoever is fleet manager can lend a van", ["fleet manager"]),
        ("Accounts with the *night desk* role see all rooms", ["night desk"]),
        ("Loans can be sorted by borrower name and grouped by members", []),
        ("A page for customer data", []),
        ("Whoever is at the door rings", []),
        ("Notes are sent by mail to the archive", []),
        ("A message to the tram driver when the bell fails", ["tram driver"]),
        ("Changes to the owner name are logged", []),
    ],
)
def test_people_are_named_by_what_reaches_them(text: str, people: list[str]) -> None:
    assert people_reached(text, lexicon_of(text)) == people


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("As tide warden I note the height of the water", ["tide warden"]),
        ("As a ferry cook, I order bread for the next trip", ["ferry cook"]),
        ("Being the chapel keeper, I want to lock the door from home", ["chapel keeper"]),
        ("As somebody who lends tents, I want to see what is wet", ["somebody who lends tents"]),
        ("As agreed with the board I have written it down", []),
        ("As soon as I press the button, the lamp is lit", []),
        ("As a rule we close at six", []),
        ("As a warden I was often asked for it", []),
    ],
)
def test_stories_are_told_with_any_verb(text: str, people: list[str]) -> None:
    assert story_roles(text) == people


@pytest.mark.parametrize(
    "section",
    [
        "## Constraints\n\n- Two electricians install the meters in May\n",
        "## Non-functional requirements\n\n- Nothing is shown to lawyers of the tenants\n",
    ],
)
def test_limits_beside_a_list_of_users_name_no_further_user(section: str) -> None:
    request = f"# Hut\n\n## Users\n\n- **Warden**: opens the hut\n- **Hiker**: sleeps in it\n\n{section}"

    assert users(request) == ["Warden", "Hiker"]


def test_user_is_known_by_the_same_noun_as_in_the_list() -> None:
    request = (
        "# Vans\n\n## Users\n\n- **Drivers of the vans**: bring the crates\n- **Clerks**: count them\n\n"
        "## Requirements\n\n- A van driver reports a broken crate\n"
    )

    assert len(users(request)) == 2


def test_people_who_act_in_what_a_text_without_a_list_tells_are_users() -> None:
    request = (
        "# Bells\n\n## Problem\n\nToday the sexton writes each ringing into a book.\n\n"
        "## Requirements\n\n- The page lists the ringings of a week\n- A ringing has the name of its sexton\n"
    )

    assert users(request) == ["sexton"]


def test_story_and_labels_below_a_persona_are_read_as_such() -> None:
    request = (
        "# Boats\n\n## Personas\n\n### Marta, 52, boat keeper\n\n- **Carries:** a bunch of keys\n"
        "- As a boat keeper, I want to see which boats are wet so that nobody waits.\n"
    )
    read = analyse_request(request)

    assert [actor.name for actor in read.actors] == ["boat keeper"]
    assert [need.text for need in read.needs] == [
        "As a boat keeper, I want to see which boats are wet so that nobody waits."
    ]


def test_segments_of_a_table_are_users() -> None:
    request = (
        "# Bench\n\n## Target segments\n\n| Segment | Share | What they look for |\n|---|---|---|\n"
        "| Apprentices from abroad | 40 % | A bench for an evening |\n| Teachers | 10 % | A room for a class |\n"
    )
    read = analyse_request(request)

    assert [actor.name for actor in read.actors] == ["Apprentices from abroad", "Teachers"]
    assert not read.goals


@pytest.mark.parametrize(
    "heading", ["Nora, 44 años - guarda", "Nora (44) - guarda", "Nora, 44 years old - guarda"]
)
def test_age_is_no_part_of_who_a_persona_is(heading: str) -> None:
    assert persona(heading, "", "") == "guarda"


def test_who_works_with_it_by_a_column_of_stakeholders_is_a_user() -> None:
    request = (
        "# Locks\n\n## Stakeholders\n\n| Who | Interest | Works with Locks |\n|---|---|---|\n"
        "| Skipper | Short waits | daily |\n| Mayor | Good press | no |\n| Chart printer | Sells charts | never |\n"
    )

    assert users(request) == ["Skipper"]


def test_lead_in_bold_of_a_goal_is_told_by_what_explains_it() -> None:
    request = (
        "# Locks\n\n## What we want to reach\n\n**Evenings off.** The plan is ready in half an hour.\n\n"
        "**No deadline missed.** Every lock is looked at in its month.\n\n## Requirements\n\n- Skippers book a slot\n"
    )

    assert [goal.text for goal in analyse_request(request).goals] == [
        "The plan is ready in half an hour.",
        "Every lock is looked at in its month.",
    ]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Carrier tariffs — we never show them without tax", []),
        ("Rider Pick-Up Rate – in the last hour", []),
        ("The handbook follows professional printing rules", []),
        ("Sorted panel showing agent notes and photos", []),
        ("The night nursing staff sees the list", ["night nursing staff"]),
        ("Balconista vê a lista da manhã", ["Balconista"]),
        ("Different members see different prices", []),
    ],
)
def test_people_are_those_whose_verb_stands_behind_their_whole_name(text: str, people: list[str]) -> None:
    assert people_in(text, lexicon_of(text)) == people


def test_a_system_tells_no_story() -> None:
    assert story_roles("As the system, I want to send each notice once") == []
    assert story_roles("As the platform, I want one queue") == []
    assert story_roles("As the dispatcher, I want one queue") == ["dispatcher"]


@pytest.mark.parametrize(
    ("section", "names"),
    [
        (
            "Ferry crews who:\n\n- Needing to swap watches at short notice.\n- Mainly young and living on board\n- Relatively short patience",
            [],
        ),
        ("- Deck crews on night watch\n- Freight teams loading trailers\n- Lighthouse keepers", None),
        (
            "**Primary users:** Freight clerks booking trailers\n\n- **Technical expertise:** low\n- **Pain points:** three phones\n",
            ["Freight clerks"],
        ),
        ("Names, ports, ships and quotes are invented.", []),
        ("| User | Says |\n| --- | --- |\n| clerk@harbour.example | Books trailers |", []),
        ("- Pawn shops\n- Estate buyers", ["Pawn shops", "Estate buyers"]),
    ],
)
def test_needs_and_traits_below_a_heading_about_users_are_no_users(
    section: str, names: list[str] | None
) -> None:
    found = users(f"# Ferry\n\n## Target users\n\n{section}\n\n## Requirements\n\n- Watches can be swapped\n")

    assert found == (names if names is not None else ["Deck crews", "Freight teams", "Lighthouse keepers"])


def test_headings_of_traits_below_personas_are_no_users() -> None:
    request = "# Ferry\n\n## User personas\n\n### Purser\n\n#### Spending patterns\n\n- Daily\n\n#### Demographics\n\n- Over 40\n\n## Requirements\n\n- Watches can be swapped\n"

    assert users(request) == ["Purser"]


def test_who_should_read_the_text_is_no_user_of_the_product() -> None:
    request = "# 渡轮\n\n## 谁该读\n\n值班经理；财务。\n\n## 需求\n\n- 系统必须支持换班\n"

    assert "财务" not in users(request)


def test_a_long_text_that_has_users_names_nobody_else_by_speaking_of_them_twice() -> None:
    told = "".join(f"- The ledger must keep the sum of day {day} for ever\n" for day in range(1, 70))
    text = (
        "# Toll\n\n## Background\n\nThe auditor reads the ledger. The auditor signs it.\n\n## Requirements\n\n- The cashier can open the till\n"
        + told
    )

    assert users(text) == ["cashier"]
    assert set(users(text.replace(told, ""))) == {"cashier", "auditor"}


def test_a_name_that_was_cut_off_names_nobody() -> None:
    assert not names_somebody("Needing to")
    assert not names_somebody("Loss of the")
    assert names_somebody("Pilot on duty")
