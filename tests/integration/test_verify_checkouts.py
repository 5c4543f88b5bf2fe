"""Checkouts that tests run in: exactly the files of a tree, whatever was left there."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.git_world import git, repository, write
from workers.git import verify_checkouts
from workers.git.git_process import Git
from workers.git.private_store import PrivateStore, create_store
from workers.git.tree_files import switch
from workers.git.verify_checkouts import VerifyCheckout, mix_trees

FIRST: dict[str, str | bytes] = {"app.py": "x = 1\n", "lib/tool.py": "y = 1\n", ".gitignore": "*.tmp\n"}


@pytest.fixture
def place(tmp_path: Path) -> tuple[VerifyCheckout, str, str]:
    """A checkout of a repository with two commits, and their trees."""
    project = repository(tmp_path / "project", FIRST)
    write(project, {"app.py": "x = 2\n", "new.py": "z = 1\n"})
    (project / "lib/tool.py").unlink()
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Second")
    trees = [git(project, "rev-parse", f"{each}^{{tree}}") for each in ("HEAD~1", "HEAD")]
    store: PrivateStore = create_store(tmp_path / ".workflow", "S-1", project)
    return VerifyCheckout(store, tmp_path / "verify"), trees[0], trees[1]


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def dirty(folder: Path) -> None:
    before = (folder / "app.py").stat()
    (folder / "app.py").write_text("x = 7\n")  # as long as before
    os.utime(folder / "app.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    (folder / "cache.tmp").write_text("ignored")
    (folder / "deep/inner").mkdir(parents=True)
    (folder / "deep/inner/left.py").write_text("left")
    (folder / "link").symlink_to("/etc")
    git(folder / "deep", "init", "-q")


def test_attributes_that_a_run_left_do_not_say_how_files_are_written(
    place: tuple[VerifyCheckout, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor where git does not look again, since its index was written in a later second than the files."""
    checkout, first, second = place
    folder = checkout.put(first)
    write(folder, {".gitattributes": "app.py working-tree-encoding=UTF-16\n"})

    def switch_slowly(git: Git, tree: str) -> None:
        switch(git, tree)
        later = time.time() + 10
        os.utime(checkout.index, (later, later))

    monkeypatch.setattr(verify_checkouts, "switch", switch_slowly)

    assert (checkout.put(second) / "app.py").read_bytes() == b"x = 2\n"
    assert not (folder / ".gitattributes").exists()


def test_what_two_runs_did_in_the_second_of_a_settlement_is_seen(
    place: tuple[VerifyCheckout, str, str],
) -> None:
    """The second one has the size and the times that were noted, were they noted after the first."""
    checkout, first, _ = place
    file = checkout.put(first) / "app.py"

    def touched(body: str = "x = 1\n") -> None:
        file.write_text(body)
        os.utime(file, (1, 1))

    until = time.monotonic() + 60
    is_one = False
    while not is_one:  # all of it within a second, which is later than the one in which the index was written
        touched()
        checkout.git.run("update-index", "-q", "--refresh")
        written = int(time.time())
        while int(time.time()) == written:
            assert time.monotonic() < until
        touched()
        checkout.settle()
        touched("x = 9\n")
        is_one = int(time.time()) == written + 1

    assert (checkout.put(first) / "app.py").read_text() == "x = 1\n"


def test_what_a_run_left_is_gone_before_the_next(place: tuple[VerifyCheckout, str, str]) -> None:
    checkout, first, second = place

    for tree, content in ((first, FIRST), (second, None), (first, FIRST), (first, FIRST)):
        folder = checkout.put(tree)

        found = files(folder)
        assert found == content if content else set(found) == {"app.py", "new.py", ".gitignore"}
        assert not (folder / "link").is_symlink()
        dirty(folder)


def test_a_file_that_was_written_to_is_named_even_when_its_bytes_are_the_same_again(
    place: tuple[VerifyCheckout, str, str],
) -> None:
    checkout, first, _ = place
    folder = checkout.put(first)
    sources = [path for path in checkout.tracked() if path.endswith(".py")]
    stamps = checkout.stamps(sources)
    assert stamps.keys() == {"app.py", "lib/tool.py"}

    before = (folder / "app.py").stat()
    (folder / "app.py").write_text("x = 7\n")
    (folder / "app.py").write_text("x = 1\n")
    os.utime(folder / "app.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    (folder / "new.py").write_text("")

    after = checkout.stamps(sources)
    assert [path for path in stamps if after.get(path) != stamps[path]] == ["app.py"]
    assert checkout.untracked() == ["new.py"]


def test_a_repository_at_the_top_is_gone_too(place: tuple[VerifyCheckout, str, str]) -> None:
    checkout, first, second = place
    git(checkout.put(first), "init", "-q")

    folder = checkout.put(second)

    assert not (folder / ".git").exists()
    assert (folder / "app.py").read_text() == "x = 2\n"


def test_a_mix_takes_paths_of_another_tree(place: tuple[VerifyCheckout, str, str]) -> None:
    checkout, first, second = place

    mixed = mix_trees(checkout.store, second, first, [b"app.py", b"new.py", b"lib/tool.py"], checkout.folder)

    assert mixed == first
    assert mix_trees(checkout.store, second, first, [], checkout.folder) == second


def test_files_are_written_as_the_attributes_of_their_own_tree_say(tmp_path: Path) -> None:
    """The text is the same in both trees; only how its lines end differs."""
    project = repository(tmp_path / "project", {"notes/a.txt": "one\n"})
    write(project, {".gitattributes": "*.txt eol=crlf\n"})
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Attributes")
    plain, windows = [git(project, "rev-parse", f"{each}^{{tree}}") for each in ("HEAD~1", "HEAD")]
    store = create_store(tmp_path / ".workflow", "S-1", project)
    checkout = VerifyCheckout(store, tmp_path / "verify")

    for tree, line in ((plain, b"one\n"), (windows, b"one\r\n"), (plain, b"one\n")):
        folder = checkout.put(tree)
        (folder / "beside").write_text("installed")

        assert (folder / "notes/a.txt").read_bytes() == line

    checkout.switch(windows)
    assert (folder / "notes/a.txt").read_bytes() == b"one\r\n"
    assert (folder / "beside").is_file()


def test_a_change_of_the_same_second_is_seen_after_the_index_was_settled(
    place: tuple[VerifyCheckout, str, str],
) -> None:
    checkout, first, _ = place
    folder = checkout.put(first)
    long_ago = (folder / "app.py").stat().st_mtime_ns - 5 * 10**9
    os.utime(checkout.folder / "index", ns=(long_ago, long_ago))

    checkout.settle()
    dirty(folder)

    assert files(checkout.put(first)) == {name: str(body) for name, body in FIRST.items()}


def test_a_repository_in_a_folder_with_files_of_the_tree_is_gone_too(
    place: tuple[VerifyCheckout, str, str],
) -> None:
    checkout, first, _ = place
    folder = checkout.put(first)
    git(folder / "lib", "init", "-q")

    checkout.put(first)

    assert not (folder / "lib/.git").exists()
