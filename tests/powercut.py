"""The power cut, replayed: from a trace of a writer's system calls, what a disk may hold after a cut at any instant.

The rules are POSIX's, not a kind file system's: written bytes are on the disk only when their file was synced after them,
and a name only when its directory was. Whatever was not synced may be there or not, writes in any order and by the
sector, names in the order they were made.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

CALLS = "openat,pwrite64,write,fdatasync,fsync,ftruncate,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,linkat"
SECTOR = 512


def strace(trace: Path) -> list[str]:
    """What to put before a command so that its system calls are written to `trace`."""
    return [
        "strace",
        "-f",
        "-y",
        "-xx",
        "-s",
        "4000000",
        "--seccomp-bpf",
        "-e",
        f"trace={CALLS}",
        "-o",
        str(trace),
    ]


# the trace


@dataclass(frozen=True)
class Call:
    name: str
    arguments: list[str]  # each as strace writes it
    answer: str
    ends: bool  # False: another thread was seen before this call returned; its end follows


_UNFINISHED = re.compile(r"(\d+) +(\w+)\((.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (.*)$")
_WHOLE = re.compile(r"(\d+) +(\w+)\((.*)\) += (.*)$")


def calls(trace: Path) -> Iterator[Call]:
    """Every call that went well, in order; one that was interrupted comes twice, as it begins and as it ends."""
    begun: dict[str, str] = {}
    with trace.open(encoding="ascii") as lines:
        for line in lines:
            if (found := _UNFINISHED.match(line)) is not None:
                begun[found[1]] = found[3]
                yield Call(found[2], _split(found[3]), "", ends=False)
            elif (found := _RESUMED.match(line)) is not None:
                if not found[4].startswith("-1"):
                    yield Call(found[2], _split(begun.pop(found[1]) + found[3]), found[4], ends=True)
            elif (found := _WHOLE.match(line)) is not None and not found[4].startswith("-1"):
                arguments = _split(found[3])
                yield Call(found[2], arguments, "", ends=False)
                yield Call(found[2], arguments, found[4], ends=True)


def _split(arguments: str) -> list[str]:
    return arguments.split(", ")  # every string is in hexadecimal: no comma is part of one


def text(argument: str) -> bytes:
    """The bytes of a quoted argument."""
    if argument.endswith("..."):
        raise ValueError("strace cut a string short")
    return bytes.fromhex(argument.strip('"').replace("\\x", ""))


def path_of(argument: str) -> str:
    """The path of `5<path>`."""
    return bytes.fromhex(argument[argument.index("<") + 1 : argument.rindex(">")].replace("\\x", "")).decode()


def _at(arguments: list[str], index: int) -> str:
    """The path that a directory's descriptor and a name make."""
    return str(PurePosixPath(path_of(arguments[index])) / text(arguments[index + 1]).decode())


# the disk


@dataclass
class File:
    synced: bytearray = field(default_factory=bytearray)
    length: int = 0  # with what was not synced
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)  # (offset, bytes) or (length, None)


Node = File | None  # None: a directory, or nothing


def _put(body: bytearray, offset: int, data: bytes | None) -> None:
    if data is None:
        body.extend(b"\0" * (offset - len(body)))
        del body[offset:]
        return
    body.extend(b"\0" * (offset + len(data) - len(body)))
    body[offset : offset + len(data)] = data


@dataclass
class Change:
    """Names that appear or disappear together; None: no file of that name."""

    names: dict[str, File | None]
    directories: tuple[str, ...] = ()  # made

    @property
    def parents(self) -> set[str]:
        return {str(PurePosixPath(name).parent) for name in (*self.names, *self.directories)}


class Disk:
    """Everything below `root`, which was there before. SQLite's `-shm` is rebuilt at each opening and left out."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._live: dict[str, File] = {}
        self._names: dict[str, File] = {}  # that are on the disk
        self._directories = {self._root}  # that are on the disk
        self._waiting: list[Change] = []  # names that are not on the disk yet, in order
        self._syncing: dict[str, int] = {}  # path -> how many writes a sync under way covers
        self.version = 0  # of what is on the disk

    def feel(self, call: Call) -> None:
        """Let a call have its effect."""
        handle = _EFFECTS.get(call.name)
        if handle is not None:
            handle(self, call)

    def _ours(self, path: str) -> bool:
        return path.startswith(self._root + "/") and not path.endswith("-shm")

    def _change(self, change: Change) -> None:
        for name, file in change.names.items():
            if file is None:
                self._live.pop(name, None)
            else:
                self._live[name] = file
        self._waiting.append(change)

    def _open(self, call: Call) -> None:
        if not call.ends or "O_CREAT" not in call.arguments[2]:
            return
        path = path_of(call.answer)
        if not self._ours(path):
            return
        if path not in self._live:
            self._change(Change({path: File()}))
        elif "O_TRUNC" in call.arguments[2]:
            self._truncate_to(path, 0)

    def _write(self, call: Call) -> None:
        path = path_of(call.arguments[0])
        if not call.ends or not self._ours(path):
            return
        file = self._live[path]
        data = text(call.arguments[1])[: int(call.answer.split()[0])]
        offset = int(call.arguments[3]) if call.name == "pwrite64" else file.length
        file.pending.append((offset, data))
        file.length = max(file.length, offset + len(data))

    def _truncate(self, call: Call) -> None:
        path = path_of(call.arguments[0])
        if call.ends and self._ours(path):
            self._truncate_to(path, int(call.arguments[1]))

    def _truncate_to(self, path: str, length: int) -> None:
        self._live[path].pending.append((length, None))
        self._live[path].length = length

    def _sync(self, call: Call) -> None:
        """A sync covers what was written before it began."""
        path = path_of(call.arguments[0])
        file = self._live.get(path)
        if not call.ends:
            self._syncing[path] = len(file.pending) if file else len(self._waiting)
            return
        covered = self._syncing[path]
        self.version += 1
        if file is not None:
            for offset, data in file.pending[:covered]:
                _put(file.synced, offset, data)
            del file.pending[:covered]
            return
        for change in [each for each in self._waiting[:covered] if each.parents == {path}]:
            self._settle(change, self._names, self._directories)
            self._waiting.remove(change)

    @staticmethod
    def _settle(change: Change, names: dict[str, File], directories: set[str]) -> None:
        directories.update(change.directories)
        for name, file in change.names.items():
            if file is None:
                names.pop(name, None)
            else:
                names[name] = file

    def _remove(self, call: Call) -> None:
        path = text(call.arguments[0]).decode() if call.name == "unlink" else _at(call.arguments, 0)
        if call.ends and self._ours(path):
            self._change(Change({path: None}))

    def _rename(self, call: Call) -> None:
        if not call.ends:
            return
        old, new = (
            (text(call.arguments[0]).decode(), text(call.arguments[1]).decode())
            if call.name == "rename"
            else (_at(call.arguments, 0), _at(call.arguments, 2))
        )
        if self._ours(new):
            self._change(Change({new: self._live[old], old: None}))

    def _make_directory(self, call: Call) -> None:
        path = text(call.arguments[0]).decode() if call.name == "mkdir" else _at(call.arguments, 0)
        if call.ends and self._ours(path):
            self._waiting.append(Change({}, (path,)))

    def cut(self, into: Path, chance: random.Random | None = None) -> None:
        """Make the folder `into` what is found after a cut now: with nothing that was not synced, or with some of it."""
        names, directories = dict(self._names), set(self._directories)
        if chance is not None:
            for change in self._waiting[: chance.randint(0, len(self._waiting))]:
                self._settle(change, names, directories)
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir()
        for directory in sorted(directories):
            self._place(directory, into).mkdir(exist_ok=True, parents=True)
        for name, file in names.items():
            parents = {
                str(parent) for parent in PurePosixPath(name).parents if str(parent).startswith(self._root)
            }
            if parents <= directories:
                self._place(name, into).write_bytes(_found(file, chance))

    def _place(self, path: str, into: Path) -> Path:
        return into / PurePosixPath(path).relative_to(self._root)


def _found(file: File, chance: random.Random | None) -> bytes:
    if chance is None:
        return bytes(file.synced)
    body = bytearray(file.synced)
    for offset, data in file.pending:
        fate = chance.random()
        if fate < 0.45:
            continue
        if data is None or fate < 0.9:
            _put(body, offset, data)
            continue
        for start in range(0, len(data), SECTOR):  # a torn write
            if chance.random() < 0.5:
                _put(body, offset + start, data[start : start + SECTOR])
    return bytes(body)


_EFFECTS = {
    "openat": Disk._open,
    "pwrite64": Disk._write,
    "write": Disk._write,
    "ftruncate": Disk._truncate,
    "fsync": Disk._sync,
    "fdatasync": Disk._sync,
    "unlink": Disk._remove,
    "unlinkat": Disk._remove,
    "rename": Disk._rename,
    "renameat": Disk._rename,
    "renameat2": Disk._rename,
    "mkdir": Disk._make_directory,
    "mkdirat": Disk._make_directory,
}
