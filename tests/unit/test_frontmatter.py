"""Frontmatter as we print it is read without YAML, and says the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from workers.documents.escape import yaml
from workers.documents.frontmatter import as_printed, read_front

KEYS = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True) | st.sampled_from(["null", "true", "no", "y"])
VALUES = (
    st.text(max_size=20)
    | st.integers()
    | st.booleans()
    | st.none()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.lists(st.text(max_size=8), max_size=3)
)
RAW = st.sampled_from(
    [
        "draft",
        "2026-01-01",
        "0x10",
        "012",
        "1_000",
        "~",
        '"a" # b',
        "[a, b]",
        '["a", "b",]',
        '{"a": 1}',
        "'a'",
        "1e3",
    ]
)


def _as_yaml(text: str) -> Any:
    return {str(key): value for key, value in YAML(typ="safe", pure=True).load(text).items()}


@given(st.dictionaries(KEYS, VALUES.map(yaml) | RAW, min_size=1, max_size=4))
def test_what_is_read_without_yaml_is_what_yaml_reads(front: dict[str, str]) -> None:
    text = "".join(f"{key}: {value}\n" for key, value in front.items())

    found = as_printed(text)

    if found is not None:
        assert found == _as_yaml(text)
        assert repr(found) == repr(_as_yaml(text))  # 1 is not True


def test_what_we_print_needs_no_yaml() -> None:
    front = {"title": 'Ein Kürzer: "Link"\'s', "version": 3, "dependencies": ["a.md", "b.md"], "of": None}
    text = "".join(f"{key}: {yaml(value)}\n" for key, value in front.items() if key != "title")

    assert as_printed(text) == {key: value for key, value in front.items() if key != "title"}
    assert read_front(f"{text}title: {yaml(front['title'])}\n") == (front, "")


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2\n",
        "a: [1\n",
        "- a\n",
        "a\n",
        "",
        "a: NaN\n",
        "a: [NaN]\n",
        "a: [-Infinity]\n",
        'a: "\x85"\n',
    ],
)
def test_other_frontmatter_is_left_to_yaml(text: str) -> None:
    assert as_printed(text) is None


def test_a_key_given_twice_is_a_fault() -> None:
    front, fault = read_front("a: 1\na: 2\n")

    assert front is None
    assert fault.startswith("frontmatter is no YAML")
