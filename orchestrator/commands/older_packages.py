"""Exported sessions of earlier schemas: their rows in the form of this one. Each migration that changes a session's tables
has a step here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from orchestrator.store.transfer import Rows


def renamed(table: str, old: str, new: str) -> Callable[[Rows], None]:
    """The step of a migration that renames a column."""

    def step(rows: Rows) -> None:
        for row in rows[table]:
            row[new] = row.pop(old)

    return step


def added(table: str, column: str, default: object) -> Callable[[Rows], None]:
    """The step of a migration that adds a column."""

    def step(rows: Rows) -> None:
        for row in rows[table]:
            row[column] = default

    return step


STEPS: Mapping[str, tuple[Callable[[Rows], None], ...]] = {  # by the migration that they follow
    "0002": (renamed("sessions", "dirty", "needs_beat"), renamed("runs", "charged", "counted")),
    "0003": (added("hosts", "version", ""),),
    "0004": (),  # work in private trees stays on its machine: its commits are not in the package
    "0005": (),
    "0006": (),
    "0007": (
        added("agent_calls", "call", None),
        added("agent_calls", "account", None),
        added("hosts", "token", None),
    ),
    "0008": (),  # what delivers offers, and in which cell a session is, belongs to a database
    "0009": (),  # tokens of people stay where they were made
    "0010": (),  # so does the audit of hosts
    "0011": (),  # so do tokens of agents, which end with their runs
}


def upgrade(rows: Rows, schema: str) -> None:
    """Bring the rows of an earlier schema to the form of this one. Raises KeyError for rows that are not of that schema."""
    for migration, steps in sorted(STEPS.items()):
        if migration > schema:
            for step in steps:
                step(rows)
