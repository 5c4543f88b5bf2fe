"""What an exploration found in the repository, as values; every word of it stands there."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression
from orchestrator.domain.text import keywords
from workers.documents.technologies import layer_of

_SOURCE = expression(r"\.(?!(?:md|rst|txt|toml|cfg|lock|json|ya?ml|html?)$)\w+$")
_BESIDE = expression(r"(?:^|/)(?:tests?|docs?|spec)(?:/|_)|(?:^|/)(?:conftest|test_)")
_APART = expression(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Repository:
    """What an exploration found; every word of it stands in the repository."""

    files: tuple[str, ...] = ()
    modules: Mapping[str, frozenset[str]] = field(default_factory=dict)  # path -> words of it and its symbols
    languages: tuple[str, ...] = ()
    frameworks: tuple[tuple[str, str], ...] = ()  # (name, layer)
    tests: tuple[str, ...] = ()
    entry_points: tuple[str, ...] = ()


def read_repository(exploration: Mapping[str, Json]) -> Repository:
    """Read an exploration, whatever of it is there; unknown shapes are passed over."""
    inner = exploration.get("codebase")
    code: Mapping[str, Json] = inner if isinstance(inner, Mapping) else exploration
    found: dict[str, tuple[str, str]] = {}
    for row in _rows(code.get("stack")):
        name, layer = str(row["name"]), str(row.get("layer") or layer_of(str(row["name"])))
        if layer and layer not in ("language", "test framework"):
            found.setdefault(name.lower(), (name, layer))
    return Repository(
        files=tuple(_words(exploration.get("relevant_files"))),
        modules=_modules(exploration.get("relevant_files")),
        languages=tuple(_words(code.get("languages"))[:6]),
        frameworks=tuple(found.values())[:12],
        tests=tuple(_words(code.get("test_frameworks"))[:4]),
        entry_points=tuple(_words(code.get("entry_points"))[:6]),
    )


def _modules(value: Json) -> dict[str, frozenset[str]]:
    """The words of each source file's path and symbols."""
    found = {}
    for row in value if isinstance(value, (list, tuple)) else ():
        path = row.get("path") if isinstance(row, Mapping) else row
        if isinstance(path, str) and _SOURCE.search(path) and not _BESIDE.search(path):
            names = row.get("key_symbols") if isinstance(row, Mapping) else None
            found[path] = keywords(_APART.sub(" ", " ".join([path.rpartition(".")[0], *_words(names or [])])))
    return found


def _rows(value: Json) -> list[Mapping[str, Json]]:
    """Records with a name, whether given as records or as plain names."""
    pieces = value if isinstance(value, (list, tuple)) else []
    rows = [piece if isinstance(piece, Mapping) else {"name": piece} for piece in pieces]
    return [row for row in rows if isinstance(row.get("name"), str) and row["name"].strip()]


def _words(value: Json) -> list[str]:
    """Names in a list of strings, a list of records, or the keys of a table."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        nested = [
            word for piece in value.values() if isinstance(piece, (list, tuple)) for word in _words(piece)
        ]
        return [*map(str, value), *nested]
    found = []
    for piece in value if isinstance(value, (list, tuple)) else ():
        if isinstance(piece, str):
            found.append(piece)
        elif isinstance(piece, Mapping):
            name = next(
                (
                    piece[key]
                    for key in ("path", "name", "framework", "language")
                    if isinstance(piece.get(key), str)
                ),
                None,
            )
            found += [name] if name else []
    return [word for word in dict.fromkeys(found) if word.strip()]
