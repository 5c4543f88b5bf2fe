"""What the tests that a person's change removes or edits say of the new source, as they were before (docs/review.md).

An agent's edits of tests have to be declared, and the base's tests are run over its source in any case. A person declares
nothing and changes tests for good reasons. So each of the base's tests that fails over the head is looked at by what has
become of it: one that was removed or proves less is a regression, unless what it tests was removed as well; one that is
there, under whatever name, and asserts as much now expects something else, which is said.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.evidence import CRITICAL, HIGH, PASSED, Finding, TestRun
from workers.evidence.candidate_evidence import CandidateEvidence, Tested
from workers.evidence.changed_files import read_changes
from workers.evidence.changed_names import ChangedNames, changed_names
from workers.evidence.earlier_tests import KEPT, REMOVED, WEAKER, EarlierTest, earlier_tests, own_id
from workers.evidence.exit_status import is_whole
from workers.evidence.named_tests import TestsByPlace
from workers.evidence.set_logic import bad_of, counted_tests, listed, not_loaded, starts, unloaded
from workers.git.candidates import Candidate
from workers.git.verify_checkouts import mix_trees

CHECK = "tests_edited"
NAMED = 5  # tests in a sentence
AS_BEFORE = "as it was at the base"
CHARGED = f"passed before the change; {AS_BEFORE} it fails now, and the change removes or weakens it"


def with_earlier_versions(evidence: CandidateEvidence, candidate: Candidate, tested: Tested) -> Tested:
    """The same with what the base's versions of changed tests say of the head. Raises as `CandidateEvidence.tested`."""
    base, now, compared = tested.base.run, tested.now.run, tested.compared
    if base is None or now is None or compared is None:
        return tested
    private, bench = evidence.work.private, evidence.bench
    before = private.tree_of(candidate.base)
    changes = read_changes(private.git, candidate.base, candidate.tree)
    names = changed_names(changes)
    tests = earlier_tests(changes, names)
    runners = evidence.runners(candidate)
    touched = evidence.test_side(candidate, runners)
    files = sorted({each.path for each in tests if any(runner.is_test_file(each.path) for runner in runners)})
    if not files:
        return tested
    mixed = mix_trees(private, candidate.tree, before, touched, bench.verify.folder)
    changed = [os.fsdecode(change.path) for change in candidate.changes]
    suite = evidence.that_counts(
        tested.base, bench.suite(mixed, files, changed=changed), mixed, before, changed
    )
    if not suite.is_known or suite.run is None:
        found = _unknown(tests, suite.why or "; ".join(suite.run.faults if suite.run else ()))
        return replace(tested, findings=(*tested.findings, *found))
    passed = [test for test, outcome in base.outcomes.items() if outcome == PASSED]
    fates = Fates(tests, names, bad_of(suite.run, passed), now)
    found = [*fates.regressions(suite.run), *fates.expectations(suite.run)]
    charged = compared.regressions | fates.charged
    return replace(
        tested, compared=replace(compared, regressions=charged), findings=(*tested.findings, *found)
    )


@dataclass(frozen=True)
class Fates:
    """The base's tests that fail over the head, by what has become of them."""

    tests: Sequence[EarlierTest]
    names: ChangedNames
    bad: frozenset[str]  # ids that passed before
    now: TestRun

    @cached_property
    def _bad_tests(self) -> TestsByPlace:
        return TestsByPlace(self.bad)

    @cached_property
    def _tests_now(self) -> TestsByPlace:
        return TestsByPlace(self.now.outcomes)

    @cached_property
    def charged(self) -> frozenset[str]:
        """Those removed or weakened although what they test is there still."""
        if whole := frozenset(test for test in self.bad if is_whole(test)):
            return whole if any(map(self._is_charged, self.tests)) else frozenset()
        known = {test for each in self.tests for test in self._ids(each)}
        charged = {
            test
            for each in self.tests
            if (tests := self._ids(each)) and self._is_charged(each)
            for test in tests
            if each.fate == REMOVED or not self._is_case_of_gone(test)
        }
        files = {each.path for each in self.tests if each.fate == REMOVED}
        inherited = {  # of a class in another file, or made in a loop
            test
            for test in self.bad - known
            if test not in self.now.outcomes and test.partition("::")[0] in files
        }
        return frozenset(charged | inherited)

    def regressions(self, run: TestRun) -> list[Finding]:
        """The charged ones, with what they say; of a file that cannot be read any more once."""
        found, told = [], set[str]()
        for place in unloaded(run):
            if below := {test for test in self.charged - told if test.startswith(starts(place))}:
                told |= below
                more = f"; {counted_tests(len(below))} of it passed before and the change removes or weakens them"
                found.append(not_loaded("regression", CRITICAL, place, run, more, f" {AS_BEFORE}"))
        return [*found, *listed("regression", sorted(self.charged - told), CRITICAL, CHARGED, run)]

    def expectations(self, run: TestRun) -> Iterator[Finding]:
        """For each file one finding about the tests that are there still and expect something else than before."""
        edited: dict[str, list[str]] = {}
        for each in self.tests:
            if each.fate == KEPT:
                tests = [
                    test
                    for test in set(self._ids(each)) - self.charged
                    if test in run.outcomes
                    or each.has_other_values  # else its file's imports alone may be old
                ]
                edited.setdefault(each.path, []).extend(sorted(tests))
        for path, tests in edited.items():
            if not tests:
                continue
            names = ", ".join(test.partition("::")[2] for test in tests[:NAMED])
            more = f" and {len(tests) - NAMED} more" if len(tests) > NAMED else ""
            text = f"{path} expects something else than before: {AS_BEFORE} {names}{more} would fail now"
            said = next((run.messages[test] for test in tests if test in run.messages), "")
            yield Finding(
                CHECK,
                HIGH,
                "expectation_changed",
                text,
                path,
                quote=said,
                fix="see that the change is wanted",
            )

    def _ids(self, test: EarlierTest) -> tuple[str, ...]:
        return self._bad_tests.of_test(test.path, own_id(test.path, test.fact))

    def _is_charged(self, test: EarlierTest) -> bool:
        is_weaker = test.fate != KEPT or self._tests_nothing_now(test) or not self._is_run(test)
        return is_weaker and test.uses.isdisjoint(self.names.gone)

    def _tests_nothing_now(self, test: EarlierTest) -> bool:
        """Whether it used what the changed source defines, and uses nothing of that any more."""
        return not self.names.all.isdisjoint(test.uses) and self.names.all.isdisjoint(test.uses_now)

    def _is_run(self, test: EarlierTest) -> bool:
        """Whether the test that stands for it, if there is one, was run and passed."""
        new = test.successor
        return new is None or any(
            self.now.outcomes[each] == PASSED
            for each in self._tests_now.of_test(new.path, own_id(new.path, new.test))
        )

    def _is_case_of_gone(self, test: str) -> bool:
        """Whether the parameters of the test have a value that the changed source knew and knows no more."""
        parameters = test.partition("[")[2].removesuffix("]").split("-")
        return not self.names.values_gone.isdisjoint(parameters)


def _unknown(tests: Sequence[EarlierTest], why: str) -> list[Finding]:
    """That it cannot be told whether removed tests would fail, where there are some."""
    lost = [each.fact.name for each in tests if each.fate in (REMOVED, WEAKER)]
    if not lost:
        return []
    text = f"the tests that the change removes or weakens cannot be run {AS_BEFORE}: {why}"
    return [Finding("tests", HIGH, "earlier_tests_unknown", text)]
