"""`lifecycle gc`: what private stores and trees hold that nobody needs, listed and removed.

trees      retired for a day, and all of a session that has ended; saved first, as always
trash      folders whose deletion was cut off
attempts   what a failed run left, after thirty days
objects    in a private store, that nothing refers to and that are a day old
stores     of sessions that were deleted, and of forks that were killed before their session was there
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import GitError, LifecycleError
from orchestrator.domain.json_types import JsonObject
from orchestrator.door.work_desk import WorkDesk, WorkState
from orchestrator.log import Logger
from orchestrator.store.forked_stores import while_nobody_forks
from workers.git.forking import killed_forks, remove_fork
from workers.git.private_store import PrivateStore
from workers.git.ref_locks import tidying
from workers.git.session_work import SessionWork, open_work
from workers.git.tree_cleanup import deletable
from workers.git.tree_maintenance import KEEP_TREE, MICRO, TreeMaintenance, deleted_stores, remove_store
from workers.host.marked_processes import RUN_MARK, by_mark

KEEP_ATTEMPT = 30 * 24 * 3600  # seconds
KEEP_OBJECT = "1.day.ago"


@dataclass(frozen=True, slots=True)
class Item:
    """Something that was removed, or would be."""

    what: str  # tree, trash, attempt, objects, store
    name: str
    session: str
    bytes: int

    def as_json(self) -> JsonObject:
        return {"what": self.what, "name": self.name, "session": self.session, "bytes": self.bytes}


@dataclass(slots=True)
class Collected:
    """What `gc` removed, and what it left, with the reason."""

    items: list[Item] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> JsonObject:
        return {
            "items": [each.as_json() for each in self.items],
            "left": [{"name": name, "why": why} for name, why in self.left.items()],
            "bytes": sum(each.bytes for each in self.items),
        }


def collect(desk: WorkDesk, project: Path, trees: Callable[[], Path], log: Logger, *, dry: bool) -> Collected:
    """Remove what nobody needs in all sessions, or with `dry` only list it. What fails is left and told."""
    found = Collected()
    maintenance = TreeMaintenance(desk, project, trees, log)
    for state in desk.work_states():
        store = desk.workflow / "work" / f"{state.session_id}.git"
        try:
            if not dry:
                _removed_trees(maintenance, desk, state, found)
            work = open_work(desk, project, state.session_id, trees())
            if dry:
                _listed_trees(work, state, found)
            with tidying(store) as is_ours:
                if is_ours:
                    _collect(work.private, found, desk.now() // MICRO, dry=dry)
        except (LifecycleError, OSError) as error:
            found.left[state.session_id] = getattr(error, "why", "") or str(error)
    for session in deleted_stores(desk):
        path = desk.workflow / "work" / f"{session}.git"
        item = Item("store", os.fspath(path), session, size_of(path))
        try:
            if not dry:
                remove_store(desk.workflow, project, session)
        except (GitError, OSError) as error:
            found.left[item.name] = str(error)
        else:
            found.items.append(item)
    _collect_forks(desk, project, found, dry=dry)
    return found


def _collect_forks(desk: WorkDesk, project: Path, found: Collected, *, dry: bool) -> None:
    """What killed forks left; nothing while somebody forks."""
    with while_nobody_forks(desk.workflow) as is_ours:
        for path in killed_forks(desk) if is_ours else ():
            item = Item("store", os.fspath(path), path.stem, size_of(path))
            try:
                if not dry:
                    remove_fork(desk, project, path)
            except (GitError, OSError) as error:
                found.left[item.name] = str(error)
            else:
                found.items.append(item)


def _listed_trees(work: SessionWork, state: WorkState, found: Collected) -> None:
    before = None if state.is_over else work.desk.now() - int(KEEP_TREE * MICRO)
    spared = set(by_mark(RUN_MARK))
    for row in deletable(work, is_over=state.is_over, before=before, spared=spared):
        kind = "trash" if row.state == "trash" else "tree"
        trash = row.path.parents[2] / "trash" / row.nonce
        size = size_of(row.path) + size_of(trash)
        found.items.append(Item(kind, os.fspath(row.path), state.session_id, size))


def _removed_trees(maintenance: TreeMaintenance, desk: WorkDesk, state: WorkState, found: Collected) -> None:
    lanes = desk.lanes(state.session_id)
    sizes = {
        os.fspath(lane.path): ("trash" if lane.state == "trash" else "tree", size_of(lane.path))
        for lane in lanes
        if lane.token is None
    }
    done = maintenance.tidy(state)
    for path in done.removed:
        kind, size = sizes.get(path, ("tree", 0))
        found.items.append(Item(kind, path, state.session_id, size))
    found.left |= done.left


def _collect(store: PrivateStore, found: Collected, now: int, *, dry: bool) -> None:
    """Attempts and objects of one store. Raises GitError."""
    line = "%(refname) %(committerdate:unix)"
    refs = store.git.run("for-each-ref", f"--format={line}", "refs/lifecycle/attempts/").out.decode()
    old = [
        ref for ref, at in (each.rsplit(" ", 1) for each in refs.splitlines()) if int(at) < now - KEEP_ATTEMPT
    ]
    found.items += [Item("attempt", ref, store.session, 0) for ref in old]
    before = size_of(store.path / "objects")
    if dry:
        loose = store.git.run("prune", "-n", f"--expire={KEEP_OBJECT}").out.splitlines()
        if loose:
            size = sum(_loose_size(store.path, each.split()[0].decode()) for each in loose)
            found.items.append(Item("objects", f"{len(loose)} objects", store.session, size))
        return
    with store.writing_refs() as (git, _):
        for ref in old:
            git.run("update-ref", "-d", ref)
        git.run("gc", "--quiet", f"--prune={KEEP_OBJECT}")
    gained = before - size_of(store.path / "objects")
    if gained > 0:
        found.items.append(Item("objects", "unreferenced or packed", store.session, gained))


def _loose_size(store: Path, id: str) -> int:
    file = store / "objects" / id[:2] / id[2:]
    return file.stat().st_blocks * 512 if file.is_file() else 0


def size_of(folder: Path) -> int:
    """Bytes that a folder takes on its disk; links are not followed, and what vanishes meanwhile counts nothing."""
    total = 0
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue  # gone, or closed to us: nothing that we could give back
        for entry in entries:
            try:
                total += entry.stat(follow_symlinks=False).st_blocks * 512
            except FileNotFoundError:
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
    return total
