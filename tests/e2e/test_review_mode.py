"""`lifecycle start --mode review`, as a user runs it: no agent, real commits, nothing of theirs changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support import Lifecycle, lifecycle
from tests.git_world import as_left, git, repository, write

BEFORE = "def add(a, b):\n    return a + b\n"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Lifecycle]:
    """A repository whose branch `work` evaluates its input."""
    folder = repository(tmp_path / "p", {"calc.py": BEFORE, ".gitignore": ".workflow/\n"})
    git(folder, "checkout", "-q", "-b", "work")
    write(folder, {"calc.py": "def add(a, b):\n    return eval(f'{a}+{b}')\n"})
    git(folder, "commit", "-q", "-a", "-m", "Evaluate")
    with lifecycle(folder) as made:
        yield made


def test_a_review_without_agents_judges_commits_and_a_patch_and_changes_nothing(
    project: Lifecycle, tmp_path: Path
) -> None:
    before = as_left(project.folder)
    patch = tmp_path / "good.diff"
    patch.write_text(
        "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,3 @@\n def add(a, b):\n+    # the sum\n     return eval(f'{a}+{b}')\n"
    )

    printing = ("artifacts", "qa/review-REVIEW-001.md", "--print")
    blocked = project.run("start", "--mode", "review", "--json")
    printed = project.run(*printing)
    approved = project.run("start", "--mode", "review", "--diff", str(patch), "--json")

    said, other = blocked.json(), approved.json()
    assert (blocked.code, said["exit_code"], said["report"]["review"]["verdict"]) == (1, 1, "BLOCK")
    assert (approved.code, other["report"]["review"]["verdict"]) == (0, "APPROVE")
    assert "`calc.py:2`" in (project.directory(said["session"]) / "qa/review-REVIEW-001.md").read_text()
    assert [each["command"] for each in said["report"]["next"]] == [f"lifecycle {' '.join(printing)}"]
    assert "`calc.py:2`" in printed.out
    assert as_left(project.folder) == before
    assert not git(project.folder, "for-each-ref", "refs/heads/lifecycle")


def test_the_plan_of_a_review_promises_no_edits(project: Lifecycle) -> None:
    planned = project.run("start", "--mode", "review", "--plan")

    assert planned.code == 0, planned.err
    assert "fix round" not in planned.out and "edits code" not in planned.out
    assert "nothing is mended in this mode" in planned.out


def test_what_cannot_be_reviewed_exits_with_2_and_makes_no_session(project: Lifecycle) -> None:
    for options, said in (
        (("--base", "nowhere"), "'nowhere' is no commit"),
        (("--base", "work"), "the difference is empty"),
        (("--base", "work", "--head", "main"), "not an ancestor"),
        (("--diff", "missing.diff"), "there is no patch"),
        (("--diff", "x", "--head", "main"), "exclude each other"),
    ):
        refused = project.run("start", "--mode", "review", *options)
        assert (refused.code, said in refused.err) == (2, True), refused.err
    other = project.run("start", "Build it", "--mode", "spec-only", "--base", "main")

    assert (other.code, "belongs to mode review" in other.err) == (2, True)
    assert not project.database.exists()
