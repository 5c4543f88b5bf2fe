"""An example of what was just asked for is a criterion of it, in the words of the request; it is no requirement."""

from __future__ import annotations

import pytest

from workers.builtin.request import analyse_request

ASKED = "Add a function `initials(string)` that returns the first letter of each word."


@pytest.mark.parametrize(
    ("example", "criterion"),
    [
        ('For example `initials("a b")` returns `"AB"`.', '`initials("a b")` returns `"AB"`.'),
        ('E.g. `initials("")` should be `""`.', '`initials("")` should be `""`.'),
        ('Example: `initials("x y")` -> `"XY"`', '`initials("x y")` -> `"XY"`'),
        ("For instance, 2 words give 2 letters, and 1 gives 1.", "2 words give 2 letters, and 1 gives 1."),
    ],
)
def test_an_example_shows_what_was_asked_for(example: str, criterion: str) -> None:
    found = analyse_request(f"{ASKED} {example}")

    assert [need.text for need in found.needs] == [ASKED]
    assert [(each.text, each.block) for each in found.criteria] == [(criterion, found.needs[0].block)]


@pytest.mark.parametrize(
    "sentence",
    [
        "For example, admins must see all 3 lists.",  # nothing comes of anything
        "The export must return 100 rows, for example.",
    ],
)
def test_what_only_speaks_of_an_example_is_asked_for(sentence: str) -> None:
    found = analyse_request(f"{ASKED} {sentence}")

    assert len(found.needs) == 2 and found.criteria == ()
