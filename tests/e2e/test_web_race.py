"""Approvals over HTTP raced with commands and edits by hand: none is for what was not shown, and each pause has one."""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrator.coordinator.projector import project
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import leases, sessions
from orchestrator.store.edits import session_directory
from orchestrator.wakeup import Waker
from tests import factories, invariants
from tests.e2e.cli_world import World, make_world, work_off
from tests.e2e.support import lifecycle
from tests.e2e.web_server import Served, serve

BRIEF = "spec/DRAFT-001.md"
PAUSES = int(os.environ.get("RACED_PAUSES", "334"))
PEOPLE = 2  # who answer each pause over HTTP, beside one who does at a terminal
CHANGED = (409, 412)  # answered already; or something else than was shown


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


@pytest.mark.long
def test_no_answer_over_http_or_by_command_is_for_what_was_not_shown(world: World) -> None:
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, until="DRAFT-002")
    served = serve(world.life)

    with coordinated(world):
        race = Race(world, served, session)
        for number in range(PAUSES):
            race.answer_one_pause(random.Random(number), by_stale=number % 4 == 0)

    answered = world.life.rows(
        "SELECT digest, who FROM decisions WHERE subject = 'approve_checkpoint' ORDER BY id"
    )
    assert len(answered) == len(race.shown) == PAUSES
    for seen, (digest, _) in zip(race.shown, answered, strict=True):
        assert any(str(digest).startswith(each) for each in seen)
    assert race.outcomes["answered"] == PAUSES, race.outcomes
    assert race.outcomes["changed"] > PAUSES
    assert race.other == []
    by = Counter("web" if str(who).endswith("(web)") else "terminal" for _, who in answered)
    assert min(by["web"], by["terminal"]) > 0, by
    invariants.check(world.life.database)


@contextmanager
def coordinated(world: World) -> Iterator[None]:
    """As if a coordinator led, which does nothing: no answer starts one, and the session stays where the race wants it."""
    lead = factories.lead(world.store)
    heard = Waker(world.store.path, "daemon")
    yield
    heard.close()
    world.store.write(lambda tx: leases.leave_lead(tx, lead.holder, lead.epoch))


class Race:
    """Pauses of one session, each answered by several people at once while somebody edits what they approve."""

    def __init__(self, world: World, served: Served, session: str) -> None:
        self.world, self.served, self.session = world, served, session
        self.address = f"/api/v1/p/p/sessions/{session}"
        self.file = session_directory(world.store.workflow, session) / BRIEF
        self.shown: list[
            set[str]
        ] = []  # for each pause, the digests that somebody was shown, as far as tokens have them
        self.outcomes: Counter[str] = Counter()
        self.other: list[str] = []  # answers that say neither

    def answer_one_pause(self, dice: random.Random, *, by_stale: bool) -> None:
        """`by_stale`: who answers over HTTP insists on what was there before an edit; only the command can answer."""
        self.world.store.write(lambda tx: sessions.pause(tx, self.session, PauseReason.CHECKPOINT, {}))
        project(self.world.store, self.session)
        self.shown.append(set())
        answered = threading.Event()
        together = threading.Barrier(PEOPLE + 2)
        stale = self._look() if by_stale else None
        if stale:
            self.file.write_text(f"edited {len(self.shown)} before\n")
        threads = [
            threading.Thread(target=self._by_http, args=(together, answered, stale)) for _ in range(PEOPLE)
        ]
        threads.append(threading.Thread(target=self._by_command, args=(together, answered)))
        for thread in threads:
            thread.start()
        together.wait()
        for number in range(dice.randrange(4)):
            self.file.write_text(f"edited {len(self.shown)} {number}\n")
        for thread in threads:
            thread.join()

    def _by_http(self, together: threading.Barrier, answered: threading.Event, stale: str | None) -> None:
        """Look, then answer what was seen, until this pause is answered."""
        token = stale or self._look()
        together.wait()
        while token is not None and not answered.is_set():
            status, told = self.served.ask(
                "POST", f"{self.address}/commands/resume", {}, if_match=f'"{token}"'
            )
            self._note(status == 200 and not stale, status in CHANGED, f"{status} {told}", answered)
            token = stale or self._look()

    def _by_command(self, together: threading.Barrier, answered: threading.Event) -> None:
        token = self._look()
        together.wait()
        while token is not None and not answered.is_set():
            done = self.world.life.run("resume", self.session, "--expect", token, "--detach")
            self._note(done.code == 0, done.code != 0 and "expect" in done.err, done.err, answered)
            token = self._look()

    def _note(self, is_answered: bool, is_changed: bool, said: str, answered: threading.Event) -> None:
        self.outcomes["answered" if is_answered else "changed" if is_changed else "other"] += 1
        if is_answered:
            answered.set()
        elif not is_changed:
            self.other.append(said)

    def _look(self) -> str | None:
        """The token of what a page would show now: its digest is noted before anybody can answer it."""
        status, found = self.served.ask("GET", f"{self.address}/approval")
        if status != 200 or found is None:
            return None
        token = str(found["token"])
        self.shown[-1].add(token.partition(".")[2])
        return token
