"""Approvals raced with edits by hand and with other answers: none is for what was not shown, and each pause has one."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections import Counter
from pathlib import Path

import pytest

from orchestrator.commands import resume
from orchestrator.coordinator.projector import project
from orchestrator.domain.approvals import Token
from orchestrator.domain.errors import Changed
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import sessions
from orchestrator.store.edits import session_directory
from orchestrator.store.store import Store, Tx
from orchestrator.views import approvals
from tests import factories as make
from tests import invariants
from tests.e2e.cli_world import work_off

BRIEF = "spec/DRAFT-001.md"
ANSWERING = 3  # who answers each pause at once, each with a store of its own, as processes have; the first names no token


@pytest.mark.parametrize("pauses", [40, pytest.param(334, marks=pytest.mark.long)])
def test_no_answer_is_for_what_was_not_shown_and_each_pause_is_answered_once(
    tmp_path: Path, pauses: int
) -> None:
    store = make.make_store(tmp_path)
    session = make.make_session(store, "Some work")
    work_off(store, session, until="DRAFT-002")
    race = Race(store, session)

    for number in range(pauses):
        race.answer_one_pause(random.Random(number))

    answered = decisions(store)
    race.close()
    store.close()
    assert len(race.shown) == len(answered) == pauses
    for seen, digest in zip(race.shown, answered, strict=True):
        assert digest in seen
    assert race.outcomes["answered"] == pauses
    assert race.outcomes["changed"] > pauses
    invariants.check(tmp_path / ".workflow" / "lifecycle.db")


def decisions(store: Store) -> list[str]:
    connection = sqlite3.connect(store.path)
    rows = connection.execute("SELECT digest FROM decisions WHERE subject = 'approve_checkpoint' ORDER BY id")
    found = [row[0] for row in rows.fetchall()]
    connection.close()
    return found


class Race:
    """Pauses of one session, each of which several people answer while somebody edits what they approve."""

    def __init__(self, store: Store, session: str) -> None:
        self.store = store
        self.session = session
        self.file = session_directory(store.workflow, session) / BRIEF
        self.shown: list[set[str]] = []  # for each pause, the digests that somebody was shown
        self.outcomes: Counter[str] = Counter()
        self.stores = [Store(store.path) for _ in range(ANSWERING)]

    def close(self) -> None:
        for store in self.stores:
            store.close()

    def answer_one_pause(self, dice: random.Random) -> None:
        self.store.write(lambda tx: sessions.pause(tx, self.session, PauseReason.CHECKPOINT, {}))
        project(self.store, self.session)
        self.shown.append({self._at_the_pause()})
        answered = threading.Event()
        barrier = threading.Barrier(ANSWERING + 1)
        threads = [
            threading.Thread(target=self._answer, args=(number, barrier, answered))
            for number in range(ANSWERING)
        ]
        for thread in threads:
            thread.start()
        barrier.wait()
        for number in range(dice.randrange(4)):
            self.file.write_text(f"edited {len(self.shown)} {number}\n")
        for thread in threads:
            thread.join()

    def _answer(self, number: int, barrier: threading.Barrier, answered: threading.Event) -> None:
        """Look, then answer what was seen, until this pause is answered."""
        store = self.stores[number]
        token = self._look(store)
        barrier.wait()
        while token is not None and not answered.is_set():
            answer = resume.Answer(f"person {number}", expect=token if number else None)
            try:
                done = resume.resume(store, self.session, answer, more_attempts=3)
            except Changed:
                self.outcomes["changed"] += 1
            else:
                self.outcomes["answered" if done.reason else "too late"] += 1
                answered.set()
            token = self._look(store)

    def _at_the_pause(self) -> str:
        row = self.store.read(lambda tx: sessions.get(tx, self.session))
        assert row is not None and row.pause_detail is not None
        return str(row.pause_detail["digest"])

    def _look(self, store: Store) -> Token | None:
        """What a page would show: its digest is noted before anybody can answer it."""

        def unit(tx: Tx) -> approvals.Approval | None:
            row = sessions.get(tx, self.session)
            assert row is not None
            return approvals.approval(tx, row)

        found = store.read(unit)
        if found is None:
            return None
        self.shown[-1].add(found.digest)
        return Token(found.pause, found.digest)
