"""What has changed since the last approval, for `diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from orchestrator.cli.opening import read_session
from orchestrator.cli.output import note, paint, print_json, say, say_wrapped
from orchestrator.domain.inert import inert, one_line

if TYPE_CHECKING:
    from orchestrator.domain.json_types import JsonObject
    from orchestrator.store.rows import Session
    from orchestrator.store.store import Tx
    from orchestrator.views.since_approval import SinceApproval


def show_since_approval(in_session: str | None, artifact: str | None, as_json: bool) -> None:
    """Print what has changed since the last approval. Raises UnknownName, UsageError."""

    def read(tx: Tx, session: Session) -> SinceApproval:
        from orchestrator.views import lookup
        from orchestrator.views.since_approval import since_approval

        path = None if artifact is None else lookup.artifact(tx, session.id, artifact)
        return since_approval(tx, session, path)

    found = read_session(in_session, read)
    if as_json:
        print_json(cast("JsonObject", found))
        return
    if not found["documents"] and found["approved_at"] is None:
        note("no document has been written yet: `lifecycle check` shows what is under way")
        return
    if found["approved_at"] is not None:
        say_wrapped(f"approved at {found['approved_at']} by {one_line(found['by'] or '')}")
    if found["whole"] is not None:
        say_wrapped(f"{found['whole']}: everything is shown")
    if found["says"] and artifact is None:
        say_wrapped(found["says"])
        for item in found["items"]:
            title = "" if item["item"].endswith(item["title"]) else one_line(item["title"], 100)
            say_wrapped(f"{item['change']}: {one_line(item['item'])} {title}".rstrip(), "  ")
    if not found["documents"]:
        note("nothing has changed since then")
    for document in found["documents"]:
        edited = "" if document["taken_in"] else ", in its file"
        say_wrapped(
            f"{document['path']}   +{document['added']} -{document['removed']}   by {document['by']}{edited}"
        )
        for line in document["diff"]:
            say(coloured(inert(line)))


def coloured(line: str) -> str:
    """A line of a unified diff."""
    colour = {"+": "green", "-": "red", "@": "dim"}.get(line[:1])
    return paint(line, colour) if colour else line
