"""How whole tables are read: codes and their legend, ways of testing, needs that group rows, rows of several kinds."""
# ruff: noqa: E501 - requests are read whole

from __future__ import annotations

from workers.builtin import analyse_request
from workers.documents.passage import Passage
from workers.documents.passages import passages

LOOM = "# Loom\n\n## Requirements\n\n"


def rows(table: str) -> dict[str, Passage]:
    return {passage.text: passage for passage in passages(LOOM + table) if passage.block.kind == "row"}


def test_codes_of_a_status_column_are_what_the_legend_says() -> None:
    read = rows(
        "| ID | Requirement | Prio | Status |\n|---|---|---|---|\n| L-1 | Count the heddles | H | R |\n| L-2 | Sing while weaving | M | X |\n| L-3 | Draw the draft | L | N |\n\n"
        "### Legend\n\n| Code | Meaning |\n|---|---|\n| R | running at both looms |\n| X | dropped in June |\n| N | not begun |\n"
    )

    assert read["Sing while weaving"].role == "non_goal"
    assert read["Draw the draft"].role == "requirement"
    assert [read["Count the heddles"].priority, read["Draw the draft"].priority] == ["Must", "Could"]
    assert {read[code].role for code in "RXN"} == {"glossary"}


def test_empty_cell_of_a_legend_gives_no_code_and_no_meaning() -> None:
    read = rows(
        "| Requirement | Status |\n|---|---|\n| Count the heddles | X |\n| Sing while weaving | |\n| Draw the draft | D |\n\n"
        "### Legend\n\n| Code | Meaning |\n|---|---|\n| X | dropped in June |\n| D | |\n| | done |\n"
    )

    assert read["Count the heddles"].role == "non_goal"
    assert {read[text].role for text in ("Sing while weaving", "Draw the draft")} == {"requirement"}


def test_table_of_codes_that_ask_for_something_is_no_legend() -> None:
    read = rows(
        "| Code | Requirement |\n|---|---|\n| A1 | The loom must count the heddles |\n| A2 | The loom must draw the draft |\n"
    )

    assert {passage.role for passage in read.values()} == {"requirement"}


def test_codes_that_no_table_uses_are_what_the_thing_gives_back() -> None:
    read = rows(
        "| Code | Meaning |\n|---|---|\n| 0 | the draft has no fault |\n| 1 | at least one thread floats |\n"
    )

    assert {passage.role for passage in read.values()} == {"requirement"}


def test_column_of_ways_of_testing_holds_no_criteria() -> None:
    ways = "| Requirement | Verification |\n|---|---|\n| The loom must count the heddles | Demonstration |\n| The loom must draw the draft | Inspection |\n| The loom must stop | load test |\n"
    told = "| Requirement | How we will check it |\n|---|---|\n| The loom must count the heddles | Ninety heddles are counted without a mistake |\n| The loom must stop | It stands still within 2 s |\n"

    assert not any("criterion" in passage.values for passage in rows(ways).values())
    assert [row.text for row in analyse_request(LOOM + told).criteria] == [
        "Ninety heddles are counted without a mistake",
        "It stands still within 2 s",
    ]


def test_need_that_stands_for_several_rows_is_a_goal() -> None:
    read = rows(
        "| Ref | Business need | Solution requirement |\n|---|---|---|\n| N1 | Fewer broken threads | S1.1 The loom must measure the tension |\n| | | S1.2 The loom must stop at a knot |\n| N2 | Less waste | S2.1 The rest of a warp must be shown |\n"
    )

    assert read["Fewer broken threads"].role == read["Less waste"].role == "goal"
    assert read["The loom must stop at a knot"].id == "S1.2"


def test_need_beside_each_requirement_is_why() -> None:
    read = rows(
        "| Need | Requirement |\n|---|---|\n| Fewer broken threads | The loom must measure the tension |\n| Less waste | The loom must show the rest |\n"
    )

    assert "goal" not in {passage.role for passage in read.values()}


def test_row_is_of_the_kind_that_its_type_says() -> None:
    read = rows(
        "| Id | Type | Statement | MoSCoW |\n|---|---|---|---|\n| G1 | Goal | Weavers find every mistake | – |\n| F1 | Function | Mark a mistake on the draft | M |\n| K1 | Condition | Two looms of 1960 stay in use | M |\n"
    )

    assert [passage.role for passage in read.values()] == ["goal", "requirement", "constraint"]


def test_line_that_explains_states_is_no_state_of_the_last_row() -> None:
    read = rows(
        "| ID | Requirement | State |\n|---|---|---|\n| L-1 | Count the heddles | new |\n\nState: *live* = used every day; *new* = to be built\n"
    )

    assert read["Count the heddles"].role == "requirement"


def test_criterion_below_a_table_is_of_the_row_that_it_names() -> None:
    read = analyse_request(
        f"{LOOM}| SR | The system… | Verification |\n|---|---|---|\n| SR-1 | …must count the heddles | Test |\n| SR-2 | …must draw the draft | Test |\n\nAcceptance of SR-2: the draft of the twill equals the printed one.\n"
    )

    assert [row.text for row in read.criteria] == ["the draft of the twill equals the printed one."]


def test_matrix_that_is_the_whole_document_asks_for_what_its_rows_say() -> None:
    table = "| Requirement ID | Description | Component |\n|---|---|---|\n| FR01 | Weaver counts the heddles | counter |\n| NFR01 | Dark mode for the cellar | display |\n"
    read = {passage.text: passage.role for passage in passages(f"# Traceability Matrix\n\n{table}")}
    below = {
        passage.role
        for passage in passages(f"{LOOM}- Count the heddles\n\n## Traceability Matrix\n\n{table}")
        if passage.block.kind == "row"
    }

    assert read["Weaver counts the heddles"] == "requirement"
    assert read["Dark mode for the cellar"] == "nonfunctional"
    assert below == {"meta"}


def test_a_no_to_the_question_of_a_header_leaves_a_feature_out_and_a_field_not() -> None:
    features = "| Feature | Required? |\n| --- | --- |\n| Gift vouchers? | No |\n| Table plan | Yes |\n"
    fields = "| Field | Type | Required? |\n| --- | --- | --- |\n| nickname | text | No |\n"
    request = f"# Inn\n\n## Requirements\n\n{features}\n## Data\n\n{fields}"

    needs = analyse_request(request).needs

    assert [(need.text, need.kind == "exclusion") for need in needs] == [
        ("Gift vouchers", True),
        ("Table plan", False),
    ]


def test_title_is_the_statement_of_a_backlog_without_another() -> None:
    read = analyse_request(
        "# Locks\n\n| Key | Type | Title | Priority | Acceptance Criteria |\n|---|---|---|---|---|\n"
        "| FR‑1 | FR | Level log | Must | Levels of a week are listed |\n"
        "| FR‑2 | FR | Gate search | Must | Gates are found by name |\n"
        "| NFR‑P | NFR | Search performance | Should | 95 % of searches take < 300 ms |\n"
    )

    assert [(need.text, need.kind) for need in read.needs] == [
        ("Level log", "functional"),
        ("Gate search", "functional"),
        ("Search performance", "nonfunctional"),
    ]


def test_title_beside_a_description_only_names_it() -> None:
    read = analyse_request(
        "# Locks\n\n## Requirements\n\n| ID | Title | Description | Priority |\n|---|---|---|---|\n"
        "| R-1 | Log | The level of each gate is logged every hour | Must |\n"
        "| R-2 | Search | Gates are found by their name | Must |\n"
    )

    assert [need.text for need in read.needs] == [
        "The level of each gate is logged every hour",
        "Gates are found by their name",
    ]


def test_row_that_is_not_required_is_left_out() -> None:
    read = analyse_request(
        "# Locks\n\n## Features\n\n| Feature | Required? |\n|---|---|\n| Online payment? | No |\n| Level log | Yes |\n"
    )

    assert [(need.text, need.kind) for need in read.needs] == [
        ("Online payment", "exclusion"),
        ("Level log", "functional"),
    ]
