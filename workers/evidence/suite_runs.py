"""Runs of all tests of a tree, by us, in a clean checkout without network; each tree once (docs/evidence.md)."""

from __future__ import annotations

import hashlib
import json
import posixpath
import signal
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from orchestrator import failpoints
from orchestrator.config.settings import WorkSettings
from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.evidence import PASSED, TestRun
from orchestrator.domain.inert import inert
from orchestrator.domain.json_types import Json
from workers.agents.programs.process import Ended
from workers.agents.protocol import Timeouts
from workers.context.run_context import RunContext
from workers.evidence.environment_setup import is_installed_from, plan_setup
from workers.evidence.execution import KILLED, OUTPUT_BYTES, Executed, why_ended
from workers.evidence.exit_status import whole_of
from workers.evidence.package_caches import network_variables
from workers.evidence.prepared_files import PreparedFiles
from workers.evidence.reports import read_report, report_path
from workers.evidence.runner import SEPARATOR, Runner
from workers.evidence.runners import Found, all_runners, nearest_first
from workers.evidence.sandbox import Confined, hidden_places, run_confined, test_environment, tools_below_tmp
from workers.evidence.suites import KIND, RULES, Suite, from_row, joined, near_to, suite_key, without
from workers.git.verify_checkouts import VerifyCheckout
from workers.host.live_runs import Guardian

COMMAND_SECONDS = 300.0  # for a linter or a compiler
OWN_PROGRAMS = Path(
    __file__
).parent  # that read tests' outcomes: they may be installed below a folder that is hidden
KILLS = (signal.SIGKILL, signal.SIGTERM)  # by the system for want of memory, or by a person: not by the tests
TOGETHER = "//together"  # no path; the key of what is known of a merge: some tests were run, the others were on one side
MOST_AGAIN = 50  # failed tests that are run again; more are no flakiness


@dataclass(frozen=True)
class TestBench:
    """Runs tests for one run of a task."""

    __test__ = False  # pytest collects by name

    context: RunContext
    verify: VerifyCheckout
    environ: Mapping[str, str]
    watch: Callable[[Guardian], None]
    base: str  # the tree whose lock files say what is installed
    _prepared: dict[str, str] = field(default_factory=dict)  # variables that the set-up sets
    _found: dict[str, Found] = field(default_factory=dict)  # tree -> all its runners
    _untold: dict[str, Suite] = field(
        default_factory=dict
    )  # bases whose tests tell nothing, to this run at least

    @property
    def settings(self) -> WorkSettings:
        return self.context.settings.work

    @cached_property
    def beside(self) -> TestBench:
        """One with a checkout of its own, for commands that run at the same time."""
        return replace(self, verify=self.verify.for_checks)

    def put(self, tree: str) -> Path:
        """The folder with the files of the tree, and the folders that `environment` names."""
        files = self.verify.put(tree)
        self.environment()
        return files

    def runners(self, tree: str, changed: Sequence[str] = ()) -> Found:
        """The runners of a tree, those near the files `changed` first; it is checked out where they are not known."""
        known = self._found.get(tree)
        return self._find(tree, changed) if known is None else nearest_first(known, changed)

    def _find(self, tree: str, changed: Sequence[str]) -> Found:
        """Check the tree out, and find its runners."""
        files = self.verify.put(tree)
        if tree not in self._found:
            self._found[tree] = all_runners(files, self.settings, self.environ)
        return nearest_first(self._found[tree], changed)

    def baseline(self, tree: str, changed: Sequence[str] = ()) -> Suite:
        """What is known of the tests of a tree that others are compared with; they are run where nothing is.

        Of a merge it may have been put together (`put_together`). `changed` as in `suite`. Raises as `suite`.
        """
        known = self.known_baseline(tree, changed)
        if known is not None:
            return known
        if tree not in self._untold:
            found = self.suite(tree, changed=changed)
            if found.check is not None:
                return found
            self._untold[tree] = found
        return self._untold[tree]

    def known_baseline(self, tree: str, changed: Sequence[str] = ()) -> Suite | None:
        """The same without running anything; None where nothing is known."""
        return self.known_suite(tree, changed) or self._known(tree, (TOGETHER,), False)

    def known_suite(self, tree: str, changed: Sequence[str] = ()) -> Suite | None:
        """What all tests of the tree came to; None where they were not run."""
        return self._known(tree, (), False, changed)

    def put_together(self, tree: str, base: Suite, chosen: Suite, files: Collection[str]) -> Suite:
        """All tests of a merge, as a row: those in `files`, which were run, and the others as they were in `base`."""
        assert base.run is not None and chosen.run is not None
        places = {*files, *(posixpath.dirname(file) for file in files)}  # of Go tests it is the folder
        kept = {
            test: outcome
            for test, outcome in base.run.outcomes.items()
            if test.partition(SEPARATOR)[0] not in places
        }
        run = replace(
            chosen.run,
            outcomes={**kept, **chosen.run.outcomes},
            seconds=max(base.run.seconds, chosen.run.seconds),  # as long as all of them take
        )
        together = Suite(run, flaky=chosen.flaky, left_out=base.left_out)
        return self._stored(tree, self._key((TOGETHER,), False), together, 0.0)

    def _known(
        self, tree: str, select: Sequence[str], may_fail: bool, changed: Sequence[str] = ()
    ) -> Suite | None:
        """What a row says; one of some projects of a tree holds for changes near those alone."""
        session = self.context.row.session_id
        whole, near = self._key(select, may_fail), self._key(select, may_fail, changed)
        rows = self.context.desk.check(session, tree, KIND, (whole, near))
        found = ((key, from_row(rows[key])) for key in (whole, near) if key in rows)
        return next((suite for key, suite in found if key == near or not suite.left_out), None)

    def suite(
        self,
        tree: str,
        select: Sequence[str] = (),
        *,
        changed: Sequence[str] = (),
        may_fail: bool = False,
        again: bool = False,
    ) -> Suite:
        """All tests of a tree (or those in the files `select`), from the row of an earlier run where there is one.

        `changed`: the files of the change, whose projects come first where a tree has too many. `may_fail`: failures are
        expected, and none is looked at twice. `again`: they are run whatever an earlier run came to.

        Raises LeaseLost, RunReleased, GitError, AgentUnavailable when no process can be started.
        """
        known = None if again else self._known(tree, select, may_fail, changed)
        if known is not None:
            return known
        begun = time.monotonic()
        found = self._run(tree, select, changed, may_fail)
        self.context.check()
        if found.run is None or found.why or not found.run.is_believed:
            return found  # what the machine lacks, or broke, may be there at the next attempt
        if whole_of(found.run) in found.run.bad:
            return found  # so it may be of a command that can only fail or succeed as a whole
        near = changed if found.left_out else ()
        return self._stored(tree, self._key(select, may_fail, near), found, time.monotonic() - begun)

    def _stored(self, tree: str, key: str, found: Suite, seconds: float) -> Suite:
        assert found.run is not None
        row = self.context.row
        outcome = "failed" if found.run.bad else "passed"
        data: dict[str, Json] = {
            "run": found.run.as_json(),
            "flaky": list(found.flaky),
            "left_out": found.left_out,
        }
        stored = self.context.desk.add_check(row, tree, KIND, key, outcome, data, seconds)
        failpoints.hit("checks.stored")
        return replace(found, check=stored.id)

    def _key(self, select: Sequence[str], may_fail: bool, changed: Sequence[str] = ()) -> str:
        return suite_key(self.settings, select, near_to(changed), may_fail=may_fail)

    def _run(self, tree: str, select: Sequence[str], changed: Sequence[str], may_fail: bool) -> Suite:
        there = self._find(tree, changed)
        if not there.runners:
            return Suite(None, there.why)
        fault = self._set_up(tree)
        if fault:
            return Suite(None, fault)
        runs: list[TestRun] = []
        flaky: list[str] = []
        for runner in there.runners:
            wanted = [path for path in select if runner.owns(path)]
            if select and not wanted:
                continue
            lacking = runner.missing(self.environment())
            if lacking is not None:
                return Suite(None, lacking)
            done, ended = self._once(runner, wanted)
            if ended == KILLED:
                self.context.check()
                done, ended = self._once(runner, wanted)
            if not done.confined and ended == "unconfined":
                return Suite(
                    None,
                    "tests cannot be confined on this machine; `work.unconfined = true` runs them all the same",
                )
            if ended != "exited":
                why = f"{runner.name} was ended: {why_ended(ended)}"
                return Suite(done, why, is_killed=ended == KILLED)
            again = [] if may_fail else self._flaky(runner, done, tree)
            flaky += again
            runs.append(without(done, again))
        if not runs:
            return Suite(None, "no runner runs these tests")
        return Suite(joined(runs), flaky=tuple(flaky), left_out=there.left_out)

    def _set_up(self, tree: str) -> str:
        """Install what the base's lock files pin, whatever the tree's own say; why it failed, if it did.

        The tree is checked out before, and is so afterwards, with what was installed beside its files.
        """
        if not self.needs_set_up:
            return ""
        about = [RULES, self.base, self.settings.setup, self.environ.get("PATH")]
        key = hashlib.sha256(json.dumps(about).encode()).hexdigest()
        prepared = PreparedFiles(self.verify.folder / "environment")
        self.verify.put(self.base)
        kept = prepared.env(key)
        if kept is not None:
            self._prepared.update(kept)
            prepared.restore(self.verify)
        elif fault := self._install(prepared, key):
            return fault
        failpoints.hit("setup.done")
        self.verify.switch(tree)
        return ""

    def _install(self, prepared: PreparedFiles, key: str) -> str:
        """Run the set-up in the base's files; why it failed, if it did."""
        prepared.clear()
        plan = plan_setup(self.verify.files, self.settings, self.environ, prepared.folder)
        self._prepared.update(plan.env)
        network = network_variables(self.environ) if plan.network else {}
        for folder in plan.writable:
            folder.mkdir(parents=True, exist_ok=True)
        for number, step in enumerate(plan.steps):
            if step.installs_beside and number and not plan.steps[number - 1].installs_beside:
                self.verify.put(self.base)
            done = self._confined(
                step.argv,
                self.verify.files / step.folder,
                {**self.environment(), **network, **plan.env},
                self.settings.test_seconds,
                network=plan.network,
                more=(prepared.folder, *plan.writable),
                logins=step.logins,
            )
            self.context.check()
            if done.ended.ended_by != "exited" or done.ended.exit != 0:
                said = inert(f"{done.out.strip()}\n{done.err.strip()}".strip()[-500:])
                return f"the set-up failed: {' '.join(step.argv)}: {said or done.why or why_ended(done.ended.ended_by)}"
        if plan.steps and not plan.steps[-1].installs_beside:
            self.verify.put(self.base)
        prepared.keep(key, plan.env, self.verify, home=plan.keeps_home)
        return ""

    @cached_property
    def needs_set_up(self) -> bool:
        """Whether there is anything to install: a command of the settings, or a lock file of the base."""
        if self.settings.setup:
            return True
        names = self.verify.store.git.run("ls-tree", "-r", "-z", "--name-only", self.base).fields
        return any(is_installed_from(name.rpartition(b"/")[2].decode("utf-8", "replace")) for name in names)

    def _once(
        self, runner: Runner, select: Sequence[str], expected: Iterable[str] = ()
    ) -> tuple[TestRun, str]:
        """One run, and what ended it; it is believed only with the `expected` tests."""
        report = report_path(self.verify.scratch)
        started = time.time()
        argv = runner.argv(report, select)
        env = {**self.environment(), **runner.env}
        tests = [path for path in self.verify.tracked() if runner.is_test_file(path)]
        before = self.verify.stamps(tests)
        done = self._confined(argv, runner.folder, env, self.settings.test_seconds)
        failpoints.hit("tests.ran")
        ended = done.ended
        executed = Executed(ended.exit, done.out, done.err, ended.seconds, ended.ended_by)
        run = read_report(
            runner,
            report,
            executed,
            started=started,
            command=argv,
            expected=expected,
            confined=done.confined,
        )
        after = self.verify.stamps(tests)
        if rewritten := [path for path in before if after.get(path) != before[path]]:
            fault = f"it wrote to its own tests while it ran: {', '.join(rewritten[:5])}"
            run = replace(run, faults=(*run.faults, fault))
        return run, KILLED if _is_killed(ended) else ended.ended_by

    def _flaky(self, runner: Runner, done: TestRun, tree: str) -> list[str]:
        """Those failed tests that pass when all are run again in a fresh checkout."""
        failed = sorted(done.bad)
        if not done.is_believed or not failed or len(failed) > MOST_AGAIN:
            return []
        self.verify.put(tree)
        if self._set_up(tree):
            return []
        self.context.check()
        again, _ended = self._once(runner, (), expected=failed)
        return [test for test in failed if again.is_believed and again.outcomes[test] == PASSED]

    def prepared(self, tree: str) -> tuple[Path, str]:
        """The tree checked out with what its base's lock files pin beside it; and why that failed, if it did."""
        return self.verify.put(tree), self._set_up(tree)

    def execute(self, argv: Sequence[str], folder: Path, environ: Mapping[str, str]) -> Executed:
        """One command over a checked out tree, in the sandbox."""
        done = self._confined(argv, folder, environ, COMMAND_SECONDS, more=(folder,))
        ended = done.ended
        return Executed(ended.exit, done.out, done.err, ended.seconds, ended.ended_by)

    def _confined(
        self,
        argv: Sequence[str],
        folder: Path,
        environ: Mapping[str, str],
        seconds: float,
        *,
        network: bool = False,
        more: Sequence[Path] = (),
        logins: Sequence[Path] = (),
    ) -> Confined:
        """`more`: what it may write beside the tree and its scratch folder; `logins`: hidden files that it may read."""
        hidden = hidden_places(self.environ, self.context.project)
        return run_confined(
            argv,
            cwd=folder,
            env=environ,
            writable=[self.verify.files, self.verify.scratch, *more],
            folder=self.context.workdir,
            run=self.context.row.run,
            timeouts=Timeouts(start=None, silence=None, turn=None, total=seconds, output_bytes=OUTPUT_BYTES),
            stop=self.context.live.stop,
            hidden=[place for place in hidden if place not in logins],
            readable=[OWN_PROGRAMS, *tools_below_tmp(self.environ), *logins],
            on_guardian=self.watch,
            allow_unconfined=self.settings.unconfined,
            network=network,
        )

    def environment(self) -> dict[str, str]:
        return {
            **test_environment(self.environ, self.verify.files, self.verify.scratch),
            **self._prepared,
        }


def _is_killed(ended: Ended) -> bool:
    """Whether a signal from outside ended it, or a process that it waited for."""
    return ended.ended_by == "exited" and (
        ended.signal in KILLS or ended.exit in {128 + each for each in KILLS}
    )
