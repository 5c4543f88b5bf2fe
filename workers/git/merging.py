"""Merging a candidate onto a head that has moved, and what a resolution lost of the other side.

A merge never touches a work tree: `merge-tree` gives a tree or the stages of its conflicts. What lands has one parent, so
that the session's commits form one line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from orchestrator.domain.dataclass import dataclass
from workers.git.candidates import Change, changes_between
from workers.git.private_store import PrivateStore

_WORD = re.compile(rb"\w")  # a line without any (a brace) says nothing of where it comes from
_WORDS = re.compile(rb"\w+")


@dataclass(frozen=True, slots=True)
class Stage:
    """One side of a conflict: 1 the common base, 2 the head, 3 the candidate."""

    number: int
    mode: str
    id: str


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge's tree; with conflicts, it holds files with markers and must not land."""

    tree: str
    conflicts: dict[bytes, list[Stage]]


@dataclass(frozen=True, slots=True)
class Vanished:
    """Something that the other side brought and a resolution no longer has; no line: the file as a whole."""

    path: bytes
    line: bytes | None


def merge(store: PrivateStore, head: str, commit: str) -> Merged:
    """Merge `commit` into `head` in the store alone. Raises GitError."""
    answer = store.git.run("merge-tree", "--write-tree", "-z", "--no-messages", head, commit, ok=(0, 1))
    fields = answer.fields
    conflicts: dict[bytes, list[Stage]] = {}
    for described in fields[1:]:
        entry, _, path = described.partition(b"\t")
        mode, id, number = entry.decode().split()
        conflicts.setdefault(path, []).append(Stage(int(number), mode, id))
    if answer.code == 1 and not conflicts:  # such as a folder in the way of a file
        conflicts = {change.path: [] for change in changes_between(store.git, head, fields[0].decode())}
    return Merged(fields[0].decode(), conflicts)


def vanished_lines(store: PrivateStore, base: str, head: str, own: str, resolved: str) -> list[Vanished]:
    """What `base..head` added or changed and `resolved`, a resolution with `own`, no longer has.

    Lines are counted in each file, following renames. Those that `own` removed from the base are not missed, nor those
    whose words are all in one line that the resolution wrote: where both sides changed a line, it has to be another one.
    """
    moved = {
        change.path_before: change.path
        for change in changes_between(store.git, head, resolved, renames=True)
        if change.path_before is not None
    }
    others = [change for change in changes_between(store.git, base, head) if change.status != "D"]
    paths = [change.path for change in others]
    sides = {
        commit: _bodies(store, commit, names)
        for commit, names in (
            (base, paths),
            (head, paths),
            (own, paths),
            (resolved, [moved.get(path, path) for path in paths]),
        )
    }
    found: list[Vanished] = []
    for place, change in enumerate(others):
        before, theirs, ours, now = (sides[commit][place] for commit in (base, head, own, resolved))
        found += _missing(change, before, theirs, ours, now)
    return found


def _missing(
    change: Change, before: bytes | None, theirs: bytes | None, ours: bytes | None, now: bytes | None
) -> list[Vanished]:
    """What one file lost; None: it is not there."""
    if now == theirs:
        return []
    if now is None or now == before or b"\0" in (theirs or b"")[:8000]:
        return [Vanished(change.path, None)] if now in (None, before, ours) else []
    base, head, own, after = (Counter((body or b"").splitlines()) for body in (before, theirs, ours, now))
    lost = []
    joined = [set(_WORDS.findall(line)) for line in after - head]  # lines that the resolution wrote itself
    for line, count in (head - base).items():
        removed = max(0, base[line] - own[line])
        if _WORD.search(line) and min(count, head[line] - removed - after[line]) > 0:
            words = set(_WORDS.findall(line))
            if not any(words <= each for each in joined):  # both sides of one line, made one
                lost.append(Vanished(change.path, line))
    return lost


def _bodies(store: PrivateStore, commit: str, paths: Sequence[bytes]) -> list[bytes | None]:
    """The bytes of each path in a commit or tree, None where it is no file there."""
    if not paths:
        return []
    asked = b"".join(commit.encode() + b":" + path + b"\0" for path in paths)
    answer = store.git.run("cat-file", "--batch", "-z", stdin=asked).out
    found: list[bytes | None] = []
    at = 0
    for path in paths:
        name = commit.encode() + b":" + path
        if answer.startswith(name + b" missing\n", at):
            found.append(None)
            at += len(name) + len(b" missing\n")
            continue
        end = answer.index(b"\n", at)
        _, kind, size = answer[at:end].split()
        body = answer[end + 1 : end + 1 + int(size)]
        found.append(body if kind == b"blob" else None)
        at = end + 2 + int(size)
    return found
