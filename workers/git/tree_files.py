"""A folder with exactly the files of a tree: brought there from another tree, or from files that nobody vouches for.

`git` has the folder as its work tree, and an index of ours beside it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from workers.git.git_process import Git
from workers.git.tree_scan import ATTRIBUTES, is_git_directory_name

_ATTRIBUTES = ":(glob)**/.gitattributes"
_REFRESH = ("update-index", "--refresh")  # with `-q`, it would not say why it cannot write the index either


def switch(git: Git, tree: str) -> None:
    """Make the tracked files those of `tree`; what was installed beside them stays. Raises GitError."""
    alike = has_equal_attributes(git, tree)
    git.run("read-tree", "--reset", "-u", tree)
    if not alike:  # attributes say how files are written, and those that are the same in both were left
        git.run("read-tree", "--empty")
        git.run("read-tree", "--reset", "-u", tree)


def is_exact(git: Git) -> bool:
    """Whether no file and no folder is there that is not the tree's, and each of the tree's is as it is there."""
    words = ("ls-files", "-z", "--others", "--directory", "--modified", "--deleted")
    return not git.run(*words).out


def clean(git: Git) -> bool:
    """Remove what is not the tree's; whether the folder is exact then. Raises GitError."""
    if is_exact(git):
        return True
    git.run("clean", "-ffdxq")
    return is_exact(git)


def settle(git: Git) -> None:
    """Note anew what the index says of the files, if it is of an earlier second. Raises GitError.

    Git cannot tell whether a file was changed after the index where both are of one second. It reads such files each time,
    and those of a new checkout are all such. Nothing is noted where a file was touched since we wrote it: another touch in
    the same second would not be seen.
    """
    assert git.index is not None
    if not git.index.is_file() or int(git.index.stat().st_mtime) >= int(time.time()):
        return
    # A repository that lies in a submodule's place would be asked with its own configuration and filters.
    if git.run("diff-files", "--quiet", "--ignore-submodules=all", ok=(0, 1)).code == 0:
        git.run(*_REFRESH, ok=(0, 1))


def take(git: Git, tree: str, files: Path, index: Path | None) -> bool:
    """Move the folder `files` to the place of git's empty one and make it exactly `tree`; False where that cannot be had.

    `git` has no index yet; `index`: ours of the folder, if there is one, which is used up. A file whose status (size, times,
    number) is not what it was when we wrote it is written again; without an index each one is read and compared, which is
    faster than writing it. Nothing is moved where attributes convert files on their way, since other bytes may then count as
    the same. Raises GitError, OSError.
    """
    assert git.work_tree is not None and git.index is not None
    if files.is_symlink() or not files.is_dir() or not _is_plain(files):
        return False
    is_known = index is not None and _is_adopted(git, index, tree)
    if not is_known:
        git.run("read-tree", tree)
    if _attributes(git):
        return False
    files.rename(git.work_tree)
    if not is_known:
        git.run(*_REFRESH, ok=(0, 1))
    git.run("read-tree", "--reset", "-u", tree)
    return clean(git)


def _is_adopted(git: Git, index: Path, tree: str) -> bool:
    """Take over an index that says what is in every file's place; False where there is none. Raises GitError, OSError."""
    assert git.index is not None
    if not index.is_file():
        return False
    index.replace(git.index)
    shown = git.run("ls-files", "-v", "-z").fields
    if all(line.startswith(b"H ") for line in shown) and has_equal_attributes(git, tree):
        return True
    git.index.unlink()
    return False


def _is_plain(top: Path) -> bool:
    """Whether the folder has no repository, no attributes and no file with another name (a hard link). Raises OSError.

    Git passes over what is called `.git`, writes files as attributes say that it does not track, and a change of a file with
    two names would be one of another file, too.
    """
    waiting = [os.fsencode(top)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if is_git_directory_name(entry.name) or entry.name == ATTRIBUTES:
                    return False
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.stat(follow_symlinks=False).st_nlink > 1:
                    return False
    return True


def without_index(index: Path) -> None:
    """Remove an index with the lock that a killed git left of it."""
    for stale in (index, index.with_name(f"{index.name}.lock")):
        stale.unlink(missing_ok=True)


def has_equal_attributes(git: Git, tree: str) -> bool:
    """Whether the index has the .gitattributes of `tree`."""
    words = ("diff-index", "--cached", "--quiet", tree, "--", _ATTRIBUTES)
    return git.run(*words, ok=(0, 1)).code == 0


def _attributes(git: Git) -> bytes:
    """What the index has of .gitattributes."""
    return git.run("ls-files", "-s", "-z", "--", _ATTRIBUTES).out
