"""Text that is longer than its budget, cut by sections: what asks for something stays, what explains goes first.

A section goes as a whole, the least important first and of equals the last; nothing is cut in the middle of a line as long
as there are lines. A note at the end says what was left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression
from workers.documents.reading_words import role_of

CUT = "[left out for length: "  # how the note begins
NAMED = 8  # sections that the note names
_HEADING = expression(r"^(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE = expression(r"^[ \t]{0,3}(`{3,}|~{3,})")
_PRIORITY = expression(r"\b(must|should|could|won't)\b", re.IGNORECASE)
_RANKS = {  # role of a section -> how soon it goes; 0 stays longest
    **dict.fromkeys(("requirement", "goal", "non_goal", "constraint", "nonfunctional", "acceptance"), 0),
    **dict.fromkeys(("use_case", "user", "metric", "risk", "question", "dependency", "problem"), 1),
    **dict.fromkeys(("background", "principle", "assumption", "plan", "done"), 3),
    **dict.fromkeys(("glossary", "contents", "example", "meta", "aside", "quotation", "template"), 4),
}
_UNKNOWN = 2
_BY_PRIORITY = {"must": 0, "should": 1, "could": 2, "won't": 3}  # of the file of an item


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    text: str
    rank: int


def cut(text: str, limit: int) -> str:
    """`text`, or as many of its sections as `limit` characters hold, with a note of what is missing."""
    if len(text) <= limit:
        return text
    found = list(_sections(text))
    size, gone = len(text), set[int]()
    for at in sorted(range(1, len(found)), key=lambda each: (found[each].rank, each), reverse=True):
        if size <= limit:
            break
        size -= len(found[at].text)
        gone.add(at)
    rest = "".join(each.text for at, each in enumerate(found) if at not in gone)
    body = rest if len(rest) <= limit else _whole_lines(rest, limit)
    return f"{body.rstrip()}\n{_note(text, rest, body, [found[at].title for at in sorted(gone)])}"


def _note(text: str, rest: str, body: str, titles: Sequence[str]) -> str:
    said = f"{CUT}{len(text) - len(body)} of {len(text)} characters"
    if titles:
        more = f" and {len(titles) - NAMED} more" if len(titles) > NAMED else ""
        said += f"; sections: {'; '.join(titles[:NAMED])}{more}"
    return f"{said}{'; and the end of what is shown' if len(body) < len(rest) else ''}]"


def _whole_lines(text: str, limit: int) -> str:
    """The first lines that the limit holds; of one line that is longer alone, its beginning."""
    end = text.rfind("\n", 0, limit + 1)
    return text[: end if end > limit // 2 else limit]


def _sections(text: str) -> Iterator[_Section]:
    """The text before the first heading, then each heading with what stands below it; no heading is looked for in code."""
    title, rank, lines, ranks, fence = "", 0, list[str](), dict[int, int](), ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        found = None if fence else _HEADING.match(line.rstrip("\r\n"))
        if found is None:
            lines.append(line)
            continue
        if lines:
            yield _section(title, lines, rank)
        level, title, lines = len(found[1]), found[2], [line]
        above = next((ranks[each] for each in range(level - 1, 0, -1) if each in ranks), _UNKNOWN)
        rank = _RANKS.get(role_of(title), above)
        ranks = {each: kept for each, kept in ranks.items() if each < level} | {level: rank}
    if lines:
        yield _section(title, lines, rank)


def _section(title: str, lines: Sequence[str], rank: int) -> _Section:
    text = "".join(lines)
    if (priority := _item_priority(title, text)) is not None:
        rank = priority
    return _Section(title[:80], text, rank)


def _item_priority(title: str, text: str) -> int | None:
    """Of a numbered item its priority, where one of its lines gives it."""
    if not re.match(r"[A-Z]{2,}(?:-[A-Z]{1,2})?-\d", title):
        return None
    for line in text.splitlines()[:8]:
        if ":" in line and (found := _PRIORITY.search(line)):
            return _BY_PRIORITY[found[1].lower()]
    return None
