"""What a run of all tests came to, how it is kept as a row, and how the runs of several runners become one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from orchestrator.config.settings import WorkSettings
from orchestrator.domain.dataclass import dataclass, replace
from orchestrator.domain.evidence import PASSED, TestRun
from orchestrator.door.desk import Check

KIND = "tests"
RULES = (
    3  # of this module, the benches and the runners: another number is another key, and old rows do not count
)


@dataclass(frozen=True, slots=True)
class Suite:
    """What all tests of a tree came to."""

    run: TestRun | None  # None: nothing could be run
    why: str = ""  # why not, or why it tells nothing
    flaky: tuple[str, ...] = ()  # failed, and passed when they were run again
    check: int | None = None  # the row
    left_out: int = 0  # runners that a tree with many projects has beside those that were run
    is_killed: bool = (
        False  # ended by a signal that is none of ours: by itself, or by somebody or the machine
    )

    @property
    def is_known(self) -> bool:
        """Whether its outcomes can be relied on."""
        return self.run is not None and not self.why and self.run.is_believed


def suite_key(
    settings: WorkSettings, select: Sequence[str], near: Sequence[str] = (), *, may_fail: bool
) -> str:
    """The key of the checks that are such runs; without `select` those of all tests, without `near` of all projects."""
    own = [settings.test_command, settings.test_report, settings.setup]
    about = [RULES, *own, sorted(select), may_fail, list(near)]
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:32]


def without(run: TestRun, flaky: Sequence[str]) -> TestRun:
    """The run with its flaky tests counted as passed."""
    return replace(run, outcomes={**run.outcomes, **dict.fromkeys(flaky, PASSED)}) if flaky else run


def joined(runs: Sequence[TestRun]) -> TestRun:
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
        {test: said for run in runs for test, said in run.messages.items()},
    )


def near_to(changed: Sequence[str]) -> tuple[str, ...]:
    """The folders of changed files."""
    return tuple(sorted({path.rpartition("/")[0] for path in changed}))


def from_row(row: Check) -> Suite:
    return Suite(
        TestRun.from_json(row.data["run"]),
        flaky=tuple(row.data["flaky"]),
        check=row.id,
        left_out=int(row.data["left_out"]),
    )
