"""What changed between two versions of a document, as a unified diff."""

from __future__ import annotations

import difflib

from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views.document import document


def version_diff(tx: Tx, session: Session, name: str, old: int | None, new: int | None) -> JsonObject:
    """`path`, `from`, `to` and `diff`, its lines; by default of the last two versions, an edit of the file included.

    `from` is None for a first version: all of it is new. Raises UnknownName, and UsageError for a version and itself.
    """
    found = document(tx, session, name, new)
    to, first = found.shown, found.versions[0]
    before = old if old is not None else to.version - 1 if to.version > first.version else None
    if before == to.version:
        raise UsageError(
            f"version {before} of {found.path} is compared with itself",
            why=f"versions: {', '.join(str(each.version) for each in found.versions)}",
            fix="name two of them",
        )
    one: list[str] = []
    origin = "nothing"
    if before is not None:
        found = document(tx, session, found.path, to.version, before)
        assert found.base is not None
        one = _lines(found.base_body)
        origin = f"{found.path} version {before} by {found.base.author}"
    target = f"{found.path} version {to.version} by {to.author}"
    lines = difflib.unified_diff(one, _lines(found.body), origin, target, lineterm="")
    return {"path": found.path, "from": before, "to": to.version, "diff": list(lines)}


def _lines(body: bytes) -> list[str]:
    return body.decode("utf-8", "replace").splitlines()
