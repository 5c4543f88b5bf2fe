"""export --bundle: a session for a bug report, without secrets and without its owner's name.

It is an exported session (portable.py) whose texts were cleaned and whose contents got new digests, so `lifecycle import`
takes it in; beside it lie the cassette, the ends of the logs, the settings and what `doctor` said.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from orchestrator.commands import portable
from orchestrator.domain import secrets
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.store import artifacts, cassettes, files, sessions
from orchestrator.store.store import Store

VERSION = 1
LOG_BYTES = 256 * 1024  # of each log's end
CASSETTE = "cassette"
_NOBODY = frozenset(
    {"root", "user", "admin", "test", "ubuntu", "debian", "runner", "node", "app", "coordinator"}
)
SHORTEST_NAME = 3
NOBODY = "usr"  # stands for a user's name, in ids and file names too: no longer than any name, and a word of a slug


@dataclass
class Cleaner:
    """Replaces secrets, folders and user names, and counts what it replaced."""

    known: secrets.Known
    names: tuple[tuple[re.Pattern[str], str, str], ...]  # what, by what, counted as
    counted: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(
        cls, environ: Mapping[str, str], *, project: Path, homes: Iterable[str], users: Iterable[str]
    ) -> Cleaner:
        paths = [
            (str(project), "(project)", "project folder"),
            *((home, _home(home), "home folder") for home in homes),
        ]
        found = [
            (re.compile(re.escape(path.rstrip("/")) + r"(?![\w-])"), by, kind)
            for path, by, kind in sorted(paths, key=lambda entry: -len(entry[0]))
            if len(path) > SHORTEST_NAME
        ]
        for user in sorted(set(users) - _NOBODY):
            if len(user) >= SHORTEST_NAME:
                word = re.compile(rf"(?<![^\W_]){re.escape(user)}(?![^\W_])", re.I)
                found.append((word, NOBODY, "user name"))
        return cls(secrets.known(environ), tuple(found))

    def text(self, text: str) -> str:
        text, counted = secrets.counted(text, self.known)
        self.counted += counted
        for what, by, kind in self.names:
            text, number = what.subn(by, text)
            self.counted[kind] += number
        return text

    def value(self, value: Json) -> Json:
        """A plain value with every string in it cleaned."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(key): self.value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner) for inner in value]
        return value

    def body(self, body: bytes) -> bytes:
        return self.text(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def export(
    store: Store,
    session: str,
    target: Path,
    cleaner: Cleaner,
    *,
    logs: Path,
    settings: JsonObject,
    doctor: Json,
    program: str,
    force: bool = False,
) -> JsonObject:
    """Write the bundle. Raises UsageError when the file exists or cannot be written."""
    package = _cleaned(portable.gather(store, session), cleaner)
    row = store.read(lambda tx: sessions.get(tx, session))
    assert row is not None
    extra = {
        "request.md": cleaner.text(row.request).encode("utf-8", "replace"),
        "settings.json": _json(cleaner.value(settings)),
        "doctor.json": _json(cleaner.value(doctor)),
        **_logs(logs, cleaner),
        **_cassette(row.options.get("cassette"), cleaner),
    }
    about = {
        "version": VERSION,
        "program": program,
        "masked": {kind: number for kind, number in sorted(cleaner.counted.items()) if number},
        "files": {name: hashlib.sha256(body).hexdigest() for name, body in extra.items()},
        "cassette": f"{CASSETTE}/{cassettes.MANIFEST}" in extra,
    }
    packed = portable.pack(package, extra, {"bundle": about})
    portable.write_file(target, packed.bytes, force=force)
    return {
        "session": package.session,
        "file": str(target),
        "rows": packed.rows,
        "contents": packed.contents,
        "bytes": len(packed.bytes),
        "masked": about["masked"],
        "cassette": about["cassette"],
    }


def _home(home: str) -> str:
    """As many words as before where that is usual: what was named after a path is still named after it."""
    parent = str(Path(home).parent)
    return f"{parent if parent in ('/home', '/Users') else '/home'}/{NOBODY}"


def _cleaned(package: portable.Package, cleaner: Cleaner) -> portable.Package:
    """The same session with cleaned texts; contents get new digests."""
    renamed: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    for digest, body in package.contents.items():
        clean = cleaner.body(body)
        renamed[digest] = artifacts.digest_of(clean)
        contents[renamed[digest]] = clean
    rows = {table: [_row(row, cleaner) for row in found] for table, found in package.rows.items()}
    for row in (*rows["artifacts"], *rows["products"]):
        row["sha256"] = renamed[row["sha256"]]
        if "size" in row:
            row["size"] = len(contents[row["sha256"]])
    for host in rows["hosts"]:
        host |= {"boot": "masked", "pid_space": "masked"}
    return portable.Package(cleaner.text(package.session), rows, contents)


def _row(row: Mapping[str, Json], cleaner: Cleaner) -> JsonObject:
    """What the product made from nobody's words stays; session ids and file names were made from the request's."""
    return {key: value if key in _KEPT else cleaner.value(value) for key, value in row.items()}


_KEPT = frozenset({"run_id", "key", "sha256", "incarnation", "host", "loop", "role"})


def _logs(folder: Path, cleaner: Cleaner) -> dict[str, bytes]:
    found = {}
    for path in sorted(folder.glob("*")) if folder.is_dir() else ():
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - LOG_BYTES))
            end = file.read(LOG_BYTES)
        if size > LOG_BYTES:  # a line that was cut could hold half a secret
            end = end.partition(b"\n")[2]
        found[f"logs/{re.sub(r'[^A-Za-z0-9._-]', '-', path.name)}"] = cleaner.body(end)
    return found


def _cassette(chosen: Mapping[str, str] | None, cleaner: Cleaner) -> dict[str, bytes]:
    """The session's cassette, its digests those of the cleaned texts; nothing when it cannot be read any more."""
    if chosen is None:
        return {}
    folder = Path(chosen["folder"])
    try:
        found = {f"{CASSETTE}/{cassettes.MANIFEST}": _json(cleaner.value(cassettes.check(folder)))}
        for name in cassettes.names(folder):
            call = cassettes.renewed(cleaner.value(cassettes.call(folder, name)))
            found[f"{CASSETTE}/{cassettes.CALLS}/{cassettes.name_of(call)}"] = _json(call)
    except (UsageError, OSError, ValueError, files.UnsafePath) as error:
        return {f"{CASSETTE}.fault": cleaner.text(str(error)).encode("utf-8", "replace")}
    return found


def _json(value: Json) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
