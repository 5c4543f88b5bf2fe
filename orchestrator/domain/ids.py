"""The names of sessions and tasks: how they are made, read and refused (docs/domain.md, sections 1 and 2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from datetime import date

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UnknownName, UsageError
from orchestrator.domain.patterns import expression

SLUG_LIMIT = 40  # characters
ID_LIMIT = 100  # characters; the grammars alone have no bound
_COUNTED = 6  # digits of a session's number at most; a longer one was made by hand, and is passed over

_KEY = expression(r"(?P<base>(?P<stem>[A-Z][A-Z-]*(?:-[a-z]+)?)-[0-9]{3})(?:-R(?P<revision>[1-9][0-9]*))?")
_SESSION = expression(r"(?:TLS|UAN|TC)-(?P<slug>.+?)-[0-9]{4}-[0-9]{2}-[0-9]{2}(?:-[1-9][0-9]*)?")
_LETTERS = ("Ll", "Lo", "Lm", "Nd")
_MARKS = ("Mn", "Mc")  # vowel signs and accents: part of a word, but only behind a letter


@dataclass(frozen=True, slots=True)
class TaskKey:
    """A task's key taken apart: `DRAFT-002-R1` is base `DRAFT-002`, stem `DRAFT`, revision 1."""

    base: str
    stem: str
    revision: int = 0  # 0 for an original


def parse_key(key: str) -> TaskKey:
    """Take a task key apart. Raises UsageError for anything the grammar does not allow."""
    match = _KEY.fullmatch(key) if len(key) <= ID_LIMIT else None
    if match is None:
        raise UsageError(
            f"{shown(key)} is not a task id",
            why="examples are DRAFT-002, DEV-FE-001, IMPROVE-depth-001 and DRAFT-002-R1",
            fix="`lifecycle tasks` lists the ids of a session",
        )
    return TaskKey(match["base"], match["stem"], int(match["revision"] or 0))


def is_key(text: str) -> bool:
    return len(text) <= ID_LIMIT and _KEY.fullmatch(text) is not None


def revision_key(key: str, number: int) -> str:
    """The key of revision `number` of a task; a revision's revision belongs to its original."""
    return f"{parse_key(key).base}-R{number}"


def prefix_of(key: str, prefixes: Iterable[str]) -> str:
    """The longest of `prefixes` that a key begins with. Raises UnknownName, which lists them."""
    known = sorted(prefixes)
    stem = parse_key(key).stem
    fitting = [prefix for prefix in known if stem == prefix or stem.startswith(f"{prefix}-")]
    if not fitting:
        raise UnknownName("task prefix", stem, known)
    return max(fitting, key=len)


def role_of(key: str, owners: Mapping[str, str]) -> str:
    """The role that owns a task; `owners` maps prefix to role."""
    return owners[prefix_of(key, owners)]


def slug(request: str) -> str:
    """A short name for a request, in its own script: lower case, hyphens, 1 to 40 characters."""
    words = _words(request)
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word
        if len(longer) > SLUG_LIMIT:
            break
        name = longer
    return name or "".join(words)[:SLUG_LIMIT] or "session"


def _words(text: str) -> list[str]:
    """The runs of letters and digits of a text, in lower case and in one normal form."""
    kept: list[str] = []
    for char in unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower()):
        category = unicodedata.category(char)
        inside = bool(kept) and kept[-1] != " "
        kept.append(char if category in _LETTERS or (category in _MARKS and inside) else " ")
    return "".join(kept).split()


def session_id(request: str, day: date, taken: Collection[str], prefix: str = "TLS") -> str:
    """A free session id for a request: `TLS-<slug>-<date>`, then `-2`, `-3` ... above the highest that is taken.

    `taken` has those of deleted sessions as well: old links, notices and keys of commands still name them. A lower number
    that is free may be a session's in another project, which a fork names.
    """
    base = f"{prefix}-{slug(request)}-{day.isoformat()}"
    counted = re.compile(rf"{re.escape(base)}(?:-([1-9][0-9]{{0,{_COUNTED - 1}}}))?")
    found = [counted.fullmatch(each) for each in taken]
    number = 1 + max((int(match[1] or 1) for match in found if match), default=0)
    while number > 1 and f"{base}-{number}" in taken:
        number += 1
    return base if number == 1 else f"{base}-{number}"


def check_session_id(text: str) -> str:
    """The session id itself. Raises UsageError for text that cannot be one: ids become part of paths."""
    match = _SESSION.fullmatch(text) if len(text) <= ID_LIMIT else None
    if match is None or "-".join(_words(match["slug"])) != match["slug"]:
        raise UsageError(
            f"{shown(text)} is not a session id",
            why="an example is TLS-url-shortener-2026-11-21",
            fix="`lifecycle list` shows the sessions of this project",
        )
    return text


def shown(text: str, limit: int = 60) -> str:
    """A stranger's text as it can stand in a message: one line, short, without control characters."""
    cut = text if len(text) <= limit else text[:limit] + "…"
    return repr(cut)
