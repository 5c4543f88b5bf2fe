"""What blocks of a request are there for, by headings, labels, columns and marks: a row a case."""

from __future__ import annotations

import pytest

from workers.documents.passage import Passage
from workers.documents.passages import passages
from workers.documents.reading_words import column_of, is_done, priority_of, release_of, role_of

HEADINGS = [
    ("2. Goals & Success Metrics", "goal"),
    ("4. Non-Goals (What We're NOT Doing)", "non_goal"),
    ("Goals & Non-Goals", ""),
    ("Browser Support Matrix", "constraint"),
    ("Support", "instructions"),
    ("Managing users", ""),
    ("Inviting guests", ""),
    ("User Personas & Target Audience", "user"),
    ("Requirements for the first release", "requirement"),
    ("Phase 1: Core Features", "requirement"),
    ("Existing features", "background"),
    ("6.2 Performance Requirements", "nonfunctional"),
    ("Risks & Mitigations", "risk"),
    ("What it has to do", "requirement"),
    ("Definition of Done", "acceptance"),
    ("三、功能需求", "requirement"),
    ("需求背景", "background"),
    ("管理用户", ""),
    ("Nicht-Ziele", "non_goal"),
    ("Critères d'acceptation", "acceptance"),
    ("Preguntas abiertas", "question"),
    ("非機能要件", "nonfunctional"),
]


@pytest.mark.parametrize(("heading", "role"), HEADINGS)
def test_heading_gives_a_role_by_a_whole_phrase(heading: str, role: str) -> None:
    assert role_of(heading) == role


@pytest.mark.parametrize(
    ("header", "column"),
    [
        ("Target Metric", "target"),
        ("Key needs", "needs"),
        ("Priority (MoSCoW)", "priority"),
        ("#", "id"),
        ("验收标准", "criterion"),
        ("Field", "field"),
        ("Wanted by autumn", "target"),
        ("Colour", ""),
    ],
)
def test_header_says_what_its_column_holds(header: str, column: str) -> None:
    assert column_of(header) == column


def test_priorities_releases_and_states_are_read_as_people_write_them() -> None:
    assert [priority_of(said) for said in ("P0", "High", "Should have", "低", "P3 – later", "Login")] == [
        "Must",
        "Must",
        "Should",
        "Could",
        "Could",
        "",
    ]
    assert [release_of(said) for said in ("Phase 2: sharing", "MVP", "Login")] == ["Phase 2", "MVP", ""]
    assert [is_done(said) for said in ("Done", "✅", "In progress", "已完成")] == [True, True, False, True]


def said(text: str) -> list[tuple[str, str]]:
    return [(found.role, found.text) for found in passages(text) if not found.opens]


ROLES = [
    ("## Risks\n- Users must wait", [("risk", "Users must wait")]),
    ("## Needs\n- [x] Log in\n- [ ] Log out", [("done", "Log in"), ("requirement", "Log out")]),
    ("## Needs\n- ❌ Payments", [("non_goal", "Payments")]),
    ("## Table of contents\n- Goals", [("contents", "Goals")]),
    ("Open question: who pays?", [("question", "who pays?")]),
    ("## Users\nTeller\n: counts cash", [("user", "Teller"), ("user", "counts cash")]),
    ("## Needs\n\n[Write here]\n", [("template", "[Write here]")]),
    ("Hi all,\n\nPages must load.", [("greeting", "Hi all,"), ("", "Pages must load.")]),
    ("# A\n## Needs\n- x\n## Goals\n- y\n## Support\nCall us.", [("requirement", "x"), ("goal", "y"), ("", "Call us.")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "roles"), ROLES)
def test_section_label_or_mark_gives_the_role(text: str, roles: list[tuple[str, str]]) -> None:
    assert said(text) == roles


def row(text: str) -> Passage:
    return passages(text)[-1]


def test_row_of_a_table_is_what_its_columns_say() -> None:
    goal = row("| Goal | Metric | Baseline | Target |\n|-|-|-|-|\n| Less noise | calls a day | 40 | 10 |")
    wish = row(
        "## Features\n| ID | Feature | Description | Priority | Status |\n|-|-|-|-|-|\n"
        "| F1 | Search | Readers find a book by colour | P1 | open |"
    )
    risk = row("| Risk | Mitigation |\n|-|-|\n| Rain | A tent |")
    gone = row("## Features\n| Feature | Status |\n|-|-|\n| Search | done |")

    assert (goal.role, goal.text, goal.values["target"]) == ("goal", "Less noise", "10")
    assert (wish.role, wish.text, wish.title) == ("requirement", "Readers find a book by colour", "Search")
    assert (wish.id, wish.priority) == ("F1", "Should")
    assert (risk.role, risk.text, risk.values["mitigation"]) == ("risk", "Rain", "A tent")
    assert gone.role == "done"


def test_persona_is_named_by_its_role_and_not_by_its_invented_name() -> None:
    found = row("## Personas\n| Persona | Role | Needs |\n|-|-|-|\n| Ilse | Resident | Quiet |")

    assert (found.role, found.text) == ("user", "Resident")


def test_criteria_belong_to_the_feature_above_them_or_to_the_one_they_name() -> None:
    text = (
        "## Features\n\n### FR-1: Search\n\nReaders must find a book.\n\n**Acceptance criteria:**\n- It takes a second\n\n"
        "## Acceptance criteria\n\n### FR-1\n- No book is missed\n"
    )

    found = {passage.text: passage for passage in passages(text)}

    feature = next(passage for passage in found.values() if passage.id == "FR-1")
    assert found["It takes a second"].parent == found["Readers must find a book."].block.id
    assert found["No book is missed"].parent == feature.block.id
    assert found["Readers must find a book."].parent == feature.block.id


def test_lines_and_inline_labels_describe_their_statement() -> None:
    lines = passages(
        "## Features\n\n### Search\n\nReaders find a book.\n\nPriority: low\nTarget release: v2\n"
    )
    inline = row("## Goals\n- Less noise. Metric: calls a day. Target: 10")

    assert lines[2].priority == "Could"
    assert (inline.text, inline.values) == ("Less noise.", {"metric": "calls a day", "target": "10"})


def test_legend_says_what_its_symbols_mean() -> None:
    found = passages("Legend: 🔴 must have, ⚪ nice to have\n\n## Features\n- 🔴 Search\n- ⚪ Photos\n")

    assert [(passage.text, passage.priority) for passage in found[-2:]] == [
        ("Search", "Must"),
        ("Photos", "Could"),
    ]


def test_numbered_lines_of_a_plain_specification_are_headings_and_items() -> None:
    text = (
        "1 Introduction\nA register.\n\n2 Requirements\n2.1 It shall hold names.\n2.2 It shall print bills.\n\n"
        "3 Not included\n3.1 A mobile app.\n"
    )

    assert said(text) == [
        ("background", "A register."),
        ("requirement", "It shall hold names."),
        ("requirement", "It shall print bills."),
        ("non_goal", "A mobile app."),
    ]
