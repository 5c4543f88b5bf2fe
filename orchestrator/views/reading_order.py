"""The order in which the documents of a session are read: as they are drafted, discussions behind."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.domain.dynamic_session import catalogue_of
from orchestrator.store import sessions, tasks
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx

FOLDERS = ("spec", "plan", "analysis")  # what comes first; others follow by name
LAST = ("discussions",)
Place = tuple[int, str, int, bool, str]


def reading_order(tx: Tx, session: Session) -> Callable[[str], Place]:
    """The place of a document, by its path; a document's own page comes before its items."""
    pack = sessions.pack(tx, session.id)
    catalogue = list(catalogue_of(pack, [row.key for row in tasks.all_tasks(tx, session.id)]))

    def place(path: str) -> Place:
        folder = path.partition("/")[0]
        first = FOLDERS.index(folder) if folder in FOLDERS else len(FOLDERS) + (folder in LAST)
        number = next((at for at, each in enumerate(catalogue) if each.owns(path)), len(catalogue))
        return first, folder, number, not path.endswith("/_index.md"), path

    return place
