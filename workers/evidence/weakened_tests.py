"""What a candidate does to existing tests: undeclared edits, and everything that lets a test prove less than before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import CRITICAL, HIGH, LOW, MEDIUM, Finding
from orchestrator.domain.inert import one_line
from orchestrator.domain.secrets import mask
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.code_only import language_of
from workers.evidence.declared import Declared
from workers.evidence.facts_of_other_tests import line_facts
from workers.evidence.facts_of_python_tests import python_facts
from workers.evidence.facts_of_tests import TestFact, TestFileFacts
from workers.evidence.path_kinds import is_collected, is_test_path

CHECK = "tests_edited"
MOST_A_FILE = 50  # findings
MOST_QUOTED = 3  # assertions that a finding quotes
ASSERTION = 120  # characters of an assertion that is quoted
_NOTHING = TestFileFacts()
_CONDITIONAL = frozenset({"skipif", "skipIf", "skipUnless", "importorskip"})
_PROSE = (".md", ".rst", ".adoc")


@dataclass(frozen=True, slots=True)
class Pair:
    """A file of tests before and after, each without tests where the runner would not take it."""

    file: ChangedFile
    before: TestFileFacts
    after: TestFileFacts

    @property
    def is_lost(self) -> bool:
        """Whether a file that is there has no tests any more for the runner."""
        file = self.file
        return self.is_uncollected or (not file.is_deleted and not self.after.is_readable)

    @property
    def is_uncollected(self) -> bool:
        """Whether it has a name now that no runner takes for a test."""
        file = self.file
        return file.status == "R" and is_collected(file.path_before) and not is_collected(file.path)


def edited_tests(changes: Changes, declared: Declared) -> list[Finding]:
    """Findings about changed tests; what makes one weaker blocks unless `tests_may_change` gives a reason for its file."""
    pairs = pairs_of(changes)
    moves = Moves(pairs)
    found: list[Finding] = []
    for pair in pairs:
        found += list(_of_pair(pair, moves, declared))[:MOST_A_FILE]
    for file in changes.files:
        if facts_of(file.path_before, "") is None or file.is_binary:
            found += _of_data(file, declared)
    return found


def pairs_of(changes: Changes) -> list[Pair]:
    """The changed files that have tests or had some."""
    return [pair for file in changes.files if (pair := _pair(file)) is not None]


def facts_of(path: str, text: str) -> TestFileFacts | None:
    """The tests in a file; None for a language without rules here."""
    return python_facts(text) if language_of(path) == "python" else line_facts(path, text)


def _pair(file: ChangedFile) -> Pair | None:
    was_test, is_test = is_test_path(file.path_before), is_test_path(file.path)
    if not (was_test or is_test or file.path.endswith(".rs")) or file.unread:
        return None
    before, after = facts_of(file.path_before, file.text_before), facts_of(file.path, file.text)
    if file.is_new or not was_test:
        before = before if file.path_before.endswith(".rs") and not file.is_new else _NOTHING
    if file.is_deleted or after is None:
        after = _NOTHING
    return None if before is None else Pair(file, before, after)


@dataclass(frozen=True, slots=True)
class Successor:
    """A new test that stands for a removed one."""

    path: str
    test: TestFact


class Moves:
    """Which removed tests are there again under another name or in another file; each new one stands for one removed."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._new = {  # in files that are run
            (pair.file.path, name): Successor(pair.file.path, test)
            for pair in pairs
            if is_collected(pair.file.path) and not set(pair.after.skips) - set(pair.before.skips)
            for name, test in pair.after.tests.items()
            if name not in pair.before.tests
        }
        self._of: dict[tuple[str, str], Successor] = {}
        removed = {
            (pair.file.path_before, name): test
            for pair in pairs
            if not pair.is_lost
            for name, test in pair.before.tests.items()
            if name not in pair.after.tests
        }
        for key in (_by_body, _by_proof, _own_name):  # the surest sign of all tests first
            self._match({place: test for place, test in removed.items() if place not in self._of}, key)
        self._gained: Counter[str] = Counter()  # assertions that a test makes and did not make before
        for pair in pairs:
            for name, test in pair.after.tests.items():
                old = pair.before.tests.get(name)
                self._gained += Counter(test.assertions) - Counter(old.assertions if old else ())

    def of(self, path: str, name: str) -> Successor | None:
        """The test that the removed one of this file lives on as, no weaker."""
        return self._of.get((path, name))

    def left_in(self, path: str) -> list[Successor]:
        """The new tests of a file that stand for no removed one."""
        return [each for (where, _), each in self._new.items() if where == path]

    def use(self, successor: Successor) -> None:
        """Let it stand for a removed test."""
        del self._new[successor.path, successor.test.name]

    def _match(
        self, removed: Mapping[tuple[str, str], TestFact], key: Callable[[TestFact], object | None]
    ) -> None:
        new: dict[object, list[Successor]] = {}
        for each in self._new.values():
            new.setdefault(key(each.test), []).append(each)
        for place, old in removed.items():
            wanted = key(old)
            same = new.get(wanted, []) if wanted else []
            found = next((each for each in same if is_as_strong(each.test, old)), None)
            if found is not None:
                same.remove(found)
                self.use(found)
                self._of[place] = found

    def lives_on(self, lost: Counter[str]) -> bool:
        """Whether these assertions are made by another test now; each of them stands for one lost."""
        is_there = bool(lost) and all(self._gained[each] >= number for each, number in lost.items())
        if is_there:
            self._gained -= lost
        return is_there


def is_as_strong(new: TestFact, old: TestFact) -> bool:
    """Whether the test asserts no less than the other one, and counts where that counted."""
    return _strength(new) >= _strength(old) and not set(new.skips) - set(old.skips)


def _by_body(test: TestFact) -> str:
    return test.body


def _by_proof(test: TestFact) -> tuple[str, ...]:
    return test.assertions


def _own_name(test: TestFact) -> str:
    """The name without classes and groups."""
    return (
        test.name.rpartition(" > ")[2].rpartition(".")[2]
        if " " not in test.name
        else test.name.rpartition(" > ")[2]
    )


def _strength(test: TestFact) -> int:
    return len(test.assertions) * max(test.cases, 1)


def _of_pair(pair: Pair, moves: Moves, declared: Declared) -> Iterator[Finding]:
    file, before, after = pair.file, pair.before, pair.after
    yield from _falsified(pair, declared)
    yield from _new_tests(pair)
    if not before.tests and not before.helpers and not before.hooks:
        return
    weaker = Weaker(file, declared)
    if pair.is_uncollected:
        yield weaker.finding(
            "test_uncollected", f"is called {file.path} now, which no runner takes for a test"
        )
        return
    if not file.is_deleted and not after.is_readable and before.is_readable:
        yield weaker.finding("test_unreadable", "can no longer be read, so none of its tests runs")
        return
    for kind in sorted(set(after.skips) - set(before.skips)):
        yield weaker.finding("file_skipped", f"is skipped as a whole ({kind})", after.skips[kind])
    edited: list[str] = []
    replaced: list[str] = []
    for name, old in before.tests.items():
        new = after.tests.get(name)
        if new is None:
            if moves.of(file.path_before, name) is None:
                yield weaker.finding("test_removed", f"loses the test {name}", 0)
            continue
        told = list(weaker_test(weaker, old, new, moves))
        yield from told
        if not told and new.body != old.body:
            edited.append(name)
            replaced += _replaced(old, new)
    helpers = [name for name, code in before.helpers.items() if after.helpers.get(name) != code]
    is_allowed = declared.reason_to_change(file.path_before) is not None
    if is_allowed or (file.is_deleted and before.tests):
        return
    if edited:
        what = f"the existing test {_listed(edited)}" + (f" ({_listed(replaced)})" if replaced else "")
        yield _edit(file, "test_edited", what, after.tests[edited[0]].line)
    if helpers:
        yield _edit(file, "test_helper_edited", f"what existing tests use, {_listed(helpers)}", 0)


def weaker_test(weaker: Weaker, old: TestFact, new: TestFact, moves: Moves) -> Iterator[Finding]:
    """What lets a test prove less that is there still."""
    skips = Counter(new.skips) - Counter(old.skips)
    if skips:
        kinds = ", ".join(sorted(skips))
        yield weaker.finding("test_skipped", f"no longer counts the test {old.name} ({kinds})", new.line)
    if _strength(new) < _strength(old):
        lost = Counter(old.assertions) - Counter(new.assertions)
        if not moves.lives_on(lost):
            rule = "cases_fewer" if len(new.assertions) >= len(old.assertions) else "assertions_fewer"
            numbers = f"{_strength(old)} to {_strength(new)}"
            yield weaker.finding(rule, f"lets the test {old.name} assert less ({numbers})", new.line)


def _replaced(old: TestFact, new: TestFact) -> list[str]:
    """What a test asserted and no longer does, and what it asserts instead."""
    lost = Counter(old.assertions) - Counter(new.assertions)
    if not lost:
        return []
    gained = Counter(new.assertions) - Counter(old.assertions)
    return [f"no longer: {_quoted([*lost])}" + (f"; instead: {_quoted([*gained])}" if gained else "")]


def _quoted(assertions: Sequence[str]) -> str:
    """The first of them, masked before they are cut."""
    more = f" and {len(assertions) - MOST_QUOTED} more" if len(assertions) > MOST_QUOTED else ""
    return "; ".join(one_line(mask(each), ASSERTION) for each in assertions[:MOST_QUOTED]) + more


@dataclass(frozen=True, slots=True)
class Weaker:
    """Makes the findings about one file whose tests prove less; how bad it is depends on what was declared."""

    file: ChangedFile
    declared: Declared

    def finding(self, rule: str, what: str, line: int = 0) -> Finding:
        """A finding that blocks unless a reason was declared."""
        reason = self.declared.reason_to_change(self.file.path_before)
        text = f"{self.file.path_before} {what}"
        if reason:
            text += f"; declared: {one_line(reason, 200)}"
        return Finding(
            CHECK,
            MEDIUM if reason else CRITICAL,
            rule,
            text,
            self.file.path,
            line,
            one_line(self.file.line(line).strip(), 200),
            "" if reason else "restore it",
            blocks=not reason,
        )


def _falsified(pair: Pair, declared: Declared) -> Iterator[Finding]:
    """Hooks that choose tests or change outcomes, and code that falsifies them."""
    file = pair.file
    reason = declared.reason_to_change(file.path_before)
    for name, (line, code) in pair.after.hooks.items():
        if pair.before.hooks.get(name, (0, ""))[1] != code:
            text = f"{file.path} steers the test runner by {name}, which can hide a failure"
            severity = HIGH if reason else CRITICAL
            quote = one_line(file.line(line).strip(), 200)
            yield Finding(CHECK, severity, "runner_hook", text, file.path, line, quote, blocks=not reason)
    for what, line in pair.after.tampering.items():
        if what not in pair.before.tampering and is_test_path(file.path):
            text = f"{file.path} {what}, which falsifies the outcome of tests"
            quote = one_line(file.line(line).strip(), 200)
            yield Finding(CHECK, CRITICAL, "outcome_falsified", text, file.path, line, quote, blocks=True)


def _new_tests(pair: Pair) -> Iterator[Finding]:
    """What is wrong with tests that were not there before."""
    file = pair.file
    for name, test in pair.after.tests.items():
        if name in pair.before.tests:
            continue
        if "only" in test.skips:
            text = f"{file.path} runs only the test {name} and none of the others"
            yield Finding(CHECK, CRITICAL, "test_focused", text, file.path, test.line, blocks=True)
        elif test.skips:
            text = (
                f"{file.path} adds the test {name}, which is skipped ({', '.join(sorted(set(test.skips)))})"
            )
            severity = (
                LOW if _CONDITIONAL.issuperset(each.removeprefix("mark ") for each in test.skips) else MEDIUM
            )
            yield Finding(CHECK, severity, "new_test_skipped", text, file.path, test.line)
        elif not test.assertions:
            text = f"{file.path} adds the test {name}, which asserts nothing that can fail"
            yield Finding(CHECK, LOW, "new_test_asserts_nothing", text, file.path, test.line)


def _of_data(file: ChangedFile, declared: Declared) -> Iterator[Finding]:
    """A changed file on the side of the tests that has no rules of its own: snapshots, data, other languages."""
    path = file.path_before
    if file.is_new or not is_test_path(path) or path.endswith(_PROSE):
        return
    reason = declared.reason_to_change(path)
    if file.is_deleted and is_collected(path) and not path.endswith(".snap") and _is_named_test(path):
        yield Weaker(file, declared).finding("test_removed", "is deleted, with all of its tests")
    elif reason is None and (file.is_deleted or file.before != file.after):
        rule = "snapshot_edited" if path.endswith(".snap") else "test_data_edited"
        yield _edit(file, rule, "a file of existing tests", 0)


def _is_named_test(path: str) -> bool:
    """Whether the name itself, not only a folder, says that it is a test."""
    return is_test_path(path.rpartition("/")[2])


def _edit(file: ChangedFile, rule: str, what: str, line: int) -> Finding:
    does = "deletes" if file.is_deleted else "changes"
    text = f"{file.path_before} {does} {what}, and the plan did not declare it"
    quote = one_line(file.line(line).strip(), 200)
    return Finding(
        CHECK, HIGH, rule, text, file.path, line, quote, "undo the change, or declare it in tests_may_change"
    )


def _listed(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
