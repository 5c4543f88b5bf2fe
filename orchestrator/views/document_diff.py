"""What the last change of a document with files for its items changed in each of them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TypedDict

from orchestrator.store import artifacts, edits
from orchestrator.store.rows import Artifact
from orchestrator.store.store import Tx

INDEX = "/_index.md"  # the page of a document whose items have files beside it
DATA = "/.content/"  # the same documents as data


class FileDiff(TypedDict):
    """`from` is None for a file that is new."""

    path: str
    old: int | None
    new: int
    diff: list[str]


def document_diff(tx: Tx, session: str, index: str) -> list[FileDiff]:
    """The files below the folder of a document's index that its last change changed, the index first.

    That is what a person changed in the files and nobody took in yet, else what the last run or person made. Empty before
    there was a change.
    """
    folder = index.removesuffix("_index.md")
    rows = {row.path: row for row in artifacts.newest(tx, session) if _is_page(row.path, folder)}
    edited = {path: body for path, body in edits.edited(tx, session).items() if path in rows}
    changed = [rows[path] for path in edited] or _last(list(rows.values()))
    if not edited and all(row.version == 1 for row in rows.values()):
        return []
    return [
        _compared(tx, session, row, edited)
        for row in sorted(changed, key=lambda row: (row.path != index, row.path))
    ]


def _is_page(path: str, folder: str) -> bool:
    return path.startswith(folder) and path.endswith(".md") and DATA not in path


def _last(rows: Sequence[Artifact]) -> list[Artifact]:
    """Those that were made last, in one run or at one time."""
    last = max(rows, key=lambda row: row.created_at)
    return [
        row
        for row in rows
        if (row.run_id == last.run_id if last.run_id else row.created_at == last.created_at)
    ]


def _compared(tx: Tx, session: str, row: Artifact, edited: Mapping[str, bytes]) -> FileDiff:
    known = {each.version: each for each in artifacts.versions(tx, session, row.path)}
    before = row if row.path in edited else known.get(row.version - 1)
    body, version, author = (
        (edited[row.path], row.version + 1, "user, in its file")
        if row.path in edited
        else (artifacts.body(tx, row.sha256), row.version, row.author)
    )
    old = artifacts.body(tx, before.sha256) if before else b""
    origin = f"{row.path} version {before.version} by {before.author}" if before else "nothing"
    lines = difflib.unified_diff(
        _lines(old), _lines(body), origin, f"{row.path} version {version} by {author}", lineterm=""
    )
    return {"path": row.path, "old": before.version if before else None, "new": version, "diff": list(lines)}


def _lines(body: bytes) -> list[str]:
    return body.decode("utf-8", "replace").splitlines()
