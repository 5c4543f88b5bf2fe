"""A process dies at each step of work in trees, or around any of its git commands; the next one goes on.

Before recovery and after it: the head names only what is there, the user's repository is as it was, no tree is used twice,
and what a lost run had in its tree is kept.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orchestrator.failpoints import GIT_NAMES
from orchestrator.store import work, work_trees
from tests import factories as make
from tests import invariants
from tests.git_scenario import play
from tests.git_world import World, as_left, assert_whole, git, repository, world, write
from tests.rows import common
from workers.git.tree_cleanup import clean_trees

ROOT = Path(__file__).parents[2]
KEYS = ("IMPL-001", "IMPL-002", "IMPL-003")
MODES = ("before", "after", "halfway", "orphaned")
COMMANDS = 120  # more than the scenario has
FEWEST = 90
OFTEN = ("candidate.row", "head.stored", "head.published", "tree.retired")  # died at in each run of the tests
STRIDE = 41  # of them, those at which the common suite dies

FAKE_GIT = """#!/bin/sh
# The real git; at command number $DIE_AT the process that called it is killed before, after, halfway, or while git goes on.
number=$(($(cat "$COUNT") + 1))
echo $number > "$COUNT"
[ "$number" = "$DIE_AT" ] || exec "$REAL_GIT" "$@"
case $DIE_HOW in
before) kill -9 $PPID ;;
after) "$REAL_GIT" "$@"; kill -9 $PPID ;;
halfway) "$REAL_GIT" "$@" <&0 & kill -9 $! $PPID ;;
orphaned) kill -9 $PPID; exec "$REAL_GIT" "$@" ;;
esac
"""


@pytest.fixture
def here(tmp_path: Path) -> World:
    files = {"app.py": "print(1)\n", ".gitignore": ".workflow/\n"}
    return world(tmp_path, repository(tmp_path / "project", files))


def die(folder: Path, project: Path, **environment: str) -> int:
    """The exit code of a process that plays the scenario."""
    command = [sys.executable, "-m", "tests.git_scenario", os.fspath(folder), os.fspath(project)]
    base = {"PATH": os.environ["PATH"], "PYTHONPATH": os.fspath(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=base | environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode in (0, -9), done.stderr
    return done.returncode


def go_on(here: World, before: dict[str, str]) -> None:
    """Check what the dead process left, recover, finish every task, and check again."""
    assert as_left(here.folder) == before
    invariants.check(here.store.path)
    assert_whole(here)
    lose_all(here)
    age_locks(here.folder)
    found = here.begin()
    recovered = found.recover()
    assert not recovered.kept
    assert_whole(here)
    finish(here)
    assert not clean_trees(found, is_over=True).left
    assert as_left(here.folder) == before
    invariants.check(here.store.path)
    assert_whole(here)
    assert here.store.read(lambda tx: work_trees.left_trees(tx, here.session)) == []
    assert not list(here.trees.rglob("owner.json"))
    git(found.private.path, "fsck", "--connectivity-only")
    git(here.folder, "fsck", "--connectivity-only")


def lose_all(here: World) -> None:
    """Revoke what the dead process had open, as the reaper does."""
    with sqlite3.connect(here.store.path) as connection:
        rows = connection.execute("SELECT id, task_id FROM runs WHERE outcome IS NULL").fetchall()
    connection.close()
    for run, task in rows:
        here.lose(make.a_run(run=run, id=task))


def age_locks(project: Path) -> None:
    """Let the time pass after which a lock of a killed git is known to be nobody's."""
    for lock in (project / ".git" / "refs").rglob("*.lock"):
        long_ago = time.time() - 60
        os.utime(lock, (long_ago, long_ago))


def finish(here: World) -> None:
    """Do every task that is not done, and find each landed once."""
    found = here.reopen()
    while missing := set(KEYS) - landed(here):
        run = here.claim()
        assert run.key in missing
        tree = found.open_tree(run, 0)
        write(tree.checkout.work, {f"{run.key}.py": run.key})
        here.land(found, run, tree)
    names = git(here.folder, "ls-tree", "--name-only", f"lifecycle/{here.session}").split()
    assert {f"{key}.py" for key in KEYS} <= set(names)


def landed(here: World) -> set[str]:
    """The keys of the tasks whose commits are in the session's line; each once."""
    with sqlite3.connect(here.store.path) as connection:
        rows = connection.execute(
            "SELECT t.key FROM commits c JOIN runs r ON r.id = c.run_id JOIN tasks t ON t.id = r.task_id"
        ).fetchall()
    connection.close()
    keys = [key for (key,) in rows]
    assert len(keys) == len(set(keys))
    return set(keys)


@pytest.mark.parametrize("visit", common([1, 2], [1]))
@pytest.mark.parametrize("name", common(GIT_NAMES, OFTEN))
def test_a_kill_at_each_step_loses_nothing(here: World, tmp_path: Path, name: str, visit: int) -> None:
    before = as_left(here.folder)

    code = die(tmp_path, here.folder, LIFECYCLE_FAILPOINT=f"{name}@{visit}=kill")

    assert code == -9 or visit > 1
    go_on(here, before)


def test_the_scenario_ends_well_when_nothing_dies(here: World) -> None:
    before = as_left(here.folder)

    play(here)

    assert landed(here) == {"IMPL-001", "IMPL-002"}
    kept = git(here.reopen().private.path, "for-each-ref", "--format=%(refname)", "refs/lifecycle/attempts")
    assert git(here.reopen().private.path, "show", f"{kept}:app.py") == "# IMPL-003"
    go_on(here, before)


def die_around_git(here: World, folder: Path, number: int, how: str) -> bool:
    """Whether the process got as far as its git command of that number."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    count = folder / "count"
    count.write_text("0")
    real = shutil.which("git")
    assert real is not None
    header = f"#!/bin/sh\nCOUNT={count} REAL_GIT={real} DIE_AT={number} DIE_HOW={how}\n"
    (tools / "git").write_text(
        FAKE_GIT.replace("#!/bin/sh\n", header, 1)
    )  # its environment is made from nothing
    (tools / "git").chmod(0o755)
    return die(folder, here.folder, PATH=f"{tools}:{os.environ['PATH']}") == -9


@pytest.mark.parametrize("number", range(1, COMMANDS - STRIDE, STRIDE))
@pytest.mark.parametrize("how", MODES)
def test_a_kill_around_a_git_command_loses_nothing(
    here: World, tmp_path: Path, how: str, number: int
) -> None:
    before = as_left(here.folder)

    die_around_git(here, tmp_path, number + MODES.index(how), how)

    go_on(here, before)


@pytest.mark.long
@pytest.mark.parametrize("number", range(1, COMMANDS + 1))
@pytest.mark.parametrize("how", MODES)
def test_a_kill_around_every_git_command_loses_nothing(
    here: World, tmp_path: Path, how: str, number: int
) -> None:
    before = as_left(here.folder)

    died = die_around_git(here, tmp_path, number, how)

    assert died or number > FEWEST
    assert not (died and number == COMMANDS), "the scenario has more commands"

    go_on(here, before)


def test_the_head_is_refused_when_it_was_moved_by_another(here: World) -> None:
    found = here.begin()

    def move(seen: str) -> bool:
        return here.store.write(lambda tx: work.adopt(tx, here.session, seen, [("1" * 40, "2" * 40)]))

    assert not move("3" * 40) and found.row().commits == 0
