"""What the documents of a longer request are called and grouped by: its product, its parts, its problem."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin import analyse_request

WANTED = "\n\n## Features\n\n- Weavers must enter the warp\n- Weavers must see the draft\n- The loom must stop at night\n"


@pytest.mark.parametrize(
    ("opening", "title"),
    [
        ("# Order of looms <!-- no contents -->\n\nIt is 1990.", "Order of looms"),
        (
            "# Discussion: What the loom app should have to work\n\nIt is 1990.",
            "What the loom app should have to work",
        ),
        (
            "# Overview\n\nThis is the specification document for the Loom Booking System.",
            "Loom Booking System",
        ),
        (
            "# Vision\n\nWarp-It is an experiment. Nobody knows Warp-It. With Warp-It, cloth is planned.",
            "Warp-It",
        ),
        ("# 织机预约平台产品需求文档\n\n本市有织机四百多台，每天使用。", "织机预约平台"),
        ("# Notes\n\nLeo is a weaver. Leo has two looms. Leo is eighty.", "Leo is a weaver"),
    ],
)
def test_longer_request_is_called_by_its_product_or_heading(opening: str, title: str) -> None:
    assert analyse_request(opening + WANTED).title == title


def test_vision_is_the_sentence_that_tells_what_the_product_does() -> None:
    text = "# LoomDesk — MVP\n\n## Solution\n\nLoomDesk lets a studio plan its looms in one place." + WANTED

    assert chain(text)["brief"].vision.text == "LoomDesk lets a studio plan its looms in one place."


def test_situation_begins_with_what_the_section_about_the_problem_says() -> None:
    text = (
        "# LoomDesk\n\nThe studio was founded in 1990.\n\n## Problem\n\nTwo weavers book the same loom every week."
        + WANTED
    )

    assert chain(text)["brief"].situation == (
        "Two weavers book the same loom every week.\n\nThe studio was founded in 1990."
    )


def test_words_that_only_describe_a_thing_name_no_group() -> None:
    text = (
        "# LoomDesk\n\n## Features\n\n- A social feed of finished cloths\n- Share a cloth in the social feed\n"
        "- Write a social post\n- Answer a social post\n- Print a label\n- Print a price list\n- Weigh the yarn\n"
    )
    made = chain(text)

    assert "social" not in [name.lower() for name in analyse_request(text).entities]
    assert "Socials" not in [part.name for part in made["architecture"].components]


def test_word_for_a_limit_in_a_named_feature_makes_no_limit_of_it() -> None:
    rows = "| Feature | Description |\n|---|---|\n| 3 weaver types | Beginner, Budget-Conscious, Expert |\n"
    made = chain(f"# LoomDesk\n\n## Scope\n\n{rows}")

    assert [item.title for item in made["requirements"].items] == ["3 weaver types"]
    assert made["brief"].constraints == []


def test_limit_with_a_short_name_is_told_with_it() -> None:
    rows = "| Feature | Description |\n|---|---|\n| Sign-in | Two-factor authentication by text message |\n"
    text = f"# LoomDesk\n\n## Scope\n\n{rows}" + WANTED

    assert [row.text for row in chain(text)["brief"].constraints] == [
        "Sign-in: Two-factor authentication by text message"
    ]
