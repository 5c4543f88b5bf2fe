"""A cassette's folder: `cassette.json` says what was recorded, `calls/` holds one file for each call of an agent.

It may come from a stranger: names in it are never used as paths, nothing is followed out of it, everything is bounded.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store import files

FORMAT = "team-lifecycle cassette"
VERSION = 2
OLDEST = 1  # its calls hold no `exit`, its file changes no `executable`
MANIFEST = "cassette.json"
CALLS = "calls"
CALL_BYTES = 64 * 1024 * 1024
MAX_CALLS = 20_000
_KEYS = frozenset({"agent", "kind", "perspective", "role", "task", "attempt", "number", "prompt", "ended"})

Parts = Iterable[tuple[str, str]]  # (name, text)
Does = Literal["record", "replay"]


def place(does: Does, folder: str) -> dict[str, str]:
    """What a session keeps in its options of its cassette. Raises UsageError for a path that is none."""
    try:
        return {"does": does, "folder": str(Path(folder).expanduser().resolve())}
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(
            f"cannot use {folder!r} as a cassette", why=str(error), fix="name a folder"
        ) from error


def check_new(folder: Path, made_for: str, *, again: bool) -> None:
    """Raises UsageError unless something can be recorded into the folder: it is new, empty, or holds no call yet.

    `again`: it may hold the calls of this very command, which is given a second time.
    """
    try:
        held = {entry.name for entry in folder.iterdir()}
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"cannot record into {str(folder)!r}", why=_reason(error), fix=_OTHER) from error
    if not held:
        return
    if MANIFEST in held:
        known = check(folder).get("made_for") == made_for
        if known and (again or not names(folder)):
            return
    raise UsageError(
        f"cannot record into {str(folder)!r}",
        why="there is a cassette already" if MANIFEST in held else "the folder is not empty",
        fix=_OTHER,
    )


_OTHER = "name a new folder with --record"


def begin(folder: Path, manifest: Mapping[str, Json]) -> None:
    """Make the folder, our owner's alone, and say what will be recorded. Raises UsageError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / MANIFEST).exists():
            files.write(folder, MANIFEST, _json({"format": FORMAT, "version": VERSION, **manifest}))
        (folder / CALLS).mkdir(mode=0o700, exist_ok=True)
    except (OSError, files.UnsafePath) as error:
        raise UsageError(f"cannot record into {str(folder)!r}", why=_reason(error), fix=_OTHER) from error


def check(folder: Path) -> JsonObject:
    """The manifest of a cassette whose calls can all be read. Raises UsageError."""
    try:
        found = _read(folder, MANIFEST)
        if found is None:
            why = "there is no cassette.json in it" if folder.is_dir() else "there is no such folder"
            raise UsageError(f"{str(folder)!r} is not a cassette", why=why, fix=_RECORDED)
        _check_version(folder, found)
        for name in names(folder):
            call(folder, name)
    except (OSError, ValueError, files.UnsafePath) as error:
        raise UsageError(f"{str(folder)!r} is not a cassette", why=_reason(error), fix=_RECORDED) from error
    return found


_RECORDED = "name a folder that `lifecycle start --record` made"


def names(folder: Path) -> list[str]:
    """The files of its calls, in order; what else lies there is passed over. Raises OSError, ValueError."""
    try:
        listed = list(os.scandir(folder / CALLS))
    except FileNotFoundError:
        return []
    entries = sorted(entry.name for entry in listed if _is_call(entry))
    if len(entries) > MAX_CALLS:
        raise ValueError(f"it has more than {MAX_CALLS} calls")
    return entries


def call(folder: Path, name: str) -> JsonObject:
    """One call. Raises ValueError, OSError or UnsafePath when it is none."""
    found = _read(folder, f"{CALLS}/{name}")
    if found is None:
        raise ValueError(f"{name} is missing")
    _check_version(folder, found)
    parts = found.get("prompt", {}).get("parts") if isinstance(found.get("prompt"), dict) else None
    if not found.keys() >= _KEYS or not isinstance(parts, list):
        raise ValueError(f"{name} is not a recorded call")
    return found


def keep(folder: Path, value: Mapping[str, Json]) -> None:
    """Write one call, whole or not at all. Raises OSError, UnsafePath."""
    files.write(folder, f"{CALLS}/{name_of(value)}", _json({"format": FORMAT, "version": VERSION, **value}))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(task: str, role: str, kind: str, perspective: str | None, parts: Parts) -> str:
    """What tells one question from another."""
    said = [task, role, kind, perspective, [list(part) for part in parts]]
    return digest(json.dumps(said, ensure_ascii=False))


def prompt_of(task: str, role: str, kind: str, perspective: str | None, parts: Parts) -> JsonObject:
    """The prompt as a call keeps it."""
    return {
        "digest": digest_of(task, role, kind, perspective, parts),
        "parts": [{"name": name, "digest": digest(text), "text": text} for name, text in parts],
    }


def renewed(value: Mapping[str, Json]) -> JsonObject:
    """A call whose texts were changed, with the digests of what they are now. Raises KeyError, TypeError."""
    parts = [(str(part["name"]), str(part["text"])) for part in value["prompt"]["parts"]]
    task, role, kind, perspective = (value[key] for key in ("task", "role", "kind", "perspective"))
    return {**value, "prompt": prompt_of(task, role, kind, perspective, parts)}


def stem_of(task: str, kind: str, perspective: str | None, prompt_digest: str) -> str:
    """How the files of a question's answers begin."""
    words = [task, kind, *([perspective] if perspective else []), prompt_digest[:12]]
    return ".".join(re.sub(r"[^A-Za-z0-9_-]", "-", word)[:40] for word in words) + "."


def name_of(value: Mapping[str, Json]) -> str:
    stem = stem_of(value["task"], value["kind"], value["perspective"], value["prompt"]["digest"])
    return f"{stem}{int(value['attempt'])}-{int(value['number']):03}.json"


def _is_call(entry: os.DirEntry[str]) -> bool:
    """The name decides first: another call's draft may be gone before it is looked at."""
    named = entry.name.endswith(".json") and not entry.name.startswith(".")
    return named and entry.is_file(follow_symlinks=False)


def _read(folder: Path, path: str) -> JsonObject | None:
    try:
        body = files.read(folder, path, CALL_BYTES)
        found = None if body is None else json.loads(body)
    except RecursionError as error:
        raise ValueError(f"{path} is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}") from error
    if found is not None and (not isinstance(found, dict) or found.get("format") != FORMAT):
        raise ValueError(f"{path} names another format")
    return found


def _check_version(folder: Path, found: Mapping[str, Json]) -> None:
    version = found.get("version")
    if isinstance(version, int) and version > VERSION:
        raise UsageError(
            f"{str(folder)!r} was recorded by a newer program",
            why=f"it has format {version}, this program knows {VERSION}",
            fix="update lifecycle, or record it again",
        )
    if version not in range(OLDEST, VERSION + 1):
        raise ValueError(f"it has format {version!r}, this program knows {OLDEST} to {VERSION}")


def _json(value: Mapping[str, Json]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def _reason(error: Exception) -> str:
    if isinstance(error, LifecycleError):
        return error.why
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
