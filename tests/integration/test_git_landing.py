"""From a private tree to the published branch: rows, refs, merges, and the user's repository as it was."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.domain.errors import GitError, LeaseLost, NoRoomForTree, NotAllowedNow, TreeError
from orchestrator.store import retention, work, work_trees
from orchestrator.store.rows import Run
from orchestrator.store.work_rows import Proposed
from tests import factories as make
from tests import invariants
from tests.e2e.disk import Disk, may_mount
from tests.git_world import World, another_session, as_left, git, repository, world, write
from workers.git.candidates import take_snapshot
from workers.git.checkouts import Checkout, make_checkout
from workers.git.merging import Vanished, vanished_lines
from workers.git.publishing import Publication
from workers.git.session_work import Integration, OpenTree, SessionWork
from workers.git.tree_cleanup import clean_trees

LINES = "".join(f"line {number}\n" for number in range(30))


@pytest.fixture
def here(tmp_path: Path) -> World:
    return world(tmp_path, repository(tmp_path / "project", {"app.py": LINES, ".gitignore": ".workflow/\n"}))


def heads(here: World) -> tuple[str, str, str]:
    """The head in the database, in the store and in the user's repository."""
    found = here.reopen()
    branch = git(here.folder, "rev-parse", f"lifecycle/{here.session}")
    return found.row().head, found.private.ref(found.private.branch) or "", branch


def test_a_change_in_a_tree_becomes_a_commit_with_trailers_on_the_users_branch(here: World) -> None:
    before = as_left(here.folder)
    work_ = here.begin()
    run = here.claim()
    tree = work_.open_tree(run, 0)
    write(tree.checkout.work, {"new.py": "y = 2\n"})

    here.land(work_, run, tree)

    assert len(set(heads(here))) == 1
    message = git(here.folder, "log", "-1", "--format=%B", f"lifecycle/{here.session}")
    assert message.splitlines()[0] == "Do IMPL-001"
    assert f"Lifecycle-Run: {run.run}" in message and "Lifecycle-Agent: scripted" in message
    assert git(here.folder, "show", f"lifecycle/{here.session}:new.py") == "y = 2"
    assert as_left(here.folder) == before
    invariants.check(here.store.path)


def test_a_serial_loop_keeps_its_tree_and_its_caches(here: World) -> None:
    work_ = here.begin()
    first = here.claim()
    tree = work_.open_tree(first, 0)
    write(tree.checkout.work, {".gitignore": ".workflow/\ncache/\n", "cache/warm": "1", "a.py": "a = 1\n"})
    here.land(work_, first, tree)
    second = here.claim()._replace(loop=first.loop)
    with_loop(here, second.run, first.loop)

    again = work_.open_tree(second, 0)

    assert again.warm and again.row.generation == 1 and again.row.base == work_.row().head
    assert (again.checkout.work / "cache" / "warm").exists()
    invariants.check(here.store.path)


def test_an_edit_in_the_second_of_the_checkout_is_kept_when_the_run_is_lost(here: World) -> None:
    """Of the same size: git sees it only by reading what is as old as its index."""
    work_ = here.begin()
    run = here.claim()
    tree = work_.open_tree(run, 0)
    file = tree.checkout.work / "app.py"
    body = file.read_text()
    for path in (file, tree.checkout.index):
        os.utime(path, (1_000, 1_000))
    tree.checkout.git(work_.private).run("update-index", "-q", "--really-refresh")
    os.utime(tree.checkout.index, (1_000, 1_000))
    other = body.replace("1", "7")
    assert other != body
    file.write_text(other)
    os.utime(file, (1_000, 1_000))
    here.lose(run)

    work_.retire_ended()

    refs = git(work_.private.path, "for-each-ref", "--format=%(refname)", "refs/lifecycle/attempts")
    assert git(work_.private.path, "show", f"{refs}:app.py") == other.strip()


def with_loop(here: World, run: str, loop: str) -> None:
    """Let the run be of another's chain, as an inner loop opens it."""
    with sqlite3.connect(here.store.path) as connection:
        connection.execute("UPDATE runs SET loop = ? WHERE id = ?", (loop, run))
    connection.close()


def test_a_tree_changed_after_its_run_is_saved_and_not_used_again(here: World) -> None:
    work_ = here.begin()
    first = here.claim()
    tree = work_.open_tree(first, 0)
    write(tree.checkout.work, {"a.py": "a = 1\n"})
    here.land(work_, first, tree)
    write(tree.checkout.work, {"late.py": "late = 1\n"})
    second = here.claim()._replace(loop=first.loop)
    with_loop(here, second.run, first.loop)

    again = work_.open_tree(second, 0)

    assert again.row.generation == 2 and not (again.checkout.work / "late.py").exists()
    (kept,) = git(
        work_.private.path, "for-each-ref", "--format=%(refname)", "refs/lifecycle/attempts"
    ).splitlines()
    assert git(work_.private.path, "show", f"{kept}:late.py") == "late = 1"


def test_another_chain_gets_a_tree_of_its_own(here: World) -> None:
    work_ = here.begin()
    first = here.claim()
    here.land(work_, first, changed(work_.open_tree(first, 0)))

    second = work_.open_tree(here.claim(), 0)

    assert (second.row.lane, second.row.generation, second.warm) == (0, 2, False)


def changed(tree: OpenTree) -> OpenTree:
    """The tree, with a new file in it."""
    write(tree.checkout.work, {"a.py": "a = 1\n"})
    return tree


def test_a_lane_in_use_is_refused(here: World) -> None:
    work_ = here.begin()
    work_.open_tree(here.claim(), 0)

    with pytest.raises(TreeError, match="lane 0 is in use"):
        work_.open_tree(here.claim(), 0)


def test_a_lost_runs_tree_is_saved_and_never_used_again(here: World) -> None:
    work_ = here.begin()
    run = here.claim()
    tree = work_.open_tree(run, 0)
    write(tree.checkout.work, {"half.py": "half = 1\n"})
    here.lose(run)

    found = work_.recover()

    assert found.retired == (tree.row.id,) and not found.kept
    kept = git(work_.private.path, "for-each-ref", "--format=%(refname)", "refs/lifecycle/attempts")
    assert kept.startswith(f"refs/lifecycle/attempts/{run.key}-{run.epoch}/")
    assert git(work_.private.path, "show", f"{kept}:half.py") == "half = 1"
    assert work_.row().head == work_.row().base
    assert work_.open_tree(here.claim(), 0).row.generation == 2
    invariants.check(here.store.path)


def test_a_lost_runs_tree_is_not_handed_on_within_its_chain(here: World) -> None:
    work_ = here.begin()
    run = here.claim()
    work_.open_tree(run, 0)
    here.lose(run)
    again = here.claim()._replace(loop=run.loop)
    with_loop(here, again.run, run.loop)

    assert here.store.write(lambda tx: work_trees.hand_on(tx, again, 0)) is None
    assert work_.open_tree(again, 0).row.generation == 2


def test_a_zombie_can_neither_propose_nor_land(here: World) -> None:
    work_ = here.begin()
    run = here.claim()
    tree = work_.open_tree(run, 0)
    write(tree.checkout.work, {"a.py": "a = 1\n"})
    proposed, _ = work_.propose(run, tree, "input", "Do it", {})
    work_.queue(run, proposed)
    landing = proposed, work_.integrate(proposed)
    here.lose(run)

    with pytest.raises(LeaseLost):
        here.report(work_, run, landing)
    with pytest.raises(LeaseLost):
        work_.propose(run, tree, "input", "Do it", {})

    assert work_.row().head == work_.row().base
    invariants.check(here.store.path)


def test_a_lost_runs_candidate_is_found_by_the_same_input_and_base(here: World) -> None:
    work_ = here.begin()
    run = here.claim()
    tree = work_.open_tree(run, 0)
    write(tree.checkout.work, {"a.py": "a = 1\n"})
    proposed, _ = work_.propose(run, tree, "input", "Do it", {})
    here.lose(run)

    def left(digest: str, base: str) -> object:
        return here.store.read(lambda tx: work.left_candidate(tx, run.id, digest, base))

    assert left("input", proposed.base) == proposed
    assert left("other", proposed.base) is None and left("input", "0" * 40) is None


def two(
    here: World, first: dict[str, str | bytes], second: dict[str, str | bytes]
) -> tuple[SessionWork, Run, Proposed, Integration]:
    """Two runs that each changed something, the first landed, the second queued."""
    work_ = here.begin()
    runs = [here.claim(), here.claim()]
    trees = [work_.open_tree(run, lane) for lane, run in enumerate(runs)]
    for tree, files in zip(trees, (first, second), strict=True):
        write(tree.checkout.work, files)
    proposals = [
        work_.propose(run, tree, "input", f"Do {run.key}", {})[0]
        for run, tree in zip(runs, trees, strict=True)
    ]
    for run, proposed in zip(runs, proposals, strict=True):
        work_.queue(run, proposed)
    assert work_.is_its_turn(proposals[0]) and not work_.is_its_turn(proposals[1])
    with pytest.raises(NotAllowedNow):
        here.report(work_, runs[1], (proposals[1], work_.integrate(proposals[1])))
    too_early = work_.integrate(proposals[1])
    expected = work_.expect(proposals[1], work_.ahead_of(proposals[1]))
    assert here.report(work_, runs[0], (proposals[0], work_.integrate(proposals[0])))
    assert work_.is_its_turn(proposals[1]) and not work_.ahead_of(proposals[1])
    came = work_.integrate(proposals[1])
    assert (expected.tree, expected.conflicts) == (came.tree, came.conflicts)
    return work_, runs[1], proposals[1], too_early


def test_two_lanes_land_one_after_the_other_in_one_line(here: World) -> None:
    before = as_left(here.folder)
    work_, run, proposed, too_early = two(here, {"a.py": "a = 1\n"}, {"b.py": "b = 1\n"})

    assert not here.report(work_, run, (proposed, too_early))
    onto = work_.integrate(proposed)
    assert here.report(work_, run, (proposed, onto))
    work_.follow()

    log = git(here.folder, "log", "--format=%s %p", f"lifecycle/{here.session}").splitlines()
    assert [line.rsplit(" ", 1)[0] for line in log[:2]] == ["Do IMPL-002", "Do IMPL-001"]
    assert {"a.py", "b.py"} <= set(
        git(here.folder, "ls-tree", "--name-only", f"lifecycle/{here.session}").split()
    )
    assert len(set(heads(here))) == 1 and as_left(here.folder) == before
    invariants.check(here.store.path)


def test_a_conflict_names_its_paths_and_lands_nothing(here: World) -> None:
    ours, theirs = LINES.replace("line 7\n", "ours\n"), LINES.replace("line 7\n", "theirs\n")
    work_, run, proposed, _ = two(here, {"app.py": theirs}, {"app.py": ours})

    onto = work_.integrate(proposed)

    assert onto.conflicts == (b"app.py",)
    with pytest.raises(TreeError):
        here.report(work_, run, (proposed, onto))
    invariants.check(here.store.path)


def test_a_dead_runs_ticket_is_void(here: World) -> None:
    work_ = here.begin()
    runs = [here.claim(), here.claim()]
    proposals = []
    for lane, run in enumerate(runs):
        tree = work_.open_tree(run, lane)
        write(tree.checkout.work, {f"{lane}.py": "x = 1\n"})
        proposals.append(work_.propose(run, tree, "input", "Do it", {})[0])
        work_.queue(run, proposals[-1])

    assert [each.id for each in work_.ahead_of(proposals[1])] == [proposals[0].id]
    here.lose(runs[0])

    assert work_.is_its_turn(proposals[1]) and not work_.ahead_of(proposals[1])
    assert here.report(work_, runs[1], (proposals[1], work_.integrate(proposals[1])))
    invariants.check(here.store.path)


@pytest.mark.parametrize(
    ("resolved", "lost"),
    [
        (LINES.replace("line 7\n", "ours\n"), [b"theirs\n".strip()]),
        (LINES.replace("line 7\n", "theirs\nours\n"), []),
        (LINES.replace("line 7\n", "theirs and ours\n"), []),  # both in one line, as they changed one line
        (LINES.replace("line 7\n", "their and ours\n"), [b"theirs"]),
        (LINES, [None]),
    ],
)
def test_lines_of_the_other_side_that_a_resolution_lost_are_named(
    here: World, resolved: str, lost: list[bytes | None]
) -> None:
    store = here.begin().private
    base = store.ref("refs/lifecycle/base") or ""
    sides = [commit_of(here, base, text) for text in ("theirs\n", "ours\n")]

    found = vanished_lines(store, base, *sides, commit_of(here, base, "", resolved))

    assert found == [Vanished(b"app.py", line) for line in lost]


def commit_of(here: World, base: str, line: str, whole: str | None = None) -> str:
    """A commit of the user's on `base` in which line 7 reads `line`."""
    body = LINES.replace("line 7\n", line) if whole is None else whole
    blob = git(here.folder, "hash-object", "-w", "--stdin", stdin=body.encode())
    tree = git(here.folder, "mktree", stdin=f"100644 blob {blob}\tapp.py\n".encode())
    return git(here.folder, "commit-tree", tree, "-p", base, "-m", "side")


def test_a_branch_that_the_user_has_checked_out_is_not_moved(here: World) -> None:
    work_ = here.begin()
    first = here.claim()
    here.land(work_, first, changed(work_.open_tree(first, 0)))
    git(here.folder, "checkout", "-q", f"lifecycle/{here.session}")
    before = as_left(here.folder)
    second = here.claim()
    tree = work_.open_tree(second, 0)
    write(tree.checkout.work, {"b.py": "b = 1\n"})
    here.land(work_, second, tree)

    found = work_.follow()

    assert found.what == Publication.CHECKED_OUT and str(here.folder) in found.why
    assert as_left(here.folder) == before and not (here.folder / "b.py").exists()
    git(here.folder, "checkout", "-q", "main")
    assert work_.follow().what == Publication.DONE and len(set(heads(here))) == 1


def test_commits_that_the_user_made_on_top_are_adopted(here: World) -> None:
    work_ = here.begin()
    first = here.claim()
    here.land(work_, first, changed(work_.open_tree(first, 0)))
    branch = f"refs/heads/lifecycle/{here.session}"
    tree = git(here.folder, "rev-parse", f"{branch}^{{tree}}")
    for words in ("one", "two"):
        made = git(here.folder, "commit-tree", tree, "-p", git(here.folder, "rev-parse", branch), "-m", words)
        git(here.folder, "update-ref", branch, made)

    found = work_.follow()

    assert found.what == Publication.DONE and set(heads(here)) == {made}
    rows = here.store.read(lambda tx: work.commits_of(tx, here.session))
    assert [(row.number, row.author) for row in rows] == [(1, "run"), (2, "user"), (3, "user")]
    invariants.check(here.store.path)


def test_a_branch_that_was_rewritten_is_left_alone_and_the_work_goes_beside_it(here: World) -> None:
    work_ = here.begin()
    first = here.claim()
    here.land(work_, first, changed(work_.open_tree(first, 0)))
    branch = f"refs/heads/lifecycle/{here.session}"
    other = git(here.folder, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "mine")
    git(here.folder, "update-ref", branch, other)

    found = work_.follow()

    assert (found.what, found.branch) == (Publication.DONE, f"{branch}.2")
    assert git(here.folder, "rev-parse", branch) == other
    assert git(here.folder, "rev-parse", f"{branch}.2") == work_.row().head


@pytest.mark.parametrize("name", ["lifecycle", "lifecycle/{session}/mine"], ids=["above", "below"])
def test_a_branch_in_the_way_of_ours_leaves_the_head_in_the_database(here: World, name: str) -> None:
    git(here.folder, "branch", name.format(session=here.session))
    work_ = here.begin()
    first = here.claim()
    here.land(work_, first, changed(work_.open_tree(first, 0)))

    found = work_.follow()

    taken = name.format(session=here.session)
    assert found.what == Publication.REFUSED and f"`git branch -m {taken} NAME`" in found.why
    assert work_.row().head != work_.row().base and work_.row().published is None
    git(here.folder, "branch", "-m", taken, "other")
    assert work_.follow().what == Publication.DONE


def test_only_retired_trees_of_ours_are_deleted(here: World) -> None:
    work_ = here.begin()
    lost, live = here.claim(), here.claim()
    gone, kept, foreign = work_.open_tree(lost, 0), work_.open_tree(live, 1), work_.open_tree(here.claim(), 2)
    write(gone.checkout.work, {"half.py": "x = 1\n", "closed/file": "x"})
    (gone.checkout.work / "closed").chmod(0o500)
    (gone.checkout.work / "out").symlink_to(here.folder)
    here.lose(lost)
    here.lose(at(here, foreign.row.run_id))
    work_.recover()
    (foreign.checkout.folder / "owner.json").write_text('{"nonce": "another"}')

    done = clean_trees(work_)

    assert done.removed == [gone.checkout.folder] and list(done.left) == [foreign.checkout.folder]
    assert not gone.checkout.folder.exists() and not list((here.trees / "trash").iterdir())
    assert (
        kept.checkout.work.is_dir() and foreign.checkout.work.is_dir() and (here.folder / "app.py").exists()
    )
    invariants.check(here.store.path)


def at(here: World, run: str) -> Run:
    """The open run of that id, as its host knows it."""
    task = (
        sqlite3.connect(here.store.path).execute("SELECT task_id FROM runs WHERE id = ?", (run,)).fetchone()
    )
    return make.a_run(run=run, id=task[0])


def test_a_finished_sessions_warm_trees_are_deleted_when_it_is_over(here: World) -> None:
    work_ = here.begin()
    run = here.claim()
    here.land(work_, run, changed(work_.open_tree(run, 0)))

    assert clean_trees(work_).removed == []
    (removed,) = clean_trees(work_, is_over=True).removed

    assert not removed.exists()
    assert here.store.read(lambda tx: work_trees.left_trees(tx, here.session)) == []


def test_a_deletion_that_was_cut_off_goes_on(here: World) -> None:
    work_ = here.begin()
    run = here.claim()
    tree = work_.open_tree(run, 0)
    here.lose(run)
    work_.recover()
    here.store.write(lambda tx: work_trees.discard(tx, tree.row.id))
    trash = here.trees / "trash" / tree.row.nonce
    trash.parent.mkdir()
    tree.checkout.folder.rename(trash)

    assert clean_trees(work_).removed == [tree.checkout.folder]
    assert not trash.exists()


def test_two_sessions_work_on_one_repository(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", {"app.py": LINES, ".gitignore": ".workflow/\n"})
    one = world(tmp_path, project, tasks=2)
    other = another_session(one)
    before = as_left(project)
    works = {each.session: each.begin() for each in (one, other)}

    for each in (one, one, other, other):
        run = each.claim()
        assert run.session_id == each.session
        tree = works[each.session].open_tree(run, 0)
        write(tree.checkout.work, {f"{run.key}.py": run.session_id})
        each.land(works[each.session], run, tree)

    for each in (one, other):
        names = git(project, "ls-tree", "--name-only", f"lifecycle/{each.session}").split()
        assert {"IMPL-001.py", "IMPL-002.py"} <= set(names)
        assert git(project, "show", f"lifecycle/{each.session}:IMPL-001.py") == each.session
    assert as_left(project) == before
    invariants.check(one.store.path)


def test_a_session_whose_trees_are_there_is_not_deleted(here: World) -> None:
    work_ = here.begin()
    run = here.claim()
    here.land(work_, run, changed(work_.open_tree(run, 0)))

    with pytest.raises(NotAllowedNow, match="private trees"):
        here.store.write(lambda tx: retention.delete_session(tx, here.session, "ann"))

    clean_trees(work_, is_over=True)
    here.store.write(lambda tx: retention.delete_session(tx, here.session, "ann"))
    invariants.check(here.store.path)


def test_a_full_disk_stops_a_tree_with_its_reason_and_nothing_else(here: World, tmp_path: Path) -> None:
    if not may_mount():
        pytest.skip("only root may mount")
    disk = Disk(tmp_path / "disk")
    try:
        work_ = replace(here.begin(), trees=disk.path / "trees")
        with pytest.raises(NoRoomForTree):
            work_.open_tree(here.claim(), 0)
        disk.fill(leave=20_000)
        checkout = Checkout(disk.path / "0-1", "a" * 32)
        with pytest.raises((GitError, TreeError, OSError)):
            make_checkout(work_.private, checkout, work_.row().head)
            take_snapshot(work_.private, checkout, work_.row().head)
            raise AssertionError("it had room")
    finally:
        disk.close()
    invariants.check(here.store.path)


def test_a_store_on_a_full_disk_lands_nothing_until_there_is_room(tmp_path: Path) -> None:
    if not may_mount():
        pytest.skip("only root may mount")
    disk = Disk(tmp_path / "disk")
    try:
        project = repository(disk.path / "project", {"app.py": LINES, ".gitignore": ".workflow/\n"})
        here = world(tmp_path, project)
        work_ = here.begin()
        run = here.claim()
        tree = work_.open_tree(run, 0)
        write(tree.checkout.work, {"large.py": bytes(range(256)) * 4_000})
        before = as_left(project)
        disk.fill()

        with pytest.raises((TreeError, GitError)):
            work_.propose(run, tree, "input", "Do it", {})

        disk.make_room()
        here.land(work_, run, tree)
        assert len(set(heads(here))) == 1 and as_left(project) == before
        invariants.check(here.store.path)
    finally:
        disk.close()
