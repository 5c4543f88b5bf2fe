"""What a set-up left beside the files of a tree, kept where no test can write, so that one set-up does for many runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.domain.json_types import JsonObject
from workers.git.checkouts import delete_folder

_MARK = "prepared.json"  # written last: without it nothing here counts
_FILES = "files"


@dataclass(frozen=True, slots=True)
class PreparedFiles:
    """Copies, and the variables that belong to them."""

    folder: Path  # outside the tree; set-ups may write to it, tests may not

    def env(self, key: str) -> dict[str, str] | None:
        """The variables of the set-up `key`; None when another one, or none, was kept."""
        try:
            kept: JsonObject = json.loads((self.folder / _MARK).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        env = kept.get("env")
        if kept.get("key") != key or not isinstance(env, dict):
            return None
        return {name: str(value) for name, value in env.items()}

    def clear(self) -> None:
        """Delete what was kept, and make the folder."""
        if self.folder.is_dir():
            delete_folder(self.folder)
        self.folder.mkdir(mode=0o700, parents=True)

    def keep(self, key: str, env: Mapping[str, str], tree: Path, names: Iterable[str]) -> None:
        """Copy these files and folders of the tree. Raises OSError."""
        for name in names:
            _copy(tree / name, self.folder / _FILES / name)
        (self.folder / _MARK).write_text(json.dumps({"key": key, "env": dict(env)}), encoding="utf-8")

    def restore(self, tree: Path) -> None:
        """Copy what was kept into a tree of the same base, which has none of it. Raises OSError."""
        if (self.folder / _FILES).is_dir():
            shutil.copytree(self.folder / _FILES, tree, symlinks=True, dirs_exist_ok=True)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target, follow_symlinks=False)
