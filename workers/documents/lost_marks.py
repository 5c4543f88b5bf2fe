"""Text that was copied from a rendered page: its numbered headings and its lists are there, and their marks are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from orchestrator.domain.patterns import expression

_MARK = expression(  # of a list, heading, quotation, table or numbered statement
    r"\s*(?:[-*+•#>|]|\d{1,2}\)\s|\[[ xX]\]|```|\d{1,2}\.\d|[A-Z]{1,5}-?\d{1,3}\b)"
)
_CHAPTER = expression(r"(\d{1,2})\.\s+([A-ZÀ-Ý][^.!?;,:|]{1,58})$")
_ENTRY = expression(r"[A-ZÀ-Ý0-9\"“'(].{1,88}$")
_LEAD = expression(r".{2,88}[:：]$")
_CHAPTERS = 4  # that such a text has at least
_MARKED = 0.05  # share of lines with a mark that such a text has at most: a stray one
_ENTRIES = 2  # lines below each other that are a list


def with_marks(lines: Sequence[str]) -> list[str]:
    """The lines with Markdown's headings and lists, where a text has lost them all; else as they are."""
    said = [line for line in lines if line.strip()]
    chapters = _chapters(lines)
    if len(chapters) < _CHAPTERS or sum(bool(_MARK.match(line)) for line in said) > _MARKED * len(said):
        return list(lines)
    found = list(lines[: min(chapters)])
    for begin, end in pairwise([*chapters, len(lines)]):
        found += ["", f"## {chapters[begin]}", "", *_with_lists(lines[begin + 1 : end])]
    return found


def _chapters(lines: Sequence[str]) -> dict[int, str]:
    """Line -> title of the headings that are numbered one after the other, with something between two of them."""
    found: dict[int, str] = {}
    for at, line in enumerate(lines):
        match = _CHAPTER.match(line.strip())
        between = not found or any(other.strip() for other in lines[max(found) + 1 : at])
        if match and int(match[1]) == len(found) + 1 and between:
            found[at] = match[2]
    return found


def _with_lists(lines: Sequence[str]) -> Iterator[str]:
    for is_said, group in groupby(lines, key=lambda line: bool(line.strip())):
        block = list(group)
        lead = block[:1] if is_said and _LEAD.match(block[0]) else []
        entries = block[len(lead) :]
        if is_said and len(entries) >= _ENTRIES and all(map(_ENTRY.match, entries)):
            yield from (*lead, "", *(f"- {entry.strip()}" for entry in entries), "")
        else:
            yield from block
