"""What a session on a request of 20 kB sends, and how much of it was read before, with an agent that is a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.prompt_cost import Sent, session

SENT_BEFORE = 1_361_466  # characters, with the same agent, when every prompt began with the role (0028)


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Sent:
    return session(tmp_path_factory.mktemp("prompts") / "session", 20, critics="auto")


def test_most_of_what_is_read_lies_in_a_beginning_that_was_read_before(sent: Sent) -> None:
    assert sent.known_share >= 0.70


def test_a_session_sends_at_most_three_fifths_of_what_it_sent(sent: Sent) -> None:
    assert sent.characters <= 0.6 * SENT_BEFORE


def test_merged_critics_make_a_specification_in_at_most_fifteen_calls(tmp_path: Path) -> None:
    assert len(session(tmp_path / "session", 20, items=8, critics="merged").prompts) <= 15
