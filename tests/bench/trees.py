"""What a private tree costs: a new one, its snapshots and its reuse, beside `git worktree add`, taken in turn."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from orchestrator.store.deletion import remove_folder
from tests.bench.measure import Figure, times
from tests.git_world import NOON, git
from workers.git.candidates import take_snapshot
from workers.git.checkouts import Checkout, make_checkout, reset_checkout
from workers.git.private_store import PrivateStore, create_store, fix_base

SIZES = (5_000, 50_000)
ROUNDS = 5
FOLDERS = 100
MEMORY = Path("/dev/shm")


def _repository(folder: Path, files: int) -> Path:
    """A repository with so many files of some 300 bytes, made by `fast-import`."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    lines = [b"commit refs/heads/main\ncommitter a <a@example.com> 1 +0000\ndata 5\nBegin\n"]
    for number in range(files):
        body = f"value_{number} = {number}\n".encode() * 12
        name = f"pkg{number % FOLDERS}/mod{number // FOLDERS % FOLDERS}/file{number}.py"
        lines.append(f"M 100644 inline {name}\ndata {len(body)}\n".encode() + body + b"\n")
    subprocess.run(
        ["git", "fast-import", "--quiet"],
        cwd=folder,
        input=b"".join(lines),
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    return folder


class Taken(NamedTuple):
    """Seconds of one step."""

    wall: float
    processor: float  # of this process and its git


def _timed(step: Callable[[], object]) -> Taken:
    begun, used = time.perf_counter(), _processor()
    step()
    return Taken(time.perf_counter() - begun, _processor() - used)


def _processor() -> float:
    own, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime


def _round(top: Path, number: int, project: Path, store: PrivateStore, base: str) -> dict[str, Taken]:
    """What each step took, once."""
    linked, checkout = top / f"linked-{number}", Checkout(top / f"tree-{number}", "a" * 32)
    changed = checkout.work / "pkg0" / "mod0" / "file0.py"
    taken = {
        "worktree": _timed(lambda: git(project, "worktree", "add", "-q", "--detach", str(linked))),
        "tree": _timed(lambda: make_checkout(store, checkout, base)),
    }
    for name in ("first", "later"):
        changed.write_text(f"changed = {name!r}\n")
        taken[name] = _timed(lambda: take_snapshot(store, checkout, base))
    held = take_snapshot(store, checkout, base).tree
    taken["reuse"] = _timed(lambda: reset_checkout(store, checkout, base, held))
    git(project, "worktree", "remove", "--force", str(linked))
    remove_folder(checkout.folder)
    return taken


def _of_size(files: int, top: Path) -> Iterator[Figure]:
    project = _repository(top / "project", times(files, 50))
    store = create_store(project / ".workflow", "TLS-bench", project)
    base = fix_base(store, project, NOON).commit
    rounds = [_round(top, number, project, store, base) for number in range(times(ROUNDS, 2))]
    for name, label, below in (
        ("worktree", f"git worktree add, {files:,} files", None),
        ("tree", f"a private tree, {files:,} files", 1.5),
        ("first", f"its first snapshot, one of {files:,} files changed", None),
        ("later", "a later snapshot", 0.3),
        ("reuse", "its reuse for the next run", 0.25),
    ):
        yield Figure(label, "s", [taken[name].wall for taken in rounds], below=below)
    both = f"a private tree : git worktree add, {files:,} files"
    ratios = [taken["tree"].wall / taken["worktree"].wall for taken in rounds]
    yield Figure(both, "x", ratios, below=1.15 if files == max(SIZES) else None)
    used = [taken["tree"].processor / taken["worktree"].processor for taken in rounds]
    yield Figure(f"{both}, processor time", "x", used)


def trees() -> Iterator[Figure]:
    """Wall-clock seconds in memory, where there is such a folder: on a disk, write-back of other work decides."""
    for files in SIZES:
        top = Path(tempfile.mkdtemp(prefix="bench-trees-", dir=MEMORY if MEMORY.is_dir() else None))
        try:
            yield from _of_size(files, top)
        finally:
            shutil.rmtree(top)
