"""What the project's machine lends to a run elsewhere: the commits that it needs and lacks, as a bundle.

The base is chosen here, beside the user's repository, as for a run of this machine; what has begun stays as it is.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import asdict, dataclass
from orchestrator.domain.errors import RepositoryUnusable
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.plan import INCLUDE_DIRTY
from orchestrator.domain.review_verdicts import OPTION
from orchestrator.door.code_carrier import Lent
from orchestrator.door.desk import Desk
from workers.git.private_store import Base, PrivateStore
from workers.git.reviewed_work import open_reviewed_work
from workers.git.session_work import SessionWork, begin_work, open_work


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run elsewhere asks for, with what the database says of it."""

    session: str
    run: str
    options: Mapping[str, Json]  # of the session
    created_at: int  # of the session
    begins: bool  # the run chooses what the work starts from
    attempts: Sequence[str]  # earlier runs of its task: it may go on with what they left
    onto: str | None  # a commit of the user's that it merges
    have: Sequence[str]


def lend(desk: Desk, project: Path, trees: Path, asked: Asked, folder: Path) -> JsonObject:
    """What the run is told (`Lent`); the bundle is in `folder` under its digest. Raises GitError, RepositoryUnusable."""
    work, base = _opened(desk, project, trees, asked)
    store, row = work.private, work.row()
    if store.repository is not None and store.repository.promisors():
        raise RepositoryUnusable(
            "a partial clone cannot be lent to another machine",
            why="it may lack what a bundle has to hold",
            fix="`git fetch --refetch --no-filter` fetches everything, then unset remote.NAME.promisor; "
            "or have a host of this machine do it: `lifecycle worker`",
        )
    tips = dict.fromkeys([row.head, row.base])
    for attempt in asked.attempts:
        words = ("for-each-ref", "--format=%(objectname)", f"refs/lifecycle/runs/{attempt}/")
        tips |= dict.fromkeys(store.git.run(*words).out.decode().split())
    if asked.onto is not None:
        tips[asked.onto] = None
    made = _bundle(store, asked.run, list(tips), _known(store, asked.have), folder)
    repository = store.repository
    shallow, sparse = (
        (None, None) if repository is None else (repository.shallow(), repository.sparse_patterns())
    )
    lent = Lent(
        base=row.base,
        origin=row.origin,
        left_out=base.left_out,
        nested=list(base.nested),
        tips=list(tips),
        object_format=store.git.run("rev-parse", "--show-object-format").line,
        conversions={} if repository is None else repository.conversions,
        shallow=None if shallow is None else os.fsdecode(shallow),
        sparse=None if sparse is None else os.fsdecode(sparse),
        cone=repository is not None and repository.is_cone(),
        sha256=None if made is None else made[0],
        bytes=0 if made is None else made[1],
    )
    return asdict(lent)


def _opened(desk: Desk, project: Path, trees: Path, asked: Asked) -> tuple[SessionWork, Base]:
    session, row = asked.session, desk.work(asked.session)
    if OPTION in asked.options:
        subject = asked.options[OPTION]
        digest = subject.get("patch")
        patch = None if digest is None else desk.content(str(digest))
        work = open_reviewed_work(desk, project, session, trees, subject, patch, asked.created_at)
        return work, Base(work.row().base, work.row().origin, 0)
    if asked.begins or row is None:
        dirty = bool(asked.options.get(INCLUDE_DIRTY))
        return begin_work(desk, project, session, trees, include_dirty=dirty)
    return open_work(desk, project, session, trees), Base(row.base, row.origin, 0)


def _known(store: PrivateStore, have: Sequence[str]) -> list[str]:
    """Those of the commits that are here, too."""
    if not have:
        return []
    asked = "".join(f"{each}^{{commit}}\n" for each in have).encode()
    lines = store.git.run("cat-file", "--batch-check=%(objectname)", stdin=asked).out.decode().splitlines()
    return [each for each, line in zip(have, lines, strict=True) if line == each]


def _bundle(
    store: PrivateStore, run: str, tips: Sequence[str], known: Sequence[str], folder: Path
) -> tuple[str, int] | None:
    """Digest and size of the bundle of what `known` does not reach; None where that is nothing."""
    without = ["--not", *known] if known else []
    lacking = [tip for tip in tips if store.git.run("rev-list", "--max-count=1", tip, *without).out]
    if not lacking:
        return None
    mine = uuid.uuid4().hex  # the process of a server that was killed may be at it, too
    names = {tip: f"refs/lifecycle/lent/{run}-{mine}/{tip}" for tip in lacking}
    with store.writing_refs() as (git, _):
        for tip, name in names.items():
            git.run("update-ref", name, tip)
    file = folder / mine
    try:
        store.git.run("bundle", "create", "--quiet", os.fspath(file), *names.values(), *without)
    finally:
        with store.writing_refs() as (git, _):
            for name in names.values():
                git.run("update-ref", "-d", name)
    with file.open("rb") as body:
        sha256 = hashlib.file_digest(body, "sha256").hexdigest()
    size = file.stat().st_size
    file.replace(folder / sha256)
    return sha256, size
