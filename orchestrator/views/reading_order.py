"""The order in which the documents of a session are read: as they are drafted, discussions behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from orchestrator.domain.documents import DocumentDef
from orchestrator.domain.dynamic_session import catalogue_of
from orchestrator.store import sessions, tasks
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx

FOLDERS = ("spec", "plan", "analysis")  # what comes first; others follow by name
LAST = ("discussions",)
Place = tuple[int, str, int, bool, str]


def reading_order(tx: Tx, session: Session) -> Callable[[str], Place]:
    """The place of a document, by its path; a document's own page comes before its items."""
    catalogue = _catalogue(tx, session)

    def place(path: str) -> Place:
        folder = path.partition("/")[0]
        first = FOLDERS.index(folder) if folder in FOLDERS else len(FOLDERS) + (folder in LAST)
        number = next((at for at, each in enumerate(catalogue) if each.owns(path)), len(catalogue))
        return first, folder, number, not path.endswith("/_index.md"), path

    return place


def titles(tx: Tx, session: Session) -> Callable[[str], str]:
    """What a document is called, by its path: of an item also its own file's name; empty where no task makes it."""
    catalogue = _catalogue(tx, session)

    def title(path: str) -> str:
        made = next((each for each in catalogue if each.owns(path)), None)
        if made is None:
            return ""
        return made.title if path == made.path else f"{made.title}: {PurePosixPath(path).stem}"

    return title


def _catalogue(tx: Tx, session: Session) -> list[DocumentDef]:
    def find() -> list[DocumentDef]:
        pack = sessions.pack(tx, session.id)
        return list(catalogue_of(pack, [row.key for row in tasks.all_tasks(tx, session.id)]))

    return tx.once((_catalogue, session.id), find)
