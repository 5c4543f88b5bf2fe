"""The built-in agent's documents: everything stated is carried, nothing is invented, references hold."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import DATA, ask, chain
from workers.agents.builtin import analyse_request

IDEAS = sorted(path.name for path in DATA.iterdir() if path.suffix == ".md")
ONE_LINERS = [line for line in (DATA / "one-liners.txt").read_text().splitlines() if line]
REQUESTS = [(DATA / name).read_text() for name in IDEAS] + ONE_LINERS


@pytest.mark.parametrize("text", REQUESTS)
def test_each_requirement_sentence_is_carried_by_a_requirement(text: str) -> None:
    items = chain(text)["requirements"].items

    for need in analyse_request(text).needs:
        assert any(need.text in item.statement and need.quote == item.quote for item in items), need.text


@pytest.mark.parametrize("text", REQUESTS)
def test_same_facts_give_the_same_content(text: str) -> None:
    assert chain(text) == chain(text)


@pytest.mark.parametrize("text", REQUESTS)
def test_each_must_is_served_by_a_component_and_told_by_a_story(text: str) -> None:
    facts = chain(text)

    musts = {item.id for item in facts["requirements"].items if item.moscow == "Must"}
    parts = {ref for part in facts["architecture"].components for ref in part.requirements}
    told = {ref for epic in facts["epics"].items for story in epic.stories for ref in story.requirements}
    assert musts and musts <= parts and musts <= told


def test_every_kind_of_question_is_answered() -> None:
    facts = chain(REQUESTS[0])

    review = ask("architecture_review", **facts)

    assert [concern for concern in review.concerns if concern.severity == "high"] == []
