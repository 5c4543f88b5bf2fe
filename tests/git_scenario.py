"""A worker's whole way with trees, as a process that a test kills: `python -m tests.git_scenario FOLDER PROJECT`.

Two runs in lanes of their own land one after the other, the second by a merge; a third one loses its lease, and its tree
is saved, retired and deleted.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.git_world import World, same_world, write
from workers.git.tree_cleanup import clean_trees


def play(here: World) -> None:
    work = here.begin()
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
    here.lose(runs[2])
    work.recover()
    clean_trees(work)


if __name__ == "__main__":
    play(same_world(Path(sys.argv[1]), Path(sys.argv[2])))
