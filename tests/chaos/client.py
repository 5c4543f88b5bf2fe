"""The client: gives commands as a user would, up to two at a time, and keeps its history.

Each command runs under a name of its own (LOGNAME), which the product writes into decisions and events: so everything
that came from outside can be traced to the command that asked for it.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.history import History
from tests.chaos.plan import Errand
from tests.e2e.support import Lifecycle

IDEAS = (
    "Build a catalogue for a small museum that says where each object lies",
    "Build a URL shortener with an admin dashboard",
    "A booking service for a clinic with reminders by mail",
    "Write a log shipper that never loses a line",
    "为图书馆设计一个借阅系统",
)
OPTIONS = (
    (),
    (),
    ("--execution", "sequential"),
    ("--discuss", "off"),
    ("--discuss", "standalone"),
    ("--perspectives", "product,risk"),
)
WORDS = (
    "The vision should name the market",
    "Add a requirement about exports",
    "The architecture needs another database",
    "Split the first epic into smaller stories",
)
HANGS = 100.0  # seconds after which a command that nobody struck counts as hung
PATIENCE = (0.5, 6.0)  # seconds that a client follows before it presses Ctrl-C
FAULT = "this is an internal error"


@dataclass
class Flight:
    """A command under way."""

    id: str
    kind: str
    lane: int
    process: subprocess.Popen[bytes]
    begun: float
    leave: float  # when its client loses patience
    left: bool = False
    struck: bool = False


class Client:
    def __init__(self, project: Lifecycle, folder: Path, prefix: str) -> None:
        self._project = project
        self._said = folder / "said"
        self._said.mkdir()
        self.file = folder / "history"
        self._history = History(self.file)
        self._prefix = prefix
        self._count = 0
        self._keyed: list[tuple[str, list[str]]] = []  # key, arguments
        self.flights: list[Flight] = []
        self.faults: list[str] = []

    def busy(self, lane: int) -> bool:
        return any(flight.lane == lane for flight in self.flights)

    def run(self, errand: Errand) -> None:
        """Give the command that the errand stands for, in the project as it is now."""
        dice = random.Random(errand.dice)
        if errand.kind == "start":
            self._start(errand.lane, dice)
            return
        arguments = self._arguments(errand.kind, dice)
        if arguments is not None:
            follow = dice.uniform(*PATIENCE) if dice.random() < 0.3 else None
            self.send(errand.lane, errand.kind, arguments, follow=follow)

    def _start(self, lane: int, dice: random.Random) -> None:
        key: str | None
        if self._keyed and dice.random() < 0.25:
            key, arguments = dice.choice(self._keyed)  # the same once more, as a script that is run again
        else:
            key = f"{self._prefix}k{self._count:03d}" if dice.random() < 0.75 else None
            idea = dice.choice(IDEAS)
            mark = key or f"{self._prefix}c{self._count:03d}"
            arguments = ["start", f"{idea} (ref {mark})", *dice.choice(OPTIONS)]
            if key is not None:
                arguments += ["--key", key]
                self._keyed.append((key, arguments))
        env = {}
        if dice.random() < 0.2:  # the instants around the commit are short: help the killer to meet them
            env["LIFECYCLE_FAILPOINT"] = f"start.{dice.choice(['before', 'after'])}_commit=kill"
        self.send(lane, "start", arguments, mark=key, env=env)

    def _arguments(self, kind: str, dice: random.Random) -> list[str] | None:
        if kind == "daemon":
            return ["daemon", "start"]
        sessions = self._project.rows("SELECT id FROM sessions ORDER BY created_at, id")
        if not sessions:
            return None
        session = dice.choice(sessions)[0]
        tasks = self._project.rows("SELECT key FROM tasks WHERE session_id = ? ORDER BY seq", session)
        task = dice.choice(tasks)[0]
        forced = ["--force"] if dice.random() < 0.3 else []
        return {
            "check": lambda: ["check", session],
            "msg": lambda: ["msg", "log", "--session", session, "--from", "chaos", "--summary", "@id hello"],
            "revise": lambda: ["revise", task, dice.choice(WORDS), "--session", session, *forced],
            "feedback": lambda: ["feedback", dice.choice(WORDS), "--session", session],
            "pause": lambda: ["pause", session, "--words", "wait"],
            "resume": lambda: ["resume", session, *forced],
            "retry": lambda: ["resume", session, "--retry", task],
            "skip": lambda: ["resume", session, "--skip", task],
            "cancel": lambda: ["cancel", session, "--words", "enough"],
            "recheck": lambda: ["recheck", "--session", session],
            "improve": lambda: ["improve", "--session", session],
        }[kind]()

    def again(self) -> bool:
        """Give every start with a key once more; its client has to know in the end what became of it. False: none left."""
        while self._keyed:
            key, arguments = self._keyed.pop(0)
            self.send(0, "start", arguments, mark=key)
            return True
        return False

    def send(
        self,
        lane: int,
        kind: str,
        arguments: list[str],
        *,
        mark: str | None = None,
        follow: float | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        id = f"{self._prefix}c{self._count:03d}"
        self._count += 1
        arguments = [argument.replace("@id", id) for argument in arguments]
        if kind not in ("daemon",):
            arguments.append("--json")
        if follow is None and kind in FOLLOWS:
            arguments.append("--detach")
        self._history.note("invoke", id, kind=kind, mark=mark or id, arguments=arguments)
        with self._out(id).open("wb") as out, self._err(id).open("wb") as err:
            process = subprocess.Popen(
                self._project.command(*arguments),
                cwd=self._project.folder,
                env={**self._project.environment, "LOGNAME": id, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        now = time.monotonic()
        self.flights.append(Flight(id, kind, lane, process, now, now + (follow or float("inf"))))

    def collect(self) -> None:
        """Write down what has ended; press Ctrl-C where the client has lost patience."""
        now = time.monotonic()
        for flight in list(self.flights):
            if flight.process.poll() is not None:
                self.flights.remove(flight)
                self._ended(flight)
            elif now > flight.leave and not flight.left:
                flight.left = True
                flight.process.send_signal(signal.SIGINT)
            elif now > flight.begun + HANGS:
                self.faults.append(
                    f"{flight.id} {flight.kind} hung for {HANGS:.0f} s: {self._words(flight.id)}"
                )
                flight.process.kill()
                flight.process.wait()

    def _ended(self, flight: Flight) -> None:
        code = flight.process.returncode
        told: dict[str, Any] = {}
        if code in (0, 3, 4):
            outcome, told = "ok", self._told(flight)
        else:  # 1: it failed after its commit, as when no coordinator stays up; 130: interrupted
            outcome = "fail" if code == 2 else "unknown"
        self._history.note(outcome, flight.id, code=code, told=told)
        words = self._words(flight.id)
        if FAULT in words or ("Traceback" in words and not (flight.left or flight.struck)):
            self.faults.append(f"{flight.id} {flight.kind} gave {code}: {words}")

    def _told(self, flight: Flight) -> dict[str, Any]:
        if flight.kind == "daemon":
            return {}
        said = self._out(flight.id).read_text()
        try:
            found = json.loads(said)
        except ValueError:
            self.faults.append(f"{flight.id} {flight.kind} ended well and said no JSON: {said[:500]!r}")
            return {}
        return {key: found[key] for key in ("session", "id") if key in found}

    def _out(self, id: str) -> Path:
        return self._said / f"{id}.out"

    def _err(self, id: str) -> Path:
        return self._said / f"{id}.err"

    def _words(self, id: str) -> str:
        return self._err(id).read_text(errors="replace")[-2_000:]

    def close(self) -> None:
        for flight in self.flights:
            flight.process.kill()
            flight.process.wait()
        self._history.close()


FOLLOWS = ("start", "resume", "retry", "skip", "revise", "feedback", "recheck", "improve")
