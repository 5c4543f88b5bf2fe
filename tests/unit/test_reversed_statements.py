"""A statement that keeps the words of its source and says something else is found: denied, with another figure, binding less."""

# ruff: noqa: E501 - a row a case

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.config import load_pack
from tests.unit.builtin_chain import chain, pages
from workers.documents.as_written import written_contents
from workers.documents.content import Brief, Requirement, Requirements
from workers.documents.lint import findings_of
from workers.documents.lint.meaning import difference, figures, likeness_apart

RULES = {"reversed", "other_number", "other_modal"}
# fmt: off
CHANGED = [
    ("Readers must reserve books online.", "Readers must not reserve books online.", "reversed"),
    ("Staff cannot see salaries of others.", "Staff can see salaries of others.", "reversed"),
    ("Position data must not be kept longer than a day.", "Position data must be kept longer than a day.", "reversed"),
    ("The list works without a network connection.", "The list works with a network connection.", "reversed"),
    ("The app never sends names to the server.", "The app sends names to the server.", "reversed"),
    ("A booking lasts at most 12 hours.", "A booking lasts at least 12 hours.", "reversed"),
    ("Uploads must be no more than 10 MB.", "Uploads must be more than 10 MB.", "reversed"),
    ("Prices are shown before checkout.", "Prices are shown after checkout.", "reversed"),
    ("Guests are allowed to delete photos.", "Guests are forbidden to delete photos.", "reversed"),
    ("Readers don't need an account to search.", "Readers need an account to search.", "reversed"),
    ("Die Leitung muss jede Buchung freigeben.", "Die Leitung muss keine Buchung freigeben.", "reversed"),
    ("A booking lasts at most 12 hours.", "A booking lasts at most 36 hours.", "other_number"),
    ("Pages open within 2 seconds.", "Pages open within 2 minutes.", "other_number"),
    ("Late readers pay after three days.", "Late readers pay after ten days.", "other_number"),
    ("Backups are kept for 30 days.", "Backups are kept.", "other_number"),
    ("Uploads are limited to 1,000 photos.", "Uploads are limited to 10,000 photos.", "other_number"),
    ("The export must be encrypted.", "The export should be encrypted.", "other_modal"),
    ("The clerk should confirm each order.", "The clerk may confirm each order.", "other_modal"),
    ("The clerk may confirm each order.", "The clerk must confirm each order.", "other_modal"),
    ("用户必须实名登记。", "用户不必实名登记。", "reversed"),
    ("访客不得删除照片。", "访客可以删除照片。", "reversed"),
    ("店员可以修改库存数量。", "店员不能修改库存数量。", "reversed"),
    ("附件不超过10MB。", "附件超过10MB。", "reversed"),
    ("系统允许访客导出报表。", "系统禁止访客导出报表。", "reversed"),
    ("记录至少保存三年。", "记录最多保存三年。", "reversed"),
    ("记录保存三年。", "记录保存五年。", "other_number"),
    ("页面在2秒内打开。", "页面在2分钟内打开。", "other_number"),
    ("每位会员借书不超过十本书，期限30天。", "每位会员借书不超过十本书，期限60天。", "other_number"),
    ("管理员必须审批申请。", "管理员可以审批申请。", "other_modal"),
    ("管理员应该审批申请。", "管理员必须审批申请。", "other_modal"),
]
KEPT = [
    ("A booking lasts 12 hours at most.", "A booking lasts at most twelve hours."),
    ("Pages open within 2 seconds.", "Pages open within 2 s."),
    ("Readers must be able to reserve books online.", "Readers can reserve books online."),
    ("Uploads must be no more than 10 MB.", "Uploads must be at most 10 MB."),
    ("Staff must not see salaries of others.", "Staff may not see salaries of others."),
    ("FR-12: Readers must reserve books online.", "Readers must reserve books online."),
    ("记录保存3年。", "记录保存三年。"),
    ("访客不得删除照片。", "访客不能删除照片。"),
    ("附件不超过10MB。", "附件不得超过10MB。"),
]
# fmt: on


def found(source: str, statement: str, **more: Any) -> list[tuple[str, str]]:
    """(rule, place) of what the lint finds in a specification whose one requirement says `statement`."""
    facts = chain(f"# Desk\n\n## Requirements\n\n- {source}\n")
    item = Requirement(
        id="REQ-001", title="What the desk does", statement=statement, quote=source, source="stated"
    )
    facts["requirements"] = Requirements(items=[item])
    return [(each.rule, each.place) for each in findings_of({**facts, **more}) if each.rule in RULES]


@pytest.mark.parametrize(("source", "statement", "rule"), CHANGED)
def test_changed_meaning_of_the_same_words_is_found(source: str, statement: str, rule: str) -> None:
    assert found(source, statement) == [(rule, "REQ-001")]


@pytest.mark.parametrize(("source", "statement"), KEPT)
def test_other_words_of_the_same_meaning_are_no_fault(source: str, statement: str) -> None:
    assert found(source, statement) == []
    assert difference(statement, source) == ""


def test_reversed_requirement_carries_its_source_no_longer() -> None:
    facts = chain("# Desk\n\n## Requirements\n\n- Readers must reserve books online.\n")
    item = Requirement(id="REQ-001", title="Reserve", statement="Readers must not reserve books online.")
    facts["requirements"] = Requirements(items=[item])

    assert "lost" in {each.rule for each in findings_of(facts)}


def test_edited_target_and_limit_are_read_as_they_stand() -> None:
    facts = chain(
        "# Desk\n\n## Goals\n\n- Readers wait under 5 minutes at the desk\n\n## Requirements\n\n"
        "- Readers reserve books.\n\n## Constraints\n\n- It must run on the old server.\n"
    )
    texts = pages("brief", facts)
    page = texts["spec/product-brief.md"].replace("Target: under 5 minutes", "Target: under 50 minutes")
    texts["spec/product-brief.md"] = page.replace("It must run", "It must not run")

    written = written_contents(texts, load_pack(None, {}).documents)["brief"]
    found = {(each.rule, each.about) for each in findings_of({**facts, "brief": written})}

    assert isinstance(written, Brief)
    assert (written.goals[0].target, written.goals[0].text) == (
        "under 50 minutes",
        facts["brief"].goals[0].text,
    )
    assert {"reversed", "other_number"} <= {rule for rule, _ in found}


def test_what_people_asked_for_since_is_a_source_as_well() -> None:
    source, statement = "Readers must reserve books online.", "Readers must not reserve books online."

    assert found(source, statement, feedback=[statement]) == []


def test_figure_in_a_criterion_is_not_missing_in_its_statement() -> None:
    facts = chain("# Desk\n\n## Requirements\n\n- Backups are kept for 30 days.\n")
    criterion = "Given a backup of 30 days ago, when it is asked for, then it is there."
    item = Requirement(
        id="REQ-001",
        title="Keep backups",
        statement="Backups are kept.",
        acceptance_criteria=[criterion],
        source="stated",
    )
    facts["requirements"] = Requirements(items=[item])

    assert not {each.rule for each in findings_of(facts)} & RULES


def test_statement_of_other_words_is_not_compared() -> None:
    assert likeness_apart("Guests delete photos of others", "Owners rename their own albums") == 0.0
    assert figures("FR-12 says REQ-001 holds") == ()


@pytest.mark.parametrize(
    ("request_", "before", "after"),
    [
        (
            "# Desk\n\n## Requirements\n\n- Readers must reserve books online.\n- Guests must leave a name.\n",
            "Readers must reserve",
            "Readers must not reserve",
        ),
        (
            "# 书台\n\n## 需求\n\n- 读者必须在线预约图书。\n- 访客必须留下姓名。\n",
            "读者必须在线",
            "读者不必在线",
        ),
    ],
)
def test_hand_edit_that_reverses_a_page_is_found(request_: str, before: str, after: str) -> None:
    facts = chain(request_)
    texts = pages("requirements", facts)
    path = "spec/requirements/REQ-001.md"
    texts[path] = texts[path].replace(f"\n{before}", f"\n{after}", 1)

    written = written_contents(texts, load_pack(None, {}).documents)
    edited = findings_of({**facts, **written})

    assert not {each.rule for each in findings_of(facts)} & RULES
    (one,) = [each for each in edited if each.rule == "reversed"]
    assert one.severity == "error" and one.place.startswith("REQ-") and before in one.fix
