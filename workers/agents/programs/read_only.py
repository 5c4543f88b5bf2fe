"""Read-only (ask) mode: an agent cannot write to the user's project, save where it keeps its login inside it.

A comparison afterwards can notice a write and not undo it, since the user may have written at the same moment. So the
kernel refuses it (workers/host/confinement.py), and only where it cannot, the files are compared and changes reported.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from orchestrator.domain.agent_kinds import HOMES, KINDS
from orchestrator.domain.dataclass import replace
from orchestrator.domain.inert import one_line
from workers.agents.programs.process import Confinement, GuardedProcess, RunResult, agent_environment
from workers.agents.protocol import Protected, Timeouts

DATABASE_FILES = ("", "-wal", "-shm", "-journal")
ENTRIES = 200_000  # files and folders that are compared at most
SNAPSHOT_SECONDS = 3.0  # that one snapshot may take
TRY_SECONDS = 10.0  # for a program that does nothing
SHOWN = 10  # names in a note
DOCUMENTS = ".team"
_SKIPPED = (".git", "objects")

Snapshot = dict[str, tuple[int, ...]]  # path -> what changes when it is written to


def run_read_only(
    protected: Protected,
    env: Mapping[str, str],
    own: Sequence[Path],
    run: Callable[[Confinement | None], RunResult],
    *,
    database: bool,
) -> RunResult:
    """The result of a run that cannot write there; where that cannot be had, of any run, with what changed meanwhile."""
    confined = confinement(protected, env, own, database=database)
    if isinstance(confined, Confinement):
        result = run(confined)
        if result.ended.ended_by != "unconfined":
            return result
        confined = result.ended.error
    before = snapshot(protected)
    return replace(run(None), changed=changes_since(protected, before, confined))


def confinement(
    protected: Protected, env: Mapping[str, str], own: Sequence[Path], *, database: bool
) -> Confinement | str:
    """For an agent with this environment and these folders of its own; or why it cannot be had.

    `database`: it is given a server that writes there.
    """
    root = os.path.realpath(protected.root)
    if root == "/":
        return "the project is the whole file system"
    state = os.path.realpath(protected.database.parent)
    trees = None if protected.trees is None else os.path.realpath(protected.trees)
    writable = [os.path.realpath(path) for path in own]
    for name in HOMES:
        home = os.path.realpath(env[name]) if env.get(name) else None
        if home is None or not _lies_in(home, root) or any(_lies_in(home, each) for each in writable):
            continue
        if home == root:
            return f"{name} is the project itself, and a client keeps its login there"
        if not os.path.isdir(home):  # noqa: PTH112 - it never raises
            return f"{name} is {home} in the project, which is not there yet: make that folder"
        writable.append(home)
    if database:
        files = [f"{state}/{protected.database.name}{end}" for end in DATABASE_FILES]
        writable += [file for file in files if os.path.isfile(file)]  # noqa: PTH113 - it never raises
    if any(_lies_in(root, each) for each in writable):  # it edits the project itself
        read_only = [state]
    else:
        read_only = [root] if _lies_in(state, root) else [root, state]
    if trees is not None and os.path.isdir(trees):  # noqa: PTH112 - it never raises
        read_only.append(trees)
    inside = [path for path in dict.fromkeys(writable) if any(_lies_in(path, each) for each in read_only)]
    return Confinement(read_only, inside)


def _lies_in(path: str, folder: str) -> bool:
    return (path + "/").startswith(folder + "/")


def why_not_read_only(project: Path, environ: Mapping[str, str]) -> str | None:
    """Why an agent in read-only mode could write to this project; None when it cannot."""
    env = agent_environment(environ, (home for kind in KINDS.values() for home in kind.homes), {})
    confined = confinement(
        Protected(project, project / ".workflow" / "lifecycle.db"), env, (), database=False
    )
    if not isinstance(confined, Confinement):
        return confined
    with (
        tempfile.TemporaryDirectory(prefix="lifecycle-try-") as folder,
        GuardedProcess(
            ["true"],
            cwd=Path(folder),
            env=env,
            stdin=b"",
            timeouts=Timeouts(total=TRY_SECONDS),
            run="try",
            lease_seconds=TRY_SECONDS,
            run_dir=Path(folder),
            confine=confined,
        ) as process,
    ):
        ended = process.wait()
    return ended.error if ended is not None and ended.ended_by == "unconfined" else None


def snapshot(protected: Protected) -> Snapshot | None:
    """Everything in the project, and the sessions' documents, by what a write would change; None when it is too much.

    No file is opened and no link followed.
    """
    until = time.monotonic() + SNAPSHOT_SECONDS
    found: Snapshot = {}
    state = protected.database.parent
    folders = [protected.root, state / DOCUMENTS]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    path = Path(entry.path)
                    about = _about(entry)
                    if about is None or path == state or path.parts[-2:] == _SKIPPED:
                        continue
                    found[entry.path] = about
                    if stat.S_ISDIR(about[0]):
                        folders.append(path)
                    if len(found) > ENTRIES or time.monotonic() > until:
                        return None
        except OSError:
            continue  # not there any more, or not ours to look into
    return found


def _about(entry: os.DirEntry[str]) -> tuple[int, ...] | None:
    try:
        about = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    if stat.S_ISDIR(about.st_mode):  # its times tell of its entries, which are looked at themselves
        return about.st_mode, about.st_ino
    return about.st_mode, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def changes_since(protected: Protected, before: Snapshot | None, why: str) -> list[str]:
    """Notes on what has changed since: nobody knows by whom, so nothing is undone."""
    after = snapshot(protected) if before is not None else None
    if before is None or after is None:
        return [f"the project could not be made read-only for it ({why}), and is too large to be compared"]
    changed = [path for path in sorted(before.keys() | after.keys()) if before.get(path) != after.get(path)]
    changed = [path for path in changed if not protected.is_ours(Path(path))]
    if not changed:
        return []
    names = [_shown(os.path.relpath(path, protected.root)) for path in changed[:SHOWN]]
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    return [
        f"the project could not be made read-only for it ({why}), and these files changed while it was asked: "
        f"{', '.join(names)}{more}"
    ]


def _shown(name: str) -> str:
    """A name of a file can be anything, and no text at all."""
    return one_line(os.fsencode(name).decode("utf-8", "replace"), 200)
