"""export and import: a session with its whole history in one zip file.

The file holds `manifest.json`, `rows/<table>.json` and `contents/<sha256>`. It may come from a stranger: names are
never used as paths, everything is bounded and checked before the first row is written, and a session that was under way
arrives paused.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

from orchestrator.commands import older_packages, portable_work
from orchestrator.commands.portable_links import Links
from orchestrator.domain import ids
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import LifecycleError, UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store import artifacts, files, messages, sessions, transfer
from orchestrator.store.backends.sqlite_file import SCHEMA
from orchestrator.store.store import Store, Tx

FORMAT = "team-lifecycle session"
VERSION = 2
OLDEST = 1
MAX_BYTES = 1024 * 1024 * 1024  # unpacked, all together
MAX_MEMBERS = 100_000
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same session makes the same file


@dataclass(frozen=True, slots=True)
class Package:
    session: str
    rows: transfer.Rows
    contents: dict[str, bytes]
    code: portable_work.Code | None = None
    links: Links | None = None


def export(
    store: Store,
    session: str,
    target: Path,
    *,
    force: bool = False,
    extra: Mapping[str, bytes] | None = None,
) -> JsonObject:
    """Write the session into a new file. Raises UsageError when the file exists or cannot be written."""
    packed = pack(gather(store, session), extra)
    write_file(target, packed.bytes, force=force)
    return {
        "session": session,
        "file": str(target),
        "rows": packed.rows,
        "contents": packed.contents,
        "bytes": len(packed.bytes),
    }


def gather(store: Store, session: str) -> Package:
    """The session as it is now."""

    def read(tx: Tx) -> Package:
        digests = transfer.digests_of(tx, session)
        bodies = {digest: artifacts.body(tx, digest) for digest in digests}
        return Package(session, transfer.rows_of(tx, session), bodies)

    return store.read(read)


def exists(target: Path) -> UsageError:
    return UsageError(
        f"cannot write {str(target)!r}", why="it exists already", fix=f"{_ANOTHER}, or add --force"
    )


_ANOTHER = "name another file with --output"


def write_file(target: Path, body: bytes, *, force: bool = False) -> None:
    """Write a file that is its owner's alone; `force`: in the place of one that is there. Raises UsageError."""
    draft = target.with_name(f".{target.name[:100]}.{os.getpid()}.new") if force else target
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError as error:
        raise exists(target) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"cannot write {str(target)!r}", why=why, fix=_ANOTHER) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        if force:
            draft.replace(target)
    except OSError as error:
        draft.unlink()
        raise LifecycleError(
            f"cannot write {str(target)!r}",
            why=error.strerror or str(error),
            fix="name another place with --output",
        ) from error


@dataclass(frozen=True, slots=True)
class Packed:
    bytes: bytes
    rows: int
    contents: int


def pack(
    package: Package, extra: Mapping[str, bytes] | None = None, about: Mapping[str, Json] | None = None
) -> Packed:
    """The file's bytes; `extra` members and what the manifest says `about` them are passed over by an import."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        manifest = {"format": FORMAT, "version": VERSION, "schema": SCHEMA, "session": package.session}
        manifest |= about or {}
        _add(archive, "manifest.json", _json(manifest))
        for table, rows in package.rows.items():
            _add(archive, f"rows/{table}.json", _json(rows))
        for digest, body in package.contents.items():
            _add(archive, f"contents/{digest}", body)
        for name, body in (extra or {}).items():
            _add(archive, name, body)
    counted = sum(map(len, package.rows.values()))
    return Packed(buffer.getvalue(), counted, len(package.contents))


def _json(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _add(archive: zipfile.ZipFile, name: str, body: bytes) -> None:
    member = zipfile.ZipInfo(name, _EPOCH)
    member.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(member, body)


def read(file: Path) -> Package:
    """A package, checked as far as that needs no database. Raises UsageError."""
    if not file.is_file():
        raise UsageError(
            f"cannot read {str(file)!r}",
            why="it is missing, or not a regular file",
            fix="name an exported file",
        )
    try:
        with zipfile.ZipFile(file) as archive:
            return _checked(archive)
    except LifecycleError as error:
        why = f"{error.what} ({error.why})"
        raise UsageError(
            f"{str(file)!r} is not an exported session", why=why, fix="export it again: lifecycle export"
        ) from error
    except (
        OSError,
        zipfile.BadZipFile,
        ValueError,
        KeyError,
        TypeError,
        NotImplementedError,
        RecursionError,
    ) as error:
        raise UsageError(
            f"{str(file)!r} is not an exported session",
            why=str(error),
            fix="name a file that `lifecycle export` wrote",
        ) from error


def unpack(body: bytes) -> Package:
    """What `pack` made. Raises ValueError, KeyError or TypeError for what it has not made."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return _checked(archive)


def _checked(archive: zipfile.ZipFile) -> Package:
    """Raises ValueError, KeyError or TypeError for whatever does not fit."""
    members = archive.infolist()
    if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > MAX_BYTES:
        raise ValueError("it is too large")
    manifest = json.loads(archive.read("manifest.json"))
    if manifest.get("format") != FORMAT:
        raise ValueError("its manifest names another format")
    version, schema = manifest["version"], str(manifest["schema"])
    if version not in range(OLDEST, VERSION + 1):
        raise ValueError(f"it has format {version}, this program knows {OLDEST} to {VERSION}")
    if schema > SCHEMA:
        raise ValueError(f"it has schema {schema}, this program knows {SCHEMA}: install the newer version")
    session = ids.check_session_id(manifest["session"])
    rows: transfer.Rows = {}
    for table in transfer.columns():
        rows[table] = json.loads(archive.read(f"rows/{table}.json"))
        if not all(isinstance(row, dict) for row in rows[table]):
            raise ValueError(f"its rows of {table} are no objects")
    older_packages.upgrade(rows, schema)
    for table, columns in transfer.columns().items():
        if any(set(row) != columns for row in rows[table]):
            raise ValueError(f"its rows of {table} have other columns")
    _check_rows(session, rows)
    code = portable_work.read_code(archive.read)
    links = portable_work.read_links(archive.read, frozenset(str(row["id"]) for row in rows["runs"]))
    return Package(session, rows, _contents(archive, rows), code, links)


def _check_rows(session: str, rows: transfer.Rows) -> None:
    """One session, and no path that could lead out of its directory."""
    if [row["id"] for row in rows["sessions"]] != [session]:
        raise ValueError("it does not contain exactly the session that its manifest names")
    for table, found in rows.items():
        if any(row.get("session_id", session) != session for row in found):
            raise ValueError(f"its rows of {table} belong to another session")
    numbers = [row["number"] for row in rows["messages"]]
    if numbers != list(range(1, rows["sessions"][0]["messages"] + 1)):
        raise ValueError("its messages are not numbered 1 to the last without a gap")
    for row in (*rows["artifacts"], *rows["products"]):
        files.clean(row["path"])
    for row in rows["tasks"]:
        ids.parse_key(row["key"])


def _contents(archive: zipfile.ZipFile, rows: transfer.Rows) -> dict[str, bytes]:
    needed = {row["sha256"] for row in (*rows["artifacts"], *rows["products"])}
    found = {digest: archive.read(f"contents/{digest}") for digest in sorted(needed)}
    wrong = [digest for digest, body in found.items() if artifacts.digest_of(body) != digest]
    if wrong:
        raise ValueError(f"a content does not match its digest {wrong[0][:12]}")
    return found


def take_in(store: Store, package: Package, project: Path, *, who: str) -> JsonObject:
    """Make the package's session one of this project. Raises UsageError when it is here already, or does not fit."""
    if store.read(lambda tx: sessions.get(tx, package.session)) is not None:
        raise UsageError(
            f"{package.session} already exists here",
            why="a session is never overwritten",
            fix="delete it first, or import into another project",
        )
    rows = at_rest(package.rows, project, store.clock.wall())
    for body in package.contents.values():
        artifacts.keep_large(store.workflow, body)

    def unit(tx: Tx) -> JsonObject:
        for body in package.contents.values():
            artifacts.put(tx, body)
        transfer.insert_rows(tx, rows)
        messages.event(tx, package.session, "imported", f"imported by {who}")
        status = rows["sessions"][0]["status"]
        return {"session": package.session, "status": status}

    try:
        return store.write(unit, about=package.session)
    except transfer.NotWhole as error:
        raise UsageError(
            "the file does not contain a whole session", why=error.why, fix="export it again"
        ) from error


def bring_code(store: Store, package: Package, project: Path, *, keeps_bundle: bool = True) -> str:
    """Bring the code of a session that was just taken in into the project, and its links; why not, or nothing.

    `keeps_bundle`: beside the stores, where the code cannot be brought.
    """
    code, links = package.code, package.links
    if code is None:
        return "" if links is None else portable_work.restore_links(store, package.session, links, project)
    runs = frozenset(str(row["id"]) for row in package.rows["runs"] if row["outcome"] == "completed")
    return portable_work.restore(
        store, package.session, code, links, runs, project, keeps_bundle=keeps_bundle
    )


def at_rest(rows: transfer.Rows, project: Path, now: int) -> transfer.Rows:
    """The rows with no open run: the hosts that worked on the session are elsewhere."""
    session = dict(rows["sessions"][0])
    options = session["options"]
    if isinstance(options, dict):  # a folder of the machine it comes from is none of ours to read or write
        session["options"] = {name: value for name, value in options.items() if name != "cassette"}
    session |= {"workspace": str(project), "projected": 0, "needs_beat": 1}
    if session["status"] == "active":
        session |= {
            "status": "paused",
            "pause_reason": "user",
            "pause_detail": {"by": "import", "words": "it was unfinished when it was exported"},
        }
    runs = [
        {**row, "outcome": "released", "closed_at": now, "error": "exported while running"}
        if row["outcome"] is None
        else row
        for row in rows["runs"]
    ]
    tasks = [
        {**row, "status": "pending", "started_at": None}
        if row["status"] == "in_progress"
        else {**row, "offered_at": None}
        for row in rows["tasks"]
    ]
    return {**rows, "sessions": [session], "runs": runs, "tasks": tasks}
