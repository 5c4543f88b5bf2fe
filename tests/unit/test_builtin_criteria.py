"""Acceptance criteria are the sentence's own words in the form Given/When/Then."""

from __future__ import annotations

import pytest

from orchestrator.domain.testable import is_testable
from tests.unit.builtin_chain import chain
from workers.builtin import analyse_request
from workers.builtin.criteria import criteria, headline
from workers.documents.lexicon import lexicon

CRITERIA = [
    (
        "Clerks must be able to add a guest in under 15 seconds, and print a ticket.",
        [
            "Measured in a test, just inside and just outside: in under 15 seconds.",
            "Print a ticket: the result is opened, and its content matches the data it was made from.",
        ],
    ),
    (
        "It must send a message when the table is free and again when the bill is paid.",
        [
            "Given the system, when the table is free, then the system sends a message.",
            "Given the system, when the bill is paid, then the system sends a message.",
        ],
    ),
    (
        "Names must be encrypted at rest and deleted 30 days after the visit.",
        [
            "What is stored is read without the key: nothing of names is shown.",
            "Measured in a test, just inside and just outside: 30 days.",
        ],
    ),
    (
        "Every change must be logged.",
        [
            "After it has happened, a record of every change is there, stored with all that the sentence names.",
        ],
    ),
    (
        "The service must not store card numbers.",
        [
            "A test tries to bring it about and fails; what holds is this: the system does not store card numbers.",
        ],
    ),
    (
        "The lock is closed when the door shuts",
        ["Given the system, when the door shuts, then the lock is closed."],
    ),
    (
        "Export the list as a file",
        [
            "Export the list as a file: the result is opened, and its content matches the data it was made "
            "from."
        ],
    ),
    (
        "It must return 404 for an unknown name.",
        ["A test call shows that answer: return 404 for an unknown name."],
    ),
    ("Calendar of all 23 wall sectors", ["Counted in a test: 23 wall sectors."]),
    (
        "A password must have a minimum of 10 letters.",
        ["Measured in a test, just inside and just outside: minimum of 10 letters."],
    ),
    (
        "Members must take max two bikes per trip.",
        ["Measured in a test, just inside and just outside: max two bikes."],
    ),
    (
        "Changing the seat is free until 48h before the show.",
        ["Measured in a test, just inside and just outside: 48h."],
    ),
    (
        "The logger must write the level every five minutes.",
        ["Measured over several rounds: every five minutes."],
    ),
    (
        "When a course is full they can join a waiting list.",
        ["Given the system, when a course is full, then they join a waiting list."],
    ),
    (
        "After three failed logins, the account must be locked.",
        ["Given the account, after three failed logins, then the account is locked."],
    ),
    (
        "Show a zone in red when its sensors differ by more than 1.5 K",
        ["Given the system, when its sensors differ by more than 1.5 K, then show a zone in red."],
    ),
    (
        "Customers must receive a text when the meal is ready.",
        ["Given customers, when the meal is ready, then customers receive a text."],
    ),
    ("The customer must receive an e-mail", ["A test recipient receives it: receive an e-mail."]),
    ("管理员必须能够导出报表。", ["导出报表：打开结果，内容与来源数据匹配。"]),
    ("断网时必须在本地缓存日志。", ["给定系统，当断网时，那么在本地缓存日志。"]),
    ("手机号必须加密存储。", ["不用密钥读取存储的内容，不显示手机号。"]),
]
WITHOUT = [
    "Move the jobs from the old machine (cron01) to version 3.",
    "Every team shall be happy.",
    "The licence has to be a free one.",
    "界面应该美观。",
    "The mast must carry an HIDE/400 aerial.",
    "Sorted by when they set, so I don't miss the early ones.",
    "A filter for the days when I go out with the marking pen must be there.",
    "If the queen is older than 2 seasons the dot should get a warning sign",
    "The clerk must accept the return of a book.",
    "Launch before the annual meeting on 15 May 2027.",
    "A file which is lent, after two weeks, must be returned.",
    "The harbour master can block a berth.",
    "Neither clerks nor guests may see prices.",
    "Most guests must be well over 60, so the letters should be large.",
]


@pytest.mark.parametrize("sentence", WITHOUT)
def test_sentence_without_condition_number_or_known_verb_gets_no_criterion_and_is_asked_about(
    sentence: str,
) -> None:
    (need,) = analyse_request(sentence).needs

    assert criteria(need, lexicon(need.clause.language)) == []


@pytest.mark.parametrize(("sentence", "expected"), CRITERIA)
def test_criterion_is_made_of_actor_action_condition_and_number(sentence: str, expected: list[str]) -> None:
    (need,) = analyse_request(sentence).needs

    made = criteria(need, lexicon(need.clause.language))

    assert made == expected
    assert all(is_testable(text) for text in made)


HEADLINES = [
    ("Clerks must be able to add a guest, and print a ticket.", "Clerks add a guest"),
    ("The system must show the bill.", "Show the bill"),
    ("Every change must be logged with who did it.", "Every change is logged with who did it"),
    ("采集器必须跟踪多个文件,支持轮转。", "采集器跟踪多个文件"),
]


@pytest.mark.parametrize(("sentence", "title"), HEADLINES)
def test_title_says_who_and_what(sentence: str, title: str) -> None:
    (need,) = analyse_request(sentence).needs

    assert headline(need, lexicon(need.clause.language)) == title


@pytest.mark.parametrize(
    "text",
    [
        "The office must be able to assign a driver to a tour.",
        "Members must be able to approve a loan.",
        "The office must be able to change a tour.",
    ],
)
def test_a_statement_without_a_number_or_an_outcome_of_its_own_has_no_criterion(text: str) -> None:
    read = analyse_request(f"# Tours\n\n## Requirements\n\n- {text}\n")

    assert criteria(read.needs[0], lexicon("en")) == []


def test_an_adverb_is_not_inflected() -> None:
    read = analyse_request("# Rates\n\n## Requirements\n\n- A rate must completely cover 2 hours.\n")

    assert criteria(read.needs[0], lexicon("en")) == [
        "Measured in a test, just inside and just outside: 2 hours."
    ]


def test_words_in_parentheses_give_no_criterion() -> None:
    said = "use filters (users expect, if the list displays 5 results among 500, to download only these 5)"
    read = analyse_request(f"# Export\n\n## Requirements\n\n- {said}\n")

    assert criteria(read.needs[0], lexicon("en")) == []


def test_a_criterion_that_we_propose_is_marked_as_one() -> None:
    [item, *_] = chain("Remove the legacy XML endpoint")["requirements"].items

    assert any("Whoever still asks for it" in text for text in item.acceptance_criteria)
    assert all(
        text.endswith("(proposed, to be confirmed)")
        for text in item.acceptance_criteria
        if "Whoever still asks for it" in text or "lists no use" in text
    )


@pytest.mark.parametrize("order", ["Add a dark mode.", "Create a page for the press."])
def test_order_for_a_part_of_the_product_is_no_entry_that_is_stored(order: str) -> None:
    items = chain(f"Build a diary. {order} Members can add photos.")["requirements"].items
    criteria = {item.statement: item.acceptance_criteria for item in items}

    assert criteria[order] == []
    assert criteria["Members can add photos."] != []


@pytest.mark.parametrize(("priority", "asked"), [("P0", 1), ("P1", 1), ("P2", 0)])
def test_each_must_and_should_without_a_criterion_is_asked_about_in_its_own_words(
    priority: str, asked: int
) -> None:
    head = "| Feature | Description | Priority |\n|---|---|---|\n| Warps | Weavers enter a warp | P0 |\n"
    rows = f"{head}| Cloth norms | Behaviour of linen, wool, silk | {priority} |\n"
    questions = chain(f"# LoomDesk\n\nA tool for weavers.\n\n## Scope\n\n{rows}")[
        "requirements"
    ].open_questions

    assert sum("Behaviour of linen, wool, silk?" in question for question in questions) == asked
