"""Acceptance criteria are the sentence's own words in the form Given/When/Then."""

from __future__ import annotations

import pytest

from orchestrator.domain.quality import is_testable
from workers.builtin import analyse_request
from workers.builtin.criteria import criteria, headline
from workers.builtin.language import lexicon

CRITERIA = [
    (
        "Clerks must be able to add a guest in under 15 seconds, and print a ticket.",
        [
            "Given clerks, when they add a guest, then it is carried out in under 15 seconds and they see the outcome.",
            "Given clerks, when they print a ticket, then it is carried out and they see the outcome.",
        ],
    ),
    (
        "It must send a message when the table is free and again when the bill is paid.",
        [
            "Given the running system, when the table is free, then the system sends a message.",
            "Given the running system, when the bill is paid, then the system sends a message.",
        ],
    ),
    (
        "Names must be encrypted at rest and deleted 30 days after the visit.",
        [
            "Given the running system, when a tester exercises it, then names are encrypted at rest.",
            "Given the running system, when a tester exercises it, then names are deleted 30 days after the visit.",
        ],
    ),
    (
        "Every change must be logged.",
        ["Given the running system, when a tester exercises it, then every change is logged."],
    ),
    (
        "The service must not store card numbers.",
        [
            "Given the running system, when a tester exercises it, then the system does not store card numbers."
        ],
    ),
    ("管理员必须能够导出报表。", ["给定管理员，当其导出报表时，那么操作完成并显示结果。"]),
    ("断网时必须在本地缓存日志。", ["给定运行中的系统，当断网时，那么系统在本地缓存日志。"]),
]


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
