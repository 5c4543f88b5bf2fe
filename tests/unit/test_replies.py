"""Answers as agents really give them, and worse."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.agents.extraction import extract
from workers.agents.programs.process import decode
from workers.agents.replies import parse
from workers.documents.content import Brief, Critique, Requirements

GOOD = '{"rating": 4, "strengths": ["clear"], "weaknesses": [{"text": "no budget", "severity": "high"}]}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"Here is my answer:\n{GOOD}\nI hope this helps {{really}}.",
        f"Of {{curly}} prose\n```json\n{GOOD}\n```\n",
        f"```\n```json\n{GOOD}\n```\n```",
        f'{{"rating": 9}} no, wait:\n{GOOD}',
        f'{{"note": "thinking"}}\n{GOOD}\n{{"done": true}}',
        f"[{GOOD}]",
        json.dumps({"type": "result", "result": f"```json\n{GOOD}\n```", "cost": 0.1}),
        json.dumps({"answer": json.loads(GOOD)}),
        GOOD.replace("}]}", '}], "__proto__": {"rating": 1}, "extra": [1, 2]}'),
        GOOD.replace('"rating": 4', '"rating": 1, "rating": 4'),
        GOOD.replace("}]}", '}], "score": NaN, "top": -Infinity, "big": 1' + "0" * 400 + ', "e": 1e400}'),
        "[" * 100_000 + "]" * 100_000 + GOOD,
        '{"a":' * 100_000 + "1" + "}" * 100_000 + "\n" + GOOD,
        GOOD.replace('"clear"', "'clear',").replace('"rating"', "rating"),
        "\ufeff" + GOOD,
    ],
)
def test_answer_is_found_however_it_is_wrapped(text: str) -> None:
    parsed = parse(text, Critique)

    assert parsed.error == ""
    assert isinstance(parsed.model, Critique)
    assert (parsed.model.rating, parsed.model.weaknesses[0].text) == (4, "no budget")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "the answer is empty"),
        (" \n\t", "the answer is empty"),
        ("I cannot help with that.", "there is no JSON object"),
        ('{"rating": 6}', "rating"),
        ('{"rating": "four"}', "rating"),
        ('{"rating": "bad", "strengths": []}', "rating"),
        ('{"rating": true}', "rating"),
        ('{"rating": NaN}', "rating"),
        ('{"strengths": []}', "rating"),
        ("{" * 100_000, ""),
        ('{"a":' * 100_000, ""),
    ],
)
def test_what_is_no_answer_is_refused_with_the_reason(text: str, error: str) -> None:
    parsed = parse(text, Critique)

    assert parsed.model is None
    assert parsed.error
    assert error in parsed.error


def test_objects_without_a_known_key_are_no_answer_even_if_every_field_has_a_default() -> None:
    assert parse('{"error": "rate limit"}', Requirements).model is None
    assert parse("{}", Requirements).model is None


def test_truncated_answer_is_taken_but_said_to_break_off() -> None:
    parsed = parse('{"rating": 3, "strengths": ["one", "two"], "weaknesses": [{"text": "cut he', Critique)

    assert isinstance(parsed.model, Critique)
    assert parsed.whole is False
    assert parsed.model.strengths == ["one", "two"]


def test_of_several_good_answers_the_fullest_and_then_the_last_counts() -> None:
    parsed = parse(f'{{"rating": 2}} {GOOD} {GOOD.replace("4", "5")} {{"rating": 1}}', Critique)

    assert isinstance(parsed.model, Critique)
    assert parsed.model.rating == 5


def test_characters_that_cannot_be_stored_are_replaced_and_noted() -> None:
    parsed = parse(
        '{"rating": 3, "strengths": ["half \\ud83d pair", "nul \\u0000", "whole \\ud83d\\ude00"]}', Critique
    )

    assert isinstance(parsed.model, Critique)
    assert parsed.model.strengths == ["half \ufffd pair", "nul \ufffd", "whole 😀"]
    parsed.model.model_dump_json().encode("utf-8")
    assert any("replaced" in note for note in parsed.notes)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        '{"rating": ' * 200_000,
        '{"a": [' * 150_000,
        '{"' * 500_000,
        '"' * 1_000_000 + "{",
        "{'a': " * 20_000,
        '{"strengths": [' + '"x", ' * 300_000,
        '{"strengths": ["' + "x" * 1_900_000,
        "```json\n{" * 50_000,
        '{"a": "\\' * 50_000,
        "{,:" * 50_000,
    ],
)
def test_hostile_text_takes_bounded_time(text: str) -> None:
    began = time.monotonic()

    parse(text, Critique)
    extract(text, Critique)

    assert time.monotonic() - began < 10


@settings(max_examples=150, deadline=None)
@given(st.text() | st.binary().map(lambda data: decode(data).text))
def test_no_text_makes_it_raise(text: str) -> None:
    for schema in (Critique, Brief, Requirements):
        parsed = parse(text, schema)

        assert (parsed.model is None) == bool(parsed.error)
    extract(text, Critique)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(sorted(Critique.model_fields)) | st.text(), inner)
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(JSON, st.integers(0, 400), st.text(max_size=20))
def test_no_json_whole_or_cut_makes_it_raise(value: object, cut: int, around: str) -> None:
    text = json.dumps(value)

    for given_text in (text, text[:cut], around + text + around):
        parsed = parse(given_text, Critique)
        assert (parsed.model is None) == bool(parsed.error)
        if parsed.model is not None:
            parsed.model.model_dump_json().encode("utf-8")


PROSE = """
## Review

**Rating: 2/5**

### Strengths
- Clear *vision*
- Good structure

### Weaknesses:
1. No success measure (critical)
2. [low] Wordy

Suggestions:
* Name a target
Missing requirements: none
Risk level: high
"""


def test_key_points_are_mined_from_prose() -> None:
    found = extract(PROSE, Critique)

    assert found is not None
    assert found.rating == 2
    assert found.strengths == ["Clear *vision*", "Good structure"]
    assert [(weakness.severity, weakness.text) for weakness in found.weaknesses] == [
        ("critical", "No success measure (critical)"),
        ("low", "[low] Wordy"),
    ]
    assert found.suggestions == ["Name a target"]
    assert found.missing_requirements == []
    assert found.risk_level == "high"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fine by me",
        "Rating: 6/5",
        "Rating: 8/10",
        "Rating: 3.5",
        "Rating: 2. Later: Rating: 5",
        "Rating: high",
    ],
)
def test_without_a_plain_rating_nothing_is_mined(text: str) -> None:
    assert extract(text, Critique) is None


def test_only_critiques_are_mined() -> None:
    assert extract(PROSE, Brief) is None


@pytest.mark.parametrize(
    ("data", "text", "notes"),
    [
        ("plain é 😀".encode(), "plain é 😀", 0),
        (b"\xef\xbb\xbf{}", "{}", 1),
        (b"a\x00b", "a\ufffdb", 1),
        (b"\xff\xfe\xc3", "\ufffd\ufffd\ufffd", 1),
        ("半".encode()[:2], "\ufffd", 1),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd", 1),
    ],
)
def test_bytes_become_text_that_can_be_stored(data: bytes, text: str, notes: int) -> None:
    output = decode(data)

    assert (output.text, len(output.notes)) == (text, notes)
