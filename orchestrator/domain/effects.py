"""Whether a finding of a discussion led to a change: the next version of what it read is compared with the one it read.

A finding names places: identifiers (`REQ-003`), quoted words, the words behind its colon, or else a heading. It was acted
on when the lines of a place differ in the next version, or when a line that is new there has most of its keywords.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords

MOST = 0.5  # of a finding's keywords that one new line must have to answer it
FEWEST = 3  # keywords by which an answer is recognised; a finding with fewer needs all of them
SHORTEST = 8  # characters of a quotation that can be a place
_IDENTIFIER = expression(r"(?<![\w-])[A-Z]{1,12}(?:-[A-Z]{1,12})*-\d{3}(?:-\d{3})?(?![\w-])", re.ASCII)
_QUOTED = expression(r"\"([^\"]+)\"|“([^”]+)”|「([^」]+)」|『([^』]+)』|`([^`]+)`|(?<!\w)'([^']+)'(?!\w)")
_COLON = expression(r"[:：]\s*(.+)$", re.S)
_HEADING = expression(r"#{1,6} +(.+)")
_FRONT_MATTER = expression(r"\A---\n.*?\n---\n", re.S)
_STAMP = expression(r"[(（](?:task|任务) [A-Z]|^\"(?:generated_at|version|session_id|task|author)\":")
_MARKS = expression(r"[\s*_`\"“”|#>\[\]().,;…-]+")

Texts = Mapping[str, str]  # path -> text


class Effect(StrEnum):
    CHANGED = "changed"  # a place it names differs in the next version
    ANSWERED = "answered"  # the next version says something new about it elsewhere
    NEITHER = "neither"
    OPEN = "open"  # there is no next version yet


LED_TO_A_CHANGE = (Effect.CHANGED, Effect.ANSWERED)


@dataclass(frozen=True, slots=True)
class _Line:
    path: str
    heading: str
    plain: str  # without marks and case, so that only words count
    text: str


class Versions:
    """Two versions of an artifact, read once for all findings about the first."""

    def __init__(self, before: Texts, after: Texts) -> None:
        self._before, self._after = _lines(before), _lines(after)
        known = Counter(line.plain for line in self._before)
        new = Counter(line.plain for line in self._after) - known
        self._new = [keywords(line.text) for line in self._after if new[line.plain]]

    def effect(self, finding: str) -> Effect:
        """What the second version did about a finding of the first."""
        for places in _places(finding, self._before):
            if any(_at(place, self._before) != _at(place, self._after) for place in places):
                return Effect.CHANGED
            if places:
                break
        wanted = keywords(finding)
        need = max(min(FEWEST, len(wanted)), MOST * len(wanted))
        found = bool(wanted) and any(len(wanted & have) >= need for have in self._new)
        return Effect.ANSWERED if found else Effect.NEITHER


@dataclass(frozen=True, slots=True)
class _Place:
    kind: str  # file (of an item), item (its heading or line in another file), words, heading
    name: str

    def holds(self, line: _Line) -> bool:
        match self.kind:
            case "file":
                return f"/{self.name}-" in line.path
            case "item":  # a line that lists many items is no place of one of them
                return line.heading.startswith(_plain(self.name)) or _IDENTIFIER.findall(line.text)[:2] == [
                    self.name
                ]
            case "words":
                return self.name in line.plain
            case _:
                return line.heading == self.name


def _at(place: _Place, lines: Sequence[_Line]) -> Counter[str]:
    return Counter(line.plain for line in lines if place.holds(line))


def _places(finding: str, lines: Sequence[_Line]) -> list[list[_Place]]:
    """The places that a finding names and the artifact has, the exact ones first."""
    named_ids = dict.fromkeys(_IDENTIFIER.findall(finding))
    files = [_Place("file", name) for name in named_ids]
    items = [_Place("item", name) for name in named_ids]
    said = ["".join(found) for found in _QUOTED.findall(finding)] + _COLON.findall(finding)
    words = [_Place("words", name) for each in said if len(name := _plain(each)) >= SHORTEST]
    spaced = f" {_plain(finding)} "
    headings = dict.fromkeys(line.heading for line in lines if len(line.heading) > 3)
    named = [_Place("heading", name) for name in headings if f" {name} " in spaced]
    return [
        [place for place in places if any(map(place.holds, lines))] for places in (files, items, words, named)
    ]


def _lines(texts: Texts) -> list[_Line]:
    """The lines that say something; what every version has anew (front matter, the line of its author) is left out."""
    found: list[_Line] = []
    for path, text in texts.items():
        heading = ""
        for raw in _FRONT_MATTER.sub("", text).splitlines():
            line = raw.strip()
            if title := _HEADING.fullmatch(line):
                heading = _plain(title[1])
            if (plain := _plain(line)) and not _STAMP.search(line) and not line.startswith("<!--"):
                found.append(_Line(path, heading, plain, line))
    return found


def _plain(text: str) -> str:
    return _MARKS.sub(" ", text).strip().casefold()
