"""Contents by digest, what runs produced, and the versions that count."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.domain.errors import StoreError
from orchestrator.store import files
from orchestrator.store.rows import Artifact, EarlierRun, Product
from orchestrator.store.sql import (
    Delete,
    Update,
    and_,
    artifacts,
    bindparam,
    contents,
    delete,
    func,
    products,
    projections,
    runs,
    select,
    tasks,
    update,
)
from orchestrator.store.statements import Insertion, Selection, change, columns, query
from orchestrator.store.store import Tx

IN_DATABASE = 1024 * 1024  # bytes; larger contents are files named by their digest

_PUT = Insertion("contents", unique=["sha256"])  # same digest, same bytes


@query(tuple[str, bytes | None])
def _body() -> Selection:
    return select(contents.c.sha256, contents.c.body).where(contents.c.sha256 == bindparam("digest"))


@query(str)
def _in_files() -> Selection:
    return select(contents.c.sha256).where(contents.c.body.is_(None)).order_by(contents.c.sha256)


@change
def _bring() -> Update:
    return update(contents).where(contents.c.sha256 == bindparam("digest")).values(body=bindparam("bytes"))


_PRODUCT = Insertion("products")


@query(Product)
def _products() -> Selection:
    return (
        select(products.c.path, products.c.sha256, products.c.kind, contents.c.size)
        .join(contents, contents.c.sha256 == products.c.sha256)
        .where(products.c.run_id == bindparam("run"))
        .order_by(products.c.path)
    )


@change
def _drop_products() -> Delete:
    return delete(products).where(products.c.run_id == bindparam("run"))


@query(EarlierRun)
def _produced_before() -> Selection:
    return (
        select(runs.c.id, runs.c.agent, runs.c.produced)
        .where(
            runs.c.task_id == bindparam("task"),
            runs.c.input_digest == bindparam("digest"),
            runs.c.produced_at.is_not(None),
            runs.c.outcome.is_not(None),
        )
        .order_by(runs.c.produced_at.desc())
        .limit(1)
    )


@query(tuple[int, str])
def _newest_version() -> Selection:
    return (
        select(artifacts.c.version, artifacts.c.sha256)
        .where(artifacts.c.session_id == bindparam("session"), artifacts.c.path == bindparam("at_path"))
        .order_by(artifacts.c.version.desc())
        .limit(1)
    )


_REGISTER = Insertion("artifacts")


@query(Artifact)
def _newest() -> Selection:
    latest = (
        select(artifacts.c.path, func.max(artifacts.c.version).label("version"))
        .where(artifacts.c.session_id == bindparam("session"))
        .group_by(artifacts.c.path)
        .subquery()
    )
    return (
        select(
            *columns(artifacts, Artifact),
            tasks.c.key.label("task"),
        )
        .join(latest, and_(latest.c.path == artifacts.c.path, latest.c.version == artifacts.c.version))
        .outerjoin(tasks, tasks.c.id == artifacts.c.task_id)
        .where(artifacts.c.session_id == bindparam("session"))
        .order_by(artifacts.c.path)
    )


@query(Artifact)
def _versions() -> Selection:
    return (
        select(
            *columns(artifacts, Artifact),
            tasks.c.key.label("task"),
        )
        .outerjoin(tasks, tasks.c.id == artifacts.c.task_id)
        .where(artifacts.c.session_id == bindparam("session"), artifacts.c.path == bindparam("at_path"))
        .order_by(artifacts.c.version)
    )


@query(Artifact)
def _every_version() -> Selection:
    return (
        select(*columns(artifacts, Artifact), tasks.c.key.label("task"))
        .outerjoin(tasks, tasks.c.id == artifacts.c.task_id)
        .where(artifacts.c.session_id == bindparam("session"))
        .order_by(artifacts.c.id)
    )


@query(int)
def _count_versions() -> Selection:
    return select(func.count()).where(artifacts.c.session_id == bindparam("session"))


@query(tuple[str, str])
def _shown() -> Selection:
    return select(projections.c.path, projections.c.sha256).where(
        projections.c.session_id == bindparam("session")
    )


_NOTE_SHOWN = Insertion("projections", unique=["session_id", "path"], replace=["sha256"])


def digest_of(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _large(workflow: Path, digest: str) -> Path:
    return workflow / "contents" / digest[:2] / digest


def keep_large(workflow: Path, body: bytes) -> None:
    """Write a large content as a file named by its digest, synced before any row refers to it. Call before the unit."""
    if len(body) <= IN_DATABASE:
        return
    target = _large(workflow, digest_of(body))
    if target.exists():
        _sync_names(target)
        return
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = target.with_name(f".{digest_of(body)}.{os.urandom(16).hex()}")  # two slots may keep the same one
    try:
        with draft.open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(target)
    except BaseException:
        draft.unlink(missing_ok=True)  # on a full disk above all
        raise
    _sync_names(target)


def _sync_names(target: Path) -> None:
    """Also when another process has just put the file there: a row must not refer to a name that a power cut removes."""
    for directory in (target.parent, target.parent.parent, target.parent.parent.parent):
        files.sync_directory(directory)


def put(tx: Tx, body: bytes) -> str:
    """Keep `body`; its digest. A large one must have been through `keep_large`."""
    digest = digest_of(body)
    in_row = tx.is_shared or len(body) <= IN_DATABASE
    tx.insert(_PUT, sha256=digest, size=len(body), body=body if in_row else None)
    return digest


def bring_large(given: Tx, taken: Tx) -> None:
    """Put what `given` keeps in files into the rows that `taken` has of it. Raises StoreError for one that is not whole."""
    for digest in taken.rows(_in_files):
        taken.one(_bring, digest=digest, bytes=body(given, digest))


def body(tx: Tx, digest: str) -> bytes:
    """The bytes with this digest. Raises StoreError when the content is missing or does not match its digest."""
    found = tx.row(_body, digest=digest)
    if found is None:
        raise StoreError(
            "a content is missing", why=f"no bytes for digest {digest}", fix="run `lifecycle repair`"
        )
    if found[1] is not None:
        return found[1]
    file = _large(tx.workflow, digest)
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        raise StoreError(
            "a content's file is missing", why=str(file), fix="run `lifecycle repair`"
        ) from error
    if digest_of(content) != digest:
        raise StoreError("a content's file was changed", why=str(file), fix="run `lifecycle repair`")
    return content


def produce(tx: Tx, run: str, files: Mapping[str, tuple[bytes, str]]) -> None:
    """Register what the run made so far: path -> (bytes, kind). Replaces what it registered before. Does not count yet."""
    made = {path: (digest_of(content), kind) for path, (content, kind) in files.items()}
    known = {row.path: (row.sha256, row.kind) for row in products_of(tx, run)}
    if not known.items() <= made.items():
        tx.send(_drop_products, run=run)
        known = {}
    for path in sorted(made.keys() - known.keys()):
        content, kind = files[path]
        tx.insert(_PRODUCT, run_id=run, path=path, sha256=put(tx, content), kind=kind)


def products_of(tx: Tx, run: str) -> list[Product]:
    return tx.rows(_products, run=run)


def produced_before(tx: Tx, task: int, input_digest: str) -> EarlierRun | None:
    """An earlier, ended run of the same task that had produced from the same input: (id, agent, produced)."""
    return tx.row(_produced_before, task=task, digest=input_digest)


def register(
    tx: Tx,
    session: str,
    path: str,
    digest: str,
    size: int,
    kind: str,
    *,
    author: str,
    task: int | None,
    run: str | None,
) -> int | None:
    """Make `digest` the newest version of `path`; its version, None when it is the newest already."""
    newest = tx.row(_newest_version, session=session, at_path=path)
    if newest is not None and newest[1] == digest:
        return None
    version = (newest[0] if newest else 0) + 1
    tx.insert(
        _REGISTER,
        session_id=session,
        path=path,
        version=version,
        sha256=digest,
        size=size,
        kind=kind,
        author=author,
        task_id=task,
        run_id=run,
        created_at=tx.now,
    )
    return version


def newest(tx: Tx, session: str) -> Sequence[Artifact]:
    """The newest version of each path, in order of path."""
    return tx.once((newest, session), lambda: tx.rows(_newest, session=session))


def versions(tx: Tx, session: str, path: str) -> list[Artifact]:
    return tx.rows(_versions, session=session, at_path=path)


def every_version(tx: Tx, session: str) -> Sequence[Artifact]:
    """All versions of all paths, in the order in which they were made."""
    return tx.once((every_version, session), lambda: tx.rows(_every_version, session=session))


def count_versions(tx: Tx, session: str) -> int:
    """How many versions there are: versions are only ever added, so the number tells older from newer ones."""
    return tx.row(_count_versions, session=session) or 0


def shown(tx: Tx, session: str) -> dict[str, str]:
    """What the projector last wrote: path -> digest."""
    return dict(tx.rows(_shown, session=session))


def note_shown(tx: Tx, session: str, path: str, digest: str) -> None:
    tx.insert(_NOTE_SHOWN, session_id=session, path=path, sha256=digest)
