"""A file read or written by a name that others chose is inside its directory, whatever is swapped for what meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import AgentUnavailable
from orchestrator.store import files
from tests.fuzzing import TIMES
from workers.agents.programs.process import GuardedProcess
from workers.agents.protocol import Timeouts
from workers.explore.root import Root

SECONDS = 1.0 * TIMES  # of reading or writing, for each way of it
PATIENCE = 30.0  # until both what was there and what was put in its place were seen, on a busy machine
INSIDE, OUTSIDE = b"inside", b"outside"
REFUSED = b"refused"

SWAP = """
import os, shutil, sys

root, outside, kept, links = sys.argv[1:]
file, folder, above = f"{root}/a/b/f", f"{root}/a/b", f"{root}/a"
ways = [
    (above, lambda at: os.symlink(f"{outside}/a", at)),
    (folder, lambda at: os.symlink(f"{outside}/a/b", at)),
    (folder, lambda at: os.symlink("../../outside/a/b", at)),
    (file, lambda at: os.symlink(f"{outside}/a/b/f", at)),
    (file, lambda at: os.symlink(f"/proc/self/root{outside}/a/b/f", at)),
    (file, os.mkfifo),
    (file, os.mkdir),
]
if links == "hard":
    ways.append((file, lambda at: os.link(f"{outside}/a/b/f", at)))
def restore(at):
    while os.path.lexists(kept):
        try:
            remove = os.unlink if os.path.islink(at) or not os.path.isdir(at) else shutil.rmtree
            if os.path.lexists(at):
                remove(at)
            os.rename(kept, at)
        except OSError:
            pass  # whoever writes has made it anew: once more

while True:
    for at, put in ways:
        try:
            os.rename(at, kept)
            put(at)
        except OSError:
            pass
        restore(at)
        for _ in range(3_000):
            pass  # so that what is read is there about half of the time
"""


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """The directory that is read, and one outside which looks the same."""
    for name, body in (("root", INSIDE), ("outside", OUTSIDE)):
        (tmp_path / name / "a" / "b").mkdir(parents=True)
        (tmp_path / name / "a" / "b" / "f").write_bytes(body)
    return tmp_path / "root", tmp_path / "outside"


@contextmanager
def swapping(root: Path, outside: Path, links: str = "hard") -> Iterator[subprocess.Popen[bytes]]:
    """Another process puts links, other names of a file outside, pipes and folders in place of `a/b/f` and above it."""
    arguments = [sys.executable, "-c", SWAP, str(root), str(outside), str(root.parent / "kept"), links]
    process = subprocess.Popen(arguments, stderr=subprocess.PIPE)
    try:
        yield process
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
    finally:
        process.kill()
        process.communicate()


def over_and_over(deed: Callable[[], bytes | None]) -> Counter[bytes | None]:
    """What a deed gave, how often; a refusal counts as what it gave."""
    seen: Counter[bytes | None] = Counter()
    begun = time.monotonic()
    while (spent := time.monotonic() - begun) < SECONDS or (
        not {INSIDE, REFUSED} <= set(seen) and spent < PATIENCE
    ):
        for _ in range(100):
            try:
                seen[deed()] += 1
            except (files.UnsafePath, OSError):
                seen[REFUSED] += 1
    print(dict(seen))
    return seen


def test_no_read_of_a_sessions_file_leads_outside(places: tuple[Path, Path]) -> None:
    root, outside = places

    with swapping(root, outside):
        seen = over_and_over(lambda: files.read(root, "a/b/f"))

    assert seen[INSIDE] and seen[REFUSED]
    assert set(seen) <= {INSIDE, REFUSED, None}


def test_no_read_of_an_exploration_leads_outside(places: tuple[Path, Path]) -> None:
    root, outside = places

    # Files with several names are read: package managers fill a project with them.
    with Root(root) as explored, swapping(root, outside, links="soft"):
        seen = over_and_over(lambda: explored.read("a/b/f", 100) or REFUSED)

    assert seen[INSIDE] and seen[REFUSED]
    assert set(seen) <= {INSIDE, REFUSED}


@pytest.mark.parametrize("put", [files.write, files.append])
def test_no_write_leads_outside(places: tuple[Path, Path], put: Callable[[Path, str, bytes], Any]) -> None:
    root, outside = places

    def write() -> bytes:
        replaced = put(root, "a/b/f", INSIDE)
        assert replaced != OUTSIDE
        return INSIDE

    with swapping(root, outside):
        seen = over_and_over(write)

    assert seen[INSIDE] and seen[REFUSED]
    found = {path.relative_to(outside): path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    assert found == {Path("a/b/f"): OUTSIDE}


@pytest.mark.parametrize("kind", ["hard link", "soft link", "FIFO"])
def test_a_draft_or_a_log_that_is_something_else_already_is_not_written_through(
    places: tuple[Path, Path], kind: str
) -> None:
    root, outside = places
    target = outside / "a" / "b" / "f"
    for name in (f".f.{os.getpid()}.new", "log"):
        at = root / name
        if kind == "hard link":
            os.link(target, at)
        elif kind == "soft link":
            at.symlink_to(target)
        else:
            os.mkfifo(at)

    files.write(root, "f", INSIDE)
    with pytest.raises((files.UnsafePath, OSError)):
        files.append(root, "log", INSIDE)

    assert (root / "f").read_bytes() == INSIDE
    assert target.read_bytes() == OUTSIDE


@pytest.mark.parametrize("swapped", ["calls", ""])
def test_an_agent_that_swaps_its_folder_for_a_link_gets_no_file_of_ours_elsewhere(
    tmp_path: Path, swapped: str
) -> None:
    elsewhere, own = tmp_path / "elsewhere", tmp_path / "run"
    elsewhere.mkdir()
    if swapped:
        own.mkdir()
    (own / swapped).symlink_to(elsewhere)

    with pytest.raises(AgentUnavailable):
        GuardedProcess(
            [sys.executable, "-c", ""],
            cwd=tmp_path,
            env=dict(os.environ),
            stdin=b"a prompt",
            timeouts=Timeouts(turn=10),
            run="run-x",
            lease_seconds=10,
            run_dir=own,
        ).close()

    assert list(elsewhere.iterdir()) == []
