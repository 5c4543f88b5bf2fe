"""A page of the project's sessions, as every interface lists them."""

from __future__ import annotations

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.patterns import expression
from orchestrator.store import session_pages
from orchestrator.store.session_pages import Place
from orchestrator.store.store import Tx
from orchestrator.views.session_line import line

LIMIT, LARGEST = 50, 200  # sessions of a page, unless another number is asked for; and at most
SEARCH_LIMIT = 200  # characters
_KEY = expression(r"(\d{1,18})\.([\w-]{1,200})")


@dataclass(frozen=True, slots=True)
class Page:
    """Which sessions are asked for."""

    limit: int = LIMIT
    before: Place | None = None
    state: SessionStatus | None = None
    search: str = ""
    archived: bool = False


def page(
    limit: int | None, before: str | None, state: str | None, search: str | None, archived: bool
) -> Page:
    """Check what was asked for. Raises UnknownName, UsageError."""
    if limit is not None and not 1 <= limit <= LARGEST:
        raise UsageError(
            f"{limit} sessions cannot be a page",
            why=f"a page has 1 to {LARGEST}",
            fix="give another limit; `next` of a page is the key (`before`) of the following one",
        )
    if state is not None and state not in list(SessionStatus):
        raise UnknownName("state", state, map(str, SessionStatus))
    if search is not None and len(search) > SEARCH_LIMIT:
        raise UsageError(
            "the text to search for is too long",
            why=f"{len(search)} characters, at most {SEARCH_LIMIT}",
            fix="give a part of a title or of an id",
        )
    return Page(
        limit or LIMIT,
        None if before is None else _place(before),
        None if state is None else SessionStatus(state),
        (search or "").replace("\0", ""),
        archived,
    )


def _place(key: str) -> Place:
    found = _KEY.fullmatch(key)
    if found is None:
        raise UsageError(
            "there is no such key of a page",
            why="it is what `next` of an earlier page gave",
            fix="leave it out to begin with the newest session",
        )
    return Place(int(found[1]), found[2])


def session_page(tx: Tx, asked: Page) -> JsonObject:
    """`sessions`, the newest first, and `next`, the key of the following page; null where there is none."""
    found = session_pages.page(
        tx,
        before=asked.before,
        limit=asked.limit + 1,
        status=asked.state,
        search=asked.search,
        archived=asked.archived,
    )
    rows = found[: asked.limit]
    ids = [row.id for row in rows]
    counts, sums = session_pages.counts_of(tx, ids), session_pages.costs_of(tx, ids)
    last = rows[-1] if len(found) > asked.limit else None
    return {
        "sessions": [line(tx, row, counts.get(row.id, {}), sums.get(row.id)) for row in rows],
        "next": f"{last.created_at}.{last.id}" if last else None,
    }
