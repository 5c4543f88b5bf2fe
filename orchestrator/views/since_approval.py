"""What has changed since a person last approved: the items of the specification, then documents, largest change first."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypedDict

from orchestrator.coordinator.projector import stamp
from orchestrator.domain.approvals import digest_of
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.pauses import PAUSES
from orchestrator.domain.spec_items import FOLDER, ItemChanges, compared, digests
from orchestrator.lifecycle.specified import documents_of, items_now
from orchestrator.store import artifacts, decisions, edits
from orchestrator.store.rows import Artifact, Decision, Session
from orchestrator.store.store import Tx

DATA = "/.content/"  # the same documents as data
KEPT = 24  # comparisons that a server need not make again: 54 MB of them, if all of all texts were rewritten
KEPT_BYTES = 64 * 1024  # of both texts of one of them, at most


class ChangedItem(TypedDict):
    item: str
    change: str  # new, changed, withdrawn
    title: str
    path: str | None


class ChangedDocument(TypedDict):
    """`approved` is the version that was approved, None for a new one; `taken_in` is false for an edit only in the file."""

    path: str
    approved: int | None
    version: int
    by: str
    taken_in: bool
    added: int
    removed: int
    diff: list[str]


class SinceApproval(TypedDict):
    """`approved_at` and `by` are None before the first approval; `whole`: why everything is shown, None where it is not."""

    session: str
    approved_at: str | None
    by: str | None
    subject: str | None
    whole: str | None
    says: str
    items: list[ChangedItem]
    documents: list[ChangedDocument]


@dataclass(frozen=True, slots=True)
class _Approved:
    """What was approved last: path -> version; empty where that is not known any more."""

    last: Decision | None
    versions: Mapping[str, Artifact]
    whole: str | None


def since_approval(tx: Tx, session: Session, path: str | None = None) -> SinceApproval:
    """The changes of what the next approval is about, else of what the last one was; `path`: only that document."""
    folders = _folders(tx, session)
    every = [row for row in artifacts.every_version(tx, session.id) if row.path.startswith(folders)]
    approved = _approved(tx, session.id, folders, every)
    edited = {name: body for name, body in edits.edited(tx, session.id).items() if name.startswith(folders)}
    newest = {row.path: row for row in every}
    items = _items(tx, session.id, approved.versions, newest, edited) if FOLDER in folders else []
    return {
        "session": session.id,
        "approved_at": None if approved.last is None else stamp(approved.last.at),
        "by": None if approved.last is None else approved.last.who,
        "subject": None if approved.last is None else approved.last.subject,
        "whole": approved.whole,
        "says": _says(items),
        "items": items,
        "documents": sorted(
            (
                found
                for name, row in newest.items()
                if DATA not in name and path in (None, name)
                if (found := _document(tx, approved.versions.get(name), row, edited.get(name))) is not None
            ),
            key=lambda each: (-each["added"] - each["removed"], each["path"]),
        ),
    }


def _approvals() -> dict[str, tuple[str, ...]]:
    """Kind of decision -> the folders that it approves."""
    return {pause.decision: pause.approves for pause in PAUSES.values() if pause.decision and pause.approves}


def _folders(tx: Tx, session: Session) -> tuple[str, ...]:
    if session.status == SessionStatus.PAUSED and (asked := PAUSES[session.paused_for].approves):
        return asked
    kinds = _approvals()
    made = [kinds[kind] for row in decisions.decisions_of(tx, session.id) if (kind := _kind(row)) in kinds]
    return made[-1] if made else (FOLDER,)


def _kind(row: Decision) -> str:
    return row.subject.partition(" ")[0]


def _approved(tx: Tx, session: str, folders: tuple[str, ...], every: Sequence[Artifact]) -> _Approved:
    """The newest versions at the time of the last approval of these folders, if their digest is its own."""
    kinds = _approvals()
    made = [
        row
        for row in decisions.decisions_of(tx, session)
        if row.digest is not None and kinds.get(_kind(row)) == folders
    ]
    if not made:
        return _Approved(None, {}, "nothing of it has been approved yet")
    last = made[-1]
    then = {row.path: row for row in every if row.created_at <= last.at}
    if digest_of(folders, {name: row.sha256 for name, row in then.items()}) != last.digest:
        return _Approved(last, {}, "the versions that were approved are not known any more")
    return _Approved(last, then, None)


def _items(
    tx: Tx,
    session: str,
    approved: Mapping[str, Artifact],
    newest: Mapping[str, Artifact],
    edited: Mapping[str, bytes],
) -> list[ChangedItem]:
    catalogue = documents_of(tx, session)
    before = items_now(tx, {name: row.sha256 for name, row in approved.items()}, catalogue, {})
    now = items_now(tx, {name: row.sha256 for name, row in newest.items()}, catalogue, edited)
    changes: ItemChanges = compared(digests(before), digests(now))
    found: list[ChangedItem] = []
    for change, ids in (
        ("new", changes.new),
        ("changed", changes.changed),
        ("withdrawn", changes.withdrawn),
    ):
        for id in sorted(ids):
            item = now.get(id) or before[id]
            found.append(
                {"item": id, "change": change, "title": item.title, "path": item.path if id in now else None}
            )
    return found


def _says(items: Sequence[ChangedItem]) -> str:
    """`+1 REQ, 2 ADR changed, 1 STORY withdrawn`."""
    counts: dict[tuple[str, str], int] = {}
    for each in items:
        kind = each["item"].partition(":")[0] if ":" in each["item"] else each["item"].partition("-")[0]
        counts[each["change"], kind] = counts.get((each["change"], kind), 0) + 1
    return ", ".join(
        f"+{count} {kind}" if change == "new" else f"{count} {kind} {change}"
        for (change, kind), count in counts.items()
    )


def _document(
    tx: Tx, approved: Artifact | None, newest: Artifact, edited: bytes | None
) -> ChangedDocument | None:
    """What changed in a document; None where nothing did."""
    digest = newest.sha256 if edited is None else artifacts.digest_of(edited)
    if approved is not None and approved.sha256 == digest:
        return None
    before = b"" if approved is None else artifacts.body(tx, approved.sha256)
    after = artifacts.body(tx, newest.sha256) if edited is None else edited
    version = newest.version if edited is None else newest.version + 1
    names = (
        "nothing" if approved is None else f"{newest.path} version {approved.version}",
        f"{newest.path} version {version}",
    )
    small = len(before) + len(after) <= KEPT_BYTES
    lines = list((_diff if small else _diff.__wrapped__)(before, after, *names))
    return {
        "path": newest.path,
        "approved": None if approved is None else approved.version,
        "version": version,
        "by": newest.author if edited is None else "user",
        "taken_in": edited is None,
        "added": sum(line.startswith("+") for line in lines[2:]),
        "removed": sum(line.startswith("-") for line in lines[2:]),
        "diff": lines,
    }


@lru_cache(maxsize=KEPT)  # who decides looks at the same page again and again
def _diff(before: bytes, after: bytes, old: str, new: str) -> tuple[str, ...]:
    return tuple(difflib.unified_diff(_lines(before), _lines(after), old, new, lineterm=""))


def _lines(body: bytes) -> list[str]:
    return body.decode("utf-8", "replace").splitlines()
