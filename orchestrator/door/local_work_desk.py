"""The part of the local desk that is about a session's code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from orchestrator.domain.identity import ProjectId
from orchestrator.domain.json_types import JsonObject
from orchestrator.store import artifacts, sessions, work, work_state, work_trees
from orchestrator.store.rows import Run
from orchestrator.store.store import Store, Tx
from orchestrator.store.work_rows import Commit, LeftTree, Proposed, Tree, Work
from orchestrator.store.work_state import Landed, Lane, WorkState


class LocalWorkDesk:
    """`WorkDesk` on a store of this process. `token`: as hosts of that name, on another machine, are answered."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def project_id(self) -> ProjectId:
        return self._store.project_id

    @property
    def workflow(self) -> Path:
        return self._store.workflow

    @property
    def carrier(self) -> None:
        """The project's repository is on this machine."""

    @property
    def agents_door(self) -> None:
        """Agents' servers open the database."""

    def now(self) -> int:
        return self._store.clock.wall()

    # the head

    def work(self, session: str) -> Work | None:
        return self._store.read(lambda tx: work.work_of(tx, session))

    def begin_work(self, session: str, origin: str, base: str, line: Sequence[tuple[str, str]] = ()) -> None:
        def begin(tx: Tx) -> None:
            row = work.begin(tx, session, origin, base)
            if row.head == base and line:
                work.adopt(tx, session, base, line)

        self._store.write(begin, about=session)

    def commits(self, session: str) -> list[Commit]:
        return self._store.read(lambda tx: work.commits_of(tx, session))

    def landed(self, session: str) -> list[Landed]:
        return self._store.read(lambda tx: work_state.landed(tx, session))

    # the trees of runs

    def lane_for(self, run: Run, folder: Path) -> int:
        return self._store.read(lambda tx: work_trees.lane_for(tx, run, folder))

    def tree_in_use(self, session: str, lane: int) -> Tree | None:
        return self._store.read(lambda tx: work_trees.tree_in_use(tx, session, lane))

    def open_tree(self, run: Run, lane: int, folder: Path, base: str) -> Tree:
        def place(generation: int) -> bytes:
            return os.fsencode(folder / f"{lane}-{generation}")

        return self._store.write(
            lambda tx: work_trees.open_tree(tx, run, lane, place, base), about=run.session_id
        )

    def make_live(self, run: Run, tree: int) -> Tree:
        def live(tx: Tx) -> Tree:
            work_trees.make_live(tx, run, tree)
            return work_trees.tree(tx, tree)

        return self._store.write(live, about=run.session_id)

    def hand_on(self, run: Run, lane: int) -> Tree | None:
        return self._store.write(lambda tx: work_trees.hand_on(tx, run, lane), about=run.session_id)

    def rebase_tree(self, run: Run, tree: int, base: str) -> Tree:
        def rebase(tx: Tx) -> Tree:
            work_trees.rebase(tx, run, tree, base)
            return work_trees.tree(tx, tree)

        return self._store.write(rebase, about=run.session_id)

    def left_trees(self, session: str, *, token: str = "") -> list[LeftTree]:
        return self._store.read(lambda tx: work_trees.left_trees(tx, session, token))

    def retire_tree(self, session: str, tree: int) -> bool:
        return self._store.write(lambda tx: work_trees.retire(tx, tree), about=session)

    # candidates

    def propose(
        self, run: Run, input_digest: str, base: str, commit: str, tree: str, flags: Sequence[JsonObject]
    ) -> Proposed:
        return self._store.write(
            lambda tx: work.propose(tx, run, input_digest, base, commit, tree, flags), about=run.session_id
        )

    def left_candidate(self, run: Run, input_digest: str, base: str) -> Proposed | None:
        return self._store.read(lambda tx: work.left_candidate(tx, run.id, input_digest, base))

    def take_ticket(self, run: Run, candidate: int) -> int:
        return self._store.write(lambda tx: work.take_ticket(tx, run, candidate), about=run.session_id)

    def drop_ticket(self, run: Run, candidate: int) -> None:
        self._store.write(lambda tx: work.drop_ticket(tx, run, candidate), about=run.session_id)

    def is_its_turn(self, candidate: int) -> bool:
        return self._store.read(lambda tx: work.is_its_turn(tx, candidate))

    def ahead_of(self, candidate: int) -> list[Proposed]:
        return self._store.read(lambda tx: work.ahead_of(tx, candidate))

    # beside the user's repository

    def note_published(self, session: str, branch: str, commit: str) -> None:
        self._store.write(lambda tx: work.note_published(tx, session, branch, commit), about=session)

    def adopt(self, session: str, seen: str, line: Sequence[tuple[str, str]]) -> bool:
        return self._store.write(lambda tx: work.adopt(tx, session, seen, line), about=session)

    def note_publication(self, session: str, what: str, branch: str, commit: str | None, why: str) -> None:
        self._store.write(
            lambda tx: work_state.note_publication(tx, session, what, branch, commit, why), about=session
        )

    def work_states(self, *, token: str = "") -> list[WorkState]:
        return self._store.read(lambda tx: work_state.states(tx, token))

    def work_state(self, session: str, *, token: str = "") -> WorkState | None:
        return self._store.read(lambda tx: work_state.state_of(tx, session, token))

    def lanes(self, session: str) -> list[Lane]:
        return self._store.read(lambda tx: work_state.lanes(tx, session))

    def discard_tree(self, session: str, tree: int) -> bool:
        return self._store.write(lambda tx: work_trees.discard(tx, tree), about=session)

    def note_removed(self, session: str, tree: int) -> None:
        self._store.write(lambda tx: work_trees.note_removed(tx, tree), about=session)

    def is_session(self, session: str) -> bool:
        return self._store.read(lambda tx: sessions.get(tx, session)) is not None

    def is_deleted(self, session: str) -> bool:
        return self._store.read(lambda tx: work_state.is_deleted(tx, session))

    def title(self, session: str) -> str:
        row = self._store.read(lambda tx: sessions.get(tx, session))
        return "" if row is None else row.title

    def newest_text(self, session: str, path: str) -> str | None:
        def newest(tx: Tx) -> str | None:
            rows = artifacts.versions(tx, session, path)
            return artifacts.body(tx, rows[-1].sha256).decode("utf-8", "replace") if rows else None

        return self._store.read(newest)
