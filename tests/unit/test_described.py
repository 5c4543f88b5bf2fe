"""What a person orders of something that they describe: which requirements are meant, and what becomes of the documents."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.builtin_chain import ask, chain, numbered
from workers.builtin.described import is_unclear, with_identifiers
from workers.documents.content import Requirement

SHORTENER = (
    "Build a URL shortener for our club. It must expire links after 30 days. It must export statistics as CSV. "
    "It should export statistics as PDF. Members are reminded by e-mail. Members can pick their own short name. "
    "No user accounts."
)
NAMES = {
    "expiry": "REQ-002",
    "csv": "REQ-003",
    "pdf": "REQ-004",
    "reminders": "REQ-005",
    "names": "REQ-006",
}


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    return chain(SHORTENER)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (
            "Drop the CSV export for now. Links expire after 60 days.",
            "Remove {csv}. Links expire after 60 days.",
        ),
        ("We don't need the PDF export any more, nobody uses it.", "Remove {pdf}."),
        ("No CSV export.", "Remove {csv}."),
        ("Remove the e-mail reminders.", "Remove {reminders}."),
        ("Drop the CSV export and the short names", "Remove {csv} and {names}."),
        ("The e-mail reminders can wait until next year.", "{reminders} can wait."),
        ("the CSV export is only a nice-to-have", "{csv} is nice-to-have."),
        ("Link expiry is a must-have", "{expiry} is must-have."),
        ("drop the CSV export, the list must be printable", "Remove {csv}. the list must be printable"),
        ("Skip the CSV export because it is too much work", "Remove {csv}."),
        ("Let's drop PDF export; add an Excel export instead", "Remove {pdf}. add an Excel export instead"),
        ("Please leave the reminders out of the first version", "Remove {reminders}."),
        ("CSV export is out of scope", "Remove {csv}."),
        ("The reminders should go.", "Remove {reminders}."),
        ("Postpone the reminders to phase 2", "{reminders} can wait."),
        (
            "We also need Czech, and the reminders can come later",
            "We also need Czech. {reminders} can wait.",
        ),
        (
            "Make the CSV export a Should and the short names a Must.",
            "{csv} is Should. {names} is Must.",
        ),
        ("CSV export is out, we can't afford it.", "Remove {csv}."),
        ("We no longer want reminding by e-mail", "Remove {reminders}."),
        ("Den CSV-Export brauchen wir doch nicht.", "Remove {csv}."),
        ("Keep the short names, and drop the reminders.", "Remove {reminders}."),
        ("Drop the export", "Drop the export ({csv} / {pdf}?)."),
    ],
)
def test_order_names_the_requirement_that_it_describes(facts: dict[str, Any], said: str, named: str) -> None:
    assert with_identifiers(said, facts["requirements"].items) == named.format(**NAMES)


@pytest.mark.parametrize(
    "said",
    [
        "Remove expired links.",
        "Remove the member when they leave",
        "Delete links after 30 days",
        "no cookies",
        "We do not want advertising",
        "Members should get a short name of 5 letters",
        "Remove REQ-003 and the reminders",
        "Links can wait in a queue",
        "Remove expired links from the list",
        "No reminders at night",
        "Don't drop the reminders",
        "We have no statistics today, and that hurts",
        "",
    ],
)
def test_what_is_no_order_or_describes_nothing_that_stands_stays_as_it_is(
    facts: dict[str, Any], said: str
) -> None:
    assert with_identifiers(said, facts["requirements"].items) == said


def test_chinese_order_names_the_requirement_that_it_describes() -> None:
    items = chain("做一个图书借阅系统。系统必须导出借阅报表。读者可以预约图书。")["requirements"].items
    report = next(item.id for item in items if "报表" in item.statement)

    assert with_identifiers("去掉借阅报表。", items) == f"Remove {report}."
    assert with_identifiers("借阅报表先不做了", items) == f"Remove {report}."


def test_what_is_dropped_leaves_every_document(facts: dict[str, Any]) -> None:
    words = "Drop the CSV export for now. Links expire after 60 days instead of 30."
    after = dict(facts)

    for kind in ("brief", "requirements", "architecture", "epics"):
        after[kind] = numbered(ask(kind, **{**after, "previous": after[kind], "feedback": [words]}))

    assert [row.text for row in after["brief"].out_of_scope] == [
        "No user accounts.",
        "Export statistics as CSV.",
    ]
    assert "It must expire links after 60 days." in [row.text for row in after["brief"].in_scope]
    assert {item.id: item.moscow for item in after["requirements"].items} == {
        **{item.id: item.moscow for item in facts["requirements"].items},
        NAMES["csv"]: "Won't",
    }
    later = " ".join(after[kind].model_dump_json() for kind in ("architecture", "epics"))
    assert "CSV" not in later and NAMES["csv"] not in later and "30 days" not in later and "60 days" in later
    for kind in ("brief", "requirements", "architecture", "epics"):
        assert after[kind].open_questions == [
            text for text in facts[kind].open_questions if "statistics as CSV" not in text
        ]


def test_part_and_story_of_several_requirements_stay_without_the_dropped_one(facts: dict[str, Any]) -> None:
    epic = facts["epics"].items[0]
    shared = epic.stories[0].model_copy(update={"requirements": [NAMES["csv"], NAMES["expiry"]]})
    epics = facts["epics"].model_copy(update={"items": [epic.model_copy(update={"stories": [shared]})]})
    dropped = ask(
        "requirements", **{**facts, "previous": facts["requirements"], "feedback": ["No CSV export."]}
    )

    after = ask(
        "epics", **{**facts, "requirements": dropped, "previous": epics, "feedback": ["No CSV export."]}
    )

    assert after.items[0].stories[0] == shared.model_copy(update={"requirements": [NAMES["expiry"]]})


def test_order_about_a_part_of_a_requirement_is_answered_and_one_about_all_of_it_is_done() -> None:
    facts = chain("Build a till. It must export the takings as CSV and PDF. Cashiers can print receipts.")
    takings = next(item.id for item in facts["requirements"].items if "takings" in item.statement)

    assert with_identifiers("Drop the PDF.", facts["requirements"].items) == f"Drop the PDF ({takings}?)."
    assert (
        with_identifiers("Drop the export of takings.", facts["requirements"].items) == f"Remove {takings}."
    )


def test_what_was_dropped_comes_back_and_what_stands_is_not_asked_for_twice(facts: dict[str, Any]) -> None:
    dropped = ask(
        "requirements", **{**facts, "previous": facts["requirements"], "feedback": ["No CSV export."]}
    )

    for said in (
        "Bring the CSV export back in.",
        "I changed my mind: keep the CSV export.",
        "We want CSV export after all",
    ):
        after = ask("requirements", **{**facts, "previous": dropped, "feedback": [said]})
        assert [(item.id, item.moscow) for item in after.items] == [
            (item.id, "Must" if item.id == NAMES["csv"] else item.moscow) for item in dropped.items
        ], said
    for said in ("Bring back the CSV export, but as a Should", "Bring the CSV export back as a Should."):
        after = ask("requirements", **{**facts, "previous": dropped, "feedback": [said]})
        assert {item.id: item.moscow for item in after.items}[NAMES["csv"]] == "Should", said
    kept = ask(
        "requirements", **{**facts, "previous": facts["requirements"], "feedback": ["Keep the CSV export."]}
    )
    assert kept.items == facts["requirements"].items


@pytest.mark.parametrize(
    "said",
    [
        "Rename Shorty to Linky.",
        "Let's call it Linky.",
        "We no longer want the newsletter.",
        "Bring the newsletter back in.",
        "Forget the 300 ms, 500 was fine.",
        "Members are called patrons from now on.",
        "It's fine to run in the cloud after all.",
    ],
)
def test_turn_that_describes_nothing_that_stands_is_answered_and_no_requirement(
    facts: dict[str, Any], said: str
) -> None:
    after = ask("requirements", **{**facts, "previous": facts["requirements"], "feedback": [said]})

    assert after.items == facts["requirements"].items
    assert after.open_questions[0].startswith("Not ") and len(after.open_questions) > len(
        facts["requirements"].open_questions
    )


def test_order_that_may_mean_several_changes_nothing_and_is_answered(facts: dict[str, Any]) -> None:
    after = ask(
        "requirements", **{**facts, "previous": facts["requirements"], "feedback": ["Drop the export."]}
    )

    assert after.items == facts["requirements"].items
    assert f"Drop the export ({NAMES['csv']} / {NAMES['pdf']}?)" in after.open_questions[0]


@pytest.mark.parametrize(
    "said",
    [
        "Can we also accept vouchers?",
        "What about gift links?",
        "We should perhaps have a dark mode",
        "Maybe links expire after 60 days.",
        "A dark mode would be fine, maybe",
    ],
)
@pytest.mark.parametrize("kind", ["brief", "requirements"])
def test_what_is_only_asked_or_doubted_is_not_done_and_asked_about(
    facts: dict[str, Any], kind: str, said: str
) -> None:
    after = ask(kind, **{**facts, "previous": facts[kind], "feedback": [said]})

    known = facts[kind]
    assert after == known.model_copy(update={"open_questions": after.open_questions})
    assert after.open_questions[0].startswith("Not done, because it is not certain")
    assert said.rstrip(".?") in after.open_questions[0]


@pytest.mark.parametrize(
    "said",
    ["Can you add a dark mode?", "Members who perhaps lost a link must be able to find it again."],
)
def test_wish_in_the_form_of_a_question_or_with_a_doubt_about_others_is_one(
    facts: dict[str, Any], said: str
) -> None:
    after = ask("requirements", **{**facts, "previous": facts["requirements"], "feedback": [said]})

    assert len(after.items) == len(facts["requirements"].items) + 1
    assert not [text for text in after.open_questions if text.startswith("Not ")]


def test_technology_that_is_only_asked_about_does_not_come_into_the_architecture(
    facts: dict[str, Any],
) -> None:
    for said, is_chosen in (("Can we also use Redis?", False), ("Use Redis for the links.", True)):
        after = ask("architecture", **{**facts, "previous": facts["architecture"], "feedback": [said]})
        assert ("Redis" in [row.choice for row in after.stack]) is is_chosen, said


@pytest.mark.parametrize(
    "said",
    ["Drop the export. Links expire after 60 days.", "Links expire after 60 days. Drop the export."],
)
def test_order_that_is_not_clear_hinders_no_other(facts: dict[str, Any], said: str) -> None:
    after = ask("requirements", **{**facts, "previous": facts["requirements"], "feedback": [said]})

    assert {item.id: item.statement for item in after.items} == {
        **{item.id: item.statement for item in facts["requirements"].items},
        NAMES["expiry"]: "It must expire links after 60 days.",
    }
    assert f"Drop the export ({NAMES['csv']} / {NAMES['pdf']}?)" in after.open_questions[0]
    assert not [text for text in after.open_questions if "60 days" in text]


def test_number_is_changed_to_another_in_the_only_requirement_that_has_it() -> None:
    facts = chain(
        "Build a lending app. Members must return tools within 7 days. Members can reserve a tool for 3 days."
    )
    said = "Change 7 days to 14 days."

    after = ask("requirements", **{**facts, "previous": facts["requirements"], "feedback": [said]})

    assert [item.statement for item in after.items][1:] == [
        "Members must return tools within 14 days.",
        "Members can reserve a tool for 3 days.",
    ]


def test_number_that_a_person_changes_is_changed_in_scope_limits_and_goals_and_asked_for_nowhere_else() -> (
    None
):
    facts = chain(
        "# Loans\n\n## Goals\n\n- Borrowing takes less than 60 seconds\n\n## Requirements\n\n"
        "- Remind members 14 days before the return date.\n\n## Constraints\n\n- Search answers within 500 ms.\n"
    )
    words = (
        "Remind members 21 days before the return date, not 14. Search answers within 300 ms. "
        "Borrowing should take less than 30 seconds, not 60."
    )
    after = dict(facts)

    for kind in ("brief", "requirements"):
        after[kind] = numbered(
            ask(kind, **{**after, "previous": after[kind], "feedback": [words], "said": (words,)})
        )

    brief = after["brief"]
    assert (brief.goals[0].text, brief.goals[0].target) == (
        "Borrowing takes less than 30 seconds",
        "less than 30 seconds",
    )
    assert [row.text for row in brief.in_scope] == ["Remind members 21 days before the return date."]
    assert [row.text for row in brief.constraints] == ["Search answers within 300 ms."]
    assert len(after["requirements"].items) == len(facts["requirements"].items)
    assert not [
        text for text in after["requirements"].open_questions if text.startswith(("Not ", "How is this"))
    ]


def test_requirements_that_differ_in_a_number_alone_keep_their_own_when_one_of_them_is_changed() -> None:
    facts = chain(
        "# Clock\n\n## Requirements\n\n- **REQ-001** (Must): The clock must have a dial 1 that shows zone 1.\n"
        "- **REQ-002** (Must): The clock must have a dial 2 that shows zone 2.\n"
        "- **REQ-003** (Must): The clock must have a dial 3 that shows zone 3.\n"
    )
    (part,) = facts["architecture"].components
    assert all(f"dial {number} " in part.responsibility for number in (1, 2, 3))

    again = ask(
        "architecture", **{**facts, "previous": facts["architecture"], "feedback": ["Look at it again."]}
    )
    items = facts["requirements"].items
    one = items[1].model_copy(update={"title": items[1].title.replace("zone 2", "zone 7")})
    changed = facts["requirements"].model_copy(update={"items": [items[0], one, items[2]]})
    after = ask(
        "architecture",
        **{
            **facts,
            "requirements": changed,
            "previous": facts["architecture"],
            "feedback": ["Zone 7, not zone 2."],
        },
    )

    assert again.components == facts["architecture"].components
    assert after.components[0].responsibility == part.responsibility.replace("zone 2", "zone 7")


def test_what_is_ruled_out_in_so_many_words_is_not_made_a_must_by_taking_it_back() -> None:
    facts = chain("Build a till. It must print receipts. No payments by card.")
    said = "We need payments by card after all."

    after = ask("requirements", **{**facts, "previous": facts["requirements"], "feedback": [said]})

    assert after.items == facts["requirements"].items
    assert after.open_questions[0].startswith("Not done")


def test_order_about_what_only_a_requirement_says_does_not_come_into_scope(facts: dict[str, Any]) -> None:
    brief = facts["brief"].model_copy(update={"in_scope": []})

    for said in ("Drop the export.", "Drop the CSV export."):
        after = ask("brief", **{**facts, "previous": brief, "feedback": [said]})
        assert after.in_scope == []
        assert after.open_questions == brief.open_questions


def test_order_takes_one_part_out_of_a_line_of_scope_that_tells_several(facts: dict[str, Any]) -> None:
    row = facts["brief"].in_scope[0]
    told = "Links: expire links after 30 days; export statistics as CSV; pick short names"
    other = "Members: they see: links; statistics"
    scope = [row.model_copy(update={"text": text}) for text in (told, other)]
    brief = facts["brief"].model_copy(update={"in_scope": scope, "out_of_scope": []})

    after = ask(
        "brief",
        **{
            **facts,
            "previous": brief,
            "feedback": ["Drop the CSV export. Links expire after 60 days instead of 30."],
        },
    )

    assert [each.text for each in after.in_scope] == [
        "Links: expire links after 60 days; pick short names",
        other,
    ]
    assert "Export statistics as CSV." in [each.text for each in after.out_of_scope]


def test_wish_beside_an_order_comes_into_scope_alone(facts: dict[str, Any]) -> None:
    said = "Drop the CSV export, and add a print view for members."

    brief = ask("brief", **{**facts, "previous": facts["brief"], "feedback": [said]})

    scope = [row.text for row in brief.in_scope]
    assert any("print view" in text for text in scope)
    assert not any("CSV" in text for text in scope)


PRACTICE = (
    "Patients can book appointments online. The practice receives an e-mail for each booking. "
    "Reception can block time slots. Patients must log in with a password. "
    "Photos of damaged teeth can be uploaded. Reception can print the day list. "
    "Patients can pay by card. The app must work offline."
)
AT_PRACTICE = {
    "mail": "REQ-002",
    "slots": "REQ-003",
    "login": "REQ-004",
    "photos": "REQ-005",
    "list": "REQ-006",
    "card": "REQ-007",
    "offline": "NFR-SC-001",
}


@pytest.fixture(scope="module")
def practice() -> list[Requirement]:
    items: list[Requirement] = chain(PRACTICE)["requirements"].items
    return items


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("Remove the login and the card payment", "Remove {login} and {card}."),
        ("Drop the photo upload, we need X-rays", "Remove {photos}. we need X-rays"),
        (
            "Drop the card payment, people need an invoice by post",
            "Remove {card}. people need an invoice by post",
        ),
        ("Drop the day list, people hate paper.", "Remove {list}."),
        ("We don't need the day list because the doctor must have it on the screen", "Remove {list}."),
        ("Offline mode can wait", "{offline} can wait."),
        ("The day list is for later, not now", "{list} can wait."),
        ("Card payment would be nice to have only", "{card} is nice to have."),
        ("The day list is now a must, the doctor insists", "{list} is must."),
        ("The day list is out, we won't do it in 2027", "Remove {list}."),
        ("The day list could wait", "{list} can wait."),
        ("Make the day list a Could", "{list} is Could."),
        ("Drop the blocking of time slots", "Remove {slots}."),
        ("The e-mails can wait until version 2", "{mail} can wait."),
        ("No day list but keep the card payment", "Remove {list}."),
    ],
)
def test_what_an_order_is_about_may_be_told_by_a_word_of_its_family(
    practice: list[Requirement], said: str, named: str
) -> None:
    assert with_identifiers(said, practice) == named.format(**AT_PRACTICE)


@pytest.mark.parametrize(
    "said",
    [
        "Time slots can be removed",
        "A blocked time slot must be dropped",
        "Photos of damaged teeth can be deleted",
        "Appointments that are cancelled should be deleted",
        "Skip blocked time slots",
        "Remove damaged teeth",
        "We do not want reception to print",
        "The e-mail can wait until the booking is paid",
        "The upload can wait until the app is online",
        "The booking should wait for the payment",
        "Cancel the booking",
        "Mark blocked time slots as high priority",
        "Postpone the e-mail to the next day",
        "Keep the cards",
        "There is no day list",
        "Drop the phone field",
    ],
)
def test_wish_that_sounds_like_an_order_stays_a_wish(practice: list[Requirement], said: str) -> None:
    assert with_identifiers(said, practice) == said


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("If time is short, drop the day list", "list"),
        ("You could drop the day list, but I would keep it", "list"),
        ("Maybe drop the day list", "list"),
        ("Drop the day list and replace it with a calendar", "list"),
        ("Drop the day list, make it weekly", "list"),
        ("Drop the day list, the logo and the footer", "list"),
        ("No password, thanks", "login"),
        ("I'm not sure we need the day list", "list"),
        ("Rename the day list to agenda", "list"),
    ],
)
def test_order_that_is_doubted_or_partly_understood_is_asked_about(
    practice: list[Requirement], said: str, meant: str
) -> None:
    told = with_identifiers(said, practice)

    assert is_unclear(told) and AT_PRACTICE[meant] in told


def test_order_whose_requirement_is_not_clear_becomes_a_question() -> None:
    facts = chain(PRACTICE)

    after = ask(
        "requirements",
        **{**facts, "previous": facts["requirements"], "feedback": ["Drop everything except the day list"]},
    )

    assert [(item.statement, item.moscow) for item in after.items] == [
        (item.statement, item.moscow) for item in facts["requirements"].items
    ]
    assert "“Drop everything except the day list (?)”" in after.open_questions[0]
    assert "by their identifiers" in after.open_questions[0]


def test_what_beside_an_order_is_asked_for_is_quoted_as_it_was_written(facts: dict[str, Any]) -> None:
    words = "Drop the CSV export, we need XLSX"
    changed = {**facts, "previous": facts["requirements"], "feedback": [words]}

    after = ask("requirements", **changed)

    assert after.items[-1].quote == "we need XLSX" and after.items[-1].quote in words


def test_goal_that_was_proposed_from_what_is_dropped_goes_with_it(facts: dict[str, Any]) -> None:
    assert [goal.text for goal in facts["brief"].goals] == ["Members can pick their own short name."]

    after = ask("brief", **{**facts, "previous": facts["brief"], "feedback": ["Drop the short names"]})

    assert after.goals == []


@pytest.mark.parametrize(
    "said", ["Drop the" + " " * 20_000 + "CSV export", "we can " * 30_000, "please " * 30_000]
)
def test_long_text_that_begins_like_an_order_is_none(facts: dict[str, Any], said: str) -> None:
    assert with_identifiers(said, facts["requirements"].items) == said.strip()
