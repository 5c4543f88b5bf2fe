"""What a person is told by the commands in a repository that is not fit for them, and that nothing was changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orchestrator.project import Project, prepare
from tests.e2e.support import Lifecycle, lifecycle
from tests.git_world import GIT, World, as_left, git, repository, world, write

FILES: dict[str, str | bytes] = {"app.py": "print(1)\n", ".gitignore": ".workflow/\n"}


class Landed:
    """A session that has landed one commit, and the command."""

    def __init__(self, life: Lifecycle, here: World) -> None:
        self.life = life
        self.here = here
        self.folder = here.folder
        self.session = here.session
        work = here.begin()
        run = here.claim()
        tree = work.open_tree(run, 0)
        write(tree.checkout.work, {"new.py": "new = 1\n"})
        here.land(work, run, tree)
        self.base = work.row().base

    def refused(self, *arguments: str, **env: str) -> str:
        """What is said; the user's repository is as it was before."""
        before = as_left(self.folder)
        gave = self.life.run(*arguments, env=env)
        assert gave.code == 2, (gave.out, gave.err)
        assert gave.err.splitlines()[-1].strip().startswith("try: ") and "Traceback" not in gave.err
        assert as_left(self.folder) == before
        return gave.err


@pytest.fixture
def landed(tmp_path: Path) -> Iterator[Landed]:
    folder = repository(tmp_path / "p", FILES)
    with lifecycle(folder, extra=f'[work]\ntrees = "{tmp_path / "trees"}"\n') as life:
        life.environment |= {name: value for name, value in GIT.items() if name != "PATH"}
        prepare(Project(folder))
        yield Landed(life, world(tmp_path, folder))


def lock(at: Landed) -> None:
    (at.folder / ".git" / "index.lock").touch()


def bisect(at: Landed) -> None:
    git(at.folder, "bisect", "start")


def begin_again(at: Landed) -> None:
    git(at.folder, "checkout", "-q", "--orphan", "other")
    git(at.folder, "commit", "-q", "-m", "Another beginning")


def lose_the_base(at: Landed) -> None:
    begin_again(at)
    git(at.folder, "branch", "-D", "main")
    for name in git(
        at.folder, "for-each-ref", "--format=%(refname)", "refs/lifecycle", "refs/heads/lifecycle"
    ).split():
        git(at.folder, "update-ref", "-d", name)
    git(at.folder, "reflog", "expire", "--expire=now", "--all")
    git(at.folder, "gc", "-q", "--prune=now")


def lose_the_store(at: Landed) -> None:
    shutil.rmtree(at.folder / ".workflow" / "work" / f"{at.session}.git")


UNFIT: dict[str, tuple[Callable[[Landed], None], tuple[str, ...]]] = {
    "95 locked": (lock, ("your repository is locked; nothing was changed", "index.lock is there")),
    "96 bisecting": (bisect, ("in the middle of another operation", "BISECT_LOG is there")),
    "97 unrelated": (begin_again, ("have no commit in common", "apply --patch FILE")),
    "92 no base": (lose_the_base, ("builds on is gone", "git fetch REMOTE {base}")),
    "93 no store": (lose_the_store, ("the private store of {session} is gone", "lifecycle/{session}")),
}


@pytest.mark.parametrize("case", UNFIT)
def test_apply_in_an_unfit_repository_says_why_and_changes_nothing(landed: Landed, case: str) -> None:
    make_unfit, said = UNFIT[case]
    make_unfit(landed)

    words = landed.refused("apply")

    for each in said:
        assert each.format(base=landed.base, session=landed.session) in words


def test_98_apply_in_a_repository_of_another_user_names_the_setting(landed: Landed) -> None:
    words = landed.refused("apply", GIT_TEST_ASSUME_DIFFERENT_OWNER="1")

    assert "it belongs to another user" in words and f"safe.directory {landed.folder}" in words


def test_99_apply_without_git_or_with_an_old_one_names_the_version_that_is_needed(
    landed: Landed, tmp_path: Path
) -> None:
    old = tmp_path / "old" / "git"
    old.parent.mkdir()
    old.write_text(
        '#!/bin/sh\nfor each; do last="$each"; done\n'
        f'[ "$last" = version ] && echo "git version 2.30.2" && exit\nexec {shutil.which("git")} "$@"\n'
    )
    old.chmod(0o755)
    (tmp_path / "none").mkdir()

    without = landed.refused("apply", PATH=f"{tmp_path / 'none'}")
    outdated = landed.refused("apply", PATH=f"{old.parent}:{GIT['PATH']}")

    assert "no program `git` is found" in without and "install git 2.38 or newer" in without
    assert "`git version 2.30.2`; 2.38 or newer is needed" in outdated


def test_94_a_branch_in_the_way_is_named_and_apply_works_without_ours(landed: Landed) -> None:
    git(landed.folder, "update-ref", "-d", f"refs/heads/lifecycle/{landed.session}")
    git(landed.folder, "branch", "lifecycle")
    mine = git(landed.folder, "rev-parse", "lifecycle")

    done = landed.life.run("apply")

    assert done.code == 0, done.err
    assert (landed.folder / "new.py").read_text() == "new = 1\n"
    assert git(landed.folder, "rev-parse", "lifecycle") == mine


def test_100_variables_of_a_hook_lead_apply_nowhere_else(landed: Landed, tmp_path: Path) -> None:
    other = repository(tmp_path / "other")
    before = as_left(other)
    environment = {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
    }

    done = landed.life.run("apply", env=environment)

    assert done.code == 0, done.err
    assert (landed.folder / "new.py").exists() and as_left(other) == before
    assert not (tmp_path / "index").exists() and not (tmp_path / "objects").exists()
