"""What differs between two trees, with the bodies before and after, read from the store in one command."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.inert import inert
from orchestrator.domain.patterns import expression
from workers.git.candidates import GITLINK, LINK, changes_between
from workers.git.git_process import Git

LARGEST_BYTES = 10_000_000  # of one file that is read
READ_BYTES = 200_000_000  # of all files of one change that are read
_BATCH_BYTES = 50_000_000  # printed by one git command
_TEXT = expression(
    r"\.(?:pyi?|pth|[cm]?[jt]sx?|vue|svelte|go|rs|java|kts?|scala|rb|php|[ch]|cc|cpp|hpp|cs|swift|(?:ba)?sh|ps1|json|toml"
    r"|ya?ml|xml|html|s?css|md|rst|txt|cfg|ini|conf|env|properties|gradle|sql|lock|snap)$",
    re.IGNORECASE,
)
_COMPARED = 400_000  # pairs of lines that are compared in order; more are compared as a bag of lines


@dataclass(frozen=True)
class ChangedFile:
    """One file that differs. A body is None where the file is not there, is a submodule, or was not read."""

    path: str  # as text; bytes that are none are escaped
    status: str  # A, M, D, T, R
    before: bytes | None = None
    after: bytes | None = None
    path_before: str = ""  # `path` unless it was renamed
    mode_before: str = "100644"
    mode: str = "100644"
    unread: str = ""  # why a body that is there was not read

    @property
    def is_deleted(self) -> bool:
        return self.status == "D"

    @property
    def is_new(self) -> bool:
        return self.status == "A"

    @property
    def is_link(self) -> bool:
        return self.mode == LINK

    @property
    def is_binary(self) -> bool:
        """Whether what is there now, or was before, is no text."""
        if _TEXT.search(self.path):
            return False  # a zero byte in source hides nothing
        return _is_binary(self.before if self.is_deleted else self.after)

    @cached_property
    def text_before(self) -> str:
        return "" if self.mode_before == LINK or self.is_binary else _text(self.before)

    @cached_property
    def text(self) -> str:
        """What is there now; empty when deleted, binary or a link."""
        return "" if self.is_link or self.is_binary else _text(self.after)

    @cached_property
    def lines_before(self) -> list[str]:
        return split_lines(self.text_before)

    @cached_property
    def lines(self) -> list[str]:
        return split_lines(self.text)

    @cached_property
    def added(self) -> Sequence[tuple[int, str]]:
        """The lines that are new, with their numbers from 1."""
        return tuple(added_lines(self.lines_before, self.lines))

    @cached_property
    def added_numbers(self) -> frozenset[int]:
        return frozenset(number for number, _ in self.added)

    def line(self, number: int) -> str:
        """The line of this number as it is now; empty when there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


@dataclass(frozen=True)
class Changes:
    """The files that differ between two trees."""

    files: Sequence[ChangedFile] = field(default=())

    @cached_property
    def by_path(self) -> Mapping[str, ChangedFile]:
        return {file.path: file for file in self.files}

    @cached_property
    def renames(self) -> Mapping[str, str]:
        """Paths of renamed files: before -> now."""
        return {file.path_before: file.path for file in self.files if file.status == "R"}

    @cached_property
    def lines_before(self) -> frozenset[str]:
        """Every line, stripped, that a changed file had: what stands elsewhere now is not new."""
        return frozenset(line.strip() for file in self.files for line in file.lines_before)


def read_changes(git: Git, base: str, tree: str) -> Changes:
    """What differs between two commits or trees, with renames, bounded. Raises GitError."""
    found = changes_between(git, base, tree, renames=True)
    wanted = [
        id
        for change in found
        for id, mode in ((change.id_before, change.mode_before), (change.id, change.mode))
        if id.strip("0") and mode != GITLINK
    ]
    bodies, unread = read_blobs(git, wanted)
    return Changes(
        [
            ChangedFile(
                path=shown(change.path),
                status=change.status,
                before=bodies.get(change.id_before),
                after=bodies.get(change.id),
                path_before=shown(change.path if change.path_before is None else change.path_before),
                mode_before=change.mode_before,
                mode=change.mode,
                unread=unread.get(change.id, "") or unread.get(change.id_before, ""),
            )
            for change in found
        ]
    )


def names_of(git: Git, tree: str) -> Mapping[str, str]:
    """Every file of a tree: its path as text -> the id of its body; submodules are left out. Raises GitError."""
    found = {}
    for entry in git.run("ls-tree", "-r", "-z", "--full-tree", tree).fields:
        described, _, path = entry.partition(b"\t")
        mode, _, id = described.decode().split()
        if mode != GITLINK:
            found[shown(path)] = id
    return found


def read_blobs(git: Git, ids: Iterable[str]) -> tuple[dict[str, bytes], dict[str, str]]:
    """The bodies by id, and why the others were not read: too large, too much, not in this clone. Raises GitError."""
    asked = list(dict.fromkeys(ids))
    bodies: dict[str, bytes] = {}
    unread: dict[str, str] = {}
    batches: list[list[str]] = [[]]
    total = in_batch = 0
    for id, size in _sizes(git, asked):
        if size is None:
            unread[id] = "it is not in this clone"
        elif size > LARGEST_BYTES:
            unread[id] = f"it has more than {LARGEST_BYTES // 1_000_000} MB"
        elif total + size > READ_BYTES:
            unread[id] = f"the changed files have more than {READ_BYTES // 1_000_000} MB together"
        else:
            total += size
            if in_batch + size > _BATCH_BYTES:
                batches.append([])
                in_batch = 0
            in_batch += size
            batches[-1].append(id)
    for batch in filter(None, batches):
        out = git.run("cat-file", "--batch", stdin="".join(f"{id}\n" for id in batch).encode()).out
        bodies.update(_bodies(out))
    return bodies, unread


def _sizes(git: Git, ids: Sequence[str]) -> Iterator[tuple[str, int | None]]:
    if not ids:
        return
    out = git.run("cat-file", "--batch-check", stdin="".join(f"{id}\n" for id in ids).encode()).out
    for line in out.decode().splitlines():
        id, kind, *size = line.split()
        yield id, int(size[0]) if kind == "blob" else None


def _bodies(out: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        id, _, size = out[at:end].decode().split()
        at = end + 1 + int(size)
        yield id, out[end + 1 : at]
        at += 1


def shown(path: bytes) -> str:
    """A path as text on one line: bytes that are none and active characters are escaped."""
    text = inert(path.decode("utf-8", "backslashreplace"))
    return text.replace("\n", "\\n").replace("\t", "\\t")


def _is_binary(body: bytes | None) -> bool:
    return body is not None and b"\0" in body[:8000] and not body.startswith((b"\xff\xfe", b"\xfe\xff"))


def _text(body: bytes | None) -> str:
    if body is None:
        return ""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    return body.decode("utf-8-sig", "replace")


def split_lines(text: str) -> list[str]:
    """The lines as editors and compilers number them: by CR LF, LF or CR, nothing else."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def added_lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines of `after` that are not in `before`, with their numbers from 1.

    Where much differs, lines are compared without their order: exact order would take time in the square of it.
    """
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if len(old) * len(new) <= _COMPARED:
        for kind, _, _, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind in ("insert", "replace"):
                for at in range(first, last):
                    yield start + at + 1, new[at]
        return
    left = Counter(old)
    for at, line in enumerate(new):
        if left[line] > 0:
            left[line] -= 1
        else:
            yield start + at + 1, line
