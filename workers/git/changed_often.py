"""Which files a repository's last commits changed most often."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from workers.git.git_process import Git
from workers.git.user_repository import find_repository

SECONDS = 20.0
OUTPUT_BYTES = 32 << 20


def changed_often(folder: Path, commits: int) -> Counter[str]:
    """File below `folder` -> how many of the last `commits` changed it; empty without a repository or a commit.

    Raises GitError.
    """
    repository = find_repository(folder)
    if repository is None or repository.head() is None:
        return Counter()
    git = Git(None, folder, config=("core.bare=false",), seconds=SECONDS, output_bytes=OUTPUT_BYTES)
    words = (
        "log",
        f"-{commits}",
        "--no-merges",
        "--no-renames",
        "--relative",
        "--name-only",
        "--format=",
        "-z",
    )
    found = git.run(*words, "--", ".").out.split(b"\0")
    return Counter(os.fsdecode(name) for name in found if name)
