"""What a candidate does to existing tests: undeclared edits, and everything that lets a test prove less than before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

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
REMOVED, WEAKER, EDITED, KEPT = "removed", "weaker", "edited", "kept"  # what has become of a test
_SET_UP = frozenset({"setUp", "setUpClass", "setup_method", "setup_class", "asyncSetUp"})
_NOTHING = TestFileFacts()
_CONDITIONAL = frozenset({"skipif", "skipIf", "skipUnless", "importorskip"})
_PROSE = (".md", ".rst", ".adoc")


@dataclass(frozen=True, slots=True)
class _Pair:
    """A file of tests before and after, each without tests where the runner would not take it."""

    file: ChangedFile
    before: TestFileFacts
    after: TestFileFacts


def edited_tests(changes: Changes, declared: Declared) -> list[Finding]:
    """Findings about changed tests; what makes one weaker blocks unless `tests_may_change` gives a reason for its file."""
    pairs = [pair for file in changes.files if (pair := _pair(file)) is not None]
    moves = _Moves(pairs)
    found: list[Finding] = []
    for pair in pairs:
        found += list(_of_pair(pair, moves, declared))[:MOST_A_FILE]
    for file in changes.files:
        if facts_of(file.path_before, "") is None or file.is_binary:
            found += _of_data(file, declared)
    return found


@dataclass(frozen=True, slots=True)
class EarlierTest:
    """A test as it was before, and what has become of it."""

    path: str  # as it was before
    fact: TestFact
    fate: str  # REMOVED, WEAKER, EDITED or KEPT
    code: str  # of the test and of what it uses in its file
    code_now: str = ""  # the same of the test that has its name now


def earlier_tests(changes: Changes) -> list[EarlierTest]:
    """The tests that changed files of tests had before."""
    pairs = [pair for file in changes.files if (pair := _pair(file)) is not None]
    moves = _Moves(pairs)
    return [each for pair in pairs for each in _earlier(pair, moves)]


def _earlier(pair: _Pair, moves: _Moves) -> Iterator[EarlierTest]:
    file, before, after = pair.file, pair.before, pair.after
    weaker = _Weaker(file, Declared())
    is_lost = (file.status == "R" and is_collected(file.path_before) and not is_collected(file.path)) or (
        not file.is_deleted and not after.is_readable
    )
    is_skipped = bool(set(after.skips) - set(before.skips))
    for name, old in before.tests.items():
        new = after.tests.get(name)
        if is_lost or (is_skipped and new):
            fate = WEAKER
        elif new is None:
            fate = KEPT if moves.take(old) else REMOVED
        elif any(_weaker_test(weaker, old, new, moves)):
            fate = WEAKER
        else:
            fate = KEPT if new.body == old.body else EDITED
        code_now = _with_helpers(new.body, after.helpers) if new else ""
        yield EarlierTest(file.path_before, old, fate, _with_helpers(old.body, before.helpers), code_now)


def _with_helpers(body: str, helpers: Mapping[str, str]) -> str:
    """The code of a test with that of the helpers that it names, and of what is run before each test."""
    used = (
        code
        for name, code in helpers.items()
        if (own := name.rpartition(".")[2]) in _SET_UP or re.search(rf"\b{re.escape(own)}\b", body)
    )
    return "\n".join((body, *used))


def facts_of(path: str, text: str) -> TestFileFacts | None:
    """The tests in a file; None for a language without rules here."""
    return python_facts(text) if language_of(path) == "python" else line_facts(path, text)


def _pair(file: ChangedFile) -> _Pair | None:
    was_test, is_test = is_test_path(file.path_before), is_test_path(file.path)
    if not (was_test or is_test or file.path.endswith(".rs")) or file.unread:
        return None
    before, after = facts_of(file.path_before, file.text_before), facts_of(file.path, file.text)
    if file.is_new or not was_test:
        before = before if file.path_before.endswith(".rs") and not file.is_new else _NOTHING
    if file.is_deleted or after is None:
        after = _NOTHING
    return None if before is None else _Pair(file, before, after)


class _Moves:
    """Which removed tests are there again under another name or in another file; each new one stands for one removed."""

    def __init__(self, pairs: Sequence[_Pair]) -> None:
        self._new = [
            test
            for pair in pairs
            if is_collected(pair.file.path)
            for name, test in pair.after.tests.items()
            if name not in pair.before.tests
        ]
        self._gained: Counter[str] = Counter()  # assertions that a test makes and did not make before
        for pair in pairs:
            for name, test in pair.after.tests.items():
                old = pair.before.tests.get(name)
                self._gained += Counter(test.assertions) - Counter(old.assertions if old else ())

    def take(self, removed: TestFact) -> bool:
        """Whether the removed test lives on elsewhere, no weaker."""
        for test in self._new:
            same_proof = bool(removed.assertions) and test.assertions == removed.assertions
            is_same = _own_name(test) == _own_name(removed) or same_proof or test.body == removed.body
            is_weaker = _strength(test) < _strength(removed) or set(test.skips) - set(removed.skips)
            if is_same and not is_weaker:
                self._new.remove(test)
                return True
        return False

    def lives_on(self, lost: Counter[str]) -> bool:
        """Whether these assertions are made by another test now; each of them stands for one lost."""
        is_there = bool(lost) and all(self._gained[each] >= number for each, number in lost.items())
        if is_there:
            self._gained -= lost
        return is_there


def _own_name(test: TestFact) -> str:
    """The name without classes and groups."""
    return (
        test.name.rpartition(" > ")[2].rpartition(".")[2]
        if " " not in test.name
        else test.name.rpartition(" > ")[2]
    )


def _strength(test: TestFact) -> int:
    return len(test.assertions) * max(test.cases, 1)


def _of_pair(pair: _Pair, moves: _Moves, declared: Declared) -> Iterator[Finding]:
    file, before, after = pair.file, pair.before, pair.after
    yield from _falsified(pair, declared)
    yield from _new_tests(pair)
    if not before.tests and not before.helpers and not before.hooks:
        return
    weaker = _Weaker(file, declared)
    if file.status == "R" and is_collected(file.path_before) and not is_collected(file.path):
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
            if not moves.take(old):
                yield weaker.finding("test_removed", f"loses the test {name}", 0)
            continue
        told = list(_weaker_test(weaker, old, new, moves))
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


def _weaker_test(weaker: _Weaker, old: TestFact, new: TestFact, moves: _Moves) -> Iterator[Finding]:
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
class _Weaker:
    """Makes the findings about one file whose tests prove less; how bad it is depends on what was declared."""

    file: ChangedFile
    declared: Declared

    def finding(self, rule: str, what: str, line: int = 0) -> Finding:
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


def _falsified(pair: _Pair, declared: Declared) -> Iterator[Finding]:
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


def _new_tests(pair: _Pair) -> Iterator[Finding]:
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
        yield _Weaker(file, declared).finding("test_removed", "is deleted, with all of its tests")
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
