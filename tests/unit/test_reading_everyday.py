"""What people type: a line with commas, a mail that answers another, the form of an issue."""

from __future__ import annotations

import pytest

from workers.builtin.material import material
from workers.builtin.request import analyse_request


def kinds(text: str) -> dict[str, str]:
    """What a request asks for, and as what."""
    return {need.text.rstrip("。."): need.kind for need in analyse_request(text).needs}


def test_a_chinese_line_lists_what_the_thing_does_and_what_it_does_not() -> None:
    text = "做一个客户管理系统,可以录入客户信息,按标签筛选,导出Excel,不需要支付功能,支持手机访问"

    assert kinds(text) == {
        "做一个客户管理系统": "functional",
        "可以录入客户信息": "functional",
        "按标签筛选": "functional",
        "导出Excel": "functional",
        "不需要支付功能": "exclusion",
        "支持手机访问": "functional",
    }
    found = analyse_request(text)
    assert (found.title, found.actors, found.situation) == ("客户管理系统", (), ())
    assert {need.quote for need in found.needs} == {text}
    assert {need.moscow for need in found.needs if need.kind == "functional"} == {"Must"}


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("做一个客户管理系统,可以录入客户信息,按标签筛选", "做一个客户管理系统"),
        ("Build a CRM with tags, no payments, must work on phones", "Build a CRM with tags"),
        ("Build a URL shortener with an admin dashboard", "Build a URL shortener with an admin dashboard"),
    ],
)
def test_a_line_is_called_by_the_clause_that_asks_for_the_thing(text: str, thing: str) -> None:
    assert material({"request": text}, lambda: None).called == thing


@pytest.mark.parametrize(
    ("text", "asked", "excluded"),
    [
        (
            "我们需要一个请假审批小程序，员工提交请假申请，主管审批，人事导出月度报表，不做薪资计算",
            ["我们需要一个请假审批小程序", "员工提交请假申请", "主管审批", "人事导出月度报表"],
            ["不做薪资计算"],
        ),
        (
            "用Python写一个待办工具，支持添加和删除，数据保存到本地JSON文件，不需要网络",
            ["用Python写一个待办工具", "支持添加和删除", "数据保存到本地JSON文件"],
            ["不需要网络"],
        ),
        (
            "为登录接口添加限流，同一IP每分钟最多10次，超过返回429",
            ["为登录接口添加限流，同一IP每分钟最多10次，超过返回429"],
            [],
        ),
        (
            "图书馆管理员可以登记新书，读者可以预约，逾期自动提醒，不需要支付功能。",
            ["图书馆管理员可以登记新书", "读者可以预约，逾期自动提醒"],
            ["不需要支付功能"],
        ),
        ("用户未登录时，不支持下单。", [], ["用户未登录时，不支持下单"]),
        ("这一期先不做线上卖书，也不做积分商城。", [], ["这一期先不做线上卖书，也不做积分商城"]),
        (
            "做一个微信小程序，学员自己约练车，不要再打电话了。",
            ["做一个微信小程序，学员自己约练车，不要再打电话了"],
            [],
        ),
    ],
)
def test_a_chinese_sentence_is_parted_where_its_clauses_stand_by_themselves(
    text: str, asked: list[str], excluded: list[str]
) -> None:
    found = kinds(text)

    assert [said for said, kind in found.items() if kind != "exclusion"] == asked
    assert [said for said, kind in found.items() if kind == "exclusion"] == excluded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Build a CRM with contacts, tags and Excel export, no payments, must work on phones",
            {
                "Build a CRM with contacts, tags and Excel export": "functional",
                "contacts": "functional",
                "tags": "functional",
                "Excel export": "functional",
                "no payments": "exclusion",
                "must work on phones": "functional",
            },
        ),
        (
            "Add a rate limiter to the API, must not slow requests by more than 5 ms, no new dependencies",
            {
                "Add a rate limiter to the API": "functional",
                "must not slow requests by more than 5 ms": "nonfunctional",
                "no new dependencies": "constraint",
            },
        ),
        (
            "Create a todo app with drag and drop and dark mode",
            {
                "Create a todo app with drag and drop and dark mode": "functional",
                "drag and drop": "functional",
                "dark mode": "functional",
            },
        ),
    ],
)
def test_an_english_line_is_parted_where_it_says_what_must_be_and_what_is_not_wanted(
    text: str, expected: dict[str, str]
) -> None:
    found = analyse_request(text)

    assert {need.text: need.kind for need in found.needs} == expected
    assert found.thin


def test_what_is_mended_has_no_parts() -> None:
    text = "Fix the flaky test in tests/test_cache.py, it fails about 1 in 20 runs with KeyError 'ttl'"

    assert kinds(text) == {text: "functional"}


def test_a_mail_is_read_without_what_it_answers() -> None:
    text = (
        "Hi team,\n\nas discussed on Tuesday we want the parents' portal to send reminders by SMS. No reminders "
        "between 9 pm and 7 am please. Deadline is end of March.\n\nOn Monday Tom wrote:\n> can we have a WhatsApp "
        "bot?\n> it should also work offline\n\nTeachers see a list of cancelled lessons.\n"
    )

    found = kinds(text)

    assert list(found.values()) == ["functional", "functional", "constraint", "functional"]
    assert "No reminders between 9 pm and 7 am please" in found
    assert not any("WhatsApp" in said or "offline" in said for said in found)


def test_a_wish_for_what_a_thing_does_is_no_goal_and_one_for_what_it_brings_is() -> None:
    does = analyse_request("They need the system to export invoices. Invoices are PDF files. We print them.")
    brings = analyse_request("We want the app to be a success. It shows invoices. Users can print them.")

    assert next(need.text for need in does.needs) == "They need the system to export invoices."
    assert [goal.text for goal in brings.goals] == ["We want the app to be a success."]


ISSUE = """## Feature Request

### Is your feature request related to a problem? Please describe.
Users will be reluctant to adopt it if they are concerned about their data.

### Describe the solution you'd like
An export system in the settings. It should export everything.

### Describe alternatives you've considered
In our case we use existing read-only views to access the data.

### Would you be willing to contribute?
Yes, I can open a pull request.
"""


def test_the_form_of_an_issue_says_what_each_part_is() -> None:
    found = analyse_request(ISSUE)

    assert [need.text for need in found.needs] == [
        "An export system in the settings.",
        "It should export everything.",
    ]
    assert "Users will be reluctant to adopt it if they are concerned about their data." in found.situation
    assert not found.dependencies
    titled = analyse_request(f"# Feature Request: Add an export\n\n{ISSUE}")
    assert titled.title == "Add an export"


def test_features_before_labels_in_one_paragraph_are_requirements() -> None:
    request = (
        "Build a booking page for a sauna. Guests book an hour online. Towels can be reserved. "
        "Goal: empty hours fall from 40 to 10 a week. Constraints: must run on the old server. Not in scope: gift cards."
    )

    assert [need.text for need in analyse_request(request).requirements][:3] == [
        "Build a booking page for a sauna.",
        "Guests book an hour online.",
        "Towels can be reserved.",
    ]
