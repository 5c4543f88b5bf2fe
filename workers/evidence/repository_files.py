"""The files of a tree that count for tests: what git would track, with the text of the few that are read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from workers.explore.inventory import take_inventory
from workers.explore.root import Root

MAX_TEXT_BYTES = 2 * 1024 * 1024
MAX_DATA_BYTES = 50 * 1024 * 1024  # lock files grow large


class RepositoryFiles:
    """The paths are listed once, when it is made; texts are read when asked for."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        with Root(tree) as root:
            found = take_inventory(root, late=lambda: False)
        self.paths = [file.path for file in found.files]
        self.is_whole = not found.truncated  # False: there are more files than are listed
        self._known = frozenset(self.paths)

    def __contains__(self, path: str) -> bool:
        return path in self._known

    def text(self, path: str) -> str:
        """The file's text; empty when there is none or it cannot be read."""
        if path not in self._known:
            return ""
        with Root(self.tree) as root:
            return root.text(path, MAX_TEXT_BYTES) or ""

    def data(self, path: str) -> bytes:
        """The file's bytes; empty when there is none or it cannot be read."""
        if path not in self._known:
            return b""
        with Root(self.tree) as root:
            return root.read(path, MAX_DATA_BYTES) or b""

    def named(self, names: Iterable[str]) -> list[str]:
        """The paths whose last part is one of the names, in order."""
        return sorted(path for name in set(names) for path in self._by_name.get(name, ()))

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.paths:
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found


def nearest(path: str, folders: frozenset[str]) -> str | None:
    """The deepest of the folders that `path` lies in; None when it lies in none."""
    folder = posixpath.dirname(path)
    while True:
        if folder in folders:
            return folder
        if not folder:
            return None
        folder = posixpath.dirname(folder)


def outermost(folders: Iterable[str]) -> list[str]:
    """The folders that lie in no other of them."""
    found: list[str] = []
    for folder in sorted(set(folders), key=lambda f: (f.count("/") if f else -1, f)):
        if not any(not top or folder.startswith(top + "/") for top in found):
            found.append(folder)
    return found
