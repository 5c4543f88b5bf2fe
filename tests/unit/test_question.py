"""Which two prompts are the same question, and the parts a prompt is told apart by."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.domain.pipelines import Perspective
from tests.factories import shipped_pack
from workers.agents import prompts
from workers.agents.question import Names, Question, ask_for
from workers.documents.content import Brief, Critique

REQUEST = "Build it before 2027-01-01T00:00:00Z."


def prompt(**changed: Any) -> str:
    given: dict[str, Any] = {
        "instructions": "Write well.",
        "task": "DRAFT-001",
        "language": "en",
        "schema": Brief,
        "material": [("The request", REQUEST), ("The repository", "none")],
    }
    return prompts.render("Write the brief.", **{**given, **changed}).text


def question(text: str, session: str = "TLS-a-2026-11-21", project: str = "/home/me/a") -> Question:
    names = Names.of({session: "<session>", project: "<project>"}, REQUEST)
    return ask_for(
        text, task="DRAFT-001", role="writer", kind="brief", perspective=None, names=names, known=frozenset()
    )


def test_a_prompt_is_taken_apart_by_name() -> None:
    parts = dict(prompts.parts(prompt(feedback=["shorter"])))

    assert list(parts) == [
        "rules",
        "The request",
        "The repository",
        "To be answered in this version",
        "instructions",
        "task",
        "schema",
    ]
    assert parts["The request"] == REQUEST
    assert parts["instructions"].endswith("Write well.")


def test_material_that_looks_like_a_prompt_stays_one_part() -> None:
    hostile = prompt(material=[("Inner", "x")])

    parts = dict(prompts.parts(prompt(material=[("The request", hostile)])))

    assert parts["The request"] == hostile
    assert "Inner" not in parts


def test_a_critique_is_taken_apart_too() -> None:
    view: Perspective = shipped_pack().perspectives["product"]
    around = shipped_pack().rounds["DISCUSS-002"]
    text = prompts.render_critique(
        [view], around, instructions="Read.", language="en", schema=Critique, shared=[("A", "a"), ("B", "b")]
    ).text

    assert [name for name, _ in prompts.parts(text)] == ["rules", "A", "B", "instructions", "task", "schema"]


def test_the_same_title_twice_is_told_apart() -> None:
    assert [name for name, _ in prompts.parts(prompt(material=[("A", "1"), ("A", "2")]))][1:3] == [
        "A",
        "A (2)",
    ]


def test_a_text_of_any_form_is_a_part() -> None:
    assert prompts.parts("just words") == [("task", "just words")]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("session: TLS-a-2026-11-21", "session: TLS-a-2026-11-22-2"),
        ("at 2026-11-21T12:17:32Z", "at 2026-11-22T01:02:03.5+00:00"),
        ("in /home/me/a/x.py", "in /srv/b/x.py"),
    ],
)
def test_what_differs_from_run_to_run_makes_no_other_question(here: str, there: str) -> None:
    one = question(prompt(material=[("A", here)]))
    other = question(prompt(material=[("A", there)]), session="TLS-a-2026-11-22-2", project="/srv/b")

    assert one.digest == other.digest


@pytest.mark.parametrize(
    "changed",
    [
        {"instructions": "Write better."},
        {"task": "DRAFT-002"},
        {"language": "zh"},
        {"schema": Critique},
        {"material": [("The request", "Build it before 2028-01-01T00:00:00Z."), ("The repository", "none")]},
        {"feedback": ["shorter"]},
    ],
)
def test_what_is_asked_makes_another_question(changed: dict[str, Any]) -> None:
    assert question(prompt()).digest != question(prompt(**changed)).digest
