"""What the lint remembers of texts has a bound, and is that of the text itself."""

from __future__ import annotations

import pytest

from workers.documents.lint import comparing
from workers.documents.lint.comparing import LONG_TEXTS, SHORT, is_one_script


def test_the_last_texts_are_read_once_and_earlier_ones_again() -> None:
    read: list[str] = []

    def first(text: str) -> frozenset[str]:
        read.append(text)
        return frozenset([text[:3]])

    remembered = comparing._remembered(first)
    long = [f"{number:03}{'x' * SHORT}" for number in range(LONG_TEXTS + 1)]

    found = [remembered(text) for text in ["abc", *long, "abc", long[-1], long[0]]]

    assert read == ["abc", *long, long[0]]
    assert found[-3:] == [frozenset(["abc"]), frozenset([long[-1][:3]]), frozenset(["000"])]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Links expire", "Verknüpfungen laufen ab", True),
        ("Links expire", "链接会过期", False),
        ("链接会过期", "统计可以导出", True),
        ("链接 expire after thirty days and more", "Links expire", True),
    ],
)
def test_texts_of_one_script_can_be_compared(one: str, other: str, same: bool) -> None:
    assert is_one_script(one, other) is same
    assert is_one_script(other, one) is same
