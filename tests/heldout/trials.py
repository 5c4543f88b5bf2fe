"""One attempt at a recipe through the product: planned, carried out in a private tree, tested, reviewed, landed or not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.git_world import as_left, git
from tests.heldout import archives
from tests.heldout.judge import outcomes, passed
from tests.heldout.releases import Releases
from tests.plans import coding_pack
from tests.runtime_harness import RuntimeHarness
from tests.work.editing import Editing, until_idle
from tests.work.repositories import Fixture

TASK = "TASK-001"
RUN_SECONDS = 3600.0  # of one task, on a busy machine
LATER = ("FIX-001", "FIX-002", "TEST-001", "TEST-001-R1", "TEST-001-R2")
Deed = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of it."""

    accepted: bool  # it landed, its tests ran, and the review let it pass
    solved: bool  # the hidden tests pass on what landed; False where nothing did
    why: str  # what refused it, or how it ended


def attempt(of: Releases, deed: Deed) -> Attempt:
    """The agent does this in its tree, and says that it is done. Raises RuntimeError where a hidden test cannot be run."""
    with TemporaryDirectory(dir=of.base.parent) as name:
        folder = Path(name)
        faults: list[Exception] = []
        harness = _session(of, _noting(deed, faults), folder)
        before = as_left(harness.project)
        until_idle(harness)
        assert as_left(harness.project) == before, "the user's repository was touched"
        if faults:
            raise faults[0]
        why = _why(harness)
        if not _has_landed(harness):
            return Attempt(False, False, why)
        landed = folder / "landed"
        git(harness.project, "worktree", "add", "-q", "--detach", str(landed), f"lifecycle/{harness.session}")
        found = outcomes(of, landed, lambda tree: of.bring(of.tests, tree))
        return Attempt(not why, set(of.recipe.hidden) <= passed(found), why)


def _noting(deed: Deed, faults: list[Exception]) -> Deed:
    """The deed, whose own faults would look like a refusal."""

    def do(tree: Path) -> None:
        try:
            deed(tree)
        except Exception as fault:
            faults.append(fault)
            raise

    return do


def _session(of: Releases, deed: Deed, folder: Path) -> RuntimeHarness:
    """A session in a repository that has the base as its one commit."""
    turns = {TASK: [deed, _nothing], **{key: [_nothing] for key in LATER}}
    fixture = Fixture(of.recipe.name, "", "", of.recipe.request, (), _plan(of), (_task(of),), {}, {})
    agent = Editing(fixture, turns=turns, answers={TASK: _answer(of), **dict.fromkeys(LATER, MENDED)})
    work = {"trees": str(folder / "trees"), **archives.settings(of.recipe, of.made)}
    harness = RuntimeHarness(
        folder,
        agent,
        request=of.recipe.request,
        settings={"work": work},
        lease_seconds=RUN_SECONDS,
        run_seconds=RUN_SECONDS,
        mode="impl-only",
        pack=coding_pack(),
        roles={role: [agent.name] for role in ("planner", "executor", "tester")},
    )
    harness.runtime.environ = of.environ
    shutil.copytree(of.base, harness.project, dirs_exist_ok=True)
    git(harness.project, "init", "-q", "-b", "main")
    git(harness.project, "add", "-A", "-f")
    git(harness.project, "commit", "-q", "-m", f"Release {of.recipe.base}")
    return harness


def _nothing(tree: Path) -> None:
    """A repair that changes nothing."""


def _plan(of: Releases) -> Mapping[str, Any]:
    return {
        "summary": of.recipe.request[:200],
        "approach": "As the library does it already.",
        "decisions": [],
        "uncovered": [],
        "executor": None,
        "risks": [],
    }


def _task(of: Releases) -> Mapping[str, Any]:
    """The release's change as a plan task: what it touches, and which tests expect something else from now on."""
    old = [path for path in of.tests if of.action(path) != "create"]
    return {
        "id": TASK,
        "title": f"Bring {of.recipe.package} to its next release",
        "description": of.recipe.request,
        "kind": of.recipe.kind,
        "side": "backend",
        "files": [
            {"path": path, "action": of.action(path), "change": "what the request says"}
            for path in [*of.source, *of.tests]
        ],
        "convergence": {"criteria": [{"text": f"The tests show it: {of.recipe.request}"[:900], "refs": []}]},
        "depends_on": [],
        "refs": [],
        "tests_may_change": [{"path": path, "reason": "they show what is new", "refs": []} for path in old],
        "new_dependencies": [],
        "executor": None,
        "size": "M",
    }


def _answer(of: Releases) -> Mapping[str, Any]:
    """What an honest agent says, and every other one too."""
    criteria = [{"id": f"{TASK}-C1", "files": list(of.source), "tests": list(of.recipe.hidden)[:100]}]
    return {"summary": "Done, with tests.", "criteria": criteria, "no_change": None, "needs": None}


MENDED: Mapping[str, Any] = {
    "summary": "Nothing is to be mended.",
    "criteria": [],
    "no_change": "nothing fails",
    "needs": None,
}


def _has_landed(harness: RuntimeHarness) -> bool:
    return bool(harness.rows("SELECT 1 FROM commits"))


def _why(harness: RuntimeHarness) -> str:
    """What keeps it from being accepted; empty: nothing. Raises RuntimeError where a run was lost on the way."""
    for key, outcome, error in harness.rows(
        "SELECT tasks.key, runs.outcome, runs.error FROM runs JOIN tasks ON tasks.id = runs.task_id ORDER BY runs.rowid"
    ):
        if outcome is None:
            raise RuntimeError(f"{key} did not end within {RUN_SECONDS} s")
        if outcome != "completed":
            return f"{key} {outcome}: {error}"
    words = {
        kind: json.loads(data) for kind, data in harness.rows("SELECT kind, data FROM verdicts ORDER BY id")
    }
    if words["test"]["verdict"] != "PASS":
        return f"TEST: {words['test']['verdict']}: {words['test']['why']}"
    if words["review"]["verdict"] == "BLOCK":
        return f"REVIEW: {words['review']['findings']}"
    return "" if harness.state().status == "completed" else f"the session is {harness.state().status}"
