"""A worker's whole way with trees, as a process that a test kills: `python -m tests.git_scenario FOLDER PROJECT`.

Two runs in lanes of their own land one after the other, the second by a merge; a third one loses its lease, and its tree
is saved, retired and deleted. The tree of its next attempt is made of the checkouts beside the first run's.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from tests.git_world import World, same_world, write
from workers.git.tree_cleanup import clean_trees
from workers.git.verify_checkouts import VerifyCheckout


def play(here: World) -> None:
    work = replace(here.begin(), takes_over=True)
    runs = [here.claim(), here.claim(), here.claim()]
    trees = [work.open_tree(run, lane) for lane, run in enumerate(runs)]
    for run, tree in zip(runs, trees, strict=True):
        write(
            tree.checkout.work,
            {f"{run.key}.py": run.key, "app.py": f"# {run.key}\n" if run is runs[2] else "app\n"},
        )
    for run, tree in zip(runs[:2], trees[:2], strict=True):
        proposed, _ = work.propose(run, tree, "input", f"Do {run.key}", {})
        work.queue(run, proposed)
        assert here.report(work, run, (proposed, work.integrate(proposed)))
        work.follow()
    tests = VerifyCheckout.beside(work.private, trees[0].checkout)
    for checkout in (tests, tests.for_checks):
        checkout.put(work.private.tree_of(trees[0].row.base))
    here.lose(runs[2])
    work.recover()
    work.open_tree(here.claim(), 0)
    clean_trees(work)


if __name__ == "__main__":
    play(same_world(Path(sys.argv[1]), Path(sys.argv[2])))
