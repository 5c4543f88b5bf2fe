"""The built-in agent invents nothing, and says different things about different requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.builtin_chain import DATA, artifact, ask, chain
from workers.documents.content import Content
from workers.documents.lexicon import lexicon

_REFERENCES = {"id", "requirements", "goals", "adrs", "depends_on", "refers_to"}
_NAME = re.compile(r"(?<=[a-z,;)] )[A-Z][\w.+#-]*\w")
CODEBASE = {
    "relevant_files": [{"path": "src/shop/cart.py", "rationale": "holds the cart", "role": "source"}],
    "codebase": {
        "languages": {"Python": 12},
        "stack": [{"layer": "web framework", "name": "flask", "where": "pyproject.toml"}],
        "entry_points": ["src/shop/__main__.py"],
        "test_frameworks": ["pytest"],
    },
}
REQUESTS = [
    (DATA / "clinic-booking.md").read_text(),
    (DATA / "log-shipper.zh.md").read_text(),
    "Build a URL shortener with an admin dashboard",
    "Let visitors of our shop keep a cart for 3 days, and show the total with VAT.",
    "为小型餐馆做一个扫码点餐系统",
]


def said(value: Any, name: str = "") -> Iterator[str]:
    """All texts of a content model but identifiers."""
    if isinstance(value, Content):
        for key, inner in value:
            if key not in _REFERENCES or not _is_reference(inner):
                yield from said(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from said(inner, name)
    elif isinstance(value, str):
        yield value


def _is_reference(inner: Any) -> bool:
    return isinstance(inner, str) or (isinstance(inner, list) and all(isinstance(one, str) for one in inner))


def everything(text: str, codebase: Any = None) -> list[str]:
    facts = chain(text, codebase)
    facts["review"] = ask("architecture_review", **facts)
    kinds = ("discovery", "brief", "requirements", "architecture", "epics", "review")
    return [line for kind in kinds for line in said(facts[kind])]


@pytest.mark.parametrize("text", REQUESTS)
def test_each_number_name_and_address_stands_in_request_or_repository(text: str) -> None:
    known = f"{text} {CODEBASE}"
    words = {word.lower() for word in re.findall(r"[\w.+#-]*\w", " ".join(lexicon("en").wording.values()))}

    for line in everything(text, CODEBASE):
        for found in [*re.findall(r"\d+", line), *re.findall(r"https?://\S+", line)]:
            assert found in known, line
        for name in _NAME.findall(line):
            assert name.lower() in known.lower() or name.lower() in words, (name, line)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_fixed_wording_holds_no_number_name_or_address(language: str) -> None:
    for key, line in lexicon(language).wording.items():
        assert not re.search(r"\d|https?:|www\.", line), key
        assert set(_NAME.findall(line)) <= {"API", "MVP", "Must"}, key


def test_two_requests_share_less_than_half_of_their_sentences() -> None:
    one, other = set(everything(REQUESTS[2])), set(everything(REQUESTS[3]))

    assert len(one & other) < min(len(one), len(other)) / 2


def test_repository_gives_stack_and_files() -> None:
    facts = chain(REQUESTS[3], CODEBASE)

    stack = {(row.choice, row.source) for row in facts["architecture"].stack}
    assert {("Python", "repository"), ("flask", "repository"), ("pytest", "repository")} <= stack
    assert any("src/shop/cart.py" in part.files for part in facts["architecture"].components)


@pytest.mark.parametrize("text", REQUESTS)
def test_what_is_proposed_gives_its_reason(text: str) -> None:
    facts = chain(text)

    rows = [*facts["brief"].goals, *facts["brief"].assumptions, *facts["requirements"].items]
    rows += [*facts["architecture"].components, *facts["architecture"].adrs, *facts["epics"].items]
    assert [row for row in rows if row.source == "proposed" and not row.reason] == []


@pytest.mark.parametrize("text", REQUESTS)
def test_goal_without_a_value_becomes_a_question(text: str) -> None:
    facts = chain(text)

    asked = artifact("brief", facts).partition("open_questions")[2]
    for goal in facts["brief"].goals:
        assert goal.target or goal.id in asked
