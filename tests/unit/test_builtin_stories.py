"""What a user story says that somebody wants: in a sentence of its own, from statements of many forms."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.documents.content import Requirement

HEAD = "# Loom\n\nA tool for weavers.\n\n## Features\n\n"


def read(*lines: str) -> list[Requirement]:
    items: list[Requirement] = chain(HEAD + "\n".join(f"- {line}" for line in lines))["requirements"].items
    return items


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("Yarn stock", "yarn stock"),
        ("Pattern sheets, one per warp, for the dyers", "pattern sheets, one per warp, for the dyers"),
        ("A/B drafts side by side", "A/B drafts side by side"),
        ("Show the draft beside the cloth", "the system to show the draft beside the cloth"),
        ("Filter the drafts by pedal", "to filter the drafts by pedal"),
        ("And please keep the draft on the screen", "the system to keep the draft on the screen"),
        ("MAY show the cost of the yarn", "the system to show the cost of the yarn"),
        ("The draft is also given as text", "the draft to be also given as text"),
        (
            "It is a reference for how a draft can be drawn and be read",
            "this: it is a reference for how a draft can be drawn and be read",
        ),
        (
            "A loom can be locked for repair; the warps on it are moved to another one",
            "this: a loom can be locked for repair; the warps on it are moved to another one",
        ),
        ("System MUST show the yarn", "the system to show the yarn"),
        ("So: the loom must stop at night", "the loom to stop at night"),
        ("A warp is booked and the loom is locked", "this: a warp is booked and the loom is locked"),
        ("Neither dyers nor guests may see prices", "this to hold: neither dyers nor guests may see prices"),
        ("It has to be possible for dyers to print the draft", "to print the draft"),
        ("A seven-day plan with batched print calls", "a seven-day plan with batched print calls"),
    ],
)
def test_story_tells_a_statement_as_something_wanted(said: str, wanted: str) -> None:
    (item,) = (
        item for item in read("Weavers must enter the warp", said) if item.statement.endswith(said[-12:])
    )

    assert item.user_story is not None and item.user_story.i_want == wanted


@pytest.mark.parametrize(
    ("said", "title", "wanted"),
    [
        (
            "Cost preview — show the price of the yarn before each order",
            "Cost preview",
            "the feature “Cost preview”",
        ),
        ("**Build a warp** – up to 400 threads from the stock", "Build a warp", "to build a warp"),
        ("Call by text - a message before the turn", "Call by text", "the feature “Call by text”"),
        (
            "Warning — pulls the forecast and lists warps that must be covered",
            "Warning",
            "the feature “Warning”",
        ),
        ("Marks — weavers can tick finished warps", "Marks", "to tick finished warps"),
    ],
)
def test_item_that_begins_with_a_name_is_called_by_it(said: str, title: str, wanted: str) -> None:
    item = read("Weavers must enter the warp", said)[-1]

    assert (item.title, item.user_story and item.user_story.i_want) == (title, wanted)
    assert item.quote.replace("*", "") == said.replace("*", "")


def test_dash_within_a_sentence_makes_no_name() -> None:
    item = read("The loom must stop at once - the warp is dear")[-1]

    assert item.title.startswith("The loom stops at once") or item.title.startswith("Loom stops")


def test_row_of_a_table_may_tell_a_whole_story() -> None:
    rows = "| As a … | I want … | so that … |\n|---|---|---|\n| Registrar | to record a burial | the register is complete |\n"
    (item,) = chain(f"# Graves\n\n## User stories\n\n{rows}")["requirements"].items

    story = item.user_story
    assert (story.as_a, story.i_want, story.so_that) == (
        "registrar",
        "to record a burial",
        "the register is complete",
    )


def test_polite_words_are_nobody() -> None:
    item = read("It'd be nice if the dyers could see the draft")[-1]

    assert item.user_story is not None and item.user_story.as_a == "dyer"


def test_second_verb_of_a_story_is_in_the_form_of_the_first() -> None:
    item = read("A weaver picks a warp from the list, fetches it and is reminded before it is due")[-1]

    assert (
        item.user_story is not None
        and item.user_story.i_want
        == "to pick a warp from the list, fetch it and be reminded before it is due"
    )


def test_title_keeps_a_verb_that_depends_on_another() -> None:
    item = read("None, to be honest, so it would have to be free yarn only")[-1]

    assert "would is" not in item.title
