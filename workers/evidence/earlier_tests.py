"""The tests that changed files had before, and what has become of each (docs/decisions/0072)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.patterns import expression
from workers.evidence.changed_files import Changes
from workers.evidence.changed_names import ChangedNames
from workers.evidence.code_only import language_of
from workers.evidence.declared import Declared
from workers.evidence.facts_of_tests import TestFact, TestFileFacts
from workers.evidence.weakened_tests import (
    Moves,
    Pair,
    Successor,
    Weaker,
    is_as_strong,
    pairs_of,
    weaker_test,
)

REMOVED, WEAKER, KEPT = "removed", "weaker", "kept"  # what has become of a test; KEPT: it asserts as much
_SET_UP = frozenset({"setUp", "setUpClass", "setup_method", "setup_class", "asyncSetUp"})
_TEXT_IN_TREE = expression(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""")
_WORD = expression(r"\w+")
_VALUE = expression(
    r"""(?<![\w.])\d[\w.]*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:True|False|None|true|false|null|nil)\b"""
)


@dataclass(frozen=True, slots=True)
class EarlierTest:
    """A test as it was before, and what has become of it."""

    path: str  # as it was before
    fact: TestFact
    fate: str  # REMOVED, WEAKER or KEPT
    uses: frozenset[str] = field(default=frozenset())  # words of the test and of what it uses in its file
    uses_now: frozenset[str] = field(default=frozenset())  # the same of the test that is there in its place
    successor: Successor | None = None  # that has another name or file
    has_other_values: bool = False  # its assertions have lost a number, a text or a constant


def own_id(path: str, test: TestFact) -> str:
    """The test's name as ids have it behind the file."""
    return test.name.replace(".", "::") if language_of(path) == "python" else test.name


def earlier_tests(changes: Changes, names: ChangedNames) -> list[EarlierTest]:
    """The tests that changed files of tests had before; `names`: of the changed source."""
    pairs = pairs_of(changes)
    moves = Moves(pairs)
    by_path = {pair.file.path: pair for pair in pairs}
    return [each for pair in pairs for each in _earlier(pair, moves, by_path, names)]


def _earlier(
    pair: Pair, moves: Moves, by_path: Mapping[str, Pair], names: ChangedNames
) -> Iterator[EarlierTest]:
    file, before, after = pair.file, pair.before, pair.after
    weaker = Weaker(file, Declared())
    is_skipped = bool(set(after.skips) - set(before.skips))
    for name, old in before.tests.items():
        uses = words_of_test(file.path_before, old.body, before)
        new, successor = after.tests.get(name), None
        if new is None and not pair.is_lost:
            successor = moves.of(file.path_before, name) or _rewritten(pair, old, uses, moves, names)
        there = by_path[successor.path] if successor else pair
        now = successor.test if successor else new
        uses_now = words_of_test(there.file.path, now.body, there.after) if now else frozenset[str]()
        if pair.is_lost or (is_skipped and new):
            fate = WEAKER
        elif now is None:
            fate = REMOVED
        elif new and any(weaker_test(weaker, old, new, moves)):
            fate = WEAKER
        else:
            fate = KEPT
        has_other_values = bool(now and _values(old) - _values(now))
        yield EarlierTest(file.path_before, old, fate, uses, uses_now, successor, has_other_values)


def _rewritten(
    pair: Pair, old: TestFact, uses: frozenset[str], moves: Moves, names: ChangedNames
) -> Successor | None:
    """The new test of the same file that asserts as much of the same source, so that the old one was edited and renamed."""
    about = uses & names.all - names.gone
    if not about:
        return None
    path, after = pair.file.path, pair.after
    found = [
        (len(words & names.all), each)
        for each in moves.left_in(path)
        if is_as_strong(each.test, old) and about <= (words := words_of_test(path, each.test.body, after))
    ]
    if not found:
        return None
    nearest = min(found, key=lambda one: one[0])[1]
    moves.use(nearest)
    return nearest


def _values(test: TestFact) -> Counter[str]:
    return Counter(value for each in test.assertions for value in _VALUE.findall(each))


def words_of_test(path: str, body: str, facts: TestFileFacts) -> frozenset[str]:
    """The words in the code of a test, in the helpers that it names, and in what is run before each test."""
    is_tree = language_of(path) == "python"  # whose own words, as `Name` and `value`, are no code
    used = _words_of(body, is_tree)
    waiting = {name: code for name, code in facts.helpers.items() if is_tree or name != code}
    while found := [name for name in waiting if (own := name.rpartition(".")[2]) in used or own in _SET_UP]:
        for name in found:
            used |= _words_of(waiting.pop(name), is_tree)
    return used


@lru_cache(maxsize=1_024)  # a helper is read once for all of the tests that use it
def _words_of(code: str, is_tree: bool) -> frozenset[str]:
    if not is_tree:
        return frozenset(_WORD.findall(code))
    return frozenset(
        word for one, other in _TEXT_IN_TREE.findall(code) for word in _WORD.findall(one or other)
    )
