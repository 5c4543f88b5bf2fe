"""What an agent that may edit files changed below its folder, and the same change made again. No link is followed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from orchestrator.domain.errors import CassetteUnusable
from orchestrator.store import files

State = dict[str, str]  # path -> digest
Change = dict[str, str] | None  # {"text": ...} or {"base64": ...}; None: it was removed
FILE_BYTES = 16 * 1024 * 1024
_OURS = frozenset({"calls", "tmp"})  # a run keeps the words of its agents there
_NEVER = ".git"


def state(folder: Path) -> State:
    """Every plain file below the folder with its digest; what is too large to keep is passed over."""
    found: State = {}
    for at, inner, names in os.walk(folder, followlinks=False):
        top = Path(at) == folder
        inner[:] = sorted(name for name in inner if name != _NEVER and not (top and name in _OURS))
        for name in names:
            path = Path(at) / name
            body = None if name == _NEVER else _body(path)
            if body is not None:
                found[path.relative_to(folder).as_posix()] = hashlib.sha256(body).hexdigest()
    return found


def changes(folder: Path, before: Mapping[str, str]) -> tuple[dict[str, Change], list[str]]:
    """What is different now, and the paths that cannot be told: names that are unsafe elsewhere."""
    after = state(folder)
    found: dict[str, Change] = {}
    left_out: list[str] = []
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) == after.get(path):
            continue
        try:
            body = files.read(folder, path, FILE_BYTES) if path in after else None
        except files.UnsafePath:
            left_out.append(path.encode("utf-8", "replace").decode())
            continue
        found[path] = None if body is None else _told(body)
    return found, left_out


def apply(folder: Path, changed: Mapping[str, Any]) -> None:
    """Make recorded changes below the folder and nowhere else. Raises CassetteUnusable before anything is changed."""
    bodies = {path: _taken(path, change) for path, change in changed.items()}
    try:
        for path, body in bodies.items():
            files.remove(folder, path) if body is None else files.write(folder, path, body)
    except (OSError, files.UnsafePath) as error:
        raise CassetteUnusable("a recorded change cannot be made again", why=str(error)) from error


def _body(path: Path) -> bytes | None:
    """A plain file's bytes; None for anything else, and for what is gone again."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        return file.read() if stat.S_ISREG(found.st_mode) and found.st_size <= FILE_BYTES else None


def _told(body: bytes) -> dict[str, str]:
    try:
        return {"text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def _taken(path: str, change: Any) -> bytes | None:
    try:
        if _NEVER in files.clean(path).parts:
            raise ValueError("inside .git")
        if change is None:
            return None
        if "text" in change:
            return str(change["text"]).encode()
        return base64.b64decode(change["base64"], validate=True)
    except (KeyError, TypeError, ValueError, binascii.Error, files.UnsafePath) as error:
        raise CassetteUnusable(
            "a recorded change cannot be made again", why=f"{path[:200]!r}: {error}"
        ) from error
