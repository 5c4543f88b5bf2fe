"""Requests as people write them: a letter, a paragraph, a list of what happens in the shop."""

# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import ask, chain
from workers.builtin import analyse_request
from workers.builtin.goals import goal_of
from workers.builtin.names import systems
from workers.builtin.short_names import infinitive, short_name
from workers.documents.lexicon import lexicon, lexicon_of

CLINIC = """Hi,

we are a small clinic with two people at the front desk. Patients keep forgetting their appointments. We want to cut no-shows from
18 % to under 8 % in six months. We also want to reply to booking requests within two hours on 90 % of days.

Patients get a text the day before their appointment and can cancel by answering it. The front desk sees all appointments of the day
on one page and can move them. Nurses see only their own patients.

We use Google Workspace for our calendars and Stripe for card payments, this should stay. It must run on one small VPS.
It should not cost more than 50 EUR a month. We have to comply with GDPR. Two people run it.

We do not need video calls. There is no need to integrate with the phone system.
"""
SHOP = """I own three bike shops and want to get rid of the paper slips.

- customer brings a bike, we take name and phone
- mechanic picks the next job, writes down the parts
- customer gets a text when the bike is ready
- I want to see per branch how many bikes wait
- later maybe: customers book a repair online

Invoices stay in Lightspeed. No more than 2 % of the bikes should go out late (now it's about 15 %).
"""
RUN_ON = """1. Counters scan a bin.
2. The shift lead sees progress per aisle.
3. Response to a scan in less than 1 s.

Goals: a full count in one day, and wrong positions below 1 %. Data stays in our own data centre. Out of scope: picking. Budget 80 k€.
"""


@pytest.mark.parametrize(
    ("text", "metric", "target"),
    [
        (
            "We want to cut no-shows from 18 % to under 8 % in six months.",
            "no-shows",
            "under 8 % in six months",
        ),
        (
            "We also want to reply to requests within two hours on 90 % of days.",
            "reply to requests within two hours",
            "90 % of days",
        ),
        (
            "We would like to get below two wrong deliveries a month by autumn",
            "wrong deliveries a month",
            "below two",
        ),
        ("The average wait drops below forty minutes.", "average wait", "below forty minutes"),
        ("D7 留存 ≥ 18%", "D7 留存", "≥ 18%"),
        ("希望半年内把投诉从每月40起降到10起以内", "投诉", "10起以内"),
    ],
)
def test_metric_of_a_goal_is_what_is_measured(text: str, metric: str, target: str) -> None:
    goal = goal_of(text, lexicon_of(text))

    assert (goal.metric, goal.target) == (metric, target)


def test_letter_states_goals_limits_and_what_is_used_already() -> None:
    read = analyse_request(CLINIC)

    assert [goal.metric for goal in read.goals] == ["no-shows", "reply to booking requests within two hours"]
    assert [need.text for need in read.needs if need.kind == "constraint"] == [
        "It must run on one small VPS.",
        "It should not cost more than 50 EUR a month.",
    ]
    assert read.dependencies == (
        "We use Google Workspace for our calendars and Stripe for card payments, this should stay.",
    )
    told = "Patients keep forgetting their appointments.", "Two people run it."
    assert all(text in read.situation for text in told)
    assert not any("Workspace" in need.text or "forgetting" in need.text for need in read.needs)


def test_limits_are_nobodys_story() -> None:
    facts = chain(CLINIC)

    items = facts["requirements"].items
    assert not any("50 EUR" in item.statement for item in items)
    assert any("50 EUR" in row.text for row in facts["brief"].constraints)
    (host,) = (item for item in items if "VPS" in item.statement)
    assert host.user_story is None
    assert "50 EUR" in facts["architecture"].overview
    assert facts["architecture"].external_systems == ["Google Workspace", "Stripe"]


def test_stories_and_names_are_made_of_the_statement_at_its_verb() -> None:
    facts = chain(CLINIC)

    wants = [item.user_story.i_want for item in facts["requirements"].items if item.user_story]
    assert wants[:3] == [
        "to get a text the day before their appointment and cancel by answering it",
        "to see all appointments of the day on one page and move them",
        "to see only their own patients",
    ]
    names = [epic.title for epic in facts["epics"].items] + [
        part.name for part in facts["architecture"].components
    ]
    assert not any("…" in name for name in names), names


def test_items_of_a_list_in_which_one_asks_are_asked_for() -> None:
    read = analyse_request(SHOP)

    functions = [need.text for need in read.needs if need.kind == "functional"]
    assert functions[:4] == [
        "customer brings a bike, we take name and phone",
        "mechanic picks the next job, writes down the parts",
        "customer gets a text when the bike is ready",
        "I want to see per branch how many bikes wait",
    ]
    assert [goal.target for goal in read.goals] == ["No more than 2 %"]
    assert read.dependencies == ("Invoices stay in Lightspeed.",)


def test_label_in_running_text_counts_for_its_sentence() -> None:
    read = analyse_request(RUN_ON)

    assert [(goal.text.rstrip("."), goal.target) for goal in read.goals] == [
        ("a full count in one day, and wrong positions below 1 %", "below 1 %")
    ]
    assert [need.text for need in read.exclusions] == ["picking."]
    assert [need.text for need in read.needs if need.kind == "constraint"] == [
        "Data stays in our own data centre.",
        "Budget 80 k€.",
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (CLINIC.replace("we are", "We are"), "We are a small clinic with two people at the front desk"),
        (
            "Subject: Hall bookings\n\nDear all,\nAnyone should see when it is free. Groups ask for a slot. We pay.",
            "Hall bookings",
        ),
        (
            "We're a law firm. Deadlines get lost. I would like a deadline register: each has an owner.",
            "Deadline register",
        ),
    ],
)
def test_title_is_no_greeting(text: str, title: str) -> None:
    assert analyse_request(text).title == title


@pytest.mark.parametrize(
    ("statement", "name", "wanted"),
    [
        ("Parents should report an absence from their phone.", "Reporting an absence", ""),
        ("Mechanics pick the next job, write down parts.", "Picking the next job", "to pick the next job, write down parts"),
        ("Each hirer is told the price.", "Telling the price", "to be told the price"),
        ("Deadlines can only be closed by a second person.", "Closing deadlines", ""),
        ("If somebody cancels, the next one on the waiting list is offered the slot.", "Offering the slot", "to be offered the slot if somebody cancels"),
        ("It would be nice if parents could attach a doctor's note.", "Attaching a doctor's note", ""),
        ("Practice tracks per voice part", "Practice tracks per voice part", ""),
        ("Users can reset the password.", "Resetting the password", ""),
        ("前台可以按姓名和身份证后四位查询报告进度。", "查询报告进度", ""),
    ],
)  # fmt: skip
def test_short_name_is_a_noun_phrase_of_the_statement(statement: str, name: str, wanted: str) -> None:
    assert short_name(statement.rstrip(".。"), statement) == name
    assert infinitive(statement, lexicon_of(statement), acting=True) == wanted


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("We use Google Workspace for mail and Stripe for payments.", ("Google Workspace", "Stripe")),
        ("It has to work with our case management (Advoware, SQL Server).", ("Advoware", "SQL Server")),
        ("Differences are posted to SAP S/4HANA.", ("SAP S/4HANA",)),
        ("报告数据来自医院现有的LIS系统，只读。", ("LIS系统",)),
        ("We already pay for a mail gateway.", ()),
    ],
)
def test_systems_are_found_by_their_names(text: str, named: tuple[str, ...]) -> None:
    assert systems(text) == named


@pytest.mark.parametrize(
    "text",
    [
        "The hirer is told the price, which depends on the day.",
        "We do not want to integrate with the till.",
        "第一版不对接收银系统。",
    ],
)
def test_what_varies_or_is_left_out_is_no_dependency(text: str) -> None:
    said = (
        f"# Hall\n\nGroups must book the hall. {text}\n"
        if text.isascii()
        else f"# 会馆\n\n必须能预订会馆。{text}\n"
    )

    assert analyse_request(said).dependencies == ()


@pytest.mark.parametrize(
    ("feedback", "statement"),
    [
        ("The response to a scan must take at most 3 s", "Response to a scan in at most 3 s."),
        ("NFR-P-001: at most 2 s", "Response to a scan in at most 2 s."),
    ],
)
def test_changed_number_changes_the_stated_requirement(feedback: str, statement: str) -> None:
    facts = chain(RUN_ON)

    after = ask("requirements", **{**facts, "previous": facts["requirements"], "feedback": [feedback]})
    epics = ask(
        "epics", **{**facts, "requirements": after, "previous": facts["epics"], "feedback": [feedback]}
    )

    before = facts["requirements"].items
    assert [item.id for item in after.items] == [item.id for item in before]
    assert [item.statement for item in after.items if item not in before] == [statement]
    titles = [story.title for epic in epics.items for story in epic.stories]
    assert statement.rstrip(".") in titles and not any("less than 1 s" in title for title in titles)
    assert after.open_questions == facts["requirements"].open_questions


def test_masking_is_accepted_by_what_is_shown() -> None:
    items = chain("# 体检\n\n导出的汇总表里姓名必须脱敏。前台可以查询报告进度。报告必须能打印。\n")[
        "requirements"
    ].items

    assert "密钥" not in "".join(items[0].acceptance_criteria)
    assert items[0].acceptance_criteria


def test_wording_of_both_languages_names_the_limits() -> None:
    assert all("overview_limits" in lexicon(language).wording for language in ("en", "zh"))
