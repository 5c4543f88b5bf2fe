"""The daily copy of the database: checked page by page, a few kept, and never at the expense of the sessions' room."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from orchestrator.store import ballast
from orchestrator.store.backends.sqlite_errors import explain, full
from orchestrator.store.backends.sqlite_migrate import backup

DAY = 24 * 3600.0  # seconds
KEPT = 3


def daily(database: Path, now: float) -> Path | None:
    """Copy the database unless that was done within the last day; the copy, when one was made.

    A copy that is whole says that the database is. Raises DatabaseUnusable when it is damaged, and keeps the earlier
    copies; DiskFull when a copy would leave no room for work. `now` is the wall clock in seconds.
    """
    folder = database.parent / "backups"
    copies = sorted(folder.glob("daily-*.db"))
    if copies and abs(now - copies[-1].stat().st_mtime) < DAY:
        return None
    if ballast.free_bytes(database) < database.stat().st_size + ballast.SPARE * ballast.BYTES:
        raise full(database)
    draft = folder / "daily.new"
    draft.unlink(missing_ok=True)  # left by a killed process
    try:
        backup(database, draft)
    except sqlite3.Error as error:
        raise explain(error, database) from error
    made = draft.rename(folder / f"daily-{time.strftime('%Y%m%dT%H%M%S', time.gmtime(now))}.db")
    for old in copies[: len(copies) + 1 - KEPT]:
        old.unlink()
    return made
