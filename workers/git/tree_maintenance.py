"""What has to be done for sessions' work by whoever comes next: refs that lag, trees left behind, stores of the deleted.

Every host does this after each run and now and then, and `lifecycle gc`, `delete` and a daemon without a host by a short
process. One process at a time tidies a session up; nothing here is needed for a landing to count.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.json_types import JsonObject
from orchestrator.door.work_desk import WorkDesk, WorkState
from orchestrator.log import Logger
from orchestrator.store.deletion import remove_folder
from workers.git.checkouts import project_folder
from workers.git.ref_locks import lock_files, tidying, writing_refs
from workers.git.user_repository import find_repository
from workers.host.marked_processes import RUN_MARK, by_mark

if TYPE_CHECKING:
    from workers.git.session_work import SessionWork  # loaded in hosts whose sessions have code

KEEP_TREE = 24 * 3600.0  # seconds that a retired tree of an unfinished session stays to be looked at
FOLLOW_SECONDS = 60.0  # between two visits of a session in which nothing has changed
RETRY_SECONDS = (
    10.0  # the same where a tree could not be saved or deleted: a process may have had to end first
)
MICRO = 1_000_000


@dataclass(slots=True)
class Tidied:
    """What was done for sessions, and what was left, with the reason."""

    removed: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> JsonObject:
        return {"removed": list(self.removed), "left": dict(self.left)}


class TreeMaintenance:
    """`trees`: where private trees are now. `poll` from one thread only.

    Elsewhere `project` is the copy of it that bundles made; nothing is published there. `deleted_seconds`: at least between
    two looks for stores of deleted sessions, each of which is a question.
    """

    def __init__(
        self,
        desk: WorkDesk,
        project: Path,
        trees: Callable[[], Path],
        log: Logger,
        *,
        deleted_seconds: float = 0.0,
    ) -> None:
        self._deleted_seconds = deleted_seconds
        self._looked = -deleted_seconds  # for deleted ones, in monotonic seconds
        self._desk = desk
        self._project = project
        self._trees = trees
        self._log = log
        self._visited: dict[str, tuple[WorkState, float]] = {}
        self._told: dict[str, str] = {}  # what was logged as left, so that it is said once

    def poll(self, is_over: Callable[[], bool] = lambda: False) -> None:
        """Visit every session in which something has changed, or that was not visited for a while. Raises StoreError.

        `is_over`: asked between two sessions, whether to stop.
        """
        for state in self._desk.work_states() if self._has_work() else ():
            if is_over():
                return
            if not self._is_due(state):
                continue
            done = self.tidy(state)
            self._visited[state.session_id] = (self._now(state), time.monotonic())
            self._tell(state.session_id, done)
        if time.monotonic() < self._looked + self._deleted_seconds:
            return
        self._looked = time.monotonic()
        for session in deleted_stores(self._desk):
            if self._desk.carrier is not None:
                self._remove_trees(session)
            remove_store(self._desk.workflow, self._project, session)
            self._log.info("store_removed", session=session)

    def _has_work(self) -> bool:
        """Another machine without a store of its own has nothing to tidy up, and no reason to ask."""
        return self._desk.carrier is None or next(_stores(self._desk.workflow / "work"), None) is not None

    def _remove_trees(self, session: str) -> None:
        """Those of a deleted session: their rows are gone, and its folder is of this machine's host alone."""
        folder = project_folder(self._trees(), self._desk.project_id) / session
        if folder.is_dir() and not folder.is_symlink():
            remove_folder(folder)

    def tidy(self, state: WorkState, *, leaves: bool = False) -> Tidied:
        """Bring the session's refs up and remove trees that nobody needs; what went wrong is in the answer.

        `leaves`: the session goes to another machine, so that no run of it here needs one any more.
        """
        done = Tidied()
        store = self._desk.workflow / "work" / f"{state.session_id}.git"
        if not store.is_dir() and self._desk.carrier is not None:
            return done  # another machine has worked on its code
        if not store.is_dir():
            done.left[str(store)] = "the private store is gone"
            return done
        with tidying(store) as is_ours:
            if not is_ours:
                return done
            try:
                self._tidy(state, done, state.is_over or leaves)
            except (LifecycleError, OSError) as error:
                done.left[state.session_id] = getattr(error, "why", "") or str(error)
        return done

    def _tidy(self, state: WorkState, done: Tidied, is_over: bool) -> None:
        """Raises GitError, StoreError, OSError."""
        from workers.git.session_work import open_work
        from workers.git.tree_cleanup import clean_trees

        found = open_work(self._desk, self._project, state.session_id, self._trees())
        spared = set(by_mark(RUN_MARK)) if state.trees else set()
        if state.trees:
            kept = found.retire_ended(spared).kept
            done.left |= {f"tree {id}": why for id, why in kept.items()}
        self._follow(found)
        if state.trees:
            before = None if is_over else self._desk.now() - int(KEEP_TREE * MICRO)
            cleaned = clean_trees(found, is_over=is_over, before=before, spared=spared)
            done.removed += map(str, cleaned.removed)
            done.left |= {str(path): why for path, why in cleaned.left.items()}

    def _follow(self, found: SessionWork) -> None:
        """Bring the refs up, and note where the work can be found when that has changed. Raises GitError."""
        from workers.git.publishing import Publication

        published = found.follow()
        if published.what is Publication.REFUSED:
            published = found.follow()  # whoever landed may have moved the ref at the same moment
        if published.what is Publication.NOWHERE:
            return
        what, branch, commit, why = published.what.value, published.branch, published.commit, published.why
        self._desk.note_publication(found.session, what, branch, commit, why)

    def _is_due(self, state: WorkState) -> bool:
        known, at = self._visited.get(state.session_id, (None, 0.0))
        if known != state:
            return True
        unfinished = state.broken or (state.is_over and state.trees)
        idle = state.is_over and not unfinished and not state.lags
        return not idle and time.monotonic() - at >= (RETRY_SECONDS if unfinished else FOLLOW_SECONDS)

    def _now(self, before: WorkState) -> WorkState:
        return self._desk.work_state(before.session_id) or before

    def _tell(self, session: str, done: Tidied) -> None:
        if done.removed:
            self._log.info("trees_removed", session=session, trees=done.removed)
        for name, why in done.left.items():
            if self._told.get(name) != why:
                self._told[name] = why
                self._log.warning("not_tidied", session=session, what=name, why=why)


def deleted_stores(desk: WorkDesk) -> list[str]:
    """Sessions that a person deleted and whose private stores are still there."""
    folder = desk.workflow / "work"
    names = sorted({path.name[: -len(".git")] for path in _stores(folder)})
    return [name for name in names if desk.is_deleted(name)]


def _stores(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.glob("*.git") if path.is_dir() and not path.is_symlink())


def remove_store(workflow: Path, project: Path, session: str) -> None:
    """Remove a deleted session's private store and its pins in the user's repository; its branch stays. Raises GitError.

    The pins go first: as long as the store is there, the next call goes on.
    """
    store = workflow / "work" / f"{session}.git"
    with tidying(store) as is_ours:
        if is_ours and store.is_dir():
            _remove_store(store, project, session)


def _remove_store(store: Path, project: Path, session: str) -> None:
    repository = find_repository(project)
    if repository is not None:
        with writing_refs(store, repository.common_dir):
            git = repository.git
            prefix = f"refs/lifecycle/{session}/"
            names = git.run("for-each-ref", "--format=%(refname)", prefix).out.decode().splitlines()
            for name in names:
                git.run("update-ref", "-d", name)
    shutil.rmtree(store)
    for file in lock_files(store):
        file.unlink(missing_ok=True)
