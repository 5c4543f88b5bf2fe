"""Whether the report of a test run is believed, and what it then says (docs/evidence.md, "Test runners")."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from orchestrator.domain.evidence import BAD, ERROR, FAILED, PASSED, TestRun
from orchestrator.domain.inert import inert
from workers.evidence.cases import BUILD, Case, Cases
from workers.evidence.compiled_runners import OwnCommand
from workers.evidence.error_text import shortened
from workers.evidence.execution import EXITED, Executed, why_ended
from workers.evidence.exit_status import whole_test
from workers.evidence.runner import SEPARATOR, Runner, split_id

TAIL = 4_000  # characters of what was printed
MESSAGE, MESSAGES = 800, 20  # characters of what a failed test says, and how many tests are heard
_SHOWN = 3  # ids in a fault
_NO_TESTS = frozenset({5})  # pytest's and Python 3.12 unittest's exit status for it


def report_path(folder: Path) -> Path:
    """A name for the report of one run that nobody can guess; `folder` is outside every tree, and writable."""
    return folder / f"{uuid.uuid4().hex}.report"


def read_report(
    runner: Runner,
    report: Path,
    executed: Executed,
    *,
    started: float,
    command: Sequence[str] = (),
    expected: Iterable[str] = (),
    confined: bool = True,
) -> TestRun:
    """The outcomes of one run, with the reasons why they are not believed.

    `started`: seconds since 1970 before the run; `expected`: ids that must be in the report. A test of a file that could
    not be loaded counts as an error, not as absent.
    """
    cases, wanted = _cases(runner, report, executed, started), tuple(expected)
    outcomes = {id: case.outcome for id, case in cases.by_id.items()}
    outcomes |= _unloaded(cases, wanted)
    faults = list(cases.faults)
    if fault := _exit_fault(executed, outcomes):
        faults.append(fault)
    if not outcomes and not cases.faults:
        faults.append("it ran no test")
    if absent := [id for id in wanted if id not in outcomes]:
        shown = ", ".join(absent[:_SHOWN]) + (", ..." if len(absent) > _SHOWN else "")
        faults.append(f"{len(absent)} of {len(wanted)} expected tests are not in its report: {shown}")
    return TestRun(
        runner.name,
        tuple(command) or runner.argv(report),
        outcomes,
        tuple(faults),
        executed.exit,
        executed.seconds,
        tail(executed),
        confined,
        {
            id: shortened(case.message, MESSAGE)
            for id, case in islice(
                ((id, case) for id, case in _files_first(cases) if case.outcome in BAD and case.message),
                MESSAGES,
            )
        },
    )


def _files_first(cases: Cases) -> list[tuple[str, Case]]:
    """The cases, those first that stand for a file which could not be loaded: they are the cause of others."""
    return sorted(cases.by_id.items(), key=lambda item: SEPARATOR in item[0])


def tail(executed: Executed) -> str:
    """The end of what a command printed, made harmless: its errors last."""
    text = "\n".join(part.rstrip() for part in (executed.out[-TAIL:], executed.err[-TAIL:]) if part.strip())
    return inert(text[-TAIL:])


def _cases(runner: Runner, report: Path, executed: Executed, started: float) -> Cases:
    if isinstance(runner, OwnCommand) and not runner.has_report:
        if executed.exit is None:
            return Cases()
        whole = whole_test(runner.command)
        return Cases({whole: Case(whole, PASSED if executed.exit == 0 else FAILED, tail(executed))})
    return runner.parse(report, executed.out, executed.err, started)


def _unloaded(cases: Cases, expected: Sequence[str]) -> dict[str, str]:
    """Expected tests that were not run because their file or package could not be loaded."""
    broken = {id for id, case in cases.by_id.items() if case.outcome == ERROR and SEPARATOR not in id}
    absent = (id for id in expected if id not in cases.by_id)
    return {id: ERROR for id in absent if BUILD in broken or split_id(id)[0] in broken}


def _exit_fault(executed: Executed, outcomes: dict[str, str]) -> str | None:
    """How the exit status contradicts the outcomes, if it does."""
    if executed.ended_by != EXITED:
        return f"it did not end by itself: {why_ended(executed.ended_by)}"
    if executed.exit is None:
        return "it was killed by a signal"
    has_bad = any(outcome in BAD for outcome in outcomes.values())
    if executed.exit == 0 and has_bad:
        return "it ended with status 0 although tests failed"
    if executed.exit != 0 and not has_bad and not (executed.exit in _NO_TESTS and not outcomes):
        return f"it ended with status {executed.exit} although no test failed"
    return None
