"""States that stand at the right edge of plain text, in front of what they are said of.

1.1  As a member I see my place      - 1.1 (DONE) As a member I see my place
     on the list.           DONE       on the list.
EPIC 2  RENT           half done     EPIC 2  RENT (half done)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import priority_of
from workers.documents.states import state_of

_EDGED = expression(
    r"^(?P<said>\s*[^\s|](?:[^|\n]*?[^\s|])?)(?:\t+| {3,})(?P<state>[^\s|](?:[^|\n]{0,48}[^\s|])?)\s*$"
)
_ALONE = expression(r"^[ \t]{12,}(?P<state>\S[^|\n]{1,48})$")  # it stands right of the end of the last line
_MARKED = expression(
    r"^(?P<deep>\s*)(?=[-*+•(（\d]|[A-Z]{1,5}-?\d)(?:[-*+•]\s+)?(?:[(（]?\d{1,3}(?:\.\d{1,3})*[.)）]?\s+)?(?P<key>[A-Z]{1,5}-?\d{1,4}(?:[.-]\w{1,4})?[.:)]?\s+)?(?<=\s)(?=\S)"
)
_GOES_ON = expression(r"\b(?:is|are|be|for|by|to|of|as|not|than|when|the|an?|and|or)$", re.IGNORECASE)
_MIN = 2  # states at the edge that make it a column of them
_SHORT = 24  # characters of a state


def without_edges(lines: Sequence[str]) -> list[str]:
    """The lines, each state from the right edge in brackets in front of its item, or behind its heading."""
    found = {at: edge for at, line in enumerate(lines) if (edge := _edge(line))}
    if len(found) < _MIN:
        return list(lines)
    made = list(lines)
    for at, (said, state) in found.items():
        made[at] = said
        start = _start(made, at)
        mark = _MARKED.match(made[start])
        if mark:
            made[start] = f"{mark['deep']}- {mark['key'] or ''}({state}) {made[start][mark.end() :]}"
        elif said and (at - 1 in found or at + 1 in found):
            made[at] = f"- ({state}) {said.strip()}"  # a list of names with their states
        else:
            made[at if said else start] += f" ({state})"
    return made


def _edge(line: str) -> tuple[str, str] | None:
    """(what stands left of it, the state at the right edge of a line); none where there is none."""
    found = _ALONE.match(line) or _EDGED.match(line)
    if found is None:
        return None
    state = re.split(r"\s*[(（,，;；]", found["state"], maxsplit=1)[0]
    said = found.groupdict().get("said") or ""
    if _GOES_ON.search(said):  # a sentence with a gap in it
        return None
    known = state_of(state, alone=state.isupper()) or (said.isupper() and priority_of(state))
    return (said, state) if known and len(state) <= _SHORT else None


def _start(lines: Sequence[str], at: int) -> int:
    """The line of the paragraph where the item begins that a line belongs to."""
    start = at
    while start and not _MARKED.match(lines[start]) and lines[start - 1].strip():
        start -= 1
    return start
