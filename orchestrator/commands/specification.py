"""A specification that exists: a folder or Markdown file (`--spec PATH`), or that of the newest finished session.

It becomes the first artifacts of the new session, below `spec/`, masked as requests are. What cannot be one is refused before
anything is made.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from orchestrator.domain import secrets
from orchestrator.domain.approvals import digest_of
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.empty_requests import is_about
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import Json, JsonObject
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.patterns import expression
from orchestrator.store import artifacts, files, sessions
from orchestrator.store.store import Tx
from orchestrator.views.layout import title_of

FOLDER, CONTENT = "spec/", "spec/.content/"
READINESS = "spec/readiness-report.md"
SINGLE = "spec/specification.md"  # where a file that is brought along becomes part of the session
MARKDOWN = (".md", ".markdown")
MOST_FILES, MOST_BYTES = 1_000, 20 * 1024 * 1024  # of a folder
FILE_BYTES = 1024 * 1024
_HEADING = expression(
    r"^#\s+(?:(?:Product brief|产品简报)[:：]\s*)?(\S.*)$", re.M
)  # `brief_title` of the labels
_SUFFIXES = (".md", ".json")
_KEYS = {"document", "content", "files"}  # of the content that documents are made of
_REPORT_KEYS = {"document", "gate", "bars"}  # ... and of a report that scores them


@dataclass(frozen=True, slots=True)
class Specification:
    source: str  # the path as it was given, or the session it is of
    files: Mapping[str, bytes]  # path below the session's folder -> bytes

    @property
    def digest(self) -> str:
        return digest_of((FOLDER,), {path: artifacts.digest_of(body) for path, body in self.files.items()})

    @property
    def title(self) -> str:
        """What it is of, by its first heading; empty where it has none."""
        path = next(
            (path for path in self.files if path.endswith("/product-brief.md")), next(iter(self.files), None)
        )
        text = "" if path is None else self.files[path].decode("utf-8", "replace")
        heading = _HEADING.search(text)
        return "" if heading is None else title_of(f"# {heading[1]}".replace("`", ""))

    @property
    def view(self) -> JsonObject:
        return {"source": self.source, "files": len(self.files), "digest": self.digest}


def read_specification(path: Path, shown: str, environ: Mapping[str, str]) -> Specification:
    """The specification in a folder or a Markdown file, without secrets. Raises UsageError for anything else."""
    if not os.path.lexists(path):
        raise _refused(shown, "there is no such file")
    folder = path / "spec" if (path / "spec").is_dir() else path
    if folder.is_dir():
        found = _folder(folder, shown)
    elif path.suffix.lower() in MARKDOWN:
        found = {SINGLE: _body(path.parent, path.name, shown)}
    else:
        raise _refused(shown, "it is neither a folder nor a Markdown file")
    known = secrets.known(environ)
    return Specification(
        shown, {name: _checked(name, body, shown, known) for name, body in sorted(found.items())}
    )


def newest_specification(tx: Tx) -> Specification | None:
    """That of the newest finished session that has one; None where none has."""
    for session in reversed(sessions.all_sessions(tx)):
        if session.status != SessionStatus.COMPLETED:
            continue
        rows = [row for row in artifacts.newest(tx, session.id) if row.path.startswith(FOLDER)]
        if any(row.path.endswith(".md") for row in rows):
            return Specification(session.id, {row.path: artifacts.body(tx, row.sha256) for row in rows})
    return None


def check_about(found: Specification, request: str) -> None:
    """Raise UsageError where a request is about something else than the specification that was found for it.

    The readiness report says nothing of it: it speaks of reports, scores and pages in every session.
    """
    text = "\n".join(
        body.decode("utf-8", "replace")
        for path, body in found.files.items()
        if path.endswith(".md") and path != READINESS
    )
    if not is_about(request, text):
        raise UsageError(
            "the newest specification is about something else",
            why=f"it is that of {found.source}, and most words of the request do not occur in it",
            fix="name the one that is meant with --spec PATH; --yes takes this one",
        )


def register(tx: Tx, session: str, found: Specification) -> None:
    """Make the files the first versions of the new session's; large ones must be kept already."""
    for path, body in found.files.items():
        kind = "content" if path.startswith(CONTENT) else "document"
        digest = artifacts.put(tx, body)
        artifacts.register(tx, session, path, digest, len(body), kind, author="user", task=None, run=None)


def _folder(folder: Path, shown: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    size = 0
    for name in _names(folder, shown):
        body = _body(folder, name, shown)
        size += len(body)
        if size > MOST_BYTES:
            raise _refused(shown, f"its files have more than {MOST_BYTES >> 20} MB together")
        found[f"{FOLDER}{name}"] = body
    if not any(name.endswith(".md") for name in found):
        raise _refused(shown, "no Markdown file is in it")
    return found


def _names(folder: Path, shown: str) -> Iterator[str]:
    """The Markdown and JSON files below a folder, links left alone."""
    count = 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each == ".content" or not each.startswith("."))
        for name in sorted(names):
            if not name.endswith(_SUFFIXES) or Path(here, name).is_symlink():
                continue
            count += 1
            if count > MOST_FILES:
                raise _refused(shown, f"it has more than {MOST_FILES} files")
            yield PurePosixPath(Path(here, name).relative_to(folder)).as_posix()


def _body(folder: Path, name: str, shown: str) -> bytes:
    try:
        body = files.read(folder, name, FILE_BYTES)
    except files.UnsafePath as error:
        raise _refused(shown, f"{name[:200]}: {error.why or error.what}") from error
    except OSError as error:
        raise _refused(shown, f"{name[:200]}: {error.strerror}") from error
    if body is None:
        raise _refused(shown, f"{name[:200]} is not there")
    return body


def _checked(name: str, body: bytes, shown: str, known: secrets.Known) -> bytes:
    """The bytes without secrets. Raises UsageError for what is no text, or no content of a document."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(shown, f"{name} is not UTF-8: byte {error.start} cannot be read") from error
    if "\0" in text or not text.strip():
        raise _refused(shown, f"{name} is {'binary' if text.strip() else 'empty'}")
    masked = secrets.mask(text, known)
    if name.endswith(".json"):
        _check_json(name, masked, shown)
    return masked.encode("utf-8", "replace")


def _check_json(name: str, text: str, shown: str) -> None:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _refused(shown, f"{name} is no JSON: {error}") from error
    if name.startswith(CONTENT) and not (
        isinstance(value, dict) and (value.keys() >= _KEYS or value.keys() >= _REPORT_KEYS)
    ):
        raise _refused(shown, f"{name} is no content of a document")


def _refused(shown: str, why: str) -> UsageError:
    return UsageError(
        f"{shown[:200]!r} cannot be used as a specification",
        why=why,
        fix="name the spec folder of a finished session, or one Markdown file",
    )
