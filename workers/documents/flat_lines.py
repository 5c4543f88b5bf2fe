"""The lines of a document that was put on one line."""
# ruff: noqa: E501 - patterns are read whole

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.domain.patterns import expression
from workers.documents.reading_words import (
    label_role,
    role_of,
)

_COUNTED = expression(r"^\s*1[.)] .{8,}?(?:[.;!?]|\w) 2[.)] \S")  # `1. Sort by date. 2. Filter by name`
_WITHIN = expression(  # `... allow us to: 1) Scan a badge. 2) Print`
    r"(?<![\w#])\(?(\d{1,2}|[a-h])\)\s?(?=[^\W\d_]|[\"“])"
)
_NEXT = expression(r"(?<=\S)\s+(?=[2-9][.)] [A-Z\u4e00-\u9fff])")
_FLAT = 300  # characters of a line from which several marks within it are marks that lost their line
_FLAT_HEADING = expression(r"(?:(?<=\s)|^)(#{1,6} )(?=\S)")
_FLAT_ITEM = expression(r"(?<!\s)\s+(?=(?:[-*•] |\d{1,2}[.)] |- \[[ xX]\] )\S)")
_FLAT_DEEP = expression(r"(?<![\s\d])\s+(?=\d{1,2}\.\d{1,2}\s+[A-Z])")  # `2.1 Every ...`
_FLAT_LABEL = expression(
    r"(?<![-*•\d][.)])(?<![-*•])\s+(?=\*\*[^*\n]{2,40}(?::\*\*|\*\*:|\.\*\*))"
)  # `... **Priority:** high`
_FLAT_TITLE = expression(r"(#{1,6}) ((?:\d{1,2}(?:\.\d{1,2})*[.)]?\s+)?)(\S.*)$", re.DOTALL)
_FLAT_LEAD = expression(r"(?m)^- (\*\*[^*\n]{2,40}(?::\*\*|\*\*:))\s*$")  # it opens the list that follows
_FLAT_ROW = expression(r"(?<=\|)\s+(?=\|)")


def unflattened(line: str) -> list[str]:
    """The lines of a Markdown document, or of a numbered list, that was put on one line."""
    if _COUNTED.match(line):
        return _NEXT.sub("\n", line).split("\n")
    if not line.lstrip().startswith(("-", "*", "+", "1")) and (counted := _counted_within(line, "1")):
        return counted
    if len(line) < _FLAT:
        return [line]
    if len(_FLAT_HEADING.findall(line)) < 2:
        if len(re.findall(r"\s[•‣▪]\s", line)) <= 2:
            return [line]
        return [part for piece in _items(line) for part in _labelled_end(piece)]
    pieces = [piece.strip() for piece in _FLAT_HEADING.sub(r"\n\1", line).split("\n")]
    return [part for piece in pieces if piece for part in _chapter(piece)]


def _counted_within(line: str, first: str, indent: str = "") -> list[str]:
    """The lines of a sentence that counts its parts, `1) ... 2) ... 3) ...`, and within them `a) ... b) ...`; else empty."""
    marks: list[re.Match[str]] = []
    wanted = first
    for mark in _WITHIN.finditer(line):
        if mark[1] == wanted:
            marks.append(mark)
            wanted = str(int(wanted) + 1) if wanted.isdigit() else chr(ord(wanted) + 1)
    if len(marks) < 3:
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(line)]
    lines = [] if indent else [line[: marks[0].start()].rstrip(), ""]
    for mark, end in zip(marks, ends, strict=True):
        part = line[mark.end() : end].strip()
        nested = [] if indent else _counted_within(part, "a", "  ")
        inner = (found.start() for found in _WITHIN.finditer(part) if found[1] == "a")
        said = part[: next(inner)].rstrip() if nested else part
        lines += [f"{indent}- {said}", *nested]
    return lines


def _labelled_end(piece: str) -> Iterator[str]:
    """A piece of a text on one line, and as a heading the label of the next list that stands at its end: `... in red Users:`."""
    words = piece.rstrip().split(" ")
    for count in range(min(4, len(words)), 0, -1):
        label = " ".join(words[-count:])
        if label.endswith((":", "：")) and label[:1].isupper() and label_role(label):
            yield from [" ".join(words[:-count]), "", f"## {label.rstrip(':：')}", ""]
            return
    yield piece


def _chapter(piece: str) -> Iterator[str]:
    """A heading with the text that followed it on the same line."""
    found = _FLAT_TITLE.match(piece)
    if not found:
        yield from _items(piece)
        return
    marks, number, said = found.groups()
    first, *rest = _items(said)
    title = _title(first.split(), whole=bool(rest))
    below = first[len(title) :].strip()
    yield from ["", f"{marks} {number}{title}" if title else "", "", *([below] if below else []), *rest]


def _title(words: list[str], *, whole: bool) -> str:
    """How many of the words behind the mark of a heading are the heading."""
    if whole and len(words) <= 8:
        return " ".join(words)
    for count in range(min(7, len(words)), 0, -1):
        if role_of(" ".join(words[:count])):
            return " ".join(words[:count])
    if len(words) <= 12 and not whole:
        return " ".join(words)
    capital = next((i for i, word in enumerate(words) if i and word[:1].islower()), len(words))
    return " ".join(words[: max(1, capital - 1)])


def _items(text: str) -> list[str]:
    if " | " in text and re.search(r"\|\s*:?-{3,}", text):
        head, bar, table = text.partition("|")
        return [head.strip(), "", *_FLAT_ROW.sub("\n", bar + table).split("\n"), ""]
    for pattern in (_FLAT_DEEP, _FLAT_LABEL):
        if pattern.search(text):
            text = pattern.sub("\n- ", text)
            text = f"- {text}" if re.match(r"\d{1,2}\.\d|\*\*", text) else text
    text = re.sub(r"(?m)^- \d{1,2}\.\d{1,2}\s+", "- ", _FLAT_ITEM.sub("\n", text))
    return _FLAT_LEAD.sub(r"\n\1\n", text).split("\n")
