"""How requests are read, as data: `config/reading.yaml`, with what `config/tongues.yaml` adds for further languages.

Each language has the same parts and kinds, so that whatever is read in one is read in all.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from orchestrator.config import resources, shipped_yaml

TONGUES = "tongues.yaml"
_PATTERNS = frozenset({"wishes", "sayings"})  # parts whose kinds are regular expressions


@cache
def read_words() -> dict[str, Any]:
    """The parts of `reading.yaml`, each with the words of all languages."""
    folder = resources() / "config"
    words: dict[str, Any] = {"compounds": [], **shipped_yaml.read(folder / "reading.yaml")}
    for tongue in shipped_yaml.read(folder / TONGUES).values():
        for part, more in tongue.items():
            words[part] = _with(part, words[part], more)
    return words


def _with(part: str, known: Any, more: Any) -> Any:
    """What one part says, with what a language adds to it."""
    if known is None:
        return more
    if isinstance(more, dict) and isinstance(known, list):  # `- [role, pattern]`, the first of a role counts
        rows = dict(reversed(known))
        return [
            [role, f"{pattern}|{more[role]}" if role in more and pattern == rows[role] else pattern]
            for role, pattern in known
        ]
    if isinstance(more, dict):
        return {**known, **{kind: _with(part, known.get(kind), words) for kind, words in more.items()}}
    if isinstance(known, list):
        return [*known, *more] if isinstance(more, list) else [*known, more]
    return f"{known}|{more}" if part in _PATTERNS else f"{known}, {more}"
