"""Whether a critique points to a place of what it judges."""

from __future__ import annotations

from typing import Any

import pytest

from workers.agents.pointing import FAULT, Places
from workers.discussion.groups import schema_of
from workers.documents.content import Critique

ARTIFACT = """\
# Requirements

## Acceptance of links

REQ-001: The service expires every link after thirty days and says so to its owner.
REQ-002: 系统必须在三十天之后让所有的短链接过期。
"""
PLACES = Places(ARTIFACT, "again")


def said(text: str, **more: Any) -> Critique:
    return Critique.model_validate({"rating": 4, "weaknesses": [{"text": text}], **more})


@pytest.mark.parametrize(
    "text",
    [
        "REQ-001 has no number",
        'the words "thirty days" are no time zone',
        "the service expires every link, but when?",
        "under Acceptance of links nothing is said of teams",
        "“Every link” is vague",
        "让所有的短链接过期的时间不明确",
    ],
)
def test_a_critique_that_names_a_place_is_taken(text: str) -> None:
    assert PLACES.fault(said(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "REQ-077 has no number",
        "it is clear and well made",
        'it lacks "quality attributes"',
        "REQUIREMENTS",
        "写得很好",
    ],
)
def test_one_that_would_fit_any_text_is_not(text: str) -> None:
    assert PLACES.fault(said(text)) == FAULT


def test_of_several_the_one_without_a_place_is_named() -> None:
    schema = schema_of(("product", "risk"))

    fault = PLACES.fault(schema(product=said("REQ-001 is short"), risk=said("fine")))

    assert fault is not None and fault.endswith("heading; risk")
    assert PLACES.fault(schema(product=said("REQ-001 is short"))) is None


def test_an_artifact_with_hardly_a_word_asks_for_no_place() -> None:
    assert Places("OK", "again").fault(said("fine")) is None
