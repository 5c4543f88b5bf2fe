"""What builds statements: SQLAlchemy's functions and the tables, each loaded when a statement uses it.

Statements are compiled ahead of time (`make statements`), so a command rarely builds one and need not pay for the import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement as ColumnElement
    from sqlalchemy import Delete as Delete
    from sqlalchemy import FromClause as FromClause
    from sqlalchemy import Select as Select
    from sqlalchemy import Table as Table
    from sqlalchemy import Update as Update
    from sqlalchemy import and_ as and_
    from sqlalchemy import bindparam as bindparam
    from sqlalchemy import case as case
    from sqlalchemy import delete as delete
    from sqlalchemy import exists as exists
    from sqlalchemy import func as func
    from sqlalchemy import literal_column as literal_column
    from sqlalchemy import null as null
    from sqlalchemy import or_ as or_
    from sqlalchemy import select as select
    from sqlalchemy import update as update

    from orchestrator.store.project_tables import audit as audit
    from orchestrator.store.project_tables import cells as cells
    from orchestrator.store.project_tables import commands as commands
    from orchestrator.store.project_tables import contents as contents
    from orchestrator.store.project_tables import custody as custody
    from orchestrator.store.project_tables import engines as engines
    from orchestrator.store.project_tables import host_tokens as host_tokens
    from orchestrator.store.project_tables import hosts as hosts
    from orchestrator.store.project_tables import leases as leases
    from orchestrator.store.project_tables import person_tokens as person_tokens
    from orchestrator.store.project_tables import rate_limits as rate_limits
    from orchestrator.store.project_tables import residents as residents
    from orchestrator.store.tables import agent_calls as agent_calls
    from orchestrator.store.tables import agent_tokens as agent_tokens
    from orchestrator.store.tables import artifacts as artifacts
    from orchestrator.store.tables import candidates as candidates
    from orchestrator.store.tables import checks as checks
    from orchestrator.store.tables import commits as commits
    from orchestrator.store.tables import critiques as critiques
    from orchestrator.store.tables import decisions as decisions
    from orchestrator.store.tables import edges as edges
    from orchestrator.store.tables import findings as findings
    from orchestrator.store.tables import links as links
    from orchestrator.store.tables import memory as memory
    from orchestrator.store.tables import messages as messages
    from orchestrator.store.tables import of_session as of_session
    from orchestrator.store.tables import products as products
    from orchestrator.store.tables import projections as projections
    from orchestrator.store.tables import runs as runs
    from orchestrator.store.tables import sessions as sessions
    from orchestrator.store.tables import snapshots as snapshots
    from orchestrator.store.tables import table_of as table_of
    from orchestrator.store.tables import tasks as tasks
    from orchestrator.store.tables import trees as trees
    from orchestrator.store.tables import verdicts as verdicts
    from orchestrator.store.tables import works as works
else:
    _SOURCES = ("sqlalchemy", "orchestrator.store.tables", "orchestrator.store.project_tables")

    class _Deferred:
        """What has this name in one of the sources, found when it is first used."""

        is_clause_element = False  # it stands for one: SQLAlchemy asks for that below

        def __init__(self, name: str) -> None:
            self._name = name
            self._found: Any = None

        def _loaded(self) -> Any:
            if self._found is None:
                sources = map(import_module, _SOURCES)
                self._found = next(getattr(each, self._name) for each in sources if hasattr(each, self._name))
            return self._found

        def __getattr__(self, name: str) -> Any:
            return getattr(self._loaded(), name)

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return self._loaded()(*args, **kwargs)

        def __clause_element__(self) -> Any:
            """How SQLAlchemy takes a table."""
            return self._loaded()

    def __getattr__(name: str) -> _Deferred:
        if name.startswith("__"):
            raise AttributeError(name)
        found = globals()[name] = _Deferred(name)
        return found
