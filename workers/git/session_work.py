"""A session's work from its base to its published branch, each step in the order objects, database, refs.

    objects    a commit is stored and synced              a kill leaves objects that nothing refers to
    rows       a candidate, then the head, in the report  all or nothing
    refs       the store's branch, then the user's        they lag; `follow` and `recover` bring them up

A tree's row is written before its folder and outlives it. A tree whose run ended badly is saved under `attempts/` and
never used again: the next run of its lane gets a new generation.
"""

from __future__ import annotations

import shutil
from collections.abc import Container, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator import failpoints
from orchestrator.domain.dataclass import dataclass, field, replace
from orchestrator.domain.errors import GitError, LaneInUse, TreeError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import RunOutcome
from orchestrator.door.desk import Landing
from orchestrator.door.work_desk import LeftTree, Proposed, Run, Tree, Work, WorkDesk
from orchestrator.store.forked_stores import drop_orphan
from workers.git.candidates import Candidate, changes_between, commit_message, make_candidate, take_snapshot
from workers.git.checkouts import (
    Checkout,
    assert_room,
    make_checkout,
    project_folder,
    reset_checkout,
)
from workers.git.merging import merge
from workers.git.private_store import Base, PrivateStore, create_store, fix_base, open_store
from workers.git.publishing import Publication, Published, adopt, publish, store_head
from workers.git.ref_locks import publishing, saving_trees
from workers.git.user_repository import Submodule
from workers.git.verify_checkouts import VerifyCheckout


@dataclass(frozen=True, slots=True)
class OpenTree:
    """A run's own tree."""

    row: Tree
    checkout: Checkout
    warm: bool = False  # it was handed on by the run before, with its caches
    empty: tuple[Submodule, ...] = ()  # submodules that the user has not fetched


@dataclass(frozen=True, slots=True)
class Integration:
    """What would land: a commit on the head that was seen, or the conflicts with it."""

    seen: str
    commit: str
    tree: str
    conflicts: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a recovery did: trees it retired, and those that could not be saved, with the reason."""

    retired: tuple[int, ...] = ()
    kept: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SessionWork:
    """One session's store, rows and trees. Safe to use from several threads and processes at once."""

    desk: WorkDesk
    private: PrivateStore
    trees: Path
    takes_over: bool = False  # a new tree is made of checkouts that programs ran in: where these are confined

    @property
    def session(self) -> str:
        return self.private.session

    @property
    def folder(self) -> Path:
        """Where this machine's trees of the session are."""
        return project_folder(self.trees, self.desk.project_id) / self.session

    def left_trees(self) -> list[LeftTree]:
        """The session's trees on this machine whose folders are not known to be gone."""
        found = self.desk.left_trees(self.session)
        if self.desk.carrier is None:
            return found
        return [
            each for each in found if each.path.parent == self.folder
        ]  # a token may be used on two machines

    def row(self) -> Work:
        """Raises TreeError where the session has not begun to work."""
        if (found := self.desk.work(self.session)) is None:
            raise TreeError(f"{self.session} has not begun to work")
        return found

    def open_some_tree(self, run: Run) -> OpenTree:
        """The run's tree in the lane of its chain, else in a free one. Raises as `open_tree`, save LaneInUse."""
        while True:
            lane = self.desk.lane_for(run, self.folder)
            try:
                return self.open_tree(run, lane)
            except LaneInUse:  # another run was faster
                continue

    def open_tree(self, run: Run, lane: int) -> OpenTree:
        """The run's tree at the head: the lane's warm one where its last run ended well, else a new generation.

        Raises LeaseLost, LaneInUse, NoRoomForTree, RepositoryUnusable, GitError.
        """
        used = self.desk.tree_in_use(self.session, lane)
        warm = None if used is None else self._warm_tree(run, lane, used)
        if warm is not None:
            return warm
        assert_room(self.trees)
        head = self.row().head
        made = self.desk.open_tree(run, lane, self.folder, head)
        failpoints.hit("tree.row")
        checkout = Checkout(made.path, made.nonce)
        spare = None if used is None else self._spare(used)
        empty = make_checkout(
            self.private, checkout, head, None if spare is None else spare.for_checks.as_spare
        )
        if spare is not None:
            with suppress(OSError):  # a session that is over meanwhile: its trees are being deleted
                spare.give(VerifyCheckout.beside(self.private, checkout))
        live = self.desk.make_live(run, made.id)
        failpoints.hit("tree.ready")
        return OpenTree(live, checkout, empty=tuple(empty))

    def propose(
        self,
        run: Run,
        tree: OpenTree,
        digest: str,
        subject: str,
        trailers: Mapping[str, str],
        merged: Sequence[str] = (),
    ) -> tuple[Proposed, Candidate]:
        """Commit what the run's tree holds and note it as a candidate made of the input `digest`.

        `merged`: commits of the user's that the tree holds too. Raises LeaseLost, TreeError, GitError.
        """
        message = commit_message(
            subject, {"Session": self.session, "Task": run.key, "Run": run.run, **trailers}
        )
        now = self.desk.now()
        made = make_candidate(
            self.private, tree.checkout, tree.row.base, f"runs/{run.run}", message, now, merged
        )
        self._hand_in(run, made.base, made.commit, made.tree)
        flags: list[JsonObject] = [{"kind": flag.kind, "path": flag.shown} for flag in made.flags]
        found = self.desk.propose(run, digest, made.base, made.commit, made.tree, flags)
        failpoints.hit("candidate.row")
        return found, made

    def queue(self, run: Run, candidate: Proposed) -> int:
        """The candidate's ticket for landing. Raises LeaseLost."""
        ticket = self.desk.take_ticket(run, candidate.id)
        failpoints.hit("land.ticket")
        return ticket

    def unqueue(self, run: Run, candidate: Proposed) -> None:
        """Leave the queue for landing. Raises LeaseLost."""
        self.desk.drop_ticket(run, candidate.id)

    def is_its_turn(self, candidate: Proposed) -> bool:
        """Whether every candidate before it has landed, or lost its run."""
        return self.desk.is_its_turn(candidate.id)

    def ahead_of(self, candidate: Proposed) -> list[Proposed]:
        """What can still land before it, in order, or all without a ticket; nothing elsewhere, where the commits are not."""
        return self.desk.ahead_of(candidate.id) if self.desk.carrier is None else []

    def integrate(self, candidate: Proposed) -> Integration:
        """The candidate on the head of now: itself, or a merge that keeps only its own other parents. Raises GitError."""
        onto = self.onto(self.row().head, candidate)
        if not onto.conflicts and onto.commit != candidate.commit_id:
            self.private.keep(f"runs/{candidate.run_id}/{onto.commit}", onto.commit)
            failpoints.hit("land.merged")
        return onto

    def integrate_here(self, candidate: Proposed) -> Integration:
        """The same before its turn, on whatever the head is now; elsewhere the candidate alone. Raises GitError."""
        if self.desk.carrier is not None:
            return Integration(candidate.base, candidate.commit_id, candidate.tree_id)
        return self.integrate(candidate)

    def expect(self, candidate: Proposed, ahead: Sequence[Proposed]) -> Integration:
        """The same once those `ahead` have landed, or the first of them that will not without work. Raises GitError.

        What it lands on is no head yet, and git may collect both.
        """
        seen = self.row().head
        for each in ahead:
            onto = self.onto(seen, each)
            if onto.conflicts:
                return onto
            seen = onto.commit
        return self.onto(seen, candidate)

    def conflicts_here(self, candidate: Proposed, commit: str) -> bool:
        """Whether it takes work to merge another's commit with it; no elsewhere. Raises GitError."""
        if self.desk.carrier is not None:
            return False
        return bool(merge(self.private, commit, candidate.commit_id).conflicts)

    def changed_by(self, commit: str) -> frozenset[bytes]:
        """The paths of a candidate's own changes. Raises GitError."""
        base = self.private.parents_of(commit)[0]
        return frozenset(each.path for each in changes_between(self.private.git, base, commit))

    def onto(self, seen: str, candidate: Proposed) -> Integration:
        """The candidate on a commit: itself, or a merge. Raises GitError."""
        if seen == candidate.base:
            return Integration(seen, candidate.commit_id, candidate.tree_id)
        merged = merge(self.private, seen, candidate.commit_id)
        if merged.conflicts:
            return Integration(seen, candidate.commit_id, merged.tree, tuple(merged.conflicts))
        message = self.private.git.run("log", "-1", "--format=%B", candidate.commit_id).out.decode()
        others = self.private.parents_of(candidate.commit_id)[1:]
        commit = self.private.commit_tree(merged.tree, seen, message, self.desk.now(), others)
        return Integration(seen, commit, merged.tree)

    def with_users(self, commit: str) -> Integration:
        """The head with the user's `commit` merged in: its tree, and the conflicts. Raises GitError."""
        seen = self.row().head
        merged = merge(self.private, seen, commit)
        return Integration(seen, commit, merged.tree, tuple(merged.conflicts))

    def compared_with(self, row: Work) -> str:
        """What the session's own changes are on top of: its base, or the user's commit that a rebase brought in last."""
        ours = {each.commit_id for each in self.desk.commits(self.session) if each.run_id}
        words = ("rev-list", "--first-parent", "--merges", "--parents", f"{row.base}..{row.head}")
        lines = self.private.git.run(*words).out.decode().splitlines()
        return next((line.split()[2] for line in lines if line.split()[0] in ours), row.base)

    def take_up(self, run: Run, tree: OpenTree, onto: Integration) -> OpenTree:
        """The run's tree with a merge that has to be worked on: on the head that was seen, conflicts as markers.

        Raises LeaseLost, TreeError, GitError.
        """
        reset_checkout(self.private, tree.checkout, onto.seen)
        tree.checkout.git(self.private).run("read-tree", "--reset", "-u", onto.tree)
        return replace(tree, row=self.desk.rebase_tree(run, tree.row.id, onto.seen))

    def base_of_pair(self, one: str, other: str) -> str:
        """The commit that both build on. Raises GitError where there is none."""
        return self.private.git.run("merge-base", one, other).line

    def fill(self, run: Run, tree: OpenTree, content: str) -> OpenTree:
        """The run's tree with the files of the tree `content`, on its base. Raises TreeError, GitError."""
        tree.checkout.assert_ours()
        tree.checkout.git(self.private).run("read-tree", "--reset", "-u", content)
        return tree

    def _hand_in(self, run: Run, base: str, commit: str, tree: str) -> None:
        """Bring a commit to the project's machine, where that is another one: objects before rows, there too."""
        if (carrier := self.desk.carrier) is None:
            return
        others = self.private.parents_of(commit)[1:]
        name = f"refs/lifecycle/runs/{run.run}/{commit}"
        self.private.keep(name.removeprefix("refs/lifecycle/"), commit)
        with TemporaryDirectory(dir=self.private.path) as scratch:
            bundle = Path(scratch, "bundle")
            words = ("bundle", "create", "--quiet", str(bundle), name, "--not", base, *others)
            self.private.git.run(*words)
            carrier.hand_in(run, bundle, base, commit, tree)
        failpoints.hit("code.handed_in")

    def landing(self, run: Run, candidate: Proposed, onto: Integration) -> Landing:
        """What the run's report makes the head. Raises TreeError for conflicts, as `propose` besides."""
        if onto.conflicts:
            raise TreeError("a candidate with conflicts cannot land", why=f"{len(onto.conflicts)} paths")
        if onto.commit != candidate.commit_id:
            self._hand_in(run, onto.seen, onto.commit, onto.tree)
        return Landing(candidate.id, onto.seen, onto.commit, onto.tree)

    def follow(self) -> Published:
        """Bring the refs up to the head; commits that the user made on top of ours are adopted first.

        Elsewhere nothing is done: it is up to the project's machine. Raises GitError when git could not; the next call
        repeats it.
        """
        if self.desk.carrier is not None:
            return Published(Publication.NOWHERE, self.private.branch, None)
        found = self._publish()
        if found.what == Publication.ADVANCED and found.commit is not None and self._adopt(found.commit):
            found = self._publish()
        return found

    def recover(self) -> Recovered:
        """Save and retire trees whose runs ended badly, then bring the refs up to the head.

        The processes of these runs must have ended. Raises GitError for refs that could not be written.
        """
        found = self.retire_ended()
        self.follow()
        return found

    def retire_ended(self, spared: Container[str] = ()) -> Recovered:
        """Save and retire trees whose runs ended badly, but those of runs in `spared`, whose processes still live."""
        retired, kept = [], {}
        with self.saving():
            for left in self.left_trees():
                if left.state not in ("making", "live") or left.outcome in (None, RunOutcome.COMPLETED):
                    continue
                if left.run_id in spared:
                    continue
                try:
                    self.save(left)
                except (TreeError, GitError) as error:
                    kept[left.id] = error.why or error.what
                    continue
                if self.desk.retire_tree(self.session, left.id):
                    failpoints.hit("tree.retired")
                    retired.append(left.id)
        return Recovered(tuple(retired), kept)

    def saving(self) -> AbstractContextManager[None]:
        """Be the only one who saves and retires trees of the session: `save` walks a tree, and uses an index in it."""
        return saving_trees(self.private.path)

    def save(self, left: LeftTree) -> None:
        """Keep what a tree holds below attempts/, unless its base or a candidate of its run has it.

        Raises TreeError, GitError. A tree that was never finished, or is not there any more, has nothing to keep.
        """
        checkout = Checkout(left.path, left.nonce)
        if not (checkout.is_ours() and checkout.index.is_file() and checkout.work.is_dir()):
            return
        index = checkout.folder / "saved.index"
        index.with_name("saved.index.lock").unlink(missing_ok=True)
        shutil.copy2(checkout.index, index)  # with its time, by which git knows what it has to read
        proposed = self._proposed_trees(left.run_id)
        snapshot = take_snapshot(self.private, checkout, left.base, index=index, known=proposed)
        if not snapshot.changes or snapshot.tree in proposed:
            return
        name = f"attempts/{left.key}-{left.epoch}/{snapshot.tree}"
        if self.private.ref(f"refs/lifecycle/{name}") is None:
            message = commit_message(
                f"Keep what {left.key} left", {"Session": self.session, "Run": left.run_id}
            )
            now = self.desk.now()
            self.private.keep(name, self.private.commit_tree(snapshot.tree, left.base, message, now))

    def _spare(self, used: Tree) -> VerifyCheckout | None:
        """What tests ran in beside a tree that its run has left well, and that is retired now: a new one is made of it.

        None where a set-up installed what tests need, so that there is no other one: to remove it first can take long.
        """
        rows = self.left_trees()
        fit = ("retired", RunOutcome.COMPLETED)
        if not self.takes_over or not any(
            row.id == used.id and (row.state, row.outcome) == fit for row in rows
        ):
            return None
        before = Checkout(used.path, used.nonce)
        found = VerifyCheckout.beside(self.private, before)
        return found if before.is_ours() and found.for_checks.files.is_dir() else None

    def _warm_tree(self, run: Run, lane: int, used: Tree) -> OpenTree | None:
        """The lane's tree, handed on to `run`; one that may not be is saved and retired."""
        left = next((tree for tree in self.left_trees() if tree.id == used.id), None)
        if left is None or left.outcome is None:
            return None  # opening one more says who uses it
        if used.state == "live" and used.chain == run.loop and left.outcome == RunOutcome.COMPLETED:
            checkout = Checkout(used.path, used.nonce)
            held = self._settled(checkout, used) if checkout.is_ours() else None
            if held is not None:
                return self._hand_on(run, lane, checkout, held)
        with self.saving():
            with suppress(TreeError, GitError):  # it stays on the disk: nothing deletes what is not saved
                self.save(left)
            self.desk.retire_tree(self.session, used.id)
        failpoints.hit("tree.retired")
        return None

    def _hand_on(self, run: Run, lane: int, checkout: Checkout, held: str) -> OpenTree | None:
        head = self.row().head
        found = self.desk.hand_on(run, lane)
        if found is None:
            return None
        reset_checkout(self.private, checkout, head, held)
        return OpenTree(self.desk.rebase_tree(run, found.id, head), checkout, warm=True)

    def _settled(self, checkout: Checkout, row: Tree) -> str | None:
        """What the tree holds, where that is what its run proposed, or nothing new; None where it was changed since."""
        known = [self.private.tree_of(row.base), *self._proposed_trees(row.run_id)]
        held = take_snapshot(self.private, checkout, row.base, known=known)
        return held.tree if held.tree in known and not held.flags else None

    def _proposed_trees(self, run: str) -> list[str]:
        """The trees of a run's candidates."""
        words = ("for-each-ref", "--format=%(tree)", f"refs/lifecycle/runs/{run}/")
        return self.private.git.run(*words).out.decode().split()

    def _publish(self) -> Published:
        """One at a time, with the head read meanwhile: a later one of ours on the branch would look like the user's."""
        with publishing(self.private.path):
            row = self.row()
            store_head(self.private, row.head)
            found = publish(self.private, row.head, row.published, row.base)
            if found.what == Publication.DONE and (found.branch, row.head) != (row.branch, row.published):
                self.desk.note_published(self.session, found.branch, row.head)
        return found

    def _adopt(self, commit: str) -> bool:
        """Whether the user's commits, up to `commit`, are on top of the head now."""
        row = self.row()
        if row.published != row.head:
            return False  # ours have gone on meanwhile: the branch is left to the user
        line = self.private.git.run(
            "log", "--reverse", "--first-parent", "--format=%H %T %P", f"{row.head}..{commit}"
        )
        found = [each.split() for each in line.out.decode().splitlines()]
        parents = [row.head, *(each[0] for each in found)]
        if any(parent not in each[2:3] for parent, each in zip(parents, found, strict=False)):
            return False  # a merge whose first side is not ours
        adopt(self.private, row.commits + len(found), commit)
        return self.desk.adopt(self.session, row.head, [(each[0], each[1]) for each in found])


def begin_work(
    desk: WorkDesk, folder: Path, session: str, trees: Path, *, include_dirty: bool = False
) -> tuple[SessionWork, Base]:
    """Make the session's store for the project `folder`, fix its base and note it; a second call goes on with the first.

    Raises GitMissing, RepositoryUnusable, GitError.
    """
    if desk.work(session) is None:
        drop_orphan(desk.workflow, session)
    private = create_store(desk.workflow, session, folder)
    base = fix_base(private, folder, desk.now(), include_dirty=include_dirty)
    desk.begin_work(session, base.origin, base.commit)
    return SessionWork(desk, private, trees), base


def open_work(desk: WorkDesk, folder: Path, session: str, trees: Path) -> SessionWork:
    """The work of a session that has begun it. Raises RepositoryUnusable where its store or repository is gone."""
    return SessionWork(desk, open_store(desk.workflow, session, folder), trees)
