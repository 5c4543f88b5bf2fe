"""Issues that a tracker exported as text, as Markdown: a line with key and title, lines of fields, then the words.

[CROWN-8] Work queue                          ## CROWN-8 Work queue
Type: Story    Priority: High                 Type: Story  (each field a paragraph)
As a technician I want ...                    As a technician I want ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.domain.patterns import expression

_TITLE = expression(
    r"^(?P<list>[-*]\s+|\d+[.)]\s+)?\**\[?(?P<key>[A-Z][A-Z0-9]{1,9}-\d{1,6})\]?\**\s*(?:[:：–—-]\s*|\s)\s*(?P<title>\S.{1,120})$"
)
_GAP = expression(r"\s{2,}|\s*[|·•\t]\s*|\s*;\s+")
_FIELD = expression(r"^[*_]*(?P<name>[^\W\d_][\w ./-]{1,24}?)[*_]*[:：][*_]*\s*(?P<value>\S.{0,80})$")
_MIN = 2  # records from which a text is an export


def with_records(lines: Sequence[str]) -> list[str]:
    """The lines of a text, those of exported issues as sections; the same lines when it is no export."""
    starts = [
        at for at in range(len(lines) - 1) if _TITLE.match(lines[at]) and len(_fields(lines[at + 1])) > 1
    ]
    return list(_marked(lines, frozenset(starts))) if len(starts) >= _MIN else list(lines)


def _fields(line: str) -> list[str]:
    """The fields of a line that holds nothing else: `Type: Story    Priority: High`."""
    parts = [part for part in _GAP.split(line.strip()) if part]
    return parts if parts and all(_FIELD.match(part) for part in parts) else []


def _marked(lines: Sequence[str], starts: frozenset[int]) -> Iterator[str]:
    head = False  # still among the fields below a title
    for at, line in enumerate(lines):
        if at in starts:
            found = _TITLE.match(line)
            assert found is not None
            yield from ["", f"## {found['key']}: {found['title'].rstrip('*')}", ""]
            head = True
            continue
        fields = _fields(line) if head else []
        if not fields:
            yield from ["", line] if head and line.strip() else [line]
            head = False
            continue
        for field in fields:
            yield from [field, ""]
