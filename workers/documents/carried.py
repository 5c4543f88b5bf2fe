"""Lines that a person wrote into a document, or struck out, and that no rule reads back: later versions carry them.

A line is known by where it stands (the section, and the heading below it) and by its letters and digits alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression
from workers.documents.by_hand import ByHand, Line
from workers.documents.identifiers import IDENTIFIER
from workers.documents.labels import LANGUAGES, labels
from workers.documents.page import EMPTY
from workers.documents.written_page import mark

_FRONT = expression(r"\A\ufeff?---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_MARKER = expression(r"^<!-- section: ([a-z_]+) -->$")
_HEADING = expression(r"^#{1,6}\s+(.*)$")
_LINK = expression(r"\[([^\]\n]*)\]\([^()\n]*\)")
_UNSAFE = expression(
    r"<[A-Za-z/!?]|\]\((?!https?://)|^\s*\[[^\]]*\]:"
)  # HTML, and links that may lead nowhere
_BLANK = expression(r"\n{3,}")
_ENTRY = expression(r"(?:[-*+]|\d{1,9}[.)])\s")
_MADE = (  # sections that are made of what stands elsewhere
    *("context", "mapping", "decisions", "review", "withdrawn", "goals", "traceability", "list", "priority"),
    *("estimates", "mvp", "order", "requirements", "non_functional"),
)
_TABLES = ("stack", "api")  # sections whose rows are statements of their own
_CODE = "```"  # the heading of what stands in code
_RULE = expression(r"^[\s|:-]*$")  # the line below the columns' names of a table
_LONGEST = 2_000  # characters of a line by which it is known
_SHORT = 12  # letters and digits of a line that may stand in another one by chance


def key_of(line: Line) -> str:
    """What a line says, whatever its markup and marks of ours."""
    said = mark().sub("", _LINK.sub(r"\1", line.text[:_LONGEST]))
    return "".join(letter for letter in said.casefold() if letter.isalnum())


def form_of(line: Line) -> str:
    """How a line stands there: `heading`, `row` of a table, `entry` of a list, `text`."""
    start = line.text.lstrip()
    if _HEADING.match(start):
        return "heading"
    return "row" if start.startswith("|") else "entry" if _ENTRY.match(start) else "text"


def is_movable(line: Line) -> bool:
    """Whether a line can stand in another version as it is: what names an item, or stands below one, is made of the item."""
    made = line.section in _MADE or line.heading == _CODE or _UNSAFE.search(line.text) is not None
    of_item = IDENTIFIER.search(f"{line.heading} {line.text}") is not None
    return not made and not of_item and (form_of(line) != "row" or line.section in _TABLES)


def changed_lines(before: str, now: str) -> tuple[list[Line], list[Line]]:
    """The lines that a person wrote on a page, and those that they struck out; one that moved is neither."""
    old, new = lines_of(before), lines_of(now)
    return _beyond(new, old), _beyond(old, new)


def _beyond(these: Sequence[Line], those: Sequence[Line]) -> list[Line]:
    have = Counter(key_of(line) for line in those)
    found = []
    for line in these:
        have[key_of(line)] -= 1
        if have[key_of(line)] < 0:
            found.append(line)
    return found


def lines_of(page: str) -> list[Line]:
    """The lines of a page that say something, in order; pictures, and our notes that nothing is known, aside."""
    return [line for line, _ in _numbered(page.split("\n"))]


def _numbered(rows: Sequence[str]) -> Iterator[tuple[Line, int]]:
    front = _FRONT.match("\n".join(rows))
    begin = front[0].count("\n") if front else 0
    section = heading = fence = ""
    for at, row in enumerate(rows[begin:], begin):
        said = row.strip()
        if said.startswith(_CODE):
            fence = "" if fence else said
            continue
        marker, title = _MARKER.match(said), _HEADING.match(said)
        if fence:
            line = Line(section, _CODE, row.rstrip())
        elif marker:
            section, heading = marker[1], ""
            continue
        elif title and _MARKER.match(rows[at - 1].strip()):
            continue
        elif title:
            heading = title[1]
            line = Line(section, heading, row.rstrip())
        else:
            line = Line(section, heading, row.rstrip())
        if section and key_of(line) and "mermaid" not in fence and not _is_ours(said):
            yield line, at


def _is_ours(said: str) -> bool:
    return said == EMPTY or _RULE.match(said) is not None or said.startswith(_notes())


@cache
def _notes() -> tuple[str, ...]:
    """How our note begins that nothing is known of a section."""
    return tuple(labels(language).empty_note for language in LANGUAGES)


def missing(written: Sequence[Line], pages: Collection[str]) -> list[Line]:
    """Those of a person's lines that no page of the new version says, whole or, but for short ones, in one of its lines."""
    said = [key_of(line) for page in pages for line in lines_of(page)]
    whole, joined = set(said), "\n".join(said)
    return [
        line
        for line in written
        if (key := key_of(line)) not in whole and (len(key) < _SHORT or key not in joined)
    ]


def returned(struck: Sequence[Line], page: str) -> list[Line]:
    """Those of the lines that a person struck out that the new version of their page has again."""
    there = {(line.place, key_of(line)) for line in lines_of(page)}
    return [line for line in struck if (line.place, key_of(line)) in there]


def with_lines(page: str, by_hand: ByHand) -> tuple[str, list[Line]]:
    """A page with the lines that a person wrote, without those that they struck out; and what has no place in it."""
    rows = page.split("\n")
    gone = {(line.place, key_of(line)) for line in by_hand.struck}
    drop = {at for line, at in _numbered(rows) if (line.place, key_of(line)) in gone}
    rows = [row for at, row in enumerate(rows) if at not in drop]
    left: list[Line] = []
    last = None
    for line in missing(by_hand.written, [page]):
        at = _place_of(rows, line)
        if at is None:
            left.append(line)
            continue
        joined = form_of(line) == "row" or (
            last is not None and rows[at - 1] == last.text and form_of(last) == form_of(line)
        )
        rows[at:at] = [line.text] if joined or _follows_alike(rows, at, line) else ["", line.text]
        last = line
    page = _BLANK.sub("\n\n", "\n".join(_noted(rows))) if last or drop else page
    return _with_headings(page, by_hand.headings), left


def changed_headings(before: str, now: str) -> tuple[Line, ...]:
    """The headings of the page and of its sections that a person changed, each as it was and as it is."""
    old = {section: said for section, said, _ in _headings(before.split("\n"))}
    return tuple(
        Line(section, old[section], said)
        for section, said, _ in _headings(now.split("\n"))
        if section in old and said != old[section] and not _UNSAFE.search(said)
    )


def with_newer(headings: Sequence[Line], newer: Sequence[Line]) -> tuple[Line, ...]:
    """Changed headings, with later changes in the place of earlier ones of the same section."""
    return tuple({line.section: line for line in (*headings, *newer)}.values())


def _with_headings(page: str, headings: Sequence[Line]) -> str:
    if not headings:
        return page
    said = {line.section: line.text for line in headings}
    rows = page.split("\n")
    for section, _, at in _headings(rows):
        if section in said:
            rows[at] = f"{rows[at].split(' ', 1)[0]} {said[section]}"
    return "\n".join(rows)


def _headings(rows: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """(section, heading, row) of the page, whose section is empty, and of each section that begins with one."""
    front = _FRONT.match("\n".join(rows))
    begin = front[0].count("\n") if front else 0
    is_first = True
    for at, row in enumerate(rows[begin:], begin):
        title = _HEADING.match(row.strip())
        marker = _MARKER.match(rows[at - 1].strip()) if at else None
        if title and (marker or is_first):
            yield marker[1] if marker else "", title[1].strip(), at
        is_first = is_first and not row.strip()


def _follows_alike(rows: Sequence[str], at: int, line: Line) -> bool:
    return form_of(line) == "entry" and form_of(line._replace(text=rows[at - 1])) == "entry"


def _place_of(rows: Sequence[str], line: Line) -> int | None:
    """Where a line goes: behind the last of its form in its place, else at its end; None where there is no such place."""
    known = [(other, at) for other, at in _numbered(rows) if other.section == line.section]
    mine = [at for other, at in known if other.place == line.place and form_of(other) == form_of(line)]
    if form_of(line) == "heading":
        mine = []
    if mine:
        return mine[-1] + 1
    begin = next(
        (
            at
            for at, row in enumerate(rows)
            if (said := _MARKER.match(row.strip())) and said[1] == line.section
        ),
        None,
    )
    if begin is None or form_of(line) == "row":
        return None
    start = begin + 1
    if line.heading and form_of(line) != "heading":
        titles = (at for other, at in known if form_of(other) == "heading" and other.heading == line.heading)
        start = next(titles, -1)
        if start < 0:
            return None
    ends = (
        at
        for at in range(start + 1, len(rows))
        if _MARKER.match(rows[at].strip()) or (form_of(line) != "heading" and _HEADING.match(rows[at]))
    )
    end = next(ends, len(rows))
    while end > start + 1 and not rows[end - 1].strip():
        end -= 1
    return end


def _noted(rows: Sequence[str]) -> list[str]:
    """The rows without our note that nothing is known of a section, where something stands beside it."""
    told = {line.section for line, _ in _numbered(rows)}
    section = ""
    kept = []
    for row in rows:
        marker = _MARKER.match(row.strip())
        section = marker[1] if marker else section
        if section not in told or not (row.strip() == EMPTY or row.strip().startswith(_notes())):
            kept.append(row)
    return kept


def told(line: Line) -> str:
    """A line in a sentence about it."""
    return one_line(_LINK.sub(r"\1", line.text).strip(" -*|#"))[:300]
