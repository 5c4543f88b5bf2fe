"""A session's work on a machine that is not the project's: commits come as bundles, trees and stores are made as there.

    <state>/code.git       what bundles brought, of all sessions; it stands for the user's repository
    <state>/work/*.git     the private stores, which borrow from it as they would from the user's

Nothing here is needed for what has landed: it can be deleted while no host runs, and comes again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator import failpoints
from orchestrator.domain.errors import GitError, RepositoryUnusable
from orchestrator.door.code_carrier import MOST_HAD, CodeCarrier, Lent
from orchestrator.door.work_desk import Run, WorkDesk
from workers.git.carrying import FETCH
from workers.git.git_process import Git, version
from workers.git.private_store import BASE, Base, create_store
from workers.git.ref_locks import writing_refs
from workers.git.session_work import SessionWork
from workers.git.user_repository import CONVERSIONS


def copy_of_project(state: Path) -> Path:
    """Where a machine has what bundles brought."""
    return state / "code.git"


def borrow_work(
    desk: WorkDesk, carrier: CodeCarrier, run: Run, trees: Path, is_over: Callable[[], bool]
) -> tuple[SessionWork, Base]:
    """The session's work with all that the run needs, and what it starts from. Raises LifecycleError.

    `is_over`: whether the run is, so that nothing is waited for any more.
    """
    copy = copy_of_project(desk.workflow)
    folder = desk.workflow / "runs" / run.run  # what a kill leaves is removed with it
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with TemporaryDirectory(dir=folder) as scratch:
        bundle = Path(scratch, "bundle")
        lent = carrier.lend(run, _had(copy), bundle, is_over)
        failpoints.hit("code.lent")
        _refuse_strange(lent)
        _take(copy, run.session_id, lent, None if lent.sha256 is None else bundle)
    private = create_store(desk.workflow, run.session_id, copy)
    if private.ref(BASE) is None:
        private.keep("base", lent.base)
    return SessionWork(desk, private, trees), Base(lent.base, lent.origin, lent.left_out, tuple(lent.nested))


def _had(copy: Path) -> list[str]:
    """Commits that are here with all that they reach, the newest first."""
    if not (copy / "HEAD").is_file():
        return []
    words = ("for-each-ref", "--sort=-committerdate", "--format=%(objectname)", "refs/lifecycle/*/had/*")
    return list(dict.fromkeys(Git(copy, cwd=copy).run(*words).out.decode().split()))[:MOST_HAD]


def _take(copy: Path, session: str, lent: Lent, bundle: Path | None) -> None:
    """Take a bundle over into the copy, and note what the run needs as had. Raises GitError, RepositoryUnusable."""
    outside = Git(None, cwd=copy.parent)
    version(outside)
    with writing_refs(copy, None) as locked:
        words = ("--quiet", "--bare", "--template=", f"--object-format={lent.object_format}")
        outside.run("init", *words, os.fspath(copy))
        git = Git(copy, cwd=copy, holds=(locked,))
        _configure(copy, git, lent)
        if bundle is not None:
            _fetch(git, bundle)
        for tip in lent.tips:
            if git.run("cat-file", "-e", f"{tip}^{{commit}}", ok=(0, 1, 128)).code != 0:
                raise RepositoryUnusable(
                    "what was lent before is damaged",
                    why=f"{tip} is not in {copy}",
                    fix="end the host, delete that folder and join again: it is lent anew",
                )
            git.run("update-ref", f"refs/lifecycle/{session}/had/{tip}", tip)
        words = (
            "for-each-ref",
            "--format=%(refname)",
            f"refs/lifecycle/{session}/had/",
            "refs/lifecycle/come/",
        )
        for name in git.run(*words).out.decode().splitlines():
            if "/come/" in name or name.rpartition("/")[2] not in lent.tips:
                git.run("update-ref", "-d", name)


def _fetch(git: Git, bundle: Path) -> None:
    """Names of refs differ from run to run; what they lead to is named by its id."""
    words = ("--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-show-forced-updates")
    git.using(config=FETCH).run(
        "fetch", "--quiet", *words, os.fspath(bundle), "+refs/lifecycle/lent/*:refs/lifecycle/come/*"
    )


def _configure(copy: Path, git: Git, lent: Lent) -> None:
    """How files are written to trees, and what is checked out, as in the user's repository."""
    for name, value in lent.conversions.items():
        git.run("config", name, value)
    (copy / "info").mkdir(exist_ok=True)
    for file, body in ((copy / "shallow", lent.shallow), (copy / "info" / "sparse-checkout", lent.sparse)):
        if body is None:
            with suppress(FileNotFoundError):
                file.unlink()
        else:
            file.write_bytes(os.fsencode(body))
    git.run("config", "core.sparseCheckout", "false" if lent.sparse is None else "true")
    git.run("config", "core.sparseCheckoutCone", "true" if lent.cone else "false")


def _refuse_strange(lent: Lent) -> None:
    """Raises GitError for names that a server has no reason to send."""
    known = {f"core.{name}" for name in CONVERSIONS}
    ids = [lent.base, *lent.tips]
    if not known.issuperset(lent.conversions) or any(
        len(each) not in (40, 64) or not set(each) <= set("0123456789abcdef") for each in ids
    ):
        raise GitError(
            "what was lent cannot be used", why="it names settings or commits that there are none of"
        )
