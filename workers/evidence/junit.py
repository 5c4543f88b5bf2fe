"""JUnit reports, read as a stream.

No library reads them here: `junitparser` drops test cases that stand directly below `testsuites`, where node:test and
others write theirs, and neither refuses a document type nor bounds what it builds in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.evidence import ERROR, FAILED, PASSED, SKIPPED
from workers.evidence.cases import MAX_MESSAGE, CaseList, Cases
from workers.evidence.error_text import shortened

_MAX_DEPTH = 100
_MAX_TEXT = 100_000  # characters of a result that are held at a time
_OUTCOMES = {"failure": FAILED, "error": ERROR, "skipped": SKIPPED}
_WORST_FIRST = ("error", "failure", "skipped")


class _Unreadable(ValueError):
    """The text is no report."""


@dataclass(slots=True)
class JUnitCase:
    """One `testcase` element as written."""

    name: str
    classname: str
    file: str
    suites: tuple[str, ...]  # names of the suites around it, outermost first
    results: dict[str, str] = field(default_factory=dict)  # failure, error, skipped -> message


Name = Callable[[JUnitCase], tuple[str, str]]
"""The stable id and the file below the tree of a case."""


def junit_cases(data: bytes, name: Name) -> Cases:
    """The cases of a JUnit report; what is no such report is a fault, and it never raises."""
    into = CaseList()
    reader = _Reader(into, name)
    try:
        reader.read(data)
    except (_Unreadable, expat.ExpatError, ValueError, LookupError) as error:
        into.fault(f"its report is not valid JUnit: {str(error)[:200]}")
    return into.done()


class _Reader:
    def __init__(self, into: CaseList, name: Name) -> None:
        self._into = into
        self._name = name
        self._depth = 0
        self._suites: list[str] = []
        self._case: JUnitCase | None = None
        self._case_depth = 0
        self._result = ""  # the result element that is open
        self._message = ""
        self._text = ""
        self._has_suites = False

    def read(self, data: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.Parse(data, True)
        if not self._has_suites:
            raise _Unreadable("it has no test suite")

    def _refuse(self, *_: object) -> None:
        raise _Unreadable("it has a document type, which is not read")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _Unreadable(f"it is nested deeper than {_MAX_DEPTH}")
        tag = tag.rpartition("}")[2]
        if self._depth == 1 and tag not in ("testsuites", "testsuite"):
            raise _Unreadable("its first element is neither testsuites nor testsuite")
        if tag in ("testsuites", "testsuite"):
            self._has_suites = True
            if tag == "testsuite":
                self._suites.append(attributes.get("name", ""))
        elif tag == "testcase":
            if self._case is not None:
                raise _Unreadable("a test case is inside another")
            self._case_depth = self._depth
            self._case = JUnitCase(
                attributes.get("name", ""),
                attributes.get("classname", ""),
                attributes.get("file", ""),
                tuple(self._suites),
            )
        elif self._case is not None and tag in _OUTCOMES and self._depth == self._case_depth + 1:
            self._result, self._text = tag, ""
            self._message = attributes.get("message", "")

    def _characters(self, text: str) -> None:
        if self._result:
            self._text += text
            if len(self._text) > _MAX_TEXT:
                self._text = shortened(self._text, MAX_MESSAGE)

    def _end(self, tag: str) -> None:
        tag = tag.rpartition("}")[2]
        if self._case is not None and self._depth == self._case_depth:
            self._close(self._case)
            self._case = None
        elif self._case is not None and tag == self._result and self._depth == self._case_depth + 1:
            self._case.results[tag] = "\n".join(part for part in (self._message, self._text) if part.strip())
            self._result = ""
        elif tag == "testsuite":
            self._suites.pop()
        self._depth -= 1

    def _close(self, case: JUnitCase) -> None:
        if not case.name.strip():
            raise _Unreadable("it has a test case without a name")
        if self._into.is_full:
            raise _Unreadable("it has too many tests")
        id, file = self._name(case)
        worst = next((result for result in _WORST_FIRST if result in case.results), None)
        outcome = _OUTCOMES[worst] if worst else PASSED
        self._into.add(id, outcome, case.results[worst] if worst else "", file)
