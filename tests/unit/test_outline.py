"""A request as blocks: what Markdown, plain text and mails are read as, a row a case."""

from __future__ import annotations

import pytest

from workers.documents.outline import Block, outline


def told(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in outline(text)]


BLOCKS = [
    ("• one\n• two", [("item", "one"), ("item", "two")]),
    ("1、登录\n2、注册", [("item", "登录"), ("item", "注册")]),
    ("- [x] done\n- [ ] open", [("item", "done"), ("item", "open")]),
    ("- ~~gone~~", [("item", "~~gone~~")]),
    ("```\nmust()\n```", [("code", "must()")]),
    ("A <name> must stay.", [("paragraph", "A <name> must stay.")]),
    ("<!-- hidden -->\n\nPages must load.", [("paragraph", "Pages must load.")]),
    ("Version: 2\nOwner: Ada", [("paragraph", "Version: 2"), ("paragraph", "Owner: Ada")]),
    ("**Scope**\n\nPages.", [("heading", "Scope"), ("paragraph", "Pages.")]),
    ("GOALS\n\nLess noise.", [("heading", "GOALS"), ("paragraph", "Less noise.")]),
    ("一、目标\n减少等待。", [("heading", "目标"), ("paragraph", "减少等待。")]),
    ("FR-1: Log in\nFR-2: Log out", [("item", "FR-1: Log in"), ("item", "FR-2: Log out")]),
    ("feat: add it\n\n# Shop\nIt sells.", [("message", "feat: add it"), ("heading", "Shop"), ("paragraph", "It sells.")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "blocks"), BLOCKS)
def test_text_is_read_as_blocks(text: str, blocks: list[tuple[str, str]]) -> None:
    assert told(text) == blocks


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("---\ntitle: Shop\n---\nIt sells.", ["front", "paragraph"]),
        ("---\nIt must sell, and it must buy.\n---\nMore.", ["heading", "paragraph"]),
        ("---\n- one\n---\nMore.", ["item", "paragraph"]),
    ],
)
def test_front_matter_is_what_parses_as_a_mapping(text: str, kinds: list[str]) -> None:
    assert [block.kind for block in outline(text)] == kinds


def test_header_row_names_the_columns_and_is_no_content() -> None:
    (row,) = outline("| Goal | Target |\n|---|---|\n| Fewer calls | 3 a day |")

    assert row.cells == (("Goal", "Fewer calls"), ("Target", "3 a day"))


def test_nested_items_definitions_and_sections_know_what_they_stand_in() -> None:
    text = "# Shop\n\n## Needs\n\n- Search\n  - by colour\n\n## Terms\n\nCart\n: what is held\n"

    found = {block.text: block for block in outline(text)}

    assert found["by colour"].parent == found["Search"].id
    assert found["what is held"].parent == found["Cart"].id
    assert found["Search"].section == ("Shop", "Needs")


def test_markdown_that_was_put_on_one_line_gets_its_lines_back() -> None:
    text = (
        "# Museum guide ## Goals - Visitors find the rooms they look for - Fewer questions at the desk ## Non-goals "
        "- No shop ## Risks | Risk | Mitigation | | --- | --- | | Phones run empty | Chargers at the desk | "
        "## Requirements 1. The map must show where the visitor stands "
        "2. The guide must work without a network, in every room of the house"
    )

    found = outline(text)

    headings = [block.text for block in found if block.kind == "heading"]
    assert headings == ["Museum guide", "Goals", "Non-goals", "Risks", "Requirements"]
    assert [block.kind for block in found].count("item") == 5
    assert [block.cells[0][1] for block in found if block.kind == "row"] == ["Phones run empty"]


def test_head_foot_and_quotations_of_a_mail_are_apart_from_what_it_says() -> None:
    text = (
        "From: Ada\nTo: Team\nSubject: Needs\n\nWe need a list.\n\n-- \nAda, board\n\n"
        "From: Bob\nTo: Ada\n\nIt must print.\n\nOn Monday, 2 May, Ada wrote:\n> Buy a printer.\n"
    )

    said = [block.text for block in outline(text) if block.kind != "message"]

    assert said == ["We need a list.", "It must print."]


def test_any_block_has_an_id_of_its_own() -> None:
    found = outline("# A\n\ntext\n\n- b\n- c\n")

    assert [block.id for block in found] == ["B001", "B002", "B003", "B004"]
    assert isinstance(found[0], Block)
