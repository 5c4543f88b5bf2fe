"""Adds wisdom by hand: what the team should know, read by every task that starts later."""

from __future__ import annotations

from orchestrator.commands.words import check_words
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import WISDOM
from orchestrator.store import records
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import lookup

WORDS_LIMIT = 4_000  # characters; every later prompt carries them


def add(
    tx: Tx, session: Session, file: str, text: str, *, author: str, task: str | None = None
) -> JsonObject:
    """Append one entry to learnings, decisions, conventions or issues. Raises UnknownName, UsageError, NotAllowedNow."""
    lookup.alive(session)
    if file not in WISDOM:
        raise UnknownName("wisdom file", file, WISDOM)
    words = check_words(text)
    if not words:
        raise UsageError("the text is empty", fix="write what was learned")
    if len(words) > WORDS_LIMIT:
        raise UsageError(
            "the text is too long",
            why=f"{len(words)} characters, at most {WORDS_LIMIT}",
            fix="shorten it, and name the artifact that has the details",
        )
    key = None if task is None else str(lookup.task(tx, session, task).key)
    records.add_wisdom(tx, session.id, file, author, words, key)
    return {"session": session.id, "file": f"wisdom/{file}.md", "author": author, "task": key}
