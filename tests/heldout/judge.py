"""What the tests of a tree come to, told without the product's checks: its runners and its sandbox alone."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator.config.settings import WorkSettings
from orchestrator.domain.evidence import PASSED
from tests.heldout import archives
from tests.heldout.releases import Releases
from workers.agents.protocol import Timeouts
from workers.evidence.execution import Executed
from workers.evidence.reports import read_report, report_path
from workers.evidence.runners import find_runners
from workers.evidence.sandbox import hidden_places, run_confined, test_environment, tools_below_tmp

SECONDS = 300.0


def outcomes(of: Releases, tree: Path, change: Callable[[Path], None] = lambda tree: None) -> dict[str, str]:
    """The outcome of each test of a copy of `tree` after `change`, by id; the tree stays as it is.

    Raises RuntimeError where a runner leaves no report that can be believed.
    """
    with TemporaryDirectory(dir=of.base.parent) as name:
        copy, scratch = Path(name, "tree"), Path(name, "scratch")
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".git"))
        scratch.mkdir()
        change(copy)
        if words := archives.setup(of.recipe, of.made):
            subprocess.run(words, cwd=copy, check=True)
        return _outcomes(copy, scratch, of.environ)


def passed(found: Mapping[str, str]) -> frozenset[str]:
    return frozenset(test for test, outcome in found.items() if outcome == PASSED)


def _outcomes(tree: Path, scratch: Path, environ: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    runners = find_runners(tree, WorkSettings(), environ)
    if not runners.runners:
        raise RuntimeError(runners.why)
    for runner in runners.runners:
        env = {**test_environment(environ, tree, scratch), **runner.env}
        report, started = report_path(scratch), time.time()
        argv = runner.argv(report)
        done = run_confined(
            argv,
            cwd=runner.folder,
            env=env,
            writable=[tree, scratch],
            folder=scratch,
            run="heldout",
            timeouts=Timeouts(start=None, silence=None, turn=None, total=SECONDS),
            stop=threading.Event(),
            hidden=hidden_places(environ),
            readable=tools_below_tmp(environ),
        )
        ended = done.ended
        executed = Executed(ended.exit, done.out, done.err, ended.seconds, ended.ended_by)
        run = read_report(runner, report, executed, started=started, command=argv)
        if run.faults:
            raise RuntimeError(f"{runner.name}: {'; '.join(run.faults)}: {run.tail[-1500:]}")
        found |= run.outcomes
    return found
