"""The request that is made for measuring: its size, and that it is the same and varied."""

from __future__ import annotations

import pytest

from tests.corpus.long_request import KILOBYTE, long_request


@pytest.mark.parametrize("size", [5, 20, 90])
def test_a_long_request_has_its_size_and_is_always_the_same(size: int) -> None:
    text = long_request(size)

    assert size * KILOBYTE <= len(text) < (size + 4) * KILOBYTE
    assert text == long_request(size)


def test_hardly_a_line_of_a_long_request_is_written_twice() -> None:
    lines = [line for line in long_request(20).splitlines() if len(line) > 40]

    assert len(set(lines)) > 0.95 * len(lines)
