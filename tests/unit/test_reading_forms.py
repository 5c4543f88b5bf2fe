"""Forms in which people write requests, each by the smallest text that shows it: notes, exports, objectives, prose about users."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

from workers.builtin import RequestAnalysis, analyse_request


def said(read: RequestAnalysis, kind: str) -> list[str]:
    return [need.text for need in read.needs if need.kind == kind]


def goals(read: RequestAnalysis) -> dict[str, str]:
    """Each goal with its target."""
    return {goal.text: goal.target for goal in read.goals}


def names(read: RequestAnalysis) -> list[str]:
    return [actor.name for actor in read.actors]


def test_heading_of_notes_ends_the_section_above_it_whatever_it_says() -> None:
    read = analyse_request(
        "试剂管理需求\n\n想达到的效果\n- 找一瓶试剂平均不超过3分钟\n\n会上提的\n- 试剂入库要扫码\n\n还没说清楚的\n- 毕业的学生怎么办？\n\n进度\n✅ 打印机装好了\n☐ 先做一楼\n"
    )

    assert list(goals(read)) == ["找一瓶试剂平均不超过3分钟"]
    assert "试剂入库要扫码" in said(read, "functional")
    assert read.done == ("打印机装好了",)


def test_lines_in_bold_are_headings_of_one_level_also_below_an_underlined_title() -> None:
    read = analyse_request(
        "Kick-off\n========\n\n**Requirements**\n\n- Customers must upload pages\n\n**Things that made us nervous**\n\n- The interface is new\n\n**Nobody knew**\n\nDoes the stamp count as a page?\n"
    )

    assert [risk.text for risk in read.risks] == ["The interface is new"]
    assert read.questions == ("Does the stamp count as a page?",)


EXPORT = """Export of 17 November

[LAB-3] Upload
Type: Story    Priority: High    Status: Done
As a dentist I want to upload a scan with the order.

[LAB-8] Work queue
Type: Story    Priority: Low    Status: To do
A technician sees the cases by due date.

[LAB-9] Portal
Type: Story    Priority: Low    Status: Won't do
Patients follow their crown.

[LAB-17] Speed
Type: Non-functional    Priority: High    Status: To do
A scan is uploaded within 60 seconds.
"""


def test_exported_issue_is_what_its_type_and_its_status_say() -> None:
    read = analyse_request(EXPORT)

    assert said(read, "functional") == ["A technician sees the cases by due date."]
    assert said(read, "nonfunctional") == ["A scan is uploaded within 60 seconds."]
    assert said(read, "exclusion") == ["Patients follow their crown."]
    assert read.done == ("As a dentist I want to upload a scan with the order.",)
    assert next(need.moscow for need in read.needs if need.kind == "functional") == "Could"


def test_table_of_issues_states_its_descriptions() -> None:
    read = analyse_request(
        "| Key | Type | Status | Prio | Fix version | Description |\n|---|---|---|---|---|---|\n"
        "| HAM-4 | Story | Done | High | 1.0 | The operator logs a contact from the keyboard |\n"
        "| HAM-9 | Story | To Do | High | 1.1 | The log follows the frequency of the radio |\n"
        "| HAM-19 | Story | Won't Do | Low | - | Voice recording of every contact |\n"
        "| HAM-25 | Risk | - | - | - | The format of the robot changes each season |\n"
    )

    assert said(read, "functional") == ["The log follows the frequency of the radio"]
    assert said(read, "exclusion") == ["Voice recording of every contact"]
    assert [risk.text for risk in read.risks] == ["The format of the robot changes each season"]


def test_objectives_and_key_results_are_goals_by_their_numbers() -> None:
    read = analyse_request(
        "# Plan\n\n### O1: Nobody goes home with the wrong bag\n\nKR1: Wrong bags down from 14 to 2\nKR2: Packing takes under 4 min (now 7)\n\n### Initiatives\n\n- The tablet must refuse a wrong item\n"
    )

    assert goals(read) == {
        "Nobody goes home with the wrong bag": "",
        "Wrong bags down from 14 to 2": "2",
        "Packing takes under 4 min (now 7)": "under 4 min",
    }


def test_list_of_values_beside_those_of_today_is_one_of_goals_below_any_heading() -> None:
    read = analyse_request(
        "# Desk\n\n## What Rosalind wants of it\n\n- a quote within one hour; at the moment it's the next day\n- a third of the orders from law firms, today it's about 10 percent\n\n## Requirements\n\n- Customers must pay by card\n"
    )

    assert len(goals(read)) == 2
    assert said(read, "functional") == ["Customers must pay by card"]


def test_what_is_struck_out_is_done_where_its_line_says_so() -> None:
    read = analyse_request(
        "# Desk\n\n## Requirements\n\n- Customers must pay by card\n- ~~Login for customers~~ – already there, built in October\n- ~~Upload of videos~~ (dropped, not done)\n"
    )

    assert read.done == ("Login for customers",)
    assert said(read, "exclusion") == ["Upload of videos"]


def test_story_stands_below_its_number_and_name() -> None:
    story = "A pan keeper weighs the barrows and records pan and weight on the tablet."
    read = analyse_request(
        f"# Ledger\n\n## User Scenarios\n\n### User Story 1 - Record a harvest (Priority: P1)\n\n{story}\n\n## Requirements\n\n- **FR-001**: System MUST number every record\n"
    )

    assert story in said(read, "functional")


def test_users_are_the_people_of_sentences_about_them() -> None:
    read = analyse_request(
        "# Pilots\n\n## Persons concerned\n\nThe board is worked day and night by a dispatcher. Coxswains need to know which ship comes next. The harbour master will not work with the system.\n\n## Requirements\n\n- The system must show all ships\n"
    )

    assert names(read) == ["dispatcher", "Coxswains"]


def test_users_are_the_people_of_chinese_sentences_about_them() -> None:
    read = analyse_request(
        "# 进出港\n\n## 谁在用\n\n报告由船长提交。港务所的值班员守着大屏看全港动态。\n\n## 功能\n\n- 系统必须显示所有渔船\n"
    )

    assert names(read) == ["船长", "值班员"]


def test_what_may_be_done_later_is_asked_for_and_what_is_named_there_is_left_out() -> None:
    read = analyse_request(
        "# Depot\n\n## Requirements\n\n- The page must show the rows\n\n## Later\n\n- A fifth depot could be added\n- Route planning\n"
    )

    assert "A fifth depot could be added" in said(read, "functional")
    assert said(read, "exclusion") == ["Route planning"]


def test_what_a_text_says_of_itself_asks_for_nothing() -> None:
    read = analyse_request(
        "# Depot\n\n## Requirements\n\nThe order within a group says nothing.\n\n- The page must show the rows\n"
    )

    assert said(read, "functional") == ["The page must show the rows"]


def test_answer_to_a_risk_is_its_mitigation_whatever_its_column_is_called() -> None:
    read = analyse_request(
        "# Kerbs\n\n## What could go wrong\n\n| Risk | So what do we do |\n|---|---|\n| Trolls report stairs | a report must be confirmed first |\n| The city ignores it | publish a monthly list |\n"
    )

    assert [risk.mitigation for risk in read.risks] == [
        "a report must be confirmed first",
        "publish a monthly list",
    ]
    assert said(read, "functional") == ["a report must be confirmed first"]
