"""What a set-up left beside the files of a tree, kept where no test can write, so that one set-up does for many runs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.json_types import JsonObject
from orchestrator.store.deletion import remove_folder
from workers.git.verify_checkouts import VerifyCheckout

_MARK = "prepared.json"  # written last: without it nothing here counts
_FILES = "files"
_SCRATCH = "scratch"
_HOMES = ("home", "cache")  # folders of the scratch folder where tools keep what they installed for the user
_FETCHED = frozenset({"uv", "pip", "yarn", "go-build", ".npm"})  # in them: only there to be installed from


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
            remove_folder(self.folder)
        self.folder.mkdir(mode=0o700, parents=True)

    def keep(self, key: str, env: Mapping[str, str], checkout: VerifyCheckout, *, home: bool) -> None:
        """Copy what lies beside the tracked files, and with `home` what is in the set-up's. Raises OSError, GitError."""
        for name in checkout.untracked():
            _copy(checkout.files / name, self.folder / _FILES / name)
        for name in _HOMES if home else ():
            for each in (checkout.scratch / name).iterdir():
                if each.name not in _FETCHED:
                    _copy(each, self.folder / _SCRATCH / name / each.name)
        (self.folder / _MARK).write_text(json.dumps({"key": key, "env": dict(env)}), encoding="utf-8")

    def restore(self, checkout: VerifyCheckout) -> None:
        """Copy what was kept into a checkout of the same base, which has none of it. Raises OSError."""
        for name, folder in ((_FILES, checkout.files), (_SCRATCH, checkout.scratch)):
            if (self.folder / name).is_dir():
                shutil.copytree(self.folder / name, folder, symlinks=True, dirs_exist_ok=True)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True, ignore=_pipes_and_sockets)
    elif source.is_symlink() or source.is_file():
        shutil.copy2(source, target, follow_symlinks=False)


def _pipes_and_sockets(folder: str, names: Sequence[str]) -> list[str]:
    """What cannot be copied, and belongs to processes that have ended."""
    with os.scandir(folder) as entries:
        return [
            each.name
            for each in entries
            if not (each.is_symlink() or each.is_dir() or each.is_file()) and each.name in names
        ]
