"""start --from: what another session learned and decided, each entry with its source, as wisdom of the new one."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UnknownName
from orchestrator.domain.json_types import JsonObject
from orchestrator.project import Project, has_database, open_for_reading
from orchestrator.store import decisions, messages, records, sessions
from orchestrator.store.store import Tx
from orchestrator.views import lookup

MOST_ENTRIES = 200  # the newest of them; every prompt of the new session carries them
MOST_CHARACTERS = 40_000
HANDED_DOWN = "inherited"  # the event of the transaction that wrote what came from another session


@dataclass(frozen=True, slots=True)
class Entry:
    file: str  # one of model.WISDOM
    author: str
    words: str


@dataclass(frozen=True, slots=True)
class Inheritance:
    session: str
    entries: tuple[Entry, ...]
    left_out: int  # older ones

    @property
    def view(self) -> JsonObject:
        return {"session": self.session, "entries": len(self.entries), "left_out": self.left_out}


def inheritance(project: Project, name: str) -> Inheritance:
    """What the session `name` knows. Raises UnknownName, UsageError."""
    if not has_database(project):
        raise UnknownName("session", name, ())
    store = open_for_reading(project)
    try:
        return store.read(lambda tx: _of(tx, lookup.session(tx, name).id))
    finally:
        store.close()


def hand_down(tx: Tx, session: str, given: Inheritance) -> None:
    for entry in given.entries:
        records.add_wisdom(tx, session, entry.file, entry.author, entry.words)
    messages.event(
        tx,
        session,
        HANDED_DOWN,
        f"{len(given.entries)} entries of wisdom and decisions from {given.session}",
        source=given.session,
        entries=len(given.entries),
        left_out=given.left_out,
    )


def _of(tx: Tx, session: str) -> Inheritance:
    found = sorted(_entries(tx, session), key=lambda each: each[0])
    entries = dict.fromkeys(entry for _, entry in found)  # one that came from a third session has its source
    kept: list[Entry] = []
    size = 0
    for entry in reversed(entries):
        size += len(entry.words)
        if len(kept) == MOST_ENTRIES or size > MOST_CHARACTERS:
            break
        kept.append(entry)
    return Inheritance(session, tuple(reversed(kept)), len(entries) - len(kept))


def _entries(tx: Tx, session: str) -> Iterator[tuple[int, Entry]]:
    """When and what; a decision that is among the wisdom already is not said twice."""
    wisdom = records.wisdom_of(tx, session)
    log = messages.after(tx, session, 0, sessions.EVERY)
    handed_down = {each.at for each in log if each.kind == "event" and each.type == HANDED_DOWN}
    said = "\n".join(str(row.data) for row in wisdom if row.name == "decisions")
    for row in wisdom:
        words = str(row.data)  # that it opens like one with a source proves nothing: agents write these
        said_by = words if row.at in handed_down else _with_source(words, session)
        yield row.at, Entry(row.name, row.author, said_by)
    for made in decisions.decisions_of(tx, session):
        if made.words.strip() and made.words not in said:
            words = _with_source(f"{made.subject}: {made.words}", session)
            yield made.at, Entry("decisions", made.who, words)


def _with_source(words: str, session: str) -> str:
    return f"from {session}: {words}"
