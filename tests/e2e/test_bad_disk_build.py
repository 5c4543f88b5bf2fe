"""A disk that fills up while code is written: the session pauses, nothing is lost, and it is finished when there is room."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from orchestrator.domain.errors import GitDiskFull, GitError
from tests.e2e.disk import Disk
from tests.e2e.support import Lifecycle
from tests.git_world import as_left, git
from tests.work.building import assert_built, assert_nothing_lost, begin, building
from tests.work.lanes import lanes
from tests.work.repositories import build
from workers.git.git_process import Git

ONE = lanes(1)
ROOMY = "400m"  # more than what has to be free before a tree is made


@contextmanager
def stopped_at(project: Lifecycle, point: str, announce: Path) -> Iterator[None]:
    """Begin a build; the process that gets to `point` stands still for the block, and goes on after it."""
    planted = {"LIFECYCLE_FAILPOINT": f"{point}=stop:{announce}"}
    gave = project.run(*begin(project), "--detach", env=planted)
    assert gave.code == 0, gave.err
    project.wait(lambda: announce.exists() and announce.read_text().endswith("\n"), f"{point} is reached")
    try:
        yield
    finally:
        os.kill(int(announce.read_text()), signal.SIGCONT)


def pauses_and_goes_on(project: Lifecycle, disk: Disk, before: dict[str, str]) -> None:
    """Nothing is lost while there is no room, no attempt counts, and with room `resume` builds it."""
    project.wait(lambda: project.status() == ("paused", "disk"), "the session is paused")
    assert_nothing_lost(project, before)
    assert project.rows("SELECT error FROM runs WHERE outcome = 'failed'") == []
    disk.make_room()

    done = project.run("resume", timeout=180)

    assert done.code == 0, done.err
    assert_built(project, ONE, before)


@pytest.mark.long
@pytest.mark.parametrize("point", ["tree.row", "agent.worked", "snap.objects", "tests.ran", "head.stored"])
def test_54_the_disk_of_the_project_fills_up_during_a_build(disk: Disk, tmp_path: Path, point: str) -> None:
    with building(disk.path, ONE, trees=tmp_path / "trees") as project:
        before = as_left(project.folder)
        with stopped_at(project, point, tmp_path / "announced"):
            disk.fill()

        pauses_and_goes_on(project, disk, before)


@pytest.mark.long
@pytest.mark.parametrize("point", ["tree.row", "tree.made", "agent.worked", "candidate.row", "tests.ran"])
def test_54_the_disk_of_the_trees_fills_up_during_a_build(tmp_path: Path, roomy: Disk, point: str) -> None:
    with building(tmp_path / "w", ONE, trees=roomy.path / "trees") as project:
        before = as_left(project.folder)
        with stopped_at(project, point, tmp_path / "announced"):
            roomy.use_up_names()

        pauses_and_goes_on(project, roomy, before)


WRITES = {  # what git prints of some of these names no reason
    "a ref": ["update-ref", "refs/heads/other", "HEAD"],
    "an object": ["hash-object", "-w", __file__],
    "the index": ["read-tree", "HEAD"],
    "files": ["checkout-index", "--all", "--force"],
    "the configuration": ["config", "lifecycle.x", "y"],
    "a packed ref": ["update-ref", "-d", "refs/heads/main"],
}
NAMES = {
    "a folder of refs": ["update-ref", "refs/x/other", "HEAD"],
    "what the index says of files": ["update-index", "--refresh"],
}


@pytest.mark.parametrize("words", WRITES.values(), ids=WRITES)
def test_54_git_that_finds_no_room_says_that_the_disk_is_full(disk: Disk, words: list[str]) -> None:
    asked = _with_an_index(disk)
    disk.fill()

    with pytest.raises(GitDiskFull):
        asked.run(*words)

    disk.make_room()
    asked.run(*words)


@pytest.mark.parametrize("words", NAMES.values(), ids=NAMES)
def test_63_git_that_can_make_no_file_says_that_the_disk_is_full(disk: Disk, words: list[str]) -> None:
    asked = _with_an_index(disk)
    asked.run("checkout-index", "--all")
    disk.use_up_names()

    with pytest.raises(GitDiskFull):
        asked.run(*words)

    disk.make_room()
    asked.run(*words)


def _with_an_index(disk: Disk) -> Git:
    """Git in a repository on the disk, with a work tree that has no files yet."""
    project, tree = disk.path / "project", disk.path / "tree"
    build(ONE, project)
    git(project, "pack-refs", "--all")
    tree.mkdir()
    found = Git(project / ".git", project).using(work_tree=tree, index=disk.path / "index")
    found.run("read-tree", "HEAD")
    return found


def test_git_that_fails_where_there_is_room_is_not_taken_for_a_full_disk(tmp_path: Path) -> None:
    project = tmp_path / "project"
    build(ONE, project)
    (project / ".git" / "index").unlink()
    (project / ".git" / "index").mkdir()

    with pytest.raises(GitError) as caught:
        Git(project / ".git", project).run("read-tree", "HEAD")

    assert "unable to write" in caught.value.why
    assert not isinstance(caught.value, GitDiskFull)


def test_54_trees_on_a_disk_without_room_pause_the_session_and_it_is_told_what_to_do(
    disk: Disk, tmp_path: Path
) -> None:
    with building(tmp_path / "w", ONE, trees=disk.path / "trees") as project:
        before = as_left(project.folder)

        gave = project.run(*begin(project))

        assert gave.code == 3, gave.err
        assert project.status() == ("paused", "disk")
        assert "256 MB are needed" in gave.out and "`work.trees`" in gave.out
        assert set(project.rows("SELECT counted FROM runs")) == {(0,)}
        assert_nothing_lost(project, before)


@pytest.fixture
def roomy(tmp_path: Path, disk: Disk) -> Iterator[Disk]:
    """A disk on which trees are made; where nothing may be mounted its tests are left out, as those of `disk`."""
    made = Disk(tmp_path / "roomy", ROOMY)
    yield made
    made.close()
