"""Folders that others have filled are deleted whole, however deep, and nothing beside them."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator import log
from orchestrator.store.deletion import remove_folder, untouched_folders
from workers.run.joined import remove_old_runs


def nest(folder: Path, levels: int) -> None:
    """Make so many folders, each in the one before: no path could name the last."""
    folder.mkdir(parents=True)
    at = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=at)
        at, above = os.open("d", os.O_RDONLY, dir_fd=at), at
        os.close(above)
    os.close(at)


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("few_descriptors")
@pytest.mark.parametrize("levels", [1, 400, 3_000])
def test_a_folder_is_removed_however_deep_and_what_its_links_name_stays(tmp_path: Path, levels: int) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "kept").write_text("kept")
    folder = tmp_path / "folder"
    nest(folder, levels)
    (folder / "link").symlink_to(outside)
    (folder / "d" / "link").symlink_to(outside / "kept")
    (folder / "d").chmod(0)

    remove_folder(folder)

    assert not folder.exists()
    assert (outside / "kept").read_text() == "kept" and outside.stat().st_mode & 0o777 == 0o755


def test_old_folders_of_runs_are_removed_though_one_is_nested_deep(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    nest(runs / "deep", 3_000)
    for name in ("old", "live", "new"):
        (runs / name).mkdir()
    for name in ("deep", "old", "live"):
        os.utime(runs / name, (0, 0))
    (runs / "link").symlink_to(tmp_path)

    remove_old_runs(runs, {"live"}, log.configure(None))

    assert sorted(path.name for path in runs.iterdir()) == ["link", "live", "new"]


def test_a_folder_that_another_removes_meanwhile_keeps_no_other_from_being_found(tmp_path: Path) -> None:
    names = [f"run-{number}" for number in range(3)]
    for name in names:
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (0, 0))
    found = untouched_folders(tmp_path, 60.0)
    first = next(found).name
    gone, last = (name for name in names if name != first)

    (tmp_path / gone).rmdir()

    assert [each.name for each in found] == [last]
