"""What a host does for sessions' work by itself: refs that lag, trees left behind, stores of deleted sessions."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import structlog

from orchestrator.commands import manage
from orchestrator.domain.errors import NotAllowedNow
from orchestrator.door.local_desk import LocalDesk
from orchestrator.store import forked_stores, sessions, work_state, work_trees
from orchestrator.store.work_rows import LeftTree
from orchestrator.views.landed import may_apply, work_view
from tests import invariants
from tests.git_world import World, as_left, git, repository, world, write
from workers.git.collecting import Collected, collect
from workers.git.forking import fork_store
from workers.git.ref_locks import tidying
from workers.git.session_work import OpenTree, SessionWork
from workers.git.tree_cleanup import clean_trees
from workers.git.tree_maintenance import TreeMaintenance
from workers.host.marked_processes import RUN_MARK

ENDLESS = [sys.executable, "-c", "import sys; sys.stdin.read()"]


@pytest.fixture
def here(tmp_path: Path) -> World:
    return world(tmp_path, repository(tmp_path / "project", {"app.py": "1\n", ".gitignore": ".workflow/\n"}))


def maintenance(here: World) -> TreeMaintenance:
    return TreeMaintenance(LocalDesk(here.store), here.folder, lambda: here.trees, structlog.get_logger())


def reported(here: World) -> tuple[SessionWork, OpenTree]:
    """Work whose host died when its report was in the database, before any ref was written."""
    work = here.begin()
    run = here.claim()
    tree = work.open_tree(run, 0)
    write(tree.checkout.work, {"a.py": "a = 1\n"})
    proposed, _ = work.propose(run, tree, "input", "Do it", {})
    work.queue(run, proposed)
    assert here.report(work, run, (proposed, work.integrate(proposed)))
    return work, tree


def lost(here: World, work: SessionWork, lane: int = 1) -> OpenTree:
    """A tree with something in it whose run was lost."""
    run = here.claim()
    tree = work.open_tree(run, lane)
    write(tree.checkout.work, {"half.py": "half\n"})
    here.lose(run)
    return tree


def view(here: World) -> dict[str, object]:
    def read(tx):  # type: ignore[no-untyped-def]
        session = sessions.get(tx, here.session)
        assert session is not None
        return work_view(tx, session)

    found = here.store.read(read)
    assert found is not None
    return dict(found)


def test_refs_that_a_killed_host_left_behind_are_brought_up(here: World) -> None:
    before = as_left(here.folder)
    work, _ = reported(here)
    assert here.store.read(work_state.is_unsettled)

    maintenance(here).poll()

    assert git(here.folder, "rev-parse", f"lifecycle/{here.session}") == work.row().head
    assert not here.store.read(work_state.is_unsettled)
    assert here.store.read(lambda tx: may_apply(tx, here.session))
    assert view(here)["published"] and view(here)["branch"] == f"lifecycle/{here.session}"
    assert as_left(here.folder) == before


@pytest.mark.long
def test_a_branch_that_is_not_moved_is_explained_once(here: World) -> None:
    work, _ = reported(here)
    work.follow()
    git(here.folder, "switch", "-q", f"lifecycle/{here.session}")
    run = here.claim()
    tree = work.open_tree(run, 1)
    write(tree.checkout.work, {"b.py": "b\n"})
    proposed, _ = work.propose(run, tree, "input", "Do b", {})
    work.queue(run, proposed)
    assert here.report(work, run, (proposed, work.integrate(proposed)))

    for _ in range(2):
        maintenance(here).poll()

    shown = view(here)
    assert shown["commits"] == 2 and not shown["published"]
    assert "has it checked out" in str(shown["why_not"])
    assert [each["task"] for each in shown["newest"]] == ["IMPL-002", "IMPL-001"]  # type: ignore[attr-defined]


@pytest.mark.long
def test_a_lost_runs_tree_is_saved_and_stays_a_day(here: World) -> None:
    work, _ = reported(here)
    tree = lost(here, work)

    maintenance(here).poll()

    (lane,) = [
        each for each in here.store.read(lambda tx: work_state.lanes(tx, here.session)) if each.lane == 1
    ]
    assert lane.state == "retired" and tree.checkout.work.is_dir()
    kept = git(work.private.path, "for-each-ref", "--format=%(refname)", "refs/lifecycle/attempts")
    assert git(work.private.path, "show", f"{kept}:half.py") == "half"


@pytest.mark.long
def test_a_tree_whose_processes_still_live_is_left_alone(here: World) -> None:
    work, _ = reported(here)
    tree = lost(here, work)
    manage.cancel(here.store, here.session, who="ann")
    environment = {**os.environ, RUN_MARK: tree.row.run_id}

    with subprocess.Popen(ENDLESS, stdin=subprocess.PIPE, env=environment) as agent:
        maintenance(here).poll()
        spared = tree.checkout.work.is_dir()
        agent.communicate()
    maintenance(here).poll()

    assert spared and not tree.checkout.folder.exists()


@pytest.mark.long
def test_who_does_not_get_the_lock_does_nothing(here: World) -> None:
    work, _ = reported(here)

    with tidying(work.private.path) as is_ours:
        maintenance(here).poll()

    assert is_ours and here.store.read(work_state.is_unsettled)


def test_a_cancelled_sessions_trees_go_and_then_it_can_be_deleted_with_its_store(here: World) -> None:
    work, tree = reported(here)
    lost(here, work)
    head = work.row().head
    maintenance(here).poll()
    manage.cancel(here.store, here.session, who="ann")
    with pytest.raises(NotAllowedNow, match="private trees"):
        manage.delete(here.store, here.session, who="ann")

    maintenance(here).poll()
    manage.delete(here.store, here.session, who="ann")
    maintenance(here).poll()

    assert not tree.checkout.folder.exists()
    assert list((here.folder / ".workflow" / "work").iterdir()) == []
    assert git(here.folder, "for-each-ref", "--format=%(refname)", "refs/lifecycle") == ""
    assert git(here.folder, "rev-parse", f"lifecycle/{here.session}") == head
    git(here.folder, "fsck", "--strict")
    invariants.check(here.store.path)


def test_a_store_that_nobody_deleted_stays_though_its_session_is_unknown(here: World) -> None:
    stranger = here.folder / ".workflow" / "work" / "TLS-lost-2026-01-01.git"
    stranger.mkdir(parents=True)

    maintenance(here).poll()

    assert stranger.is_dir()


def test_gc_lists_what_it_then_removes(here: World) -> None:
    work, tree = reported(here)
    work.follow()
    attempt = lost(here, work)
    work.recover()
    old = git(
        work.private.path,
        "commit-tree",
        "-m",
        "Keep",
        work.private.tree_of(work.row().head),
        GIT_COMMITTER_DATE="2026-01-01T00:00:00Z",
    )
    git(work.private.path, "update-ref", "refs/lifecycle/attempts/IMPL-009-1/x", old)
    manage.cancel(here.store, here.session, who="ann")
    log = structlog.get_logger()

    listed = collect(LocalDesk(here.store), here.folder, lambda: here.trees, log, dry=True)
    there = tree.checkout.folder.is_dir() and attempt.checkout.folder.is_dir()
    removed = collect(LocalDesk(here.store), here.folder, lambda: here.trees, log, dry=False)

    def named(found: object) -> set[str]:
        return {each["name"] for each in found.as_json()["items"] if each["what"] != "objects"}  # type: ignore[attr-defined]

    assert there and named(listed) == named(removed) and not removed.left
    assert "refs/lifecycle/attempts/IMPL-009-1/x" in named(listed) and len(named(listed)) == 3
    assert not tree.checkout.folder.exists() and not attempt.checkout.folder.exists()
    saved = git(work.private.path, "for-each-ref", "--format=%(refname)", "refs/lifecycle/attempts")
    assert git(work.private.path, "show", f"{saved}:half.py") == "half"
    assert work.private.has(work.row().head) and json.dumps(removed.as_json())


def test_a_tree_that_was_taken_over_meanwhile_is_not_deleted(
    here: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, tree = reported(here)
    again = here.claim()._replace(loop=tree.row.chain)
    saved = SessionWork.save

    def save(self: SessionWork, left: LeftTree) -> None:
        """As it is, and at this moment the next run of the chain takes the tree."""
        saved(self, left)
        with sqlite3.connect(here.store.path) as connection:
            connection.execute("UPDATE runs SET loop = ? WHERE id = ?", (tree.row.chain, again.run))
        connection.close()
        assert here.store.write(lambda tx: work_trees.hand_on(tx, again, 0)) is not None

    monkeypatch.setattr(SessionWork, "save", save)

    done = clean_trees(work, is_over=True)

    assert not done.removed and "used again" in done.left[tree.checkout.folder]
    assert tree.checkout.work.is_dir()


def test_gc_takes_what_killed_forks_left_wherever_it_lies_and_nothing_while_somebody_forks(
    here: World,
) -> None:
    work = here.begin()
    head, log = work.row().base, structlog.get_logger()
    before = as_left(here.folder)

    def left(name: str) -> Path:
        return fork_store(work, here.folder, name, head, {})

    with forked_stores.forking(here.store.workflow):
        forked_stores.take_place(here.store.workflow, "TLS-placed", left("TLS-placed"))
    staged = left("TLS-staged")
    placed = forked_stores.place(here.store.workflow, "TLS-placed")
    own = forked_stores.place(here.store.workflow, here.session)
    (own / forked_stores.MARK).write_text("its session is there")
    pinned = git(here.folder, "for-each-ref", "--format=%(refname)", "refs/lifecycle")

    with forked_stores.forking(here.store.workflow):
        kept = collect(LocalDesk(here.store), here.folder, lambda: here.trees, log, dry=False)
    listed = collect(LocalDesk(here.store), here.folder, lambda: here.trees, log, dry=True)
    are_there = placed.is_dir() and staged.is_dir()
    removed = collect(LocalDesk(here.store), here.folder, lambda: here.trees, log, dry=False)

    def stores(found: Collected) -> list[str]:
        return [each.session for each in found.items if each.what == "store"]

    assert "TLS-placed/base" in pinned and "TLS-staged/base" in pinned
    assert stores(kept) == [] and are_there
    assert sorted(stores(listed)) == sorted(stores(removed)) == ["TLS-placed", "TLS-staged"]
    assert not placed.exists() and not staged.exists() and own.is_dir()
    assert as_left(here.folder) == before
    refs = git(here.folder, "for-each-ref", "--format=%(refname)", "refs/lifecycle")
    assert refs == f"refs/lifecycle/{here.session}/base"
