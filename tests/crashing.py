"""Dying at every point of a piece of work: the n-th statement or file operation is the last, for every n.

What a process leaves when it dies after one operation is what it leaves when it dies before the next, so one point
lies before each operation that changes something, and inside each write of a file (its first half is on the disk then).
SQLite's own writes are the power cut's business (tests/powercut.py).

`python -m tests.crashing` is a fork server: each point costs two forks, one that dies and one that goes on from what it
left. It has no thread and no connection, so nothing of it can confuse its children.
"""

from __future__ import annotations

import gc
import io
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

DIED = 86
FILE_OPERATIONS = ("rename", "replace", "link", "unlink", "rmdir", "mkdir", "fsync", "fdatasync", "ftruncate")


class Points:
    """Counts the points that are passed; at number `last` the process ends as if it were killed."""

    def __init__(self, last: int) -> None:
        self._last = last
        self._statements = 0
        self.passed = 0
        self.armed = False
        self.stride = 1  # every so many statements make a point

    def statement(self, sql: str) -> None:
        if sql.startswith(("SELECT", "PRAGMA")):
            return
        self._statements += 1
        if self._statements % self.stride == 0:
            self.reach()

    def reach(self) -> None:
        if not self.armed:
            return
        self.passed += 1
        if self.passed == self._last:
            os._exit(DIED)


def watch(points: Points) -> None:
    """Let every changing statement and every change of a file in this process be a point."""

    class Cursor(sqlite3.Cursor):
        def execute(self, sql: str, *given: Any) -> Any:
            points.statement(sql)
            return super().execute(sql, *given)

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Cursor) -> Any:
            return super().cursor(factory)

        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
            points.statement(sql)
            return super().execute(sql, *given)

    class Reader(sqlite3.Connection):
        def backup(self, target: Any, **options: Any) -> None:
            points.reach()
            super().backup(target, pages=20, progress=lambda *_: points.reach(), **options)

    def connect(database: Any, **options: Any) -> Any:
        reads = "mode=ro" in str(database)
        return plain_connect(database, factory=Reader if reads else Connection, **options)

    plain_connect: Any = sqlite3.connect
    sqlite3.connect = connect  # type: ignore[assignment]
    for name in FILE_OPERATIONS:
        setattr(os, name, _before(points, getattr(os, name)))
    plain_open: Any = io.open
    io.open = lambda *given, **options: _torn(points, plain_open(*given, **options))


def _before(points: Points, plain: Callable[..., Any]) -> Callable[..., Any]:
    def operation(*given: Any, **options: Any) -> Any:
        points.reach()
        return plain(*given, **options)

    return operation


def _torn(points: Points, file: Any) -> Any:
    if not isinstance(file, io.BufferedWriter):
        return file
    points.reach()  # the file is there, and empty

    class Torn(io.BufferedWriter):
        def write(self, body: Any) -> int:
            half = len(body) // 2
            super().write(body[:half])
            self.flush()
            points.reach()
            return half + super().write(body[half:])

    return Torn(file.detach())


@dataclass
class Found:
    """What dying at every point of a scenario led to."""

    points: int = 0
    died: int = 0
    stories: list[Any] = field(
        default_factory=list
    )  # after the death at point 1, 2 ... and of the undisturbed run
    broken: dict[str, str] = field(default_factory=dict)  # point -> what is wrong there


class Scenario(Protocol):
    """`prepare` makes a folder, `act` changes it until it dies, `go_on` is the next process: it raises when something
    is wrong, and returns the story it ends with, which must always be that of the run that nobody disturbed."""

    def prepare(self, folder: Path) -> None: ...

    def act(self, folder: Path, points: Points) -> None: ...

    def go_on(self, folder: Path) -> Any: ...


def crash(scenario: Scenario, folder: Path) -> Found:
    """For every n: `act` on a copy of what was prepared until it dies at its n-th point, then `go_on` from what is left."""
    base, scratch = folder / "base", folder / "scratch"
    code, words = in_child(lambda: scenario.prepare(base))
    if code != 0:
        raise AssertionError(f"the scenario cannot be prepared: {words}")
    found = Found()
    number = 0
    code = DIED
    while code == DIED:
        number += 1
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(base, scratch)
        code, words = in_child(lambda number=number: _act_until(scenario, scratch, number))  # type: ignore[misc]
        if code not in (0, DIED):
            raise AssertionError(f"the scenario itself failed: {words}")
        found.died += code == DIED
        after, story = in_child(lambda: scenario.go_on(scratch))
        if after != 0:
            found.broken[str(number)] = story
        found.stories.append(story if after == 0 else None)
    found.points = int(words)
    for number, story in enumerate(found.stories, 1):
        if story is not None and story != found.stories[-1]:
            found.broken[str(number)] = difference(found.stories[-1], story)
    return found


def _act_until(scenario: Scenario, folder: Path, number: int) -> int:
    points = Points(number)
    watch(points)
    scenario.act(folder, points)
    return points.passed


def difference(wanted: Any, got: Any) -> str:
    return "; ".join(
        f"{name}: wanted {wanted[name]!r}, got {got.get(name)!r}"
        for name in wanted
        if wanted[name] != got.get(name)
    )


def in_child(work: Callable[[], Any]) -> tuple[int, Any]:
    """Do `work` in a forked child: its exit code, and its answer or the traceback it ended with."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        code, answer = 1, ""
        try:
            answer, code = json.dumps(work()), 0
        except BaseException:
            answer = json.dumps(traceback.format_exc())
        with open(into, "w") as pipe:  # noqa: PTH123 - a descriptor
            pipe.write(answer)
        os._exit(code)
    os.close(into)
    with open(out) as pipe:  # noqa: PTH123 - a descriptor
        said = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, json.loads(said) if said else None


@contextmanager
def _to_standard_error() -> Iterator[Any]:
    """Standard output is for answers: what a scenario prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    try:
        yield answers
    finally:
        answers.close()


def main() -> int:
    """Answer each line `{"scenario": name, "folder": path}` with one line: what was found."""
    from tests.crash_scenarios import PLANTED, SCENARIOS, prepared_edit, warm

    with tempfile.TemporaryDirectory() as folder:
        in_child(lambda: prepared_edit(Path(folder) / "base"))
        warm(Path(folder) / "base")
    gc.collect()
    gc.disable()  # a collection would copy every page of every child
    gc.freeze()
    scenarios = SCENARIOS | PLANTED
    assert threading.active_count() == 1, "a fork would leave the other threads' locks taken"
    with _to_standard_error() as answers:
        for line in sys.stdin:
            asked = json.loads(line)
            found = crash(scenarios[asked["scenario"]], Path(asked["folder"]))
            words = {"points": found.points, "died": found.died, "broken": found.broken}
            answers.write(json.dumps(words) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
