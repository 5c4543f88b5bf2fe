"""Explorations kept on disk: one file each and an index that says of what tree it speaks and how it must read.

Lookups take no lock: files appear whole by rename, and an entry counts only when its file's digest is the index's.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from orchestrator.domain.json_types import JsonObject

INDEX = "cache-index.json"
_FORMAT = 1  # raised when explorations change in form or in what they look at
_LOCK_LOOK = 0.05  # seconds between two tries: the kernel offers no timed wait for a file lock


class ExplorationCache:
    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory

    def get(self, name: str, tree: str) -> JsonObject | None:
        """The exploration `name` of exactly this `tree`, or None; an entry whose file is gone or spoilt is dropped."""
        entry = self._index().get(name)
        if not isinstance(entry, dict) or entry.get("tree") != tree:
            return None
        try:
            data = (self._directory / name).read_bytes()
            record = json.loads(data)
        except (OSError, ValueError, RecursionError):
            data, record = b"", None
        if hashlib.sha256(data).hexdigest() == entry.get("sha256") and isinstance(record, dict):
            return record
        self._update(lambda entries: entries.pop(name, None) if entries.get(name) == entry else None)
        return None

    def put(self, name: str, tree: str, record: JsonObject) -> None:
        data = json.dumps(record, ensure_ascii=False, indent=1).encode()
        _write(self._directory / name, data)
        meta = record["_metadata"]
        entry = {
            "tree": tree,
            "sha256": hashlib.sha256(data).hexdigest(),
            "angle": meta["angle"],
            "keywords": meta["keywords"],
            "explored_at": meta["explored_at"],
        }
        self._update(lambda entries: entries.__setitem__(name, entry))

    @contextmanager
    def exclusive(
        self, name: str, *, late: Callable[[], bool], stop: threading.Event | None
    ) -> Iterator[bool]:
        """Hold the right to make `name`, among all threads and processes; False when the time was up first."""
        with (self._directory / f".{name}.lock").open("ab") as file:
            while True:
                try:
                    # flock, not lockf: it also keeps two threads of one process apart.
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    if late():
                        yield False
                        return
                    stop.wait(_LOCK_LOOK) if stop else time.sleep(_LOCK_LOOK)
                else:
                    yield True
                    return

    def _index(self) -> JsonObject:
        """The entries; none when the index is missing, corrupt or of another format: it is rebuilt by what follows."""
        try:
            data = json.loads((self._directory / INDEX).read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            return {}
        entries = data.get("entries")
        return entries if isinstance(entries, dict) else {}

    def _update(self, change: Callable[[JsonObject], object]) -> None:
        with (self._directory / f".{INDEX}.lock").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # held for one small write
            entries = {name: e for name, e in self._index().items() if (self._directory / name).is_file()}
            change(entries)
            data = {"format": _FORMAT, "entries": dict(sorted(entries.items()))}
            _write(self._directory / INDEX, json.dumps(data, ensure_ascii=False, indent=1).encode())


def entry_name(root: Path, angle: str, keywords: Sequence[str]) -> str:
    """One name for one question: a newer tree replaces the older exploration instead of piling up beside it."""
    key = json.dumps([_FORMAT, os.fsencode(root.resolve()).hex(), angle, sorted(keywords)])
    safe = re.sub(r"[^a-z0-9-]", "-", angle.lower())
    return f"explore-{safe}-{hashlib.sha256(key.encode()).hexdigest()[:12]}.json"


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all, also after a power cut."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).rename(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
