"""Approvals over HTTP, raced with edits by hand and the command line: none is for what its giver was not shown."""

from __future__ import annotations

import http.client
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import pytest

from orchestrator.coordinator.projector import project
from orchestrator.dispatch.dashboards import STATE_FOLDER, state_folder
from orchestrator.domain.approvals import parse_token
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import artifacts, sessions
from orchestrator.store.edits import session_directory
from orchestrator.store.store import Tx
from orchestrator.web.access import Access
from orchestrator.web.guard import FORM_TOKEN_HEADER
from tests import factories
from tests.e2e.cli_world import World, make_world, work_off
from tests.e2e.support import lifecycle
from tests.e2e.web_server import Served, serve
from tests.patience import patient
from tests.web_world import entered

BRIEF = "spec/DRAFT-001.md"
EDITS = 3  # of one pause, at most
LATE_SECONDS = 0.5  # after which the next edit is made though nobody was refused for the one before
REFUSALS = {409, 412, 428}
DECIDED = "SELECT who, digest, at FROM decisions WHERE session_id = ? AND subject = 'approve_checkpoint' ORDER BY id"
OF_FORMS = {
    "content-type": "application/x-www-form-urlencoded",
    "accept": "text/html",
    "sec-fetch-site": "same-origin",
    "origin": "null",  # as a browser sends it under `Referrer-Policy: no-referrer`
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


@pytest.mark.parametrize(
    "pauses", [6, pytest.param(250, marks=[pytest.mark.long, pytest.mark.timeout(3600)])]
)
def test_no_approval_over_http_is_for_what_was_not_shown_and_each_pause_is_answered_once(
    world: World, pauses: int
) -> None:
    """Four answer each pause at once, and again when they are refused: of 250 pauses there are more than 1,000 approvals."""
    session = factories.make_session(world.store, "Some work")
    work_off(world.store, session, until="DRAFT-002")
    race = Race(world, session, serve(world.life))
    for number in range(pauses):
        race.answer_one_pause(number)

    assert race.faults == []
    assert len(world.life.rows(DECIDED, session)) == pauses
    assert race.told["refused: 412"] > pauses, race.told
    assert race.told["taken by command"] > 0, race.told


@dataclass(frozen=True)
class Shown:
    """What somebody was shown of a pause, and can answer it by."""

    token: str
    page: str = ""  # for who reads what changed
    form: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Told:
    status: int
    text: str
    answered: bool  # it says that this answered the pause


class Person:
    """Somebody with a browser of their own: reads the page that decides, and sends its form."""

    def __init__(self, race: Race, name: str, dice: random.Random) -> None:
        self.name, self.race, self.dice = name, race, dice
        cookie = entered(race.access, name)
        found = race.access.visitor(cookie)
        assert found is not None
        self.form_token = race.access.form_token(found.id)
        self._headers = {
            "cookie": f"lc-{race.served.port}={cookie}",
            "host": f"lifecycle.localhost:{race.served.port}",
        }

    def look(self) -> Shown | None:
        status, page = self.ask("GET", f"/p/p/s/{self.race.session}/decide")
        assert status == 200, page
        form = page.partition('id="answers"')[2].partition("</form>")[0]
        fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
        return Shown(fields["expect"], page, fields) if "expect" in fields else None

    def answer(self, shown: Shown) -> Told:
        address = f"/p/p/s/{self.race.session}/commands/resume"
        status, page = self.ask("POST", address, urlencode(shown.form), OF_FORMS)
        return Told(status, page, status == 303)

    def ask(
        self, method: str, path: str, body: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.race.served.port, timeout=60)
        connection.request(method, path, body, {**self._headers, **(headers or {})})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


class Program(Person):
    """A program with this person's cookie: asks the API, and answers by If-Match; now and then without."""

    def look(self) -> Shown | None:
        status, text = self.ask("GET", f"/api/v1/p/p/sessions/{self.race.session}/approval")
        assert status == 200, text
        pause = json.loads(text)
        return Shown(pause["token"]) if pause else None

    def answer(self, shown: Shown) -> Told:
        given = {
            "content-type": "application/json",
            "origin": self.race.served.origin,
            FORM_TOKEN_HEADER: self.form_token,
        }
        if self.dice.random() < 0.8:
            given["if-match"] = f'"{shown.token}"'
        address = f"/api/v1/p/p/sessions/{self.race.session}/commands/resume"
        status, text = self.ask("POST", address, "{}", given)
        return Told(status, text, status == 200 and json.loads(text)["answered"] is not None)


class Terminal:
    """Somebody at the command line; now and then without `--expect`, by which only what the pause showed is approved."""

    def __init__(self, race: Race, dice: random.Random) -> None:
        self.name, self.race, self.dice = "the terminal", race, dice
        self.said = threading.Event()
        self.accepted: list[str] = []  # tokens by which a command was not refused

    def look(self) -> Shown | None:
        pause = self.race.life.run("check", self.race.session, "--json").json()["pause"]
        return Shown(pause["token"]) if pause else None

    def answer(self, shown: Shown) -> Told:
        named = self.dice.random() < 0.7
        options = ["--expect", shown.token] if named else []
        done = self.race.life.run("resume", self.race.session, "--detach", "--json", *options)
        if done.code == 0:
            self.accepted.append(shown.token if named else self.race.at_the_pause)
        self.said.set()
        return Told(200 if done.code == 0 else 412, done.out + done.err, answered=False)  # that is seen later


class Race:
    """Pauses of one session, each of which four answer while somebody edits what they approve."""

    def __init__(self, world: World, session: str, served: Served) -> None:
        self.life, self.store, self.session, self.served = world.life, world.store, session, served
        self.access = Access(state_folder({STATE_FOLDER: str(world.life.folder.parent / "state")}))
        self.told: Counter[str] = Counter()
        self.faults: list[str] = []
        self.at_the_pause = ""  # the token of what the pause showed
        self._file = session_directory(world.store.workflow, session) / BRIEF
        self._refused = threading.Condition()
        self._taken: list[tuple[Person, Shown]] = []
        self._approved = ""  # the text that was approved last

    def answer_one_pause(self, number: int) -> None:
        """Judged by what the database says then."""
        self.store.write(lambda tx: sessions.pause(tx, self.session, PauseReason.CHECKPOINT, {}))
        project(self.store, self.session)
        dice = random.Random(number)
        self._number, self._terminal = number, Terminal(self, dice)
        at_first = self._terminal.look()
        assert at_first is not None
        self.at_the_pause = at_first.token
        self._taken = []
        people: list[Person | Terminal] = [
            *(Person(self, f"{name} {number}", dice) for name in ("ana", "berta")),
            Program(self, f"carla {number}", dice),
            self._terminal,
        ]
        together, answered = threading.Barrier(len(people) + 1), threading.Event()
        with ThreadPoolExecutor(len(people)) as threads:
            given = [threads.submit(self._answer, person, together, answered) for person in people]
            together.wait(patient(60))
            if number % 6 != 5:  # else the command line is the first to answer
                self._edit(f"edited{number}x", dice.randrange(EDITS + 1), answered)
            for each in given:
                each.result()
        self._judge(number)

    def _answer(
        self, person: Person | Terminal, together: threading.Barrier, answered: threading.Event
    ) -> None:
        """Look, then answer what was seen, until this pause is answered."""
        shown = person.look()
        together.wait(patient(60))
        while isinstance(person, Person) and self._is_read_on(person.dice):
            person.look()  # they take their time, and answer what they saw at first
        while shown is not None and not answered.is_set():
            told = person.answer(shown)
            if told.answered:
                answered.set()
                assert isinstance(person, Person)
                self._taken.append((person, shown))
                if shown.form:  # a second click
                    again = person.answer(shown)
                    self._note(person, again, "sent again" if again.answered else "not taken as sent again")
            elif told.status not in REFUSALS | {200}:
                self.faults.append(f"{person.name}: {told.status} {told.text[:500]}")
            elif told.status == 412 and not re.search(
                f"{BRIEF}|does not wait|waits for another|as the pause showed it", told.text
            ):
                self.faults.append(f"{person.name} was not told what changed: {told.text[:2000]}")
            self._note(person, told, "answered" if told.answered else f"refused: {told.status}")
            with self._refused:
                self._refused.notify_all()
            shown = person.look()

    def _is_read_on(self, dice: random.Random) -> bool:
        """Whether somebody reads once more: of the first of three pauses not, of the last until a command has ended."""
        turn = self._number % 3
        return not self._terminal.said.is_set() if turn == 2 else turn == 1 and dice.random() < 0.7

    def _note(self, person: Person | Terminal, told: Told, what: str) -> None:
        with self._refused:
            self.told[what] += 1
            self.told["by command"] += isinstance(person, Terminal) and told.status == 200

    def _edit(self, word: str, times: int, answered: threading.Event) -> None:
        """Edit what is approved, each time when somebody was refused for the edit before."""
        for number in range(times):
            with self._refused:
                before = self.told["refused: 412"]
                self._file.write_text(f"{word}{number}\n")
                self._refused.wait_for(
                    lambda before=before: answered.is_set() or self.told["refused: 412"] > before,  # type: ignore[misc]
                    LATE_SECONDS,
                )

    def _judge(self, number: int) -> None:
        """One decision more, by whom it was told to, for what they were shown."""
        decided = self.life.rows(DECIDED, self.session)
        if len(decided) != number + 1:
            self.faults.append(f"pause {number} has been answered {len(decided) - number} times")
            return
        who, digest, at = decided[-1]
        told = [f"{person.name} (web)" for person, _ in self._taken]
        tokens = [shown.token for _, shown in self._taken]
        if not who.endswith(" (web)"):
            self.told["taken by command"] += 1
            told, tokens = [who, *told], self._terminal.accepted
        if told != [who]:
            self.faults.append(f"pause {number} was answered by {who}, and these were told so: {told}")
        if not any(parse_token(token).names(digest) for token in tokens):
            self.faults.append(f"pause {number}: {who} was shown {tokens}, and approved {digest}")
        before, self._approved = self._approved, self._newest(at)
        for person, shown in self._taken:
            new = set(re.findall(r"edited\w+", shown.page)) - {before}
            if (
                shown.page and number and new != {self._approved} - {before, ""}
            ):  # empty: while it was written
                said = f"{self._approved!r} behind {before!r}, and was shown {new}"
                self.faults.append(f"pause {number}: {person.name} approved the text {said}")

    def _newest(self, at: int) -> str:
        """The text that was approved at this time."""

        def unit(tx: Tx) -> str:
            versions = [row for row in artifacts.every_version(tx, self.session) if row.path == BRIEF]
            newest = [row for row in versions if row.created_at <= at][-1]
            return artifacts.body(tx, newest.sha256).decode().strip()

        return self.store.read(unit)
