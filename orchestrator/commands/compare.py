"""compare: what two sessions came to. It changes nothing; commits are read by the workers' program, which knows git."""

from __future__ import annotations

import difflib
from pathlib import Path

from orchestrator.dispatch.asking import have_done
from orchestrator.domain.json_types import JsonObject
from orchestrator.store.store import Store
from orchestrator.views.compare import compare, document_versions, has_code, two_sessions


def compared(store: Store, project: Path, first: str, second: str, *, diff: bool = False) -> JsonObject:
    """Both sessions and, with `diff`, what differs from the first to the second. Raises UsageError, LifecycleError."""
    a, b = store.read(lambda tx: two_sessions(tx, first, second))
    built = [each.id for each in (a, b) if store.read(lambda tx, name=each.id: has_code(tx, name))]  # type: ignore[misc]
    code = _changes(project, built, diff=diff) if built else {"changes": {}, "diff": None}
    found = store.read(lambda tx: compare(tx, a, b, code["changes"]))
    if not diff:
        return found
    documents = store.read(lambda tx: document_versions(tx, a.id, b.id))
    return {
        **found,
        "diff": {
            "documents": [{"path": path, "diff": _unified(path, one, two)} for path, one, two in documents],
            "code": code["diff"],
        },
    }


def _changes(project: Path, sessions: list[str], *, diff: bool) -> JsonObject:
    other = ("--other", sessions[1]) if len(sessions) > 1 else ()
    return have_done("compare", project, "--session", sessions[0], *other, *(("--diff",) if diff else ()))


def _unified(path: str, one: str, two: str) -> list[str]:
    lines = (one.splitlines(), two.splitlines())
    return list(difflib.unified_diff(*lines, f"a/{path}", f"b/{path}", lineterm=""))
