"""Runs the unittest suites below the current folder and writes one JSON line a test; started as a script.

`python unittest_report.py run REPORT [FILE | FILE::CLASS | FILE::CLASS::TEST ...]`, or `list -`, which prints them. It is
run by the project's interpreter, so it needs nothing but the standard library, of Python 3.8 or newer.
"""

from __future__ import annotations

import json
import os
import sys
import unittest
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

NEVER_IN = {"node_modules", "venv", "build", "dist", "__pycache__"}
MESSAGE = 4000  # characters


def shortened(message: str) -> str:
    """Its begin and its end, where the error is named."""
    return (
        message
        if len(message) <= MESSAGE
        else f"{message[: MESSAGE // 4]}\n[...]\n{message[-MESSAGE // 2 :]}"
    )


def folders_with_tests(top: Path) -> Iterator[tuple[Path, Path]]:
    """Each folder with test files, and the folder its modules are imported relative to."""
    for name, inner, files in os.walk(top):
        folder = Path(name)
        inner[:] = sorted(
            one
            for one in inner
            if not one.startswith(".") and one not in NEVER_IN and not (folder / one / "pyvenv.cfg").exists()
        )
        if any(one.startswith("test") and one.endswith(".py") for one in files):
            root = folder
            while root != top and (root / "__init__.py").exists():
                root = root.parent
            yield folder, root


def tests_of(suite: Iterable[Any]) -> Iterator[unittest.TestCase]:
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from tests_of(item)
        else:
            yield item


def file_of(module: str) -> str:
    """The file of a loaded module below the current folder; else its name."""
    path = getattr(sys.modules.get(module), "__file__", None)
    return os.path.relpath(path) if path else module


def place(test: unittest.TestCase) -> tuple[str, str]:
    """The file of a test and its name, `Class::method`; the name is empty for a file that cannot be loaded."""
    if type(test).__module__ == "unittest.loader":
        module = str(getattr(test, "_testMethodName", test))
        found = (Path(top, *module.split(".")).with_suffix(".py") for top in sys.path)
        return next((os.path.relpath(path) for path in found if path.exists()), module), ""
    method = str(getattr(test, "_testMethodName", test))
    return file_of(type(test).__module__), f"{type(test).__qualname__}::{method}"


def load(top: Path) -> Iterator[unittest.TestCase]:
    """The tests of every folder, each once."""
    for folder, root in folders_with_tests(top):
        loader = unittest.TestLoader()
        for test in tests_of(loader.discover(str(folder), pattern="test*.py", top_level_dir=str(root))):
            file, name = place(test)
            if not name or Path(file).resolve().parent == folder:  # folders further down have their own turn
                yield test


class Report(unittest.TestResult):
    def __init__(self, stream: IO[str]) -> None:
        super().__init__()
        self.lines = stream
        self.outcome: dict[int, tuple[str, str]] = {}  # of the tests that are running
        self.written: set[int] = set()
        self.fixtures: dict[str, str] = {}  # module or class whose fixture ended so

    def write(self, test: Any, outcome: str, message: str) -> None:
        if isinstance(test, unittest.TestCase):
            file, name = place(test)
            self.written.add(id(test))
        else:  # a fixture of a class or module: "setUpClass (package.module.Class)"
            name = str(test)
            owner = name.partition("(")[2].rstrip(")")
            self.fixtures[owner] = outcome
            file = file_of(owner if owner in sys.modules else owner.rpartition(".")[0])
        line = {"outcome": outcome, "file": file, "name": name, "message": shortened(message)}
        self.lines.write(json.dumps(line) + "\n")
        self.lines.flush()

    def write_rest(self, tests: Iterable[unittest.TestCase]) -> None:
        """The tests that were never started, because a fixture of their class or module failed or skipped them."""
        for test in tests:
            if id(test) not in self.written:
                module, case = type(test).__module__, type(test).__qualname__
                outcome = self.fixtures.get(f"{module}.{case}", self.fixtures.get(module, "error"))
                self.write(test, outcome, "it was not run: see the fixtures of its class and module")

    def note(self, test: Any, outcome: str, message: str) -> None:
        known = self.outcome.get(id(test))
        if known is None:
            self.write(test, outcome, message)
        elif known[0] not in ("failed", "error"):
            self.outcome[id(test)] = (outcome, message)

    def startTest(self, test: Any) -> None:
        super().startTest(test)
        self.outcome[id(test)] = ("passed", "")

    def stopTest(self, test: Any) -> None:
        super().stopTest(test)
        self.write(test, *self.outcome.pop(id(test)))

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        self.note(test, "error", self.errors[-1][1])

    def addFailure(self, test: Any, err: Any) -> None:
        super().addFailure(test, err)
        self.note(test, "failed", self.failures[-1][1])

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            kind = "failed" if issubclass(err[0], test.failureException) else "error"
            self.note(test, kind, f"{subtest}\n{err[1]}")

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        self.note(test, "skipped", reason)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self.note(test, "skipped", "it fails as expected")

    def addUnexpectedSuccess(self, test: Any) -> None:
        super().addUnexpectedSuccess(test)
        self.note(test, "failed", "it passes, which is not expected")


def is_chosen(test: unittest.TestCase, wanted: set[str]) -> bool:
    file, name = place(test)
    return not wanted or not wanted.isdisjoint(
        {file, f"{file}::{name}", f"{file}::{name.partition('::')[0]}"}
    )


def main() -> int:
    action, report, wanted = sys.argv[1], sys.argv[2], set(sys.argv[3:])
    top = Path.cwd()
    sys.path[0] = str(top)  # not the folder of this script
    tests = [test for test in load(top) if is_chosen(test, wanted)]
    if action == "list":
        for test in tests:
            file, name = place(test)
            sys.stdout.write(json.dumps({"outcome": "skipped", "file": file, "name": name}) + "\n")
        sys.stdout.write('{"end": true}\n')
        return 0
    with Path(report).open("w", encoding="utf-8") as stream:
        result = Report(stream)
        unittest.TestSuite(list(tests)).run(result)
        result.write_rest(tests)
        stream.write('{"end": true}\n')
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
