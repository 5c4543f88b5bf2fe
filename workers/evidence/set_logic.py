"""What four runs of the tests say about a change, by sets of test ids alone (docs/evidence.md).

base       the tree before the change: what failed then is charged to nobody
protected  the new source with the tests of the base: regressions, whatever was done to the tests
candidate  the tree as it is: new tests must pass
bite       the old source with the new tests: one must fail, else they do not see the change
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.evidence import BAD, CRITICAL, HIGH, PASSED, SKIPPED, Finding, TestRun
from workers.evidence.cases import BUILD
from workers.evidence.error_text import error_line, named_error
from workers.evidence.exit_status import is_whole

NAMED = 20  # tests that a finding lists
MORE = "more tests"  # behind the number of those that are not listed


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
    broken = below(candidate)
    passed = frozenset(
        test
        for test, outcome in base.outcomes.items()
        if outcome == PASSED
        and not (
            test not in candidate.outcomes
            and test.partition("::")[0] in may_go
            and not test.startswith(broken)  # a broken file has not lost its tests on purpose
        )
    )
    new = frozenset(candidate.outcomes) - frozenset(base.outcomes)
    failing = frozenset(test for run in (kept, candidate) for test in run.bad if test in passed)
    for run, unread in ((kept, below(kept)), (candidate, broken)):
        failing |= frozenset(test for test in passed if test not in run.outcomes and test.startswith(unread))
    new_bad = candidate.bad & new
    seen = new | frozenset(changed_tests)
    without = bad_of(bite, seen) if bite else frozenset()
    biting = frozenset(test for test in without if candidate.outcomes.get(test) == PASSED)
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


def bad_of(run: TestRun, tests: Iterable[str]) -> frozenset[str]:
    """Those of the tests that failed, by themselves or because their file, or the build with them, was broken."""
    unread, bad = below(run), run.bad
    return frozenset(
        test for test in tests if test in bad or (test not in run.outcomes and test.startswith(unread))
    )


def unloaded(run: TestRun) -> list[str]:
    """The files and modules that could not be read; BUILD where nothing was built."""
    return sorted(test for test in run.bad if "::" not in test)


def below(run: TestRun) -> tuple[str, ...]:
    """How the ids of tests begin whose file or module could not be read, or that were not built."""
    return tuple(start for place in unloaded(run) for start in starts(place))


def starts(place: str) -> tuple[str, ...]:
    """How the ids of the tests of a file, a module or a build begin."""
    return ("",) if place == BUILD else (f"{place}::", f"{place}.")


def findings_of(found: Compared, run: TestRun, candidate: TestRun | None = None) -> list[Finding]:
    """What the sets say against the change. `candidate`: its own tests, where `run` is that of the base's.

    What could not be read stands first, once, for all tests below it.
    """
    findings, told = _not_loaded(found, [run] if candidate is None else [run, candidate])
    if candidate is not None:  # new tests fail there alone
        said = {**candidate.messages, **run.messages}
        run = replace(run, messages=said, tail=run.tail or candidate.tail)
    for rule, charged, severity, text in (
        ("regression", found.regressions, CRITICAL, "passed before the change and fails now"),
        ("test_missing", found.missing, CRITICAL, "passed before the change and is not run any more"),
        ("test_skipped", found.skipped, CRITICAL, "passed before the change and is skipped now"),
        ("new_test_fails", found.new_failing, HIGH, "is new and fails"),
    ):
        findings += listed(rule, sorted(charged - told), severity, text, run)
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


def listed(rule: str, tests: Sequence[str], severity: str, text: str, run: TestRun) -> list[Finding]:
    """A finding for each of the first tests, and one for all others."""
    found = [_about(rule, test, severity, text, run) for test in tests[:NAMED]]
    if len(tests) > NAMED:
        found.append(Finding("tests", severity, rule, f"{len(tests) - NAMED} {MORE} {text}", blocks=True))
    return found


def _not_loaded(found: Compared, runs: Sequence[TestRun]) -> tuple[list[Finding], frozenset[str]]:
    """A finding for each file that cannot be read now, and the tests that it speaks for."""
    findings: list[Finding] = []
    told = frozenset[str]()
    for run in runs:
        for place in unloaded(run):
            tests = frozenset(
                test
                for test in found.regressions - told
                if test not in run.outcomes and test.startswith(starts(place))
            )
            if place in told or not (tests or place in found.new_failing):
                continue
            told |= tests | {place}
            passed = f"; {counted_tests(len(tests))} passed before the change" if tests else ""
            rule, severity = ("regression", CRITICAL) if tests else ("new_test_fails", HIGH)
            findings.append(not_loaded(rule, severity, place, run, passed))
    return findings, told


def not_loaded(rule: str, severity: str, place: str, run: TestRun, more: str, which: str = "") -> Finding:
    """The finding about a file of tests that cannot be read, with the error; `which`: words behind its name."""
    said = run.messages.get(place, "")
    if not named_error(said) and len(unloaded(run)) == 1 and named_error(run.tail):
        said = run.tail  # node:test says only that it failed
    does = "cannot be imported" if place.endswith(".py") else "cannot be loaded"
    if place == BUILD or not place.rpartition("/")[2].count("."):
        does = "fails" if place == BUILD else "does not build"
    error = f": {error_line(said)}" if said else ""
    path = "" if place == BUILD else place
    return Finding(
        "tests", severity, rule, f"{place}{which} {does}{error}{more}", path=path, quote=said, blocks=True
    )


def counted_tests(number: int, which: str = "") -> str:
    """`1 test`, `3 tests`; `which`: a word before them, with its blank."""
    return f"{number} {which}{'test' if number == 1 else 'tests'}"


def _about(rule: str, test: str, severity: str, text: str, run: TestRun) -> Finding:
    place, said = "" if is_whole(test) else test.partition("::")[0], run.messages.get(test, "")
    return Finding("tests", severity, rule, f"{test} {text}", path=place, quote=said, blocks=True)
