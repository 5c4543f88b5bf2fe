"""What an agent that may edit files changed below its folder, and the same change made again. No link is followed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from orchestrator.domain.errors import CassetteUnusable
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store import files

State = dict[str, tuple[str, bool]]  # path -> digest, and whether its owner may execute it
# {"text": ...} or {"base64": ...}, with "executable": true where it is; None: it was removed
Change = JsonObject | None
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
            held = None if name == _NEVER else _held(path)
            if held is not None:
                body, executable = held
                found[path.relative_to(folder).as_posix()] = (hashlib.sha256(body).hexdigest(), executable)
    return found


def changes(folder: Path, before: State) -> tuple[dict[str, Change], list[str]]:
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
        found[path] = None if body is None else _told(body, after[path][1])
    return found, left_out


def apply(folder: Path, changed: Mapping[str, Json]) -> None:
    """Make recorded changes below the folder and nowhere else. Raises CassetteUnusable before anything is changed."""
    taken = {path: _taken(path, change) for path, change in changed.items()}
    try:
        for path, (body, executable) in taken.items():
            if body is None:
                files.remove(folder, path)
            else:
                files.write(folder, path, body, executable=executable)
    except (OSError, files.UnsafePath) as error:
        raise CassetteUnusable("a recorded change cannot be made again", why=str(error)) from error


def _held(path: Path) -> tuple[bytes, bool] | None:
    """A plain file's bytes, and whether it can be executed; None for anything else, and for what is gone again."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > FILE_BYTES:
            return None
        return file.read(), bool(found.st_mode & stat.S_IXUSR)


def _told(body: bytes, executable: bool) -> JsonObject:
    marks = {"executable": True} if executable else {}
    try:
        return {"text": body.decode("utf-8"), **marks}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode(), **marks}


def _taken(path: str, change: Json) -> tuple[bytes | None, bool]:
    try:
        if _NEVER in files.clean(path).parts:
            raise ValueError("inside .git")
        if change is None:
            return None, False
        executable = change.get("executable") is True  # format 1 did not say
        if "text" in change:
            return str(change["text"]).encode(), executable
        return base64.b64decode(change["base64"], validate=True), executable
    except (AttributeError, KeyError, TypeError, ValueError, binascii.Error, files.UnsafePath) as error:
        raise CassetteUnusable(
            "a recorded change cannot be made again", why=f"{path[:200]!r}: {error}"
        ) from error
