"""Which tasks of a plan a person's words are for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.domain.plan_words import spoken_of
from tests.plans import task

TASKS = [
    replace(
        task(1, touches={"src/limits.py": "modify"}, refs=["REQ-001"]),
        title="Limits",
        description="A limit of 10",
    ).as_json(),
    replace(
        task(2, touches={"src/names.py": "modify"}, refs=["REQ-002"]), title="Names", description="Every name"
    ).as_json(),
]


@pytest.mark.parametrize(
    ("words", "landed", "found"),
    [
        ("the limit must be 12", (), ["TASK-001"]),
        ("names.py needs a docstring", (), ["TASK-002"]),
        ("TASK-002: also the limit", (), ["TASK-002"]),
        ("REQ-002 has to be quicker, and the limit too", (), ["TASK-002"]),
        ("log everything", (), ["TASK-001", "TASK-002"]),
        ("log everything", ("TASK-001",), ["TASK-002"]),
        ("log everything", ("TASK-001", "TASK-002"), ["TASK-001", "TASK-002"]),
        ("A limit of 10", (), []),
    ],
)
def test_words_are_for_what_they_name_else_what_they_share_most_words_with(
    words: str, landed: tuple[str, ...], found: list[str]
) -> None:
    assert list(spoken_of(TASKS, words, landed)) == found
