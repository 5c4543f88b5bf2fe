"""Runs of all tests of a tree, by us, in a clean checkout without network; each tree once (docs/evidence.md)."""

from __future__ import annotations

import hashlib
import json
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator import failpoints
from orchestrator.config.settings import WorkSettings
from orchestrator.domain.evidence import PASSED, TestRun
from orchestrator.domain.json_types import Json
from orchestrator.store import checks
from orchestrator.store.checks import Check
from workers.agents.programs.process import Ended
from workers.agents.protocol import Timeouts
from workers.context.run_context import RunContext
from workers.evidence.environment_setup import is_installed_from, plan_setup
from workers.evidence.execution import Executed
from workers.evidence.reports import read_report, report_path
from workers.evidence.runner import Runner
from workers.evidence.runners import find_runners
from workers.evidence.sandbox import Confined, hidden_places, run_confined, test_environment, tools_below_tmp
from workers.git.verify_checkouts import VerifyCheckout
from workers.host.live_runs import Guardian

KIND = "tests"
RULES = 1  # of this module and the runners: another number is another key, and old rows do not count
COMMAND_SECONDS = 300.0  # for a linter or a compiler
OWN_PROGRAMS = Path(
    __file__
).parent  # that read tests' outcomes: they may be installed below a folder that is hidden
KILLS = (signal.SIGKILL, signal.SIGTERM)  # by the system for want of memory, or by a person: not by the tests
MOST_AGAIN = 50  # failed tests that are run again; more are no flakiness


@dataclass(frozen=True, slots=True)
class Suite:
    """What all tests of a tree came to."""

    run: TestRun | None  # None: nothing could be run
    why: str = ""  # why not, or why it tells nothing
    flaky: tuple[str, ...] = ()  # failed, and passed when they were run again
    check: int | None = None  # the row

    @property
    def is_known(self) -> bool:
        """Whether its outcomes can be relied on."""
        return self.run is not None and not self.why and self.run.is_believed


def suite_key(settings: WorkSettings, select: Sequence[str], *, may_fail: bool) -> str:
    """The key of the checks that are such runs; without `select` those of all tests."""
    about = [RULES, settings.test_command, settings.test_report, settings.setup, sorted(select), may_fail]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


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

    @property
    def settings(self) -> WorkSettings:
        return self.context.settings.work

    def runners(self, tree: str) -> tuple[list[Runner], str]:
        """The runners of a tree, or why there is none; the tree is checked out."""
        files = self.verify.put(tree)
        found = find_runners(files, self.settings, self.environ)
        return list(found.runners), found.why

    def suite(self, tree: str, select: Sequence[str] = (), *, may_fail: bool = False) -> Suite:
        """All tests of a tree (or those in the files `select`), from the row of an earlier run where there is one.

        `may_fail`: failures are expected, and none is looked at twice.

        Raises LeaseLost, RunReleased, GitError, AgentUnavailable when no process can be started.
        """
        row = self.context.row
        key = self._key(select, may_fail)
        known = self.context.store.read(lambda tx: checks.check_of(tx, row.session_id, tree, KIND, key))
        if known is not None:
            return _from_row(known)
        begun = time.monotonic()
        found = self._run(tree, select, may_fail)
        self.context.check()
        if found.run is None or found.why or not found.run.is_believed:
            return found  # what the machine lacks, or broke, may be there at the next attempt
        outcome = "failed" if found.run.bad else "passed"
        data: dict[str, Json] = {"run": found.run.as_json(), "flaky": list(found.flaky)}
        seconds = time.monotonic() - begun
        stored = self.context.store.write(
            lambda tx: checks.add_check(tx, row, tree, KIND, key, outcome, data, seconds)
        )
        failpoints.hit("checks.stored")
        return replace(found, check=stored.id)

    def _key(self, select: Sequence[str], may_fail: bool) -> str:
        return suite_key(self.settings, select, may_fail=may_fail)

    def _run(self, tree: str, select: Sequence[str], may_fail: bool) -> Suite:
        runners, why = self.runners(tree)
        if not runners:
            return Suite(None, why)
        fault = self._set_up(tree)
        if fault:
            return Suite(None, fault)
        runs: list[TestRun] = []
        flaky: list[str] = []
        for runner in runners:
            wanted = [path for path in select if runner.owns(path)]
            if select and not wanted:
                continue
            lacking = runner.missing(self.environment())
            if lacking is not None:
                return Suite(None, lacking)
            done, ended = self._once(runner, wanted)
            if ended == "killed":
                self.context.check()
                done, ended = self._once(runner, wanted)
            if not done.confined and ended == "unconfined":
                return Suite(
                    None,
                    "tests cannot be confined on this machine; `work.unconfined = true` runs them all the same",
                )
            if ended != "exited":
                return Suite(done, f"{runner.name} was ended: {ended}")
            found = [] if may_fail else self._flaky(runner, done, tree)
            flaky += found
            runs.append(_without(done, found))
        if not runs:
            return Suite(None, "no runner runs these tests")
        return Suite(_joined(runs), flaky=tuple(flaky))

    def _set_up(self, tree: str) -> str:
        """Install what the base's lock files pin, whatever the tree's own say; why it failed, if it did.

        The tree is checked out before, and is so afterwards, with what was installed beside its files.
        """
        if not self._needs_set_up():
            return ""
        settings = self.settings
        self.verify.put(self.base)
        environment = self.verify.folder / "environment"
        plan = plan_setup(self.verify.files, settings, self.environ, environment)
        self._prepared.update(plan.env)
        environment.mkdir(mode=0o700, exist_ok=True)
        for step in plan.steps:
            env = {**self.environment(), **plan.env}
            folder = self.verify.files / step.folder
            done = self._confined(
                step.argv, folder, env, settings.test_seconds, network=plan.network, more=(environment,)
            )
            self.context.check()
            if done.ended.ended_by != "exited" or done.ended.exit != 0:
                said = (done.err or done.out).strip()[-500:]
                return f"the set-up failed: {' '.join(step.argv)}: {said or done.why or done.ended.ended_by}"
        failpoints.hit("setup.done")
        self.verify.switch(tree)
        return ""

    def _needs_set_up(self) -> bool:
        """Whether there is anything to install: a command of the settings, or a lock file of the base."""
        if self.settings.setup:
            return True
        names = self.verify.store.git.run("ls-tree", "-r", "-z", "--name-only", self.base).fields
        return any(is_installed_from(name.rpartition(b"/")[2].decode("utf-8", "replace")) for name in names)

    def _once(self, runner: Runner, select: Sequence[str]) -> tuple[TestRun, str]:
        """One run, and what ended it."""
        report = report_path(self.verify.scratch)
        started = time.time()
        argv = runner.argv(report, select)
        env = {**self.environment(), **runner.env}
        done = self._confined(argv, runner.folder, env, self.settings.test_seconds)
        failpoints.hit("tests.ran")
        ended = done.ended
        executed = Executed(ended.exit, done.out, done.err, ended.seconds, ended.ended_by)
        run = read_report(runner, report, executed, started=started, command=argv, confined=done.confined)
        return run, "killed" if _is_killed(ended) else ended.ended_by

    def _flaky(self, runner: Runner, done: TestRun, tree: str) -> list[str]:
        """Those failed tests that pass when all are run again in a fresh checkout."""
        failed = sorted(done.bad)
        if not done.is_believed or not failed or len(failed) > MOST_AGAIN:
            return []
        self.verify.put(tree)
        if self._set_up(tree):
            return []
        self.context.check()
        again, _ended = self._once(runner, ())
        return [test for test in failed if again.outcomes.get(test) == PASSED]

    def execute(self, argv: Sequence[str], folder: Path, environ: Mapping[str, str]) -> Executed:
        """One command over a checked out tree, in the sandbox."""
        done = self._confined(argv, folder, environ, COMMAND_SECONDS)
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
    ) -> Confined:
        """`more`: what it may write beside the tree and its scratch folder."""
        return run_confined(
            argv,
            cwd=folder,
            env=environ,
            writable=[self.verify.files, self.verify.scratch, *more],
            folder=self.context.workdir,
            run=self.context.row.run,
            timeouts=Timeouts(start=None, silence=None, turn=None, total=seconds),
            stop=self.context.live.stop,
            hidden=hidden_places(self.environ, self.context.project),
            readable=[OWN_PROGRAMS, *tools_below_tmp(self.environ)],
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


def _without(run: TestRun, flaky: Sequence[str]) -> TestRun:
    """The run with its flaky tests counted as passed."""
    return replace(run, outcomes={**run.outcomes, **dict.fromkeys(flaky, PASSED)}) if flaky else run


def _joined(runs: Sequence[TestRun]) -> TestRun:
    """Several runners' runs as one; a test's id tells its runner where several have it."""
    if len(runs) == 1:
        return runs[0]
    outcomes: dict[str, str] = {}
    for run in runs:
        for test, outcome in run.outcomes.items():
            outcomes[test if test not in outcomes else f"{run.runner}: {test}"] = outcome
    worst = next((run for run in runs if run.bad or run.faults), runs[0])
    return TestRun(
        "+".join(dict.fromkeys(run.runner for run in runs)),
        worst.command,
        outcomes,
        tuple(fault for run in runs for fault in run.faults),
        worst.exit,
        sum(run.seconds for run in runs),
        worst.tail,
        all(run.confined for run in runs),
    )


def _from_row(row: Check) -> Suite:
    return Suite(TestRun.from_json(row.data["run"]), flaky=tuple(row.data["flaky"]), check=row.id)
