"""A document's text without its markup: its front matter, what a comparison shows of it, and which headings changed.

The parser of Markdown is not needed for this, and not loaded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression

FRONT_LINES = 60
MARKER = expression(r"<!-- (?:section: ([a-z_]{1,60})|empty) -->")
_WRITTEN_BY = expression(r"Written by .{1,200}\(task .{1,100}\)\.")


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    title: str
    anchor: str  # an id of our own making
    section: str  # the key of the marker before it, or ""
    digest: str  # of its text up to the next heading


def changed_since(now: Sequence[Heading], then: Sequence[Heading]) -> frozenset[str]:
    """The anchors of what is new or says something else."""
    before = {heading.anchor: (heading.title, heading.digest) for heading in then}
    return frozenset(
        heading.anchor for heading in now if before.get(heading.anchor) != (heading.title, heading.digest)
    )


def split_front(text: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """The front matter as rows, and the rest. Values that are JSON are written without quotes and brackets."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if not text.startswith("---\n"):
        return (), text
    end = text.find("\n---\n", 3)
    lines = text[4 : max(end, 4)].splitlines()
    if end < 0 or len(lines) > FRONT_LINES:
        return (), text
    rows = (line.partition(":") for line in lines if line.strip())
    return tuple((key.strip(), _plain(value.strip())) for key, _, value in rows), text[end + 5 :]


def without_noise(text: str) -> list[str]:
    """The lines that a comparison shows: no front matter, no line on who wrote it, no source of a diagram."""
    kept: list[str] = []
    fence = ""
    for line in split_front(text)[1].split("\n"):
        if fence:
            fence = "" if line.strip() == fence else fence
        elif line.strip() in ("```mermaid", "~~~mermaid"):
            fence = line.strip()[:3]
        elif not MARKER.fullmatch(line.strip()) and not _WRITTEN_BY.fullmatch(line.strip()):
            kept.append(line)
    return kept


def _plain(value: str) -> str:
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if isinstance(found, list):
        return ", ".join(map(str, found)) or "–"
    return found if isinstance(found, str) else value
