"""The private store of a fork: the source's commits up to one of them, in a store of their own.

It is made below `work/forks/`, where nobody looks for a store; the command that asked for it puts it in its place in
the transaction that makes the session. What a killed command left there is removed by the next fork.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from orchestrator import failpoints
from orchestrator.door.work_desk import WorkDesk
from orchestrator.store.forked_stores import MARK, staging
from workers.git.private_store import BASE, PrivateStore, create_store
from workers.git.publishing import REVIEWED, is_ancestor, store_head
from workers.git.ref_locks import building_forks, lock_files, writing_refs
from workers.git.session_work import SessionWork
from workers.git.user_repository import find_repository

_FOLLOWED = ("refs/lifecycle/onto", "refs/lifecycle/user")  # commits of the user's that ours build on


def fork_store(source: SessionWork, project: Path, name: str, head: str, runs: Mapping[str, str]) -> Path:
    """Make the store of the session `name` from what `source` had landed up to `head`; where it lies until it has its place.

    `runs`: commit -> the fork's run that stands for the one that made it. Raises RepositoryUnusable, GitError.
    """
    workflow = source.desk.workflow
    folder = staging(workflow)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with building_forks(folder):
        sweep(source.desk, project)
        path = folder / f"{name}.git"
        store = create_store(workflow, name, project, path=path)
        (path / MARK).write_text(name, encoding="utf-8")
        failpoints.hit("fork.store_made")
        _copy_objects(source.private, store, head)
        failpoints.hit("fork.objects_copied")
        _copy_refs(source.private, store, head, runs)
        path.with_suffix(".lock").unlink()
    return path


def _copy_objects(source: PrivateStore, store: PrivateStore, head: str) -> None:
    """Everything that `head` needs and the user's repository does not hold for as long as the base is pinned."""
    base = source.git.run("rev-parse", "--verify", f"{BASE}^{{commit}}").line
    repository = source.repository
    roots = [base] if repository is not None and repository.has(base) else source.parents_of(base)
    if repository is None:
        roots = []
    wanted = "".join(f"{line}\n" for line in (head, base, *(f"^{root}" for root in roots)))
    pack = store.path / "objects" / "pack" / "pack"
    pack.parent.mkdir(parents=True, exist_ok=True)
    source.git.run("pack-objects", "--revs", "--non-empty", "-q", str(pack), stdin=wanted.encode())


def _copy_refs(source: PrivateStore, store: PrivateStore, head: str, runs: Mapping[str, str]) -> None:
    """The base, the head, the commits of runs, and pins in the user's repository for what is only there."""
    base = source.git.run("rev-parse", "--verify", f"{BASE}^{{commit}}").line
    if source.repository is not None:
        pinned = source.repository.ref(f"refs/lifecycle/{source.session}/base")
        if pinned is not None:
            store.pin("base", pinned)
    store.keep("base", base)
    for made, run in runs.items():
        store.keep(f"runs/{run}/{made}", made)
    for name in source.git.run("for-each-ref", "--format=%(refname)", *_FOLLOWED).out.decode().splitlines():
        commit = source.ref(name)
        if commit is not None and is_ancestor(store, commit, head):
            short = name.removeprefix("refs/lifecycle/")
            store.pin(short, commit)
            store.keep(short, commit)
    if source.ref(REVIEWED) is not None:
        store.keep("reviewed", head)
    store_head(store, head)


def killed_forks(desk: WorkDesk) -> list[Path]:
    """The stores of forks whose session never came to be; only while nobody forks."""
    placed = (path for path in (desk.workflow / "work").glob("*.git") if (path / MARK).is_file())
    found = sorted([*staging(desk.workflow).glob("*.git"), *placed])
    return [path for path in found if path.parent.name == "forks" or not desk.is_session(path.stem)]


def sweep(desk: WorkDesk, project: Path) -> None:
    """Remove what killed forks left: stores without a place, and their pins in the user's repository. Raises GitError."""
    for path in staging(desk.workflow).glob("*.git"):
        remove_fork(desk, project, path)


def remove_fork(desk: WorkDesk, project: Path, path: Path) -> None:
    """Remove the store of a killed fork, and its pins unless a session has its name. Raises GitError."""
    repository = find_repository(project)
    if repository is not None and not desk.is_session(path.stem):
        with writing_refs(path, repository.common_dir):
            git = repository.git
            refs = git.run("for-each-ref", "--format=%(refname)", f"refs/lifecycle/{path.stem}/").out.decode()
            for ref in refs.splitlines():
                git.run("update-ref", "-d", ref)
    shutil.rmtree(path)
    for file in lock_files(path):
        file.unlink(missing_ok=True)
