"""The ledger: what became of each block of a request, from the discovery of whichever agent."""

from __future__ import annotations

import pytest

from orchestrator.config import load_pack
from tests.unit.builtin_chain import ask, chain
from workers.builtin import detect_language
from workers.documents.assess import assess
from workers.documents.content import Discovery
from workers.documents.fates import Booked, book, read_ledger
from workers.documents.readiness import build_readiness
from workers.roles.reviewer import stated

PRD = """# Lending

## Goals
| Goal | Description | Target Metric |
|------|-------------|---------------|
| Calm | Readers wait less at the desk | minutes at the desk: under 2 |

## Non-goals
- Not a UI framework

## Users
- Librarians

## Requirements
- FR-1: Readers must be able to reserve a book. (P0)
- FR-2: The desk should print a slip.
- [x] Readers can log in

## Acceptance criteria
- FR-1: A reserved book is held for seven days

## Risks
| Risk | Mitigation |
|------|------------|
| Readers must wait longer when the network is down | The desk must keep a list on paper |

## Glossary
- Slip: a piece of paper

```
print(slip)
```
"""


def booked(text: str) -> Booked:
    language = detect_language(text)
    return book(text, ask("discovery", request=text, language=language, codebase=None))


def test_every_block_is_taken_as_something_or_skipped_for_a_reason() -> None:
    ledger = booked(PRD).ledger

    fates = {entry.text.partition(" | ")[0]: entry for entry in ledger.entries}
    assert fates["FR-1: Readers must be able to reserve a book. (P0)"].taken_as[0] == "requirement FR-1"
    assert fates["Not a UI framework"].taken_as == ("exclusion R-001",)
    assert fates["Slip: a piece of paper"].reason == "explains a term"
    assert fates["print(slip)"].reason == "code"
    assert ledger.unread() == []
    assert ledger.fates.taken + ledger.fates.skipped == ledger.fates.blocks == len(ledger.entries)


def test_items_name_their_block_and_criteria_their_requirement() -> None:
    found = booked(PRD)

    discovery, sections = found.discovery, {entry.id: entry.section for entry in found.ledger.entries}
    (goal,) = discovery.goals
    assert (goal.text, goal.metric, goal.target) == (
        "Readers wait less at the desk",
        "minutes at the desk",
        "under 2",
    )
    assert sections[goal.source] == "Lending > Goals"
    assert discovery.acceptance[0].parent == "FR-1"
    assert [(row.id, row.priority) for row in discovery.requirements if row.id.startswith("FR")] == [
        ("FR-1", "Must"),
        ("FR-2", "Should"),
    ]
    assert [row.text for row in discovery.done] == ["Readers can log in"]


def test_risk_is_no_wish_and_its_mitigation_one_only_if_it_must_be_done() -> None:
    discovery = booked(PRD).discovery

    assert [row.text for row in discovery.risks] == ["Readers must wait longer when the network is down"]
    wishes = [row.text for row in discovery.requirements if row.kind != "exclusion"]
    assert "The desk must keep a list on paper" in wishes
    assert not any("wait longer" in text for text in wishes)


def test_what_another_agent_left_out_is_unread_and_counts_as_stated() -> None:
    poor = Discovery.model_validate(
        {
            "title": "Lending",
            "problem_statement": "-",
            "domain": "-",
            "goals": ["Readers wait less at the desk"],  # as contents from before have them
        }
    )

    found = book(PRD, poor)

    unread = {entry.text for entry in found.ledger.unread()}
    assert "FR-2: The desk should print a slip." in unread
    assert found.discovery.goals[0].source
    assert unread <= set(stated(PRD, "en", found.discovery, found.ledger))


def test_paraphrase_is_found_at_the_block_it_is_most_like() -> None:
    other = Discovery.model_validate(
        {
            "title": "Lending",
            "problem_statement": "-",
            "domain": "-",
            "requirements": [
                {"text": "Readers reserve books, able to do so", "kind": "functional", "moscow": "Must"}
            ],
        }
    )

    assert book(PRD, other).discovery.requirements[0].id == "FR-1"


def test_report_counts_the_blocks_and_a_session_without_a_ledger_is_read() -> None:
    ledger, score = booked(PRD).ledger, assess({}, set(), [], load_pack(None, {}).gates)

    assert f"Of the {ledger.fates.blocks} blocks" in str(build_readiness(score, "en", ledger=ledger).fates)
    assert build_readiness(score, "en").fates is None
    assert read_ledger(None) is None
    assert read_ledger(ledger.model_dump(mode="json")) == ledger


NO_REQUESTS = [
    ("log", "2026-05-01 10:00:01 INFO started\n2026-05-01 10:00:02 ERROR users must log in\n" * 4),
    ("code", "def pay(amount):\n    return amount * 2\n\nclass Desk:\n    def open(self):\n        self.on = True\n"),
    ("prompt", 'You are "Sommelier", a witty assistant. You must never use exclamation marks. Answer in three sentences.'),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text"), NO_REQUESTS)
def test_text_that_asks_for_nothing_is_said_to_be_none(form: str, text: str) -> None:
    facts = chain(text)

    assert facts["discovery"].form == form
    assert facts["requirements"].items == []
    assert "asks for nothing to be built" in facts["discovery"].open_questions[0]
    assert all(entry.fate != "unread" for entry in book(text, facts["discovery"]).ledger.entries)


def test_prompt_that_asks_for_something_to_be_built_is_a_request() -> None:
    assert chain("You are a senior engineer. Build a todo app that must work offline.")["requirements"].items


def test_what_a_manual_explains_is_skipped_for_that_reason() -> None:
    text = (
        "# Pen\n\nPen is a library for lines. Pen can draw circles.\n\n## Installation\n\nCall pip first.\n\n"
        "## Usage\n\nImport it, and you are done.\n\n## License\n\nMIT\n"
    )

    ledger = booked(text).ledger

    assert ledger.form == "manual"
    assert ledger.unread() == []
    assert "explains how to use what exists" in {entry.reason for entry in ledger.entries}


FERRY = """# Ferry

## Requirements
Guests must be able to book a crossing. A crossing that is cancelled is refunded within two days.
Bicycles travel free on Mondays. The kiosk should print a ticket. Dogs need a muzzle on deck.

| Story | Detail |
|-------|--------|
| Guests cancel a booking | Whoever cancels a day before gets all the money back |
"""


def poor(*texts: str) -> Discovery:
    """What an agent might give that carries these statements and no others."""
    rows = [{"text": text, "kind": "functional", "moscow": "Must"} for text in texts]
    given = {"title": "Ferry", "problem_statement": "-", "domain": "-", "requirements": rows}
    return Discovery.model_validate(given)


def test_block_of_which_sentences_became_nothing_is_taken_in_part_and_names_them() -> None:
    found = book(
        FERRY,
        poor(
            "Guests must be able to book a crossing.",
            "A ticket is printed at the kiosk",
            "Guests cancel a booking",
        ),
    )

    left = {entry.kind: entry.left for entry in found.ledger.entries if entry.fate == "partly"}
    assert left["paragraph"] == (
        "A crossing that is cancelled is refunded within two days.",
        "Bicycles travel free on Mondays.",
        "Dogs need a muzzle on deck.",
    )
    assert left["row"] == ("Whoever cancels a day before gets all the money back",)
    assert found.discovery.fates.left == [*left["paragraph"], *left["row"]]
    assert set(found.discovery.fates.left) <= set(stated(FERRY, "en", found.discovery, found.ledger))


def test_rule_that_was_kept_as_a_description_alone_is_left() -> None:
    told = "The office sells tickets at a window. Nobody may board without a ticket."
    found = book(told, poor("Tickets are sold").model_copy(update={"situation": told.split(". ", 1)}))

    assert found.discovery.fates.left == ["Nobody may board without a ticket."]


def test_sentence_that_stands_whole_elsewhere_is_not_left() -> None:
    text = f"{FERRY}\n## Notes\nBicycles travel free on Mondays. Ask Ada for the rest of the rules.\n"
    found = book(text, poor("Bicycles travel free on Mondays.", "Ada has the rest of the rules"))

    assert "Bicycles travel free on Mondays." not in found.discovery.fates.left


def test_statements_that_were_left_lower_coverage_and_are_asked_about() -> None:
    gates, language = load_pack(None, {}).gates, "en"
    few = book(FERRY, poor("Guests must be able to book a crossing."))
    shown = str(build_readiness(assess({}, set(), [], gates), language, ledger=few.ledger).left)
    content = ask("requirements", request=FERRY, language=language, codebase=None, discovery=few.discovery)

    assert "Dogs need a muzzle on deck." in shown
    assert any("Dogs need a muzzle" in text for text in content.open_questions)
