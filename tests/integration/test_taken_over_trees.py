"""A lane's next tree is made of the checkouts beside its last one; what touched their files is found, not believed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests import invariants
from tests.git_world import World, git, repository, world, write
from workers.git.session_work import OpenTree, SessionWork
from workers.git.verify_checkouts import VerifyCheckout

FILES: dict[str, str | bytes] = {
    "app.py": "x = 1\n",
    "lib/tool.py": "y = 1\n",
    "gone.py": "z = 1\n",
    "run.sh": "#!/bin/sh\n",
    ".gitignore": ".workflow/\n*.tmp\n",
}


@pytest.fixture
def here(tmp_path: Path) -> World:
    return world(tmp_path, repository(tmp_path / "project", FILES))


def begun(here: World) -> SessionWork:
    return replace(here.begin(), takes_over=True)


def checkouts(work: SessionWork, tree: OpenTree) -> tuple[VerifyCheckout, VerifyCheckout]:
    """What tests and checks ran in beside the tree: its base's files."""
    tests = VerifyCheckout.beside(work.private, tree.checkout)
    for each in (tests, tests.for_checks):
        each.put(work.private.tree_of(tree.row.base))
    return tests, tests.for_checks


def number(path: Path) -> int:
    """What a file has as long as it is there, and a new one in its place has not."""
    return path.stat().st_ino


def content(folder: Path) -> dict[str, str]:
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not name.startswith(".git/"):
            found[name] = path.read_text()
    return found


def landed(here: World, work: SessionWork) -> OpenTree:
    """A tree whose run has added, changed and deleted a file."""
    run = here.claim()
    tree = work.open_tree(run, 0)
    checkouts(work, tree)
    write(tree.checkout.work, {"new.py": "n = 1\n", "app.py": "x = 2\n"})
    (tree.checkout.work / "gone.py").unlink()
    here.land(work, run, tree)
    return tree


def expected() -> dict[str, str]:
    kept = {name: str(body) for name, body in FILES.items() if name != "gone.py"}
    return {**kept, "new.py": "n = 1\n", "app.py": "x = 2\n"}


def test_the_next_tree_of_a_lane_is_made_of_what_lies_beside_the_last(here: World) -> None:
    work = begun(here)
    last = landed(here, work)
    tests, checks = checkouts(work, last)
    numbers = [number(each.files / "lib/tool.py") for each in (checks, tests)]

    tree = work.open_tree(here.claim(), 0)

    assert (tree.row.generation, tree.warm, tree.row.base) == (2, False, work.row().head)
    assert content(tree.checkout.work) == expected()
    assert number(tree.checkout.work / "lib/tool.py") == numbers[0]
    assert git(tree.checkout.work, "status", "--porcelain") == ""
    after = VerifyCheckout.beside(work.private, tree.checkout)
    assert content(after.put(work.private.tree_of(work.row().head))) == expected()
    assert number(after.files / "lib/tool.py") == numbers[1]
    assert (last.checkout.work / "new.py").is_file()
    invariants.check(here.store.path)


def test_what_programs_left_in_a_checkout_does_not_come_with_it(here: World) -> None:
    """Not even with the size and the times of what was there, nor where our index says that nothing has changed."""
    work = begun(here)
    tests, checks = checkouts(work, landed(here, work))
    for each in (tests, checks):
        before = (each.files / "lib/tool.py").stat()
        (each.files / "lib/tool.py").write_text("y = 6\n")
        os.utime(each.files / "lib/tool.py", ns=(before.st_atime_ns, before.st_mtime_ns))
        (each.files / "run.sh").chmod(0o755)
        write(each.files, {"left.tmp": "ignored", "deep/inner/left.py": "left"})
        (each.files / "app.py").unlink()
        (each.files / "app.py").symlink_to("/etc/passwd")
        each.git.run("update-index", "--assume-unchanged", "lib/tool.py")
        each.git.run("update-index", "--skip-worktree", "run.sh")

    tree = work.open_tree(here.claim(), 0)

    again = VerifyCheckout.beside(work.private, tree.checkout).put(work.private.tree_of(work.row().head))
    for folder in (tree.checkout.work, again):
        assert content(folder) == expected()
        assert not (folder / "run.sh").stat().st_mode & 0o100
        assert not (folder / "deep").exists() and not (folder / "app.py").is_symlink()


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
@pytest.mark.parametrize("place", [".", "lib"])
def test_a_checkout_with_a_repository_in_it_is_left_alone(here: World, place: str, kind: str) -> None:
    """In a folder with files of the tree, too, where git shows none of it."""
    work = begun(here)
    _, checks = checkouts(work, landed(here, work))
    own = checks.files / place / ".git"
    if kind == "folder":
        git(own.parent, "init", "-q")
    elif kind == "file":
        own.write_text("gitdir: /nowhere\n")
    else:
        own.symlink_to("/nowhere")

    tree = work.open_tree(here.claim(), 0)

    assert content(tree.checkout.work) == expected()
    assert not (tree.checkout.work / "lib/.git").exists()
    assert own.is_symlink() or own.exists()


def test_files_with_a_second_name_are_written_anew(here: World, tmp_path: Path) -> None:
    """Who has the other name, or edits the other file, would write to both."""
    work = begun(here)
    tests, checks = checkouts(work, landed(here, work))
    before = number(tests.files / "lib/tool.py")
    (tmp_path / "elsewhere").hardlink_to(tests.files / "run.sh")
    (checks.files / "lib/tool.py").unlink()
    write(checks.files, {"app.py": "y = 1\n"})
    (checks.files / "lib/tool.py").hardlink_to(checks.files / "app.py")

    tree = work.open_tree(here.claim(), 0)

    again = VerifyCheckout.beside(work.private, tree.checkout).put(work.private.tree_of(work.row().head))
    for folder in (tree.checkout.work, again):
        assert content(folder) == expected()
        assert all(path.stat().st_nlink == 1 for path in folder.rglob("*.*") if path.is_file())
        assert number(folder / "lib/tool.py") != before


@pytest.mark.parametrize("how", ["attributes", "config"])
def test_files_that_are_converted_are_written_anew(tmp_path: Path, how: str) -> None:
    """Other bytes count as the same then: a line end."""
    files = {**FILES, "notes.txt": "one\n"} | (
        {".gitattributes": "*.txt text\n"} if how == "attributes" else {}
    )
    project = repository(tmp_path / "project", files)
    if how == "config":
        git(project, "config", "core.autocrlf", "input")
    here = world(tmp_path, project)
    work = begun(here)
    for each in checkouts(work, landed(here, work)):
        (each.files / "notes.txt").write_bytes(b"one\r\n")

    tree = work.open_tree(here.claim(), 0)

    again = VerifyCheckout.beside(work.private, tree.checkout).put(work.private.tree_of(work.row().head))
    for folder in (tree.checkout.work, again):
        assert (folder / "notes.txt").read_bytes() == b"one\n"


def test_a_run_that_ended_badly_leaves_nothing_to_the_next(here: World) -> None:
    work = begun(here)
    run = here.claim()
    last = work.open_tree(run, 0)
    _, checks = checkouts(work, last)
    before = number(checks.files / "lib/tool.py")
    here.lose(run)

    tree = work.open_tree(here.claim(), 0)

    assert tree.row.generation == 2
    assert number(tree.checkout.work / "lib/tool.py") != before
    assert number(checks.files / "lib/tool.py") == before


def test_where_programs_are_not_confined_every_tree_is_written_anew(here: World) -> None:
    work = here.begin()
    _, checks = checkouts(work, landed(here, work))

    tree = work.open_tree(here.claim(), 0)

    assert checks.files.is_dir()
    assert content(tree.checkout.work) == expected()


def test_a_checkout_that_a_set_up_filled_stays_where_it_is(here: World) -> None:
    work = begun(here)
    tests, checks = checkouts(work, landed(here, work))
    checks.remove()

    tree = work.open_tree(here.claim(), 0)

    assert tests.files.is_dir()
    assert content(tree.checkout.work) == expected()


def test_a_tree_that_was_not_finished_keeps_nothing_of_what_it_was_made_of(here: World) -> None:
    """A process that dies between the move and our index leaves files of another commit: they are nobody's change."""
    work = begun(here)
    _, checks = checkouts(work, landed(here, work))
    run = here.claim()
    tree = work.open_tree(run, 0)
    tree.checkout.index.unlink()
    here.lose(run)

    work.recover()

    kept = git(work.private.path, "for-each-ref", "--format=%(refname)", "refs/lifecycle/attempts")
    assert kept == "" and not checks.files.exists()
