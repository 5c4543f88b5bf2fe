"""A stated stack and data model reach the architecture; tables of persons, risks and values keep what they say."""

from __future__ import annotations

import pytest

from tests.unit.builtin_chain import chain
from workers.builtin import analyse_request
from workers.documents.fates import book
from workers.documents.passages import passages
from workers.documents.ranks import ranks
from workers.documents.stated_data import stated_entities
from workers.documents.technologies import names_alone

BOARD = """# Bed board

## Features

- Show all free beds of a ward
- Export the list of beds as CSV

Priority: free beds is P0, export is P1

## Tech stack

Use PostgreSQL and FastAPI. The frontend is React.

## Data model

- Bed: id, ward, status
- **Ward** — id, name

## Plan

| Situation | Likelihood | What we do |
|---|---|---|
| The network is down | high | Nurses use the paper list |

| Measure | Today | By when |
|---|---|---|
| Minutes until a bed is found | 40 | 10 by June |
"""
PERSONS = """# Bed board

## Personas

| Attribute | Nora | Sam |
|---|---|---|
| Role | Ward nurse | Bed manager |
| Tech Comfort | Low | High |
| Main Goal | See free beds at a glance | Move patients quickly |
| Frustrations | None | Phone calls |

## Requirements

- The board must show free beds.
"""
FORMS = [
    ("- Bed: id, ward, status", ("Bed", ("id", "ward", "status"))),
    ("- Stay (patient number, bed, from)", ("Stay", ("patient number", "bed", "from"))),
    ("### Task\n- id: uuid\n- **created_at**: timestamp", ("Task", ("id", "created_at"))),
    ("### Task\n\n| Field | Type |\n|---|---|\n| id | uuid |\n| title | text |", ("Task", ("id", "title"))),
    ("| Entity | Key fields |\n|---|---|\n| Berth | number, length |", ("Berth", ("number", "length"))),
    ("- Tool\n  - name\n  - bar code", ("Tool", ("name", "bar code"))),
    ("```sql\nCREATE TABLE tasks (\n  id TEXT,\n  title TEXT,\n  PRIMARY KEY (id)\n);\n```", ("tasks", ("id", "title"))),
    ("```typescript\ninterface Copy {\n  id: string;\n  grade: 'M' | 'NM';\n}\n```", ("Copy", ("id", "grade"))),
]  # fmt: skip


@pytest.mark.parametrize(("said", "entity"), FORMS)
def test_entity_is_read_with_its_fields(said: str, entity: tuple[str, tuple[str, ...]]) -> None:
    found = stated_entities(passages(f"# Board\n\n## Data model\n\n{said}\n\n## Notes\n\n- x: a, b\n"))

    assert [(one.name, one.fields) for one in found] == [entity]


def test_demand_below_a_data_model_stays_a_requirement() -> None:
    found = analyse_request(
        "# Board\n\n## Data model\n\n- Bed: id, ward\n- Names must be encrypted at rest.\n"
    )

    assert [need.text for need in found.requirements] == ["Names must be encrypted at rest."]
    assert [entity.name for entity in found.data] == ["Bed"]


def test_stack_and_data_model_reach_the_architecture_and_are_no_requirements() -> None:
    facts = chain(BOARD)

    assert {choice.choice for choice in facts["architecture"].stack} >= {"PostgreSQL", "FastAPI", "React"}
    assert [(one.name, one.attributes, one.source) for one in facts["architecture"].data_model][:2] == [
        ("Bed", ["id", "ward", "status"], "stated"),
        ("Ward", ["id", "name"], "stated"),
    ]
    statements = [item.statement for item in facts["requirements"].items]
    assert not any("PostgreSQL" in text or "id, ward" in text for text in statements)
    assert "Use PostgreSQL and FastAPI." in [row.text for row in facts["brief"].constraints]


def test_every_block_of_them_has_a_fate_and_none_is_left() -> None:
    ledger = book(BOARD, chain(BOARD)["discovery"]).ledger

    taken = {entry.text: entry.taken_as for entry in ledger.entries}
    assert taken["Bed: id, ward, status"] == ("entity Bed",)
    assert ledger.fates.unread == 0
    assert ledger.fates.left == []


def test_line_of_priorities_ranks_what_it_names() -> None:
    needs = {need.text: need.moscow for need in analyse_request(BOARD).requirements}

    assert needs["Show all free beds of a ward"] == "Must"
    assert needs["Export the list of beds as CSV"] == "Should"
    assert ranks("Priority: high") == []
    assert ranks("Priorities: P0: the bed list; P1: export") == [
        ("the bed list", "Must"),
        ("export", "Should"),
    ]


def test_table_of_situations_is_one_of_risks_and_values_of_today_are_kept() -> None:
    facts = chain(BOARD)

    risk, goal = facts["discovery"].risks[0], facts["brief"].goals[0]
    assert (risk.text, risk.mitigation) == ("The network is down", "Nurses use the paper list")
    assert (goal.metric, goal.baseline, goal.target) == ("Minutes until a bed is found", "40", "10 by June")


def test_attributes_of_personas_are_no_users_and_no_requirements() -> None:
    found = analyse_request(PERSONS)

    assert {actor.name: actor.needs for actor in found.actors} == {
        "Ward nurse": ("Low", "See free beds at a glance"),
        "Bed manager": ("High", "Move patients quickly", "Phone calls"),
    }
    assert [need.text for need in found.needs] == ["The board must show free beds."]


def test_attributes_of_one_persona_in_a_table_of_two_columns() -> None:
    table = (
        "| Attribute | Details |\n|---|---|\n| Role | Porter |\n| Tech Comfort | Low |\n| Limits | None |\n"
    )
    found = analyse_request(
        f"# Board\n\n## User persona\n\n{table}\n## Requirements\n\n- The board must show beds.\n"
    )

    assert [actor.name for actor in found.actors] == ["Porter"]
    assert len(found.needs) == 1


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("Backend: Next.js API routes with Prisma + Postgres.", True),
        ("Web-App auf Basis von PHP und SQL", True),
        ("Enable user authentication via Supabase Auth", False),
        ("Members sign in with GitHub", False),
    ],
)
def test_statement_of_technologies_alone_is_told_from_one_that_asks(text: str, alone: bool) -> None:
    assert names_alone(text) is alone


def test_data_model_that_an_agent_left_out_is_not_read() -> None:
    found = chain(BOARD)["discovery"].model_copy(update={"data_model": [], "entities": []})

    unread = [entry.text for entry in book(BOARD, found).ledger.unread()]

    assert unread == ["Bed: id, ward, status", "Ward — id, name"]
