"""Daemon, host and server are killed in turn, while people send commands with keys and a real browser looks on.

Each command is sent by a person of its own, under a key of its own, until it is answered: so that all that it left can be
found, and compared with what its sender was told, as in `make chaos`.
"""

from __future__ import annotations

import http.client
import itertools
import json
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.dispatch.dashboards import STATE_FOLDER, state_folder
from orchestrator.store import messages
from orchestrator.store.store import Store
from orchestrator.web.access import Access
from orchestrator.web.guard import FORM_TOKEN_HEADER
from tests import invariants
from tests.bench.measure import Figure
from tests.chaos import history, verdict
from tests.chaos.history import History, Traces
from tests.chaos.processes import living, strike
from tests.e2e.support import Lifecycle
from tests.e2e.web_server import Served, serve
from tests.patience import patient
from tests.web_load.crowd import Crowd
from tests.web_load.real_server import chromium
from tests.web_world import entered

if TYPE_CHECKING:
    from playwright.sync_api import Page

EVERY = 5.0  # seconds between two blows
STALE = 3.0  # seconds: nothing older is shown as live
TARGETS = ("daemon", "host", "server")
SESSIONS = 3  # that are not at their end
CLIENTS = 2
BEACON = 0.25  # seconds between two messages whose age on the page is looked at
NOTICED = """() => [document.getElementById('connection').dataset.state,
  [...document.querySelectorAll('#log li')].slice(-1)[0]?.textContent.match(/beacon (\\d+)\\./)?.[1] ?? '-1']"""
IDEAS = ("Build a booking service for a clinic", "Write a log shipper", "Build a URL shortener")
KINDS = ("pause", "resume", "feedback", "pause", "resume", "cancel")
UNANSWERED = 60.0  # seconds, more on a busy machine, after which a command counts as never answered


@dataclass
class Seen:
    """What came of it; without faults all is well."""

    blows: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)  # ok, fail, unknown
    retried: Counter[str] = field(default_factory=Counter)  # why a command was sent once more
    repeated: int = 0  # answers that said so: the command had been applied, and its answer was lost
    oldest: list[float] = field(default_factory=list)  # seconds that what was shown as live was behind
    returns: list[float] = field(
        default_factory=list
    )  # seconds from the server's return until the page was right
    noticed: list[float] = field(
        default_factory=list
    )  # seconds from the server's death until the page said so
    faults: list[str] = field(default_factory=list)


class Sender:
    """Sends commands over HTTP, each as another person, and writes down what it was told."""

    def __init__(self, life: Lifecycle, port: int, file: Path, seen: Seen) -> None:
        self._life, self._port, self._seen = life, port, seen
        self._access = Access(state_folder({STATE_FOLDER: str(life.folder.parent / "state")}))
        self._history = History(file)
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self.ends = threading.Event()

    def work(self, seed: int) -> None:
        """Keep some sessions running, and give commands to them, until it is to end."""
        dice = random.Random(seed)
        while not self.ends.is_set():
            open_ones = self._life.rows("SELECT id FROM sessions WHERE status IN ('active', 'paused')")
            if len(open_ones) < SESSIONS:
                self._start(dice)
            else:
                self._command(dice.choice(open_ones)[0], dice.choice(KINDS))
            self.ends.wait(dice.uniform(0.1, 0.5))

    def _start(self, dice: random.Random) -> None:
        id = self._id()
        body = {"task": f"{dice.choice(IDEAS)} (ref {id})", "mode": "full-lifecycle"}
        self._send(id, "start", "/api/v1/p/p/sessions", body)

    def _command(self, session: str, kind: str) -> None:
        address = f"/api/v1/p/p/sessions/{session}"
        body: dict[str, Any] = {}
        if kind == "resume":
            found = self._answer("GET", f"{address}/approval", self._id())
            if found is None or not isinstance(found[1], dict):
                return
            body = {"force": True, **({"expect": found[1]["token"]} if found[1].get("token") else {})}
        elif kind == "feedback":
            body = {"words": "The vision should name the market"}
        self._send(self._id(), kind, f"{address}/commands/{kind}", body)

    def _id(self) -> str:
        with self._lock:
            return f"b{next(self._numbers):04d}"

    def _send(self, id: str, kind: str, path: str, body: dict[str, Any]) -> None:
        """Send it until it is answered; sometimes once more, as a client that has lost the answer does."""
        with self._lock:
            self._history.note("invoke", id, kind=kind, mark=id, path=path)
        found = self._answer("POST", path, id, body)
        status, told = found or (0, {})
        outcome = "unknown" if found is None else "ok" if status < 300 else "fail"
        kept = {"session": told["session"]} if outcome == "ok" else {"status": status}
        with self._lock:
            self._history.note(outcome, id, told=kept)
            self._seen.commands[outcome] += 1
            self._seen.repeated += bool(outcome == "ok" and told.get("repeated"))
        if outcome == "ok" and int(id[1:]) % 3 == 0:
            again = self._answer("POST", path, id, body)
            if again is not None and (again[0] >= 300 or not _is_repeated(kind, again)):
                self._seen.faults.append(f"{id} {kind}, sent again under its key, gave {again}")

    def _answer(
        self, method: str, path: str, person: str, body: Any = None
    ) -> tuple[int, dict[str, Any]] | None:
        """The status and JSON of an answer that is one; None when there was none for long."""
        until = time.monotonic() + patient(UNANSWERED)
        given = entered(self._access, person)
        found = self._access.visitor(given)
        assert found is not None
        headers = {"cookie": f"lc-{self._port}={given}", "host": f"lifecycle.localhost:{self._port}"}
        if method == "POST":
            headers |= {
                "origin": f"http://lifecycle.localhost:{self._port}",
                "content-type": "application/json",
            }
            headers |= {FORM_TOKEN_HEADER: self._access.form_token(found.id), "idempotency-key": person}
        while time.monotonic() < until:
            connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
            try:
                connection.request(method, path, None if body is None else json.dumps(body), headers)
                answer = connection.getresponse()
                text = answer.read().decode()
                if answer.status < 500 and answer.status != 429:
                    return answer.status, json.loads(text)
                why = f"{answer.status} {json.loads(text)['title']}"
            except (
                OSError,
                http.client.HTTPException,
            ) as error:  # the server was killed: again, when it is back
                why = type(error).__name__
            finally:
                connection.close()
            with self._lock:
                self._seen.retried[why] += 1
            time.sleep(0.05)  # between two tries
        return None

    def close(self) -> None:
        self._history.close()


def _is_repeated(kind: str, answer: tuple[int, dict[str, Any]]) -> bool:
    return not answer[1]["created"] if kind == "start" else bool(answer[1].get("repeated"))


class Watcher:
    """The page of a real browser: a log into which a beacon is written by nobody who is killed."""

    def __init__(self, life: Lifecycle, session: str, page: Page, seen: Seen) -> None:
        self._store = Store(life.database)
        self._session, self._page, self._seen = session, page, seen
        self._written: list[float] = []
        self._ends = threading.Event()
        self._writer = threading.Thread(target=self._write)
        self._writer.start()
        self._down: float | None = None
        self._back: float | None = None

    def _write(self) -> None:
        while not self._ends.is_set():
            number = len(self._written)
            self._store.write(
                lambda tx, number=number: messages.event(tx, self._session, "note", f"beacon {number}.")  # type: ignore[misc]
            )
            self._written.append(time.monotonic())
            self._ends.wait(BEACON)

    def server_died(self) -> None:
        self._down, self._back = time.monotonic(), None

    def server_is_back(self) -> None:
        self._back = time.monotonic()

    def look(self) -> None:
        """What the page shows now: nothing old as live, and the truth again soon after the return."""
        asked = time.monotonic()
        state, text = self._page.evaluate(NOTICED)
        shown = int(text)
        missing = [at for at in self._written[shown + 1 :] if at < asked]
        behind = asked - missing[0] if missing else 0.0
        if state == "live":
            self._seen.oldest.append(behind)
            if self._back is not None and behind < 2 * BEACON:
                self._seen.returns.append(asked - self._back)
                self._back = None
        elif self._down is not None and state == "offline":
            self._seen.noticed.append(asked - self._down)
            self._down = None

    def close(self) -> None:
        self._ends.set()
        self._writer.join()
        self._store.close()


def storm(folder: Path, seconds: float) -> Seen:
    """Blows for so long, then peace, and the comparison of what was told with what is there."""
    seen = Seen()
    life = Lifecycle(folder / "p")
    sender: Sender | None = None
    try:
        began = life.run("start", "Write the log that is watched (ref watched)", "--detach", "--json")
        assert began.code == 0, began.err
        watched = str(began.json()["session"])
        server = serve(life)
        sender = Sender(life, server.port, folder / "history", seen)
        with chromium(folder / "profile") as browser:
            page = browser.new_context().new_page()
            page.goto(server.link)
            page.wait_for_url(f"{server.origin}/")
            page.goto(f"{server.origin}/p/p/s/{watched}/log")
            page.wait_for_selector("#connection[data-state=live]")
            watcher = Watcher(life, watched, page, seen)
            clients = [threading.Thread(target=sender.work, args=(n,)) for n in range(CLIENTS)]
            for each in clients:
                each.start()
            try:
                server = _rage(life, server, watcher, seen, seconds)
                _until_right(watcher, page, seen)
            finally:
                sender.ends.set()
                for each in clients:
                    each.join()
                watcher.close()
        seen.faults += _judged(life, folder / "history")
        invariants.check(life.database)
    finally:
        if sender is not None:
            sender.close()
        life.close()
    return seen


def _rage(life: Lifecycle, server: Served, watcher: Watcher, seen: Seen, seconds: float) -> Served:
    """Strike one after the other; the server is started again at once, as a supervisor would. The last server."""
    begun = time.monotonic()
    targets = itertools.cycle(TARGETS)
    due, target = EVERY, next(targets)
    while time.monotonic() - begun < seconds:
        watcher.look()
        if time.monotonic() - begun < due:
            time.sleep(0.05)  # between two looks
        elif target == "server":
            server.process.kill()
            server.process.wait()
            watcher.server_died()
            seen.blows[target] += 1
            server = _again(life, server, watcher)
            due, target = due + EVERY, next(targets)
        elif victims := living(life, None)[target]:
            seen.blows[target] += bool(strike(victims[0], None))
            due, target = due + EVERY, next(targets)
    return server


def _again(life: Lifecycle, server: Served, watcher: Watcher) -> Served:
    """Another server at the same port; the page is looked at meanwhile."""
    started: list[Served] = []
    starting = threading.Thread(target=lambda: started.append(serve(life, port=server.port)))
    starting.start()
    while starting.is_alive():
        watcher.look()
        time.sleep(0.05)  # between two looks
    watcher.server_is_back()
    (found,) = started
    return found


def _until_right(watcher: Watcher, page: Page, seen: Seen) -> None:
    """Until the page has been right after the last return."""
    until = time.monotonic() + patient(STALE) * 2
    while len(seen.returns) < seen.blows["server"] and time.monotonic() < until:
        watcher.look()
        page.wait_for_timeout(50)


def _judged(life: Lifecycle, file: Path) -> list[str]:
    """What was told against what is there; each person's rows are their command's."""
    calls = history.read(file)
    watched = "watched"
    sessions = {
        id: mark[1]
        for id, request in life.rows("SELECT id, request FROM sessions")
        if (mark := verdict.MARK.search(request)) and mark[1] != watched
    }
    traces: Traces = defaultdict(Counter)
    for who, found in verdict.traces(life).items():  # a decision names who decided, an event only the person
        traces[who.removesuffix(" (web)")].update(found)
    traces.pop(watched, None)
    keys = Counter(row[0] for row in life.rows("SELECT id FROM commands"))
    lost = [each.id for each in calls if each.outcome == "ok" and keys[each.id] != 1]
    return history.compare(calls, traces, sessions) + [f"{id}: acknowledged, without its key" for id in lost]


def figures(crowd: Crowd, seconds: float) -> Iterator[Figure]:
    """The storm, in a project of its own."""
    seen = storm(crowd.folder.parent / "storm", seconds)
    if seen.faults:
        raise AssertionError("\n".join(seen.faults))
    told = ", ".join(f"{count} {name}" for name, count in sorted((seen.blows + seen.commands).items()))
    note = f"{told}, {seen.retried.total()} sent again, {seen.repeated} had been applied"
    yield Figure("what was shown as live was behind by", "s", seen.oldest, below=STALE, share=1.0, note=note)
    yield Figure("a page says that the server is gone after", "s", seen.noticed, below=STALE, share=1.0)
    yield Figure("a page is right after the server's return in", "s", seen.returns, below=STALE, share=1.0)
