"""What the built-in agent writes: features become parts and epics, traces and criteria are real, exclusions hold."""

from __future__ import annotations

import re
import tempfile
import tomllib
from pathlib import Path

import pytest

from orchestrator.config import resources
from orchestrator.domain.testable import is_testable
from tests.unit.builtin_chain import DATA, artifact, chain
from workers.builtin.known_kinds import ask_of
from workers.documents.features import asked
from workers.documents.traces import served
from workers.explore import explore
from workers.explore.ranking import named_words

FEATURES = """# Shelf: a lending desk for a toy library

## Goals
| Goal | Metric | Target |
| --- | --- | --- |
| Toys come back | share of loans returned late | 5 % |
| Parents wait less | minutes at the desk | under 3 |

## Features
### F1 Loans `[P0]`
- A volunteer must be able to lend a toy by scanning its label
- The system must show when each toy is due
### F2 Reminders `[P1]`
- A reminder is sent two days before a toy is due
- Reminders stop when the toy is returned
### F3 Returned toys `[P2]`
- The desk lists loans that are returned late

## Non-functional requirements
- A label is read within 2 seconds
- Phone numbers are deleted 30 days after the last loan

## Non-goals
- Not a web shop
- No Docker
- No server: everything runs on the laptop at the desk

## Constraints
- Must run on Windows and keep its data in SQLite
"""


def test_features_become_epics_and_parts_with_the_names_the_request_gives_them() -> None:
    facts = chain(FEATURES)

    epics = [epic.title for epic in facts["epics"].items]
    parts = [part.name for part in facts["architecture"].components]
    assert epics[:2] == ["Loans", "Reminders and returned toys"] or epics[:3] == [
        "Loans",
        "Reminders",
        "Returned toys",
    ]
    assert parts[:3] == ["Loans", "Reminders", "Returned toys"]
    assert facts["epics"].items[0].moscow == "Must"


def test_requirement_is_traced_by_the_goal_s_own_words_and_the_others_are_asked_about() -> None:
    content = chain(FEATURES)["requirements"]

    by_title = {item.title: item for item in content.items}
    returned = next(item for title, item in by_title.items() if "late" in title)
    label = next(item for title, item in by_title.items() if title.startswith("A label"))
    assert returned.goals == ["G-001"]
    assert label.goals == []
    assert any(label.title in question for question in content.open_questions)


def test_excluded_and_only_mentioned_technologies_are_in_no_stack() -> None:
    design = chain(FEATURES)["architecture"]

    assert {row.choice for row in design.stack} == {"Windows", "SQLite"}
    assert design.style is None or "server" not in design.style.text


@pytest.mark.parametrize(
    ("unwanted", "word"),
    [("No server and no database of our own", "data store"), ("Not a Backend", "service with")],
)
def test_what_the_request_excludes_is_not_proposed(unwanted: str, word: str) -> None:
    text = f"# Diary API\n\n## Requirements\n- The service must store entries by day\n\n## Non-goals\n- {unwanted}\n"

    written = artifact("architecture", chain(text))

    assert word not in written.replace(unwanted, "")


def test_link_needs_two_words_or_a_thing_and_no_figure() -> None:
    texts = [
        "A courier scans a parcel within 3 minutes",
        "The report is sent",
        "A lost parcel is reported at once",
    ]
    goals = ["Lost parcels are reported", "Fewer than 3 calls in 3 minutes"]

    assert served(texts, goals) == [(), (), (0,)]
    assert served(texts, goals, things=["parcel"]) == [(0,), (), (0,)]


ONE_LINERS = [line for line in (DATA / "one-liners.txt").read_text().splitlines() if line]
KINDS = {
    "fix": "Fix the crash when a user uploads an empty avatar",
    "speed": "Make the product search faster",
    "move": "Migrate our job queue from RabbitMQ to Kafka",
    "game": "A terminal snake game for two players",
    "library": "A Go library for parsing calendar files",
    "report": "Monthly report of overdue invoices for the finance team",
    "model": "Train a model that predicts which customers will leave",
    "operate": "Set up nightly backups of the production database",
    "cheaper": "Reduce our hosting bill",
    "tests": "Write tests for the payment module",
    "words": "Write documentation for the public interface",
    "compare": "Compare three map providers for our app",
    "bot": "A Slack bot that reminds people of reviews",
    "command": "Write a CLI that converts CSV files to Parquet",
    "rename": "Rename the package from foo to bar",
    "remove": "Remove the legacy endpoints",
    "add": "Add dark mode to the settings page",
    "restructure": "Refactor the billing module into a separate service",
    "make": "Build a URL shortener",
}


@pytest.mark.parametrize(("kind", "text"), KINDS.items())
def test_kind_of_a_short_request_is_known(kind: str, text: str) -> None:
    assert ask_of(text, "en").kind == kind


def test_short_requests_of_different_kinds_share_neither_goal_nor_questions_nor_criteria() -> None:
    written = [chain(text) for text in KINDS.values()]

    for texts in (
        [question for facts in written for question in facts["discovery"].open_questions],
        [criterion for facts in written for criterion in facts["requirements"].items[0].acceptance_criteria],
        [goal.metric for facts in written for goal in facts["brief"].goals],
    ):
        assert texts
        assert len(set(texts)) == len(texts)


def test_correction_gets_no_decision_of_design_and_no_style() -> None:
    design = chain(KINDS["fix"])["architecture"]

    assert design.adrs == []
    assert design.style is None


@pytest.mark.parametrize("name", ["asks", "decisions", "outcomes", "shapes"])
def test_tables_say_the_same_in_both_languages(name: str) -> None:
    rows = tomllib.loads((resources() / "config" / "labels" / f"{name}.toml").read_text(encoding="utf-8"))

    for key, row in rows.items():
        one, other = row["en"], row["zh"]
        assert type(one) is type(other), key
        assert not isinstance(one, dict) or set(one) == set(other), key


@pytest.mark.parametrize("language", ["en", "zh"])
def test_criteria_of_short_requests_can_be_tested(language: str) -> None:
    rows = tomllib.loads((resources() / "config" / "labels" / "asks.toml").read_text(encoding="utf-8"))

    for row in rows.values():
        known = row[language]
        for text in [*known["criteria"], *known.get("keep", ["", "", ""])[2:3]]:
            assert not text or is_testable(text), text


def test_parts_name_the_files_whose_paths_and_symbols_hold_their_words() -> None:
    codebase = {
        "relevant_files": [
            {"path": "src/desk/lending.py", "role": "source", "key_symbols": ["lendToy", "due_date"]},
            {"path": "src/desk/reminders.py", "role": "source", "key_symbols": ["send_reminder"]},
            {"path": "src/desk/colours.py", "role": "source", "key_symbols": ["palette"]},
            {"path": "docs/reminders.md", "role": "documentation", "key_symbols": []},
        ],
        "codebase": {"languages": {"Python": 3}},
    }

    parts = {part.name: part.files for part in chain(FEATURES, codebase)["architecture"].components}

    assert parts["Reminders"][0] == "src/desk/reminders.py"
    assert not any("colours" in path or path.endswith(".md") for files in parts.values() for path in files)


def test_exploration_asks_for_what_requirements_name_and_leaves_room_for_code(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"note{number}.md").write_text(
            "a toy is lent, a reminder is sent, a label is scanned\n" * 3
        )
    for number in range(12):
        (tmp_path / f"toy{number}.py").write_text("def lend(toy):\n    return toy\n")

    words = named_words(asked(FEATURES))
    with tempfile.TemporaryDirectory() as cache:
        found = explore(tmp_path, FEATURES, "general", words, cache_dir=Path(cache))

    roles = [file["role"] for file in found["relevant_files"]]
    assert words[0] == "toy"
    assert roles.count("documentation") < roles.count("source") == 12


PROHIBITIONS = {
    "must not": "Drivers must not park longer than 2 hours in zone A.",
    "can not": "Drivers can not delete a fine.",
    "never": "Drivers never see the plates of others.",
    "cannot": "Drivers cannot book more than 3 places at once.",
    "不能": "读者不能同时预约两个座位。",
    "不得": "读者不得转让座位。",
}


@pytest.mark.parametrize("said", PROHIBITIONS.values(), ids=PROHIBITIONS)
def test_a_prohibition_stays_one_in_title_story_goals_and_interfaces(said: str) -> None:
    made = chain(f"# Parking\n\n## Requirements\n\n- {said}\n")
    (item,) = [each for each in made["requirements"].items if each.statement == said]
    denied = re.compile(r"not\b|never|不能|不得")

    assert denied.search(item.title)
    assert denied.search(item.user_story.i_want)
    assert all(denied.search(story.i_want) for epic in made["epics"].items for story in epic.stories)
    assert not any(goal.text.startswith(("Drivers can", "读者可以")) for goal in made["brief"].goals)
    assert made["architecture"].api == []


WISH = """# A tool for our allotment garden

I wish we knew who waters when.

## Worries
- Somebody may water twice

## Budget
Around 200 euros.
"""


def test_a_wish_beside_limits_is_what_is_asked_for() -> None:
    facts = chain(WISH)

    assert [item.statement for item in facts["requirements"].items] == ["I wish we knew who waters when."]
    assert [row.text for row in facts["brief"].constraints] == ["Around 200 euros."]
    assert not any("#" in text for item in facts["requirements"].items for text in item.acceptance_criteria)


def test_stated_risks_are_the_briefs() -> None:
    facts = chain(WISH)

    assert [(row.text, row.source) for row in facts["brief"].risks] == [
        ("Somebody may water twice", "stated")
    ]
    assert "## Risks\n\n- Somebody may water twice\n" in artifact("brief", facts)


@pytest.mark.parametrize(
    "rule", ["Only volunteers with a licence may drive the van.", "只有持证的志愿者才可以开车。"]
)
def test_who_alone_may_do_something_is_a_rule_and_no_wish_of_theirs(rule: str) -> None:
    items = chain(f"{FEATURES}\n## Rules\n- {rule}\n")["requirements"].items
    (item,) = [item for item in items if item.statement == rule]

    assert item.title.startswith(rule[:10])
    assert item.user_story is not None and rule.rstrip(".。")[1:] in item.user_story.i_want
    assert len(item.acceptance_criteria) == 1
