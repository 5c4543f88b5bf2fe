"""What changed between two texts: by line, then by word within lines that were rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from operator import eq
from typing import Literal

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.inert import one_line
from orchestrator.domain.patterns import expression

CONTEXT = 3  # unchanged lines around a change
MOST_LINES = 4_000  # lines that are matched; where more differ, all of them count as rewritten
LONGEST = 2_000  # characters of a line whose words are compared
MOST_PAIRS = 400  # rewritten lines in one place whose words are compared
ALIKE = 40.0  # per cent of similarity from which a line counts as rewritten, not as replaced
MOST_TOLD = 8  # changes that one line tells
SHORT = 120  # characters in which a rewording is told
_WORDS = expression(r"\d+(?:[.,]\d+| \d{3}\b)*|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|\s+|[^\w\s]")
_UNIT = expression(r"[\u3400-\u9fff]|\s?[^\W\d_]{1,20}")
_HEADING = expression(r"#{1,6}\s+(.*)")
Kind = Literal["same", "removed", "added"]
Part = tuple[str, bool]  # text, and whether it is what differs in its line


@dataclass(frozen=True, slots=True)
class Line:
    kind: Kind
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Hunk:
    """A place that changed, with the heading above it."""

    heading: str
    old: int  # number of its first line, from 1
    new: int
    lines: tuple[Line, ...]


def hunks(before: Sequence[str], after: Sequence[str]) -> list[Hunk]:
    """Each place that changed, in order; none where the texts are the same."""
    found = []
    for group in _groups(before, after):
        lines: list[Line] = []
        for tag, one, two, start, end in group:
            if tag == "equal":
                lines += [Line("same", ((line, False),)) for line in before[one:two]]
            else:
                lines += _rewritten(before[one:two], after[start:end])
        _, one, _, start, _ = group[0]
        changed = next(change[3] for change in group if change[0] != "equal")
        found.append(Hunk(_heading_above(after, changed), one + 1, start + 1, tuple(lines)))
    return found


def counts(found: Sequence[Hunk]) -> tuple[int, int]:
    """How many lines were added and removed."""
    kinds = [line.kind for hunk in found for line in hunk.lines]
    return kinds.count("added"), kinds.count("removed")


def rewording(old: str, new: str) -> str:
    """What differs between two wordings: `14 -> 30 days`, `with “at night”`; `now “...”` where that is no short place."""
    one, two = _WORDS.findall(old[:LONGEST]), _WORDS.findall(new[:LONGEST])
    first = _same(one, two)
    last = _same(one[first:][::-1], two[first:][::-1])
    was = "".join(one[first : len(one) - last]).strip()
    now = "".join(two[first : len(two) - last]).strip()
    if len(was) + len(now) > SHORT // 2 or was == now:
        return f"now “{one_line(new, SHORT)}”"
    if not was or not now:
        return one_line(f"with “{now}”" if now else f"without “{was.strip(' ;,')}”")
    unit = _UNIT.match("".join(two[len(two) - last :])) if now[-1].isdigit() else None
    return one_line(f"{was} -> {now}{unit[0] if unit else ''}")


def _same(one: Sequence[str], two: Sequence[str]) -> int:
    """How many words both begin with."""
    return sum(takewhile(bool, map(eq, one, two)))


def in_short(lines: Sequence[str]) -> str:
    """The changes of a version in one line, at most `MOST_TOLD` of them; `nothing changed` where there are none."""
    more = [f"and {len(lines) - MOST_TOLD} more"] if len(lines) > MOST_TOLD else []
    return "; ".join([*lines[:MOST_TOLD], *more]) or "nothing changed"


_Change = tuple[str, int, int, int, int]


def _groups(before: Sequence[str], after: Sequence[str]) -> Iterator[list[_Change]]:
    """The changes with their context, as `difflib` groups them; only what differs is matched."""
    first = 0
    shorter = min(len(before), len(after))
    while first < shorter and before[first] == after[first]:
        first += 1
    last = 0
    while last < shorter - first and before[-1 - last] == after[-1 - last]:
        last += 1
    one, two = len(before) - last, len(after) - last
    if first == one and first == two:
        return
    if max(one, two) - first > MOST_LINES:
        changes: list[_Change] = [("replace", first, one, first, two)]
    else:
        matched = SequenceMatcher(None, before[first:one], after[first:two])
        changes = [
            (tag, a + first, b + first, c + first, d + first) for tag, a, b, c, d in matched.get_opcodes()
        ]
    changes = [
        ("equal", max(0, first - CONTEXT), first, max(0, first - CONTEXT), first),
        *changes,
        ("equal", one, min(len(before), one + CONTEXT), two, min(len(after), two + CONTEXT)),
    ]
    yield from _split([change for change in changes if change[2] > change[1] or change[4] > change[3]])


def _split(changes: Sequence[_Change]) -> Iterator[list[_Change]]:
    """Cut where more than twice the context is unchanged."""
    group: list[_Change] = []
    for tag, one, two, start, end in changes:
        if tag == "equal" and group and two - one > 2 * CONTEXT:
            group.append((tag, one, one + CONTEXT, start, start + CONTEXT))
            yield group
            one, start = two - CONTEXT, end - CONTEXT
            group = []
        group.append((tag, one, two, start, end))
    if any(change[0] != "equal" for change in group):
        yield group


def _rewritten(before: Sequence[str], after: Sequence[str]) -> list[Line]:
    """The old lines, then the new ones; the words that differ are marked where a line became another like it."""
    from rapidfuzz import fuzz  # 3 MB, and few processes compare texts

    removed = [Line("removed", ((line, False),)) for line in before]
    added = [Line("added", ((line, False),)) for line in after]
    for number, (old, new) in enumerate(zip(before[:MOST_PAIRS], after, strict=False)):
        if len(old) > LONGEST or len(new) > LONGEST or fuzz.ratio(old, new) < ALIKE:
            continue
        one, two = _words(old, new)
        removed[number], added[number] = Line("removed", one), Line("added", two)
    return [*removed, *added]


def _words(old: str, new: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    one, two = _WORDS.findall(old), _WORDS.findall(new)
    old_parts: list[Part] = []
    new_parts: list[Part] = []
    for tag, a, b, c, d in SequenceMatcher(None, one, two).get_opcodes():
        if b > a:
            old_parts.append(("".join(one[a:b]), tag != "equal"))
        if d > c:
            new_parts.append(("".join(two[c:d]), tag != "equal"))
    return tuple(old_parts), tuple(new_parts)


def _heading_above(lines: Sequence[str], at: int) -> str:
    for number in range(min(at, len(lines) - 1), -1, -1):
        if found := _HEADING.fullmatch(lines[number]):
            return found[1]
    return ""
