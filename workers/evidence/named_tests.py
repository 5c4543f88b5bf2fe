"""Which tests of a report an agent means by a name: the test itself, or everything that it stands for.

A name without parameters stands for all cases of a parametrized test, that of a file, a class, a group or a test with
subtests for all below it. The nearest reading that finds a test counts, and no other.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from orchestrator.domain.patterns import expression
from workers.evidence.code_only import language_of
from workers.evidence.runner import SEPARATOR, split_id

GROUP = " > "  # between the titles of JavaScript's groups and tests
_CASE = expression(r"\[.*\]|[({].*[)}](?:\[.*\])?", re.DOTALL)  # pytest, JUnit 4 | JUnit 5
_GO_TEST = expression(r"(?:Test|Example|Fuzz)[^/]*/")
_JVM_SOURCE = expression(r"(?:^|/)src/[^/]+/(?:java|kotlin|groovy|scala)/(.+)\.\w+$")
_PLACEHOLDER = expression(r"%[sdifjoOpc#$]|\$\{[^{}]*\}|\$[\w#][\w.]*")  # in titles of `each`, and of loops
_WORDS = expression(r"[^\W\d_]{2}")


def meant_by(name: str, tests: Iterable[str], *, spaced: bool = False) -> tuple[str, ...]:
    """The ids among `tests` that `name` stands for. `spaced`: the titles of groups and tests are joined by blanks."""
    name = name.strip().removeprefix("./").removesuffix("()")
    if not name:
        return ()
    known = tuple(tests)
    for means in (_is_it, _is_below, _is_template, *((_is_spaced,) if spaced else ())):
        if found := tuple(test for test in known if means(name, test)):
            return found
    return ()


class TestsByPlace:
    """The tests of a report by their places, for asking after many tests whose files are known."""

    __test__ = False  # pytest collects by name

    def __init__(self, tests: Iterable[str]) -> None:
        self._at: dict[str, list[str]] = {}
        for test in tests:
            self._at.setdefault(split_id(test)[0], []).append(test)
        self._of_file: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}

    def of_test(self, path: str, own: str) -> tuple[str, ...]:
        """What `meant_by` gives for the test of this name in the file, and none of another file."""
        if (path, own) not in self._found:
            self._found[path, own] = meant_by(f"{path}{SEPARATOR}{own}", self._of(path))
        return self._found[path, own]

    def _of(self, path: str) -> tuple[str, ...]:
        if path not in self._of_file:
            self._of_file[path] = tuple(
                test for place, tests in self._at.items() if _is_place(path, place) for test in tests
            )
        return self._of_file[path]


def _is_it(name: str, test: str) -> bool:
    """Whether the id begins with the name, and goes on with nothing but parts and parameters of it."""
    return test.startswith(name) and _goes_on(test, len(name))


def _is_below(name: str, test: str) -> bool:
    """Whether the name is the place, or a part of the test's own name; its place may be written another way."""
    return _matches(name, test, lambda part, own: any(_goes_on(own, end) for end in _ends(part, own)))


def _is_template(name: str, test: str) -> bool:
    """Whether the name is the title as it stands in the source: `adds %i and %i`, `adds ${a} and ${b}`."""

    def fits(part: str, own: str) -> bool:
        literal = _PLACEHOLDER.split(part)
        if len(literal) < 2 or not any(_WORDS.search(each) for each in literal):
            return False
        wanted = ".*".join(re.escape(each) for each in literal)
        return bool(re.fullmatch(rf"(?:.*{GROUP})?{wanted}(?:{GROUP}.*)?", own, re.DOTALL))

    return _matches(name, test, fits)


def _is_spaced(name: str, test: str) -> bool:
    return _matches(name, test, lambda part, own: own.startswith(f"{part} ") or own.endswith(f" {part}"))


def _matches(name: str, test: str, fits: Callable[[str, str], bool]) -> bool:
    place, own = split_id(test)
    named, _, part = name.partition(SEPARATOR)
    if part:
        return (_is_place(named, place) and fits(part, own)) or fits(name, own)
    return _is_place(name, place) or fits(name, own)


def _ends(part: str, own: str) -> Iterator[int]:
    """Where the part ends in the name, each time that it begins at its begin or behind a mark."""
    at = own.find(part)
    while at >= 0:
        if at == 0 or own[:at].endswith((SEPARATOR, GROUP)):
            yield at + len(part)
        at = own.find(part, at + 1)


def _goes_on(text: str, at: int) -> bool:
    """Whether the text ends there, or what follows is below it or its parameters."""
    rest = text[at:]
    if not rest or rest.startswith((SEPARATOR, GROUP)) or _CASE.fullmatch(rest):
        return True
    return rest.startswith("/") and bool(_GO_TEST.match(text[: at + 1].rpartition(SEPARATOR)[2]))


def _is_place(named: str, place: str) -> bool:
    """Whether the name of a file or class is that of the place, which a report may have as a folder, class or program."""
    if named == place or place.endswith(f"/{named}"):
        return True
    if named.endswith("_test.go"):
        return place == (posixpath.dirname(named) or ".")
    if named.endswith(".rs"):
        source = place.partition("/")[2]
        return bool(source) and (named == source or named.endswith(f"/{source}"))
    file = _JVM_SOURCE.search(named)
    owner = place.rpartition("/")[2].partition("$")[0]
    if file:
        return owner == file[1].replace("/", ".")
    return not language_of(place) and owner.endswith(f".{named}")  # a class, not the ending of a file's name
