"""What four runs of the tests say about a change, by sets of test ids alone (docs/evidence.md).

base       the tree before the change: what failed then is charged to nobody
protected  the new source with the tests of the base: regressions, whatever was done to the tests
candidate  the tree as it is: new tests must pass
bite       the old source with the new tests: one must fail, else they do not see the change
"""

from __future__ import annotations

from collections.abc import Collection

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.evidence import BAD, CRITICAL, HIGH, PASSED, SKIPPED, Finding, TestRun
from workers.evidence.cases import BUILD

NAMED = 20  # tests that a finding lists


@dataclass(frozen=True, slots=True)
class Compared:
    """The sets; each test is in at most one of those that are charged."""

    regressions: frozenset[str]  # passed before, fail now
    missing: frozenset[str]  # passed before, were not run now
    skipped: frozenset[str]  # passed before, are skipped now
    new_passing: frozenset[str]
    new_failing: frozenset[str]
    preexisting: frozenset[str]  # failed before, and now too
    biting: frozenset[str]  # pass now, and fail without the change
    bites: bool | None  # None: there is nothing new that could

    @property
    def is_clean(self) -> bool:
        return not (self.regressions or self.missing or self.skipped or self.new_failing)


def compare(
    base: TestRun,
    candidate: TestRun,
    protected: TestRun | None = None,
    bite: TestRun | None = None,
    *,
    changed_tests: Collection[str] = (),
    may_go: Collection[str] = (),
) -> Compared:
    """The sets of a change. `protected` None: the tests are untouched, and the candidate's run is it.

    `may_go`: files whose tests may be removed, since the plan says so. `changed_tests`: ids of tests that were there
    before, in files that the change edits; they count for the bite only.
    """
    kept = candidate if protected is None else protected
    passed = frozenset(
        test
        for test, outcome in base.outcomes.items()
        if outcome == PASSED and not (test not in candidate.outcomes and test.partition("::")[0] in may_go)
    )
    new = frozenset(candidate.outcomes) - frozenset(base.outcomes)
    failing = frozenset(test for run in (kept, candidate) for test in run.bad if test in passed)
    unloaded = _below(kept)
    failing |= frozenset(
        test
        for test in passed
        if test not in kept.outcomes and (BUILD in kept.bad or test.startswith(unloaded))
    )
    new_bad = candidate.bad & new
    seen = new | frozenset(changed_tests)
    biting = frozenset(test for test in seen if candidate.outcomes.get(test) == PASSED and _fails(bite, test))
    biting |= frozenset(  # failed before, for whatever reason, and pass now
        test
        for test, outcome in base.outcomes.items()
        if outcome in BAD and kept.outcomes.get(test) == PASSED and candidate.outcomes.get(test) == PASSED
    )
    return Compared(
        regressions=failing,
        missing=frozenset(t for t in passed if t not in kept.outcomes or t not in candidate.outcomes)
        - failing,
        skipped=frozenset(test for test in passed if kept.outcomes.get(test) == SKIPPED) - failing,
        new_passing=frozenset(test for test in new if candidate.outcomes[test] == PASSED),
        new_failing=new_bad,
        preexisting=frozenset(test for test in kept.bad if base.outcomes.get(test) in BAD),
        biting=biting,
        bites=None if bite is None or not seen else bool(biting),
    )


def _fails(bite: TestRun | None, test: str) -> bool:
    """Whether a test failed without the change, by itself or because its file, or the build with it, was broken."""
    if bite is None:
        return False
    outcome = bite.outcomes.get(test)
    if outcome is None:
        return bite.outcomes.get(BUILD) in BAD or test.startswith(_below(bite))
    return outcome in BAD


def _below(run: TestRun) -> tuple[str, ...]:
    """How the ids of tests begin whose file or module could not be read."""
    return tuple(f"{test}{mark}" for test in run.bad if "::" not in test for mark in ("::", "."))


def findings_of(found: Compared, run: TestRun) -> list[Finding]:
    """What the sets say against the change."""
    findings = []
    for rule, tests, severity, text in (
        ("regression", found.regressions, CRITICAL, "passed before the change and fails now"),
        ("test_missing", found.missing, CRITICAL, "passed before the change and is not run any more"),
        ("test_skipped", found.skipped, CRITICAL, "passed before the change and is skipped now"),
        ("new_test_fails", found.new_failing, HIGH, "is new and fails"),
    ):
        findings += [_about(rule, test, severity, text, run) for test in sorted(tests)[:NAMED]]
        if len(tests) > NAMED:
            findings.append(
                Finding("tests", severity, rule, f"{len(tests) - NAMED} more tests like these", blocks=True)
            )
    if found.bites is False:
        findings.append(
            Finding(
                "bite",
                HIGH,
                "tests_do_not_see_the_change",
                "the new tests pass without the change too: they do not see it",
                fix="test what the change does",
                blocks=True,
            )
        )
    if findings and run.tail and not any(each.quote for each in findings):
        findings[0] = Finding(**{**findings[0].as_json(), "quote": run.tail[-2_000:]})
    return findings


def _about(rule: str, test: str, severity: str, text: str, run: TestRun) -> Finding:
    place, said = test.partition("::")[0], run.messages.get(test, "")
    return Finding("tests", severity, rule, f"{test} {text}", path=place, quote=said, blocks=True)
