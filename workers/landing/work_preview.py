"""What building in a project would start from, before anything is made: base, tests, set-up."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from orchestrator.config.settings import WorkSettings
from orchestrator.domain.inert import one_line
from orchestrator.domain.json_types import JsonObject
from workers.evidence.environment_setup import plan_setup
from workers.evidence.runners import find_runners
from workers.evidence.sandbox import why_no_sandbox
from workers.evidence.suites import suite_key
from workers.git.private_store import create_store, snapshot_of_user
from workers.git.user_repository import find_repository


def work_preview(project: Path, work: WorkSettings, environ: Mapping[str, str]) -> JsonObject:
    """Base, uncommitted files, test runners, set-up and sandbox, as plain values; nothing is run. Raises GitError.

    `tests_key`: of the checks that are whole runs of these tests, by which their time is found.
    """
    base, name, uncommitted = _base(project)
    found = find_runners(project, work, environ)
    setup = plan_setup(project, work, environ)
    runners = [
        {"name": runner.name, "folder": runner.root, "missing": runner.missing(environ)}
        for runner in found.runners
    ]
    return {
        "base": base,
        "branch": name,
        "uncommitted": uncommitted,
        "runners": runners,
        "why": one_line(found.why),
        "setup": [{"command": list(step.argv), "folder": step.folder} for step in setup.steps],
        "setup_why": one_line(setup.why),
        "no_sandbox": why_no_sandbox(environ),
        "tests_key": suite_key(work, (), may_fail=False),
    }


def _base(project: Path) -> tuple[str | None, str | None, int]:
    """The commit that is checked out and its branch, None where there is none, and how many files differ from it."""
    repository = find_repository(project)
    head = None if repository is None else repository.head()
    if repository is None or head is None:
        return None, None, 0
    branch = repository.git.run("symbolic-ref", "--quiet", "--short", "HEAD", ok=(0, 1))
    name = branch.line if branch.code == 0 else "HEAD"
    if repository.top is None:
        return head, name, 0
    with tempfile.TemporaryDirectory(prefix="lifecycle-preview-") as scratch:
        store = create_store(Path(scratch), "preview", project)
        return head, name, snapshot_of_user(store, repository.top, head)[1]
