"""A change as an agent reads it: each file with numbered lines and marks, in chunks of a bounded size."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from orchestrator.domain.dataclass import dataclass
from workers.evidence.changed_files import ChangedFile, Changes
from workers.evidence.path_kinds import is_lock_file

CHUNK_CHARACTERS = 70_000  # about 20,000 tokens; what a chunk is asked with comes on top
PIECE_CHARACTERS = 35_000  # of one file at once; a longer one is shown around its changes
MOST_CHUNKS = 20
CONTEXT = 15  # unchanged lines around a change of a long file
LONGEST_LINE = 500  # characters that are shown
COMPARED = 4_000_000  # pairs of lines that are compared in order


@dataclass(frozen=True, slots=True)
class Piece:
    """One changed file, or a part of a long one, as it is shown."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Chunked:
    """The chunks, and the files that are in none with the reason."""

    chunks: tuple[tuple[Piece, ...], ...]
    left_out: dict[str, str]


def chunked(changes: Changes) -> Chunked:
    """The changed files in chunks, whole where they are short enough, in the order of their paths."""
    left_out: dict[str, str] = {}
    chunks: list[list[Piece]] = [[]]
    size = 0
    for file in sorted(changes.files, key=lambda each: each.path):
        why = _why_not(file)
        if why:
            left_out[file.path] = why
            continue
        for piece in _pieces(file):
            if size and size + len(piece.text) > CHUNK_CHARACTERS:
                chunks.append([])
                size = 0
            if len(chunks) > MOST_CHUNKS:
                left_out.setdefault(file.path, f"the change has more than {MOST_CHUNKS} chunks")
                continue
            chunks[-1].append(piece)
            size += len(piece.text)
    return Chunked(tuple(tuple(each) for each in chunks[:MOST_CHUNKS] if each), left_out)


def _why_not(file: ChangedFile) -> str:
    if file.unread:
        return file.unread
    if is_lock_file(file.path):
        return "it is a lock file"
    if file.is_binary:
        return "it is no text"
    if file.mode == "160000" or file.mode_before == "160000":
        return "it is a submodule"
    return ""


def _pieces(file: ChangedFile) -> Iterator[Piece]:
    head = f"File: {file.path}  ({_KINDS.get(file.status, 'changed')}{_before(file)})\n"
    if file.is_deleted:
        yield Piece(file.path, f"{head}({len(file.lines_before)} lines)")
        return
    rows = list(_rows(file))
    if sum(len(row.text) + 1 for row in rows) > PIECE_CHARACTERS:
        rows = _around_changes(rows)
    lines: list[str] = []
    size = 0
    for row in rows:
        if size + len(row.text) > PIECE_CHARACTERS:
            yield Piece(file.path, head + "\n".join(lines))
            lines, size = [], 0
        lines.append(row.text)
        size += len(row.text) + 1
    yield Piece(file.path, head + "\n".join(lines or ["(no text)"]))


def _before(file: ChangedFile) -> str:
    return f" from {file.path_before}" if file.path_before not in ("", file.path) else ""


_KINDS = {"A": "new", "M": "changed", "D": "deleted", "R": "renamed", "T": "changed in kind"}


@dataclass(frozen=True, slots=True)
class _Row:
    text: str
    changed: bool


def _rows(file: ChangedFile) -> Iterator[_Row]:
    """Every line: `+` is new, `-` was removed and has no number."""
    before, after = file.lines_before, file.lines
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    for number in range(1, start + 1):
        yield _kept(number, after)
    yield from _middle(before[start : len(before) - end], after, start, len(after) - end)
    for number in range(len(after) - end + 1, len(after) + 1):
        yield _kept(number, after)


def _middle(old: Sequence[str], after: Sequence[str], start: int, stop: int) -> Iterator[_Row]:
    new = after[start:stop]
    if len(old) * len(new) > COMPARED:
        yield from (_Row(_shown("-", 0, line), True) for line in old)
        yield from (_Row(_shown("+", start + at + 1, line), True) for at, line in enumerate(new))
        return
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (_kept(start + at + 1, after) for at in range(c, d))
            continue
        yield from (_Row(_shown("-", 0, line), True) for line in old[a:b])
        yield from (_Row(_shown("+", start + at + 1, new[at]), True) for at in range(c, d))


def _kept(number: int, lines: Sequence[str]) -> _Row:
    return _Row(_shown(" ", number, lines[number - 1]), False)


def _shown(mark: str, number: int, line: str) -> str:
    cut = line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} [cut]"
    return f"{mark}{number or '':>6} | {cut}"


def _around_changes(rows: Sequence[_Row]) -> list[_Row]:
    """The changed rows with their context; gaps are said."""
    wanted = [False] * len(rows)
    for at, row in enumerate(rows):
        if row.changed:
            for near in range(max(0, at - CONTEXT), min(len(rows), at + CONTEXT + 1)):
                wanted[near] = True
    found: list[_Row] = []
    left = 0
    for row, keep in zip(rows, wanted, strict=True):
        if keep:
            if left:
                found.append(_Row(f"[{left} unchanged lines]", False))
            found.append(row)
            left = 0
        else:
            left += 1
    return found
