"""One document of a session with its versions, and which of them to compare it with."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UnknownName
from orchestrator.store import artifacts, edits
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import lookup
from orchestrator.views.since_approval import since_approval


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    version: int
    author: str
    task: str | None
    at: str | None  # None of an edit that is only in the file
    sha256: str
    taken_in: bool = True


@dataclass(frozen=True, slots=True)
class Document:
    path: str
    versions: Sequence[DocumentVersion]  # oldest first
    shown: DocumentVersion
    body: bytes
    approved: int | None  # the version that was approved last; None when none was
    base: DocumentVersion | None  # what it is compared with
    base_body: bytes
    others: Sequence[str]  # the paths of all documents

    @property
    def newest(self) -> DocumentVersion:
        return self.versions[-1]


def document(
    tx: Tx, session: Session, name: str, version: int | None = None, base: int | None = None
) -> Document:
    """The document at `version`, by default the newest, edits of its file included.

    It is compared with version `base`, by default the one that was approved last. Raises UnknownName, UsageError.
    """
    path = lookup.artifact(tx, session.id, name)
    known = [
        DocumentVersion(row.version, row.author, row.task, stamp(row.created_at), row.sha256)
        for row in artifacts.versions(tx, session.id, path)
    ]
    edited = edits.edited(tx, session.id).get(path)
    if edited is not None:
        digest = artifacts.digest_of(edited)
        known.append(DocumentVersion(known[-1].version + 1, "user", None, None, digest, taken_in=False))
    shown = _one(path, known, version) if version is not None else known[-1]
    approved = _approved(tx, session, path, known)
    wanted = base if base is not None else approved
    compared = None if wanted is None or wanted == shown.version else _one(path, known, wanted)

    def body(of: DocumentVersion) -> bytes:
        return artifacts.body(tx, of.sha256) if of.taken_in else edited or b""

    return Document(
        path,
        known,
        shown,
        body(shown),
        approved,
        compared,
        b"" if compared is None else body(compared),
        [row.path for row in artifacts.newest(tx, session.id)],
    )


def _one(path: str, known: Sequence[DocumentVersion], wanted: int) -> DocumentVersion:
    for each in known:
        if each.version == wanted:
            return each
    raise UnknownName(f"version of {path}", str(wanted), [str(each.version) for each in known])


def _approved(tx: Tx, session: Session, path: str, known: Sequence[DocumentVersion]) -> int | None:
    """The version of it that was approved last; what is not among the changes since then is as it was approved."""
    found = since_approval(tx, session, path)
    if found["approved_at"] is None or found["whole"] is not None:
        return None
    changed = found["documents"]
    return changed[0]["approved"] if changed else known[-1].version
