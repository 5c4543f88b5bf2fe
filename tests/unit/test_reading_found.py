"""How requests found in public repositories write what readers of invented ones had not seen."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

import pytest

from workers.builtin import analyse_request
from workers.builtin.analysis import RequestAnalysis
from workers.builtin.wishes import listed
from workers.documents.passages import passages
from workers.documents.reading_words import role_of

REST = "\n\n## Requirements\n\n- The warden must see every open lock\n"


def asked(read: RequestAnalysis) -> list[str]:
    return [need.text for need in read.requirements]


def left_out(read: RequestAnalysis) -> list[str]:
    return [need.text for need in read.exclusions]


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("当前阶段目标", "goal"),
        ("当前阶段非目标", "non_goal"),
        ("当前功能", "background"),
        ("桌面端现有功能", "background"),
        ("暂非目标用户", "non_goal"),
        ("Current goals", "goal"),
        ("Existing features", "background"),
        ("Remaining enhancements to existing features", "requirement"),
        ("Open a new booking from the calendar", ""),
        ("核心字段", "data"),
        ("Security principles", "nonfunctional"),
        ("Ausgangssituation", "background"),
        ("技术栈选择", "constraint"),
        ("Tujuan bisnis", "goal"),
        ("Нефункциональные требования", "nonfunctional"),
    ],
)
def test_headings_mean_what_their_authors_say(heading: str, role: str) -> None:
    assert role_of(heading) == role


@pytest.mark.parametrize("heading", ["Timeline", "In progress", "Future (maybe)", "Backlog"])
def test_open_boxes_are_still_to_be_done(heading: str) -> None:
    read = analyse_request(
        f"# Locks\n\n## {heading}\n\n- [ ] Lock keepers print a slip\n- [x] Boats are counted\n{REST}"
    )

    assert "Lock keepers print a slip" in asked(read)
    assert read.done == ("Boats are counted",)


def test_struck_item_with_a_tick_is_done_and_another_is_left_out() -> None:
    read = analyse_request(
        f"# Locks\n\n## Features\n\n1. ~~Tides~~ ✅\n2. ~~Weather~~\n3. ~~Tolls~~ (done in May)\n{REST}"
    )

    assert read.done == ("Tides", "Tolls")
    assert left_out(read) == ["Weather"]


def test_edge_case_is_its_answer() -> None:
    read = analyse_request(
        "# Locks\n\n## Edge cases\n\n- What happens when the gate jams? The pump stops and the warden is called.\n"
    )

    assert asked(read) == ["The pump stops and the warden is called."]


def test_exclusion_of_several_parts_is_one() -> None:
    read = analyse_request(f"# Locks\n\n## Non-goals\n\n- No tolls; the harbour office takes them.\n{REST}")

    assert left_out(read) == ["No tolls; the harbour office takes them."]


def test_story_is_asked_for_below_any_heading() -> None:
    read = analyse_request(
        "# Historias de usuario\n\n## Calendario\n\n**Como** guarda, **quiero** ver los turnos, **para** organizar mi tiempo.\n"
    )

    assert len(asked(read)) == 1


def test_fields_of_a_record_are_no_wishes() -> None:
    found = passages(f"# Locks\n\n## Features\n\nThe list shows these fields:\n\n- Name\n- Depth\n{REST}")

    assert [passage.role for passage in found if passage.text in ("Name", "Depth")] == ["data", "data"]


def test_label_of_a_rank_names_nobody() -> None:
    text = "# Locks\n\n## Target users\n\n- **Primary**: lock keepers running several gates on one canal.\n- **Constraint**: the tool must work without a network.\n"

    read = analyse_request(text + REST)

    assert [actor.name for actor in read.actors][:1] == ["lock keepers"]
    assert "the tool must work without a network." in [need.text for need in read.needs]


def test_sentence_that_names_the_users_lists_them() -> None:
    text = "# Schleuse\n\n## Zielgruppe\n\nZielgruppe sind Schülerinnen und Schüler, Lehrkräfte sowie Mitarbeiter, die am Kanal arbeiten.\n"

    named = [actor.name for actor in analyse_request(text + REST).actors]

    assert {"Lehrkräfte", "Mitarbeiter"} <= set(named)


def test_both_forms_of_a_name_are_one_and_two_names_are_two() -> None:
    assert listed("Schülerinnen und Schüler, Lehrkräfte sowie Gäste") == [
        "Schülerinnen und Schüler",
        "Lehrkräfte",
        "Gäste",
    ]
    assert listed("Lehrer und Eltern") == ["Lehrer", "Eltern"]


def test_long_cell_of_a_role_tells_of_the_persona_beside_it() -> None:
    text = "# Locks\n\n## Personas\n\n| Persona | Role | Needs |\n|---|---|---|\n| Harbour engineer | Looks after the gates and pumps of one canal | Spare parts |\n"

    assert [actor.name for actor in analyse_request(text + REST).actors][:1] == ["Harbour engineer"]


def test_demand_in_other_languages_is_a_must() -> None:
    for text in (
        "Sistem harus mencatat setiap perahu.",
        "Система должна показывать шлюзы.",
        "Het systeem moet elke boot tellen.",
    ):
        read = analyse_request(f"# X\n\n## Gates\n\n- {text}\n- Second\n")
        assert {need.text: need.moscow for need in read.needs}.get(text) == "Must"


def test_aside_in_parentheses_leaves_nothing_out() -> None:
    read = analyse_request("# 闸门\n\n## 性能要求\n\n- 响应时间：平均<1秒（不包括模型处理时间）\n")

    assert left_out(read) == []
    assert len(asked(read)) == 1


def test_screens_of_users_are_no_users() -> None:
    read = analyse_request("# Schleuse\n\n## Benutzeroberfläche\n\n- Die Liste muss alle Tore zeigen\n")

    assert asked(read) == ["Die Liste muss alle Tore zeigen"]
    assert not read.actors
