"""Where a place is in a JSON text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.domain.graph import Place
from orchestrator.domain.json_lines import lines_of

TEXT = """{
  "a": 1,
  "b": [
    {"c": "x, ]\\n"},
    true
  ],
  "d": {}
}
"""


def test_each_place_has_its_line() -> None:
    assert lines_of(TEXT) == {
        (): 1,
        ("a",): 2,
        ("b",): 3,
        ("b", 0): 4,
        ("b", 0, "c"): 4,
        ("b", 1): 5,
        ("d",): 7,
    }


def places(value: Any, here: Place = ()) -> set[Place]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {here, *(place for key, each in inner for place in places(each, (*here, key)))}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(VALUES)
def test_every_place_of_any_value_is_found(value: Any) -> None:
    assert set(lines_of(json.dumps(value, indent=1))) == places(value)


@pytest.mark.parametrize("text", ["", "{", '{"a" 1}', "[1 2]", "[" * 60])
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        lines_of(text)
