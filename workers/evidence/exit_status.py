"""What a test command without a report tells: one test, named after the command, that its exit status decides.

Whether it sees a change is told as of any other test: it fails with the changed tests over the base's sources, and passes
over the candidate. Where it fails over the untouched base it tells nothing, and where no file is known to be a test nobody
can take the tests of a change without its sources: the work is then unverified, and nothing is asked that cannot be shown.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from orchestrator.domain.evidence import TestRun
from orchestrator.domain.inert import one_line
from workers.evidence.compiled_runners import COMMON_TEST_NAME, OwnCommand
from workers.evidence.runner import SEPARATOR, split_id
from workers.evidence.suites import Suite

PLACE = "test command"  # before the command; no file
LAST = 300  # characters of what was printed
UNTOLD = (
    "`work.test_command` is judged by its exit status, and no file of the change is known to be a test by its name: whether "
    "tests see the change cannot be told (name tests as `tests/...` or `test_...`, or have the command write a report)"
)


def whole_test(command: Sequence[str]) -> str:
    """The id of the one test that the command is."""
    return f"{PLACE}{SEPARATOR}{shlex.join(command)}"


def is_whole(test: str) -> bool:
    """Whether the id is of such a test."""
    return test.startswith(PLACE + SEPARATOR)


def whole_of(run: TestRun | None) -> str | None:
    """The one test of a run that is judged by its exit status; None of any other."""
    return None if run is None else next((test for test in run.outcomes if is_whole(test)), None)


def has_known_tests(paths: Iterable[str]) -> bool:
    """Whether some of a tree's files are tests by their names, so that those of a change would be, too."""
    return any(COMMON_TEST_NAME.search(path) for path in paths)


def named_whole(name: str, test: str, files: Sequence[str]) -> tuple[str, ...]:
    """The test where `name` means it: by its id, by its command, or by one of the changed files of tests."""
    name = name.strip().removeprefix("./")
    return (test,) if name in (test, split_id(test)[1]) or split_id(name)[0] in files else ()


def tells_nothing(base: Suite) -> str:
    """Why the configured command tells nothing over the untouched base, with its last words; empty where it does."""
    run = base.run
    if run is None or run.runner != OwnCommand.name or not run.exit or (base.is_known and not whole_of(run)):
        return ""
    said = one_line(run.tail.strip()[-LAST:]) or f"it ended with status {run.exit}"
    return (
        f"the test command fails on the untouched base: {said} (if something has to be installed first, `work.setup` "
        "names the command that does it)"
    )
