"""All that is found out about one candidate: its files, its tests against the base's, and what shows each criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property, partial

from orchestrator import failpoints
from orchestrator.domain import secrets
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import TestsNotRunnable
from orchestrator.domain.evidence import BAD, CRITICAL, HIGH, MEDIUM, PASSED, Finding, TestRun
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.plan import PlanTask
from orchestrator.door.desk import Link
from workers.context.agent_calls import AgentCalls
from workers.context.run_context import RunContext
from workers.evidence.candidate_checks import Checkouts, Subject, check_candidate
from workers.evidence.changed_files import ChangedFile, read_changes
from workers.evidence.claims import Claim
from workers.evidence.criteria_review import BY_CHANGE
from workers.evidence.declared import Declared
from workers.evidence.exit_status import UNTOLD, has_known_tests, named_whole, tells_nothing, whole_of
from workers.evidence.judgement import CriterionEvidence, Judged
from workers.evidence.linters import find_linters
from workers.evidence.named_code import Mentions, code_names
from workers.evidence.named_tests import meant_by
from workers.evidence.path_kinds import is_test_path
from workers.evidence.runner import Runner
from workers.evidence.set_logic import Compared, compare, findings_of, unloaded
from workers.evidence.suite_runs import TestBench
from workers.evidence.suites import Suite
from workers.evidence.test_side import changes_test_side, is_mixed, is_test_side
from workers.evidence.unstable_names import steady, sure, unstable
from workers.git.candidates import Candidate
from workers.git.checkouts import Checkout
from workers.git.ref_locks import testing_base
from workers.git.session_work import SessionWork
from workers.git.verify_checkouts import VerifyCheckout, mix_trees

POLL_SECONDS = 0.1  # between two checks whether another lane has tested the base
MOCHA = "mocha"  # joins the titles of a test by blanks
BITES = ("feature", "fix")  # kinds of plan tasks whose new tests must fail without the change


@dataclass(frozen=True)
class CandidateEvidence:
    """Checks the candidates of one run against the commit that each was made from."""

    context: RunContext
    work: SessionWork
    bench: TestBench
    declared: Declared

    @classmethod
    def of(
        cls,
        context: RunContext,
        calls: AgentCalls,
        work: SessionWork,
        checkout: Checkout,
        declared: Declared,
        base: str | None = None,
    ) -> CandidateEvidence:
        """`base`: what dependencies are installed from; by default what the session's changes are on top of."""
        verify = VerifyCheckout.beside(work.private, checkout)
        bench = TestBench(
            context,
            verify,
            calls.environ,
            lambda guardian: calls.lives.watch(context.row.run, guardian),
            work.private.tree_of(base or work.compared_with(work.row())),
        )
        return cls(context, work, bench, declared)

    def prepare(self, base: str) -> None:
        """Find out what will be needed of the commit `base`, once for all lanes.

        Raises as `judge`, and TestsNotRunnable where the configured command tells nothing of it, and has to.
        """
        tree = self.work.private.tree_of(base)
        while True:
            with testing_base(self.work.private.path) as is_ours:
                if is_ours:
                    known = self.bench.baseline(tree)
                    break
            self.context.check()
            self.context.live.stop.wait(POLL_SECONDS)
        if self.context.settings.work.required and (why := tells_nothing(known)):
            raise TestsNotRunnable("nothing can land without tests (`work.required`)", why=why)
        self.bench.runners(tree)
        if not self.bench.needs_set_up:
            self.bench.beside.verify.put(tree)
        self.bench.verify.settle()

    def judge(
        self, candidate: Candidate, claims: Sequence[Claim], task: PlanTask, no_change: str | None = None
    ) -> Judged:
        """Everything found. Raises LeaseLost, RunReleased, GitError."""
        tests, checked = self._tested_and_checked(candidate, bites=task.kind in BITES)
        found = [*checked, *tests.findings]
        criteria = self._criteria(candidate, claims, task, tests)
        found += _unshown(task, candidate, tests)
        found += [
            Finding("criteria", MEDIUM, "criterion_not_shown", f"{each.id} {each.unshown}")
            for each in criteria
            if each.unshown and not (each.verified == "change" and task.kind in BY_CHANGE)
        ]
        if candidate.is_empty:
            found += _unchanged(no_change, criteria)
        if tests.unverified and self.context.settings.work.required:
            found.append(
                Finding("tests", HIGH, "unverified", f"tests tell nothing: {tests.unverified}", blocks=True)
            )
        return Judged(
            tuple(found),
            tests.summary(),
            tuple(criteria),
            tuple(self._links(criteria, tests)),
            tests.unverified,
        )

    def _tested_and_checked(self, candidate: Candidate, *, bites: bool) -> tuple[Tested, list[Finding]]:
        """`tested` and `checked` at once, in checkouts of their own, unless a set-up says which programs there are."""
        if self.bench.needs_set_up:
            return self.tested(candidate, bites=bites), self.checked(candidate)
        self.runners(candidate)  # finding them takes the checkout that tests run in
        with ThreadPoolExecutor(1) as beside:
            checked = beside.submit(self.checked, candidate, self.bench.beside)
            tests = self.tested(candidate, bites=bites)
        return tests, checked.result()

    def runners(self, candidate: Candidate) -> Sequence[Runner]:
        """The base's runners, those near the change first."""
        changed = [_text(change.path) for change in candidate.changes]
        return self.bench.runners(self.work.private.tree_of(candidate.base), changed).runners

    def tested(self, candidate: Candidate, *, bites: bool) -> Tested:
        """The candidate's tests against its base's."""
        private = self.work.private
        before = private.tree_of(candidate.base)
        changed = [_text(change.path) for change in candidate.changes]
        now = self.bench.suite(candidate.tree, changed=changed)
        if candidate.is_empty:
            return Tested(now, now, None, None, None, now.why)
        base = self.bench.baseline(before, changed)
        failpoints.hit("base.tested")
        now = self.that_counts(base, now, candidate.tree, before, changed)
        if not now.is_known or now.run is None:
            return _unknown(base, now)
        if not base.is_known or base.run is None:
            bad = tuple(
                Finding(
                    "tests", HIGH, "test_fails", f"{test} fails", path=test.partition("::")[0], blocks=True
                )
                for test in sorted(now.run.bad)
            )
            why = f"the tests of the base could not be run: {base.why or _faults(base)}"
            return Tested(base, now, None, None, None, why, bad)
        whole = whole_of(base.run)
        if whole and whole in now.run.bad and (why := tells_nothing(base)):
            return Tested(base, now, None, None, None, why)
        runners = self.runners(candidate)
        touched = self.test_side(candidate, runners)
        scratch = self.bench.verify.folder
        kept = [path for path in touched if self.declared.reason_to_change(_text(path)) is None]
        protected = bite = None
        may_go = [_text(path) for path in touched if path not in kept]
        if kept and any(test.partition("::")[0] not in may_go for test in base.run.outcomes):
            mixed = mix_trees(private, candidate.tree, before, kept, scratch)
            protected = self.bench.suite(mixed, changed=changed)
            protected = self.that_counts(base, protected, mixed, before, changed)
        files = [_text(path) for path in touched if any(each.is_test_file(_text(path)) for each in runners)]
        if bites and files:
            tree = mix_trees(private, before, candidate.tree, touched, scratch)
            bite = self.bench.suite(tree, files, changed=changed, may_fail=True)
        broken = protected is not None and (not protected.is_known or protected.run is None)
        runs = _Runs(
            base.run,
            now.run,
            protected.run if protected and not broken else None,
            bite.run if bite and bite.is_known else None,
        )
        untold = UNTOLD if whole and bites and not files and not self._has_known_tests(before) else ""
        compared, names = runs.compared(may_go, files), frozenset[str]()
        if compared.missing:
            again = self.bench.suite(before, changed=changed, again=True)
            if again.is_known and again.run is not None and (names := unstable(base.run, again.run)):
                compared = runs.steady(again.run, names).compared(may_go, files)
        if protected is not None and broken:
            found = (_broken("the base's tests", protected), *findings_of(compared, now.run))
            return Tested(base, now, compared, protected, bite, untold, found, names)
        against = protected.run if protected is not None and protected.run is not None else now.run
        found = tuple(findings_of(compared, against, now.run))
        return Tested(base, now, compared, protected, bite, untold, found, names, tuple(files))

    def _has_known_tests(self, tree: str) -> bool:
        listed = self.work.private.git.run("ls-tree", "-r", "-z", "--name-only", tree).fields
        return has_known_tests(_text(path) for path in listed)

    def that_counts(self, base: Suite, suite: Suite, tree: str, before: str, changed: Sequence[str]) -> Suite:
        """The run of the tests of `tree`; one that was killed is made once more, since nobody knows by whom.

        Raises TestsNotRunnable where a run broke that the base's, which could be made once, would break now, too.
        """
        if suite.is_known or not base.is_known:
            return suite
        now = self.bench.suite(before, changed=changed, again=True)
        if not now.is_known:
            raise TestsNotRunnable(why=now.why or _faults(now))
        return self.bench.suite(tree, changed=changed, again=True) if suite.is_killed else suite

    def test_side(self, candidate: Candidate, runners: Sequence[Runner]) -> list[bytes]:
        """The changed paths that are tests or steer them, as the base's runners see it."""
        bodies: Mapping[str, ChangedFile] = {}
        if any(is_mixed(_text(change.path)) for change in candidate.changes):
            git = self.work.private.git
            bodies = read_changes(git, candidate.base, candidate.tree).by_path

        def touches(path: str) -> bool:
            file = bodies.get(path)
            if file is None:
                return is_test_side(path, runners)
            return changes_test_side(path, file.text_before, file.text, runners)

        return [change.path for change in candidate.changes if touches(_text(change.path))]

    def checked(self, candidate: Candidate, bench: TestBench | None = None) -> list[Finding]:
        """What is found without running its tests; `bench`: where programs run, by default where its tests do."""
        at = bench or self.bench
        changed = [_text(change.path) for change in candidate.changes]
        runners = self.runners(candidate)
        subject = Subject(
            self.work.private,
            candidate.base,
            candidate.tree,
            candidate.flags,
            self.declared,
            lambda path: is_test_side(path, runners) if runners else is_test_path(path),
            secrets.known(at.environ),
        )
        files, environ = at.put(candidate.tree), at.environment()
        lints = any(linter.takes_some(changed) for linter in find_linters(files, environ))
        put_base = partial(at.put, self.work.private.tree_of(candidate.base)) if lints else None
        return check_candidate(subject, Checkouts(at.execute, files, put_base, environ))

    def _criteria(
        self, candidate: Candidate, claims: Sequence[Claim], task: PlanTask, tests: Tested
    ) -> list[CriterionEvidence]:
        changed = {_text(change.path) for change in candidate.changes}
        by_id = {claim.id: claim for claim in claims}
        meant = {id: tests.named(claim.tests) for id, claim in by_id.items()}
        times = Counter(
            test
            for criterion in task.criteria
            for test in {test for found in meant.get(criterion.id, {}).values() for test in found}
        )
        mentions = self._mentions(candidate)
        found = []
        for criterion in task.criteria:
            claim = by_id.get(criterion.id)
            named = meant.get(criterion.id, {})
            passed, names = tests.passing(named), code_names(criterion.text)
            passing = shown = tuple(
                test
                for test in passed
                if not names or mentions().connects(test, names, is_shared=times[test] > 1)
            )
            if task.kind in BITES and tests.compared is not None and not candidate.is_empty:
                shown = tuple(test for test in shown if test in tests.compared.biting)
            files = tuple(path for path in (claim.files if claim else ()) if path in changed)
            verified = "test" if shown else "change" if files else "held" if passing else "none"
            if verified == "held":
                shown = passing
            unknown = tuple(name for name, meant in named.items() if not meant)
            left = names if passed and not passing else ()
            found.append(CriterionEvidence(criterion.id, files, shown, verified, unknown, left))
        return found

    def _mentions(self, candidate: Candidate) -> Callable[[], Mentions]:
        """What the change mentions, read when it is first asked for."""
        git = self.work.private.git
        return cache(lambda: Mentions(read_changes(git, candidate.base, candidate.tree)))

    def _links(self, criteria: Sequence[CriterionEvidence], tests: Tested) -> list[Link]:
        run, check = self.context.row.run, tests.now.check
        links = []
        for each in criteria:
            for test in each.tests if each.verified == "test" else ():
                verified = check is not None
                links.append(
                    Link("criterion", each.id, None, "test", test, None, "test", int(verified), check, run)
                )
            links += [
                Link("criterion", each.id, None, "file", path, None, "claimed", 0, None, run)
                for path in each.files
            ]
        return links


@dataclass(frozen=True, slots=True)
class _Runs:
    """The four runs, where they are known."""

    base: TestRun
    now: TestRun
    protected: TestRun | None
    bite: TestRun | None

    def compared(self, may_go: Sequence[str], files: Sequence[str]) -> Compared:
        """`files`: those of tests that the change edits."""
        edited = [test for test in self.base.outcomes if test.partition("::")[0] in files]
        if files and (whole := whole_of(self.base)):
            edited.append(whole)
        return compare(self.base, self.now, self.protected, self.bite, may_go=may_go, changed_tests=edited)

    def steady(self, again: TestRun, names: frozenset[str]) -> _Runs:
        """The same with the tests of these names counted; `again`: another run of the base."""
        return _Runs(
            sure(steady(self.base, names), steady(again, names)),
            steady(self.now, names),
            steady(self.protected, names) if self.protected else None,
            steady(self.bite, names) if self.bite else None,
        )


@dataclass(frozen=True)
class Tested:
    """The four runs of a candidate, and what they say."""

    __test__ = False  # pytest collects by name

    base: Suite
    now: Suite
    compared: Compared | None
    protected: Suite | None
    bite: Suite | None
    unverified: str = ""
    findings: tuple[Finding, ...] = ()
    unstable: frozenset[str] = frozenset()  # tests whose names differ from run to run (`unstable_names.stem`)
    files: tuple[str, ...] = ()  # of changed tests

    @cached_property
    def flaky(self) -> tuple[str, ...]:
        runs = [run for run in (self.base, self.now, self.protected) if run is not None]
        return tuple(sorted({test for run in runs for test in run.flaky}))

    def named(self, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The tests that each of these names stands for; of no name anything where the tests are not known."""
        run = self.now.run if self.now.is_known else None
        if run is None:
            return {}
        if whole := whole_of(run):
            return {name: named_whole(name, whole, self.files) for name in names}
        spaced = MOCHA in run.runner
        return {name: meant_by(name, run.outcomes, spaced=spaced) for name in names}

    def passing(self, named: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
        """The tests of those names of which all tests passed."""
        outcomes = self.now.run.outcomes if self.now.run else {}
        passed = (meant for meant in named.values() if all(outcomes[test] == PASSED for test in meant))
        return tuple(dict.fromkeys(test for meant in passed for test in meant))

    def _fewer(self) -> int:
        """How many tests fewer there are than before; a file that cannot be read has none."""
        if self.base.run is None or self.now.run is None:
            return 0
        before, now = (len(run.outcomes) - len(unloaded(run)) for run in (self.base.run, self.now.run))
        return max(0, before - now)

    def summary(self) -> JsonObject:
        """What the record of a run says of its tests."""
        run = self.now.run
        outcomes = list(run.outcomes.values()) if run else []
        compared = self.compared
        return {
            "runner": run.runner if run else None,
            "command": list(run.command) if run else [],
            "confined": run.confined if run else None,
            "seconds": run.seconds if run else None,
            "passed": outcomes.count(PASSED) if run else None,
            "failed": sum(outcome in BAD for outcome in outcomes) if run else None,
            "skipped": outcomes.count("skipped") if run else None,
            "baseline": None if self.base.run is None else len(self.base.run.outcomes),
            "fewer": self._fewer(),
            "regressions": sorted(compared.regressions) if compared else [],
            "missing": sorted(compared.missing | compared.skipped) if compared else [],
            "preexisting": sorted(compared.preexisting) if compared else [],
            "new": sorted(compared.new_passing | compared.new_failing) if compared else [],
            "flaky": list(self.flaky),
            "bites": compared.bites if compared else None,
            "unstable": sorted(self.unstable),
            "left_out": self.now.left_out,
            "unverified": self.unverified or None,
            "printed": run.tail if run and (run.faults or run.bad) else None,
        }


def _unknown(base: Suite, now: Suite) -> Tested:
    """The candidate's tests cannot be run: where the base's could, that is the candidate's fault."""
    if base.is_known:
        return Tested(base, now, None, None, None, "", (_broken("the tests", now),))
    return Tested(base, now, None, None, None, tells_nothing(base) or now.why or _faults(now))


def _unchanged(no_change: str | None, criteria: Sequence[CriterionEvidence]) -> list[Finding]:
    """Nothing was changed: right only where a reason is given and tests show every criterion."""
    if no_change and criteria and all(each.verified == "test" for each in criteria):
        return []
    text = (
        "nothing was changed, and no passing test shows that every criterion is met already"
        if no_change
        else "nothing was changed, and no reason was given"
    )
    return [Finding("tree", HIGH, "nothing_changed", text, blocks=True)]


def _unshown(task: PlanTask, candidate: Candidate, tests: Tested) -> list[Finding]:
    """A feature or a fix that no test shows, where tests can be run."""
    if task.kind not in BITES or candidate.is_empty or tests.compared is None or tests.compared.biting:
        return []
    if tests.unverified:
        return []
    return [
        Finding(
            "tests",
            HIGH,
            "no_test_shows_it",
            f"no test shows that {task.id} is done: no new or changed test fails without the change",
            fix="add tests of what changed, and name them for each criterion",
            blocks=True,
        )
    ]


def _broken(which: str, suite: Suite) -> Finding:
    """A change after which tests tell nothing that told something before."""
    return Finding(
        "tests",
        CRITICAL,
        "tests_broken",
        f"{which} cannot be run any more: {suite.why or _faults(suite)}",
        quote=suite.run.tail[-2_000:] if suite.run else "",
        blocks=True,
    )


def _faults(suite: Suite) -> str:
    return "; ".join(suite.run.faults) if suite.run else suite.why


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
