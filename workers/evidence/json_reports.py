"""Reports as JSON: jest and vitest, mocha, `go test -json`, and the lines of our own reporters."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator

from orchestrator.domain.evidence import ERROR, FAILED, PASSED, SKIPPED
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.patterns import expression
from workers.evidence.cases import MAX_MESSAGE, CaseList, Cases
from workers.evidence.runner import SEPARATOR

_JEST_OUTCOMES = {
    "passed": PASSED,
    "failed": FAILED,
    "pending": SKIPPED,
    "skipped": SKIPPED,
    "todo": SKIPPED,
    "disabled": SKIPPED,
}
_GO_OUTCOMES = {"pass": PASSED, "fail": FAILED, "skip": SKIPPED}
_MAX_OUTPUT_LINES = 40  # of one failed test
_OUTCOMES = frozenset({PASSED, FAILED, ERROR, SKIPPED})

Below = Callable[[str], str | None]
"""The path below the tree of a file in a report; None for one outside."""


def jest_cases(data: bytes, below: Below) -> Cases:
    """The cases of a report by `jest --json` or vitest's json reporter."""
    into = CaseList()
    report = _object(data, into)
    suites = _list(report, "testResults")
    if suites is None:
        into.fault("its report has no testResults")
    for suite in suites or ():
        file = _file(suite, "name", below)
        tests = _list(suite, "assertionResults") or []
        for test in tests:
            titles = [t for t in _list(test, "ancestorTitles") or [] if isinstance(t, str)]
            name = " > ".join([*(t for t in titles if t), _text(test, "title")])
            status = _text(test, "status")
            outcome = _JEST_OUTCOMES.get(status, ERROR)
            messages = [m for m in _list(test, "failureMessages") or [] if isinstance(m, str)]
            into.add(f"{file}{SEPARATOR}{name}", outcome, "\n".join(messages), file)
        if _text(suite, "status") == "failed" and not any(_text(t, "status") == "failed" for t in tests):
            into.add(file, ERROR, _text(suite, "message"), file)  # it could not be loaded
    return into.done()


def mocha_cases(data: bytes, below: Below) -> Cases:
    """The cases of a report by mocha's json reporter."""
    into = CaseList()
    report = _object(data, into)
    tests = _list(report, "tests")
    if tests is None:
        into.fault("its report has no tests")
    pending = {_mocha_key(test) for test in _list(report, "pending") or ()}
    listed = set()
    for test in tests or ():
        error = test.get("err") if isinstance(test, dict) else None
        failed = isinstance(error, dict) and bool(error)
        outcome = FAILED if failed else SKIPPED if _mocha_key(test) in pending else PASSED
        file = _file(test, "file", below)
        listed.add(_mocha_key(test))
        message = _text(error, "stack") or _text(error, "message")
        into.add(f"{file}{SEPARATOR}{_text(test, 'fullTitle')}", outcome, message, file)
    for failure in _list(report, "failures") or ():  # hooks fail here without being tests
        if _mocha_key(failure) not in listed:
            file, message = _file(failure, "file", below), _text(_value(failure, "err"), "message")
            into.add(f"{file}{SEPARATOR}{_text(failure, 'fullTitle')}", ERROR, message, file)
    return into.done()


def _mocha_key(test: Json) -> tuple[str, str]:
    return _text(test, "file"), _text(test, "fullTitle")


_GO_NOT_BUILT = expression(r"^FAIL\t(\S+) \[(?:build|setup) failed\]$", re.MULTILINE)


def go_cases(out: str, place: Callable[[str], str]) -> Cases:
    """The cases of `go test -json`; `place` gives the folder below the tree of a package.

    A package that does not compile, and a test that was running when its process died, are errors. Before Go 1.24 the former
    is a line that is no JSON; what tests print is always inside of it.
    """
    into = CaseList()
    for found in _GO_NOT_BUILT.finditer(out):
        into.add(place(found[1]), ERROR, found[0])
    running: dict[
        str, dict[str, list[str]]
    ] = {}  # package -> its tests that have not ended -> what they printed
    printed: dict[str, list[str]] = {}  # by package, outside of tests
    failed_in: set[str] = set()
    for event in _lines(out):
        package, test, action = _text(event, "Package"), _text(event, "Test"), _text(event, "Action")
        tests = running.setdefault(package, {})
        if action == "build-output":
            package = _text(event, "ImportPath").partition(" ")[0]
            _keep(printed.setdefault(package, []), _text(event, "Output"))
        elif action == "output":
            _keep(tests[test] if test in tests else printed.setdefault(package, []), _text(event, "Output"))
        elif test and action == "run":
            tests[test] = []
        elif test and action in _GO_OUTCOMES:
            output = "".join(tests.pop(test, []))
            if action == "fail":
                failed_in.add(package)
            message = output if action != "pass" else ""
            into.add(f"{place(package)}{SEPARATOR}{test}", _GO_OUTCOMES[action], message)
        elif package and action == "fail":
            if package not in failed_in and not tests:
                into.add(place(package), ERROR, "".join(printed.get(package, [])) or "it does not build")
            _not_ended(running.pop(package), place(package), into)
    for package, tests in running.items():
        _not_ended(tests, place(package), into)
    return into.done()


def _not_ended(tests: dict[str, list[str]], place: str, into: CaseList) -> None:
    for name, output in tests.items():
        into.add(f"{place}{SEPARATOR}{name}", ERROR, "".join(output) or "its process ended before it did")


def own_cases(data: bytes, below: Below) -> Cases:
    """The cases of the JSON lines that our own reporters for node:test and unittest write.

    The last line is `{"end": true}`: without it the run was cut short.
    """
    into = CaseList()
    ended = False
    for line in _lines(data.decode("utf-8", "replace")):
        if line.get("end") is True:
            ended = True
            continue
        outcome, name = _text(line, "outcome"), _text(line, "name")
        if outcome not in _OUTCOMES:
            into.fault("its report has a line of an unknown kind")
            continue
        file = below(_text(line, "file")) or ""
        id = f"{file}{SEPARATOR}{name}" if name else file
        into.add(id, outcome, _text(line, "message"), file)
    if not ended:
        into.fault("its report is cut short: the run did not reach its end")
    return into.done()


def _object(data: bytes, into: CaseList) -> JsonObject:
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        into.fault(f"its report is not valid JSON: {str(error)[:200]}")
        return {}
    if not isinstance(value, dict):
        into.fault("its report is not a JSON object")
        return {}
    return value


def _lines(text: str) -> Iterator[JsonObject]:
    """The JSON objects among the lines; other lines are what the tools print beside them."""
    for line in io.StringIO(text):  # one at a time: millions of lines are millions of strings
        if not line.startswith("{"):
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _value(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, dict) else None


def _text(value: Json, key: str) -> str:
    found = _value(value, key)
    return found if isinstance(found, str) else ""


def _list(value: Json, key: str) -> list[Json] | None:
    found = _value(value, key)
    return found if isinstance(found, list) else None


def _file(value: Json, key: str, below: Below) -> str:
    path = _text(value, key)
    return (below(path) if path else None) or path.rpartition("/")[2]


def _keep(lines: list[str], line: str) -> None:
    if len(lines) < _MAX_OUTPUT_LINES:
        lines.append(line[:MAX_MESSAGE])
