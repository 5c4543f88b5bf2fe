"""Every statement of the store compiles to SQL that SQLite takes as it is: nothing is left for execution time."""

from __future__ import annotations

import importlib
import pkgutil
import sqlite3
from pathlib import Path

import pytest

import orchestrator.store
from orchestrator.store.prepared import Prepared, PreparedInsert
from tests import factories as make


def statements() -> dict[str, Prepared]:
    found: dict[str, Prepared] = {}
    for module in pkgutil.iter_modules(orchestrator.store.__path__, "orchestrator.store."):
        for name, value in vars(importlib.import_module(module.name)).items():
            several = value if isinstance(value, list | tuple) else [value]
            for number, each in enumerate(several):
                if isinstance(each, Prepared):
                    found[f"{module.name}.{name}.{number}"] = each
    return found


@pytest.mark.parametrize("name", statements())
def test_the_statement_is_plain_sql(name: str, tmp_path: Path) -> None:
    store = make.make_store(tmp_path)
    statement = statements()[name]
    if isinstance(statement, PreparedInsert):
        statement = statement.for_values(dict.fromkeys(statement._build().table.columns.keys()))  # type: ignore[attr-defined]
    connection = sqlite3.connect(store.path)

    plan = connection.execute(f"EXPLAIN {statement.sql}", [None] * len(statement.places)).fetchall()

    assert plan
