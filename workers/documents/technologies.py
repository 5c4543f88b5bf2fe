"""Technologies that a text names, by layer. The names are data: config/technologies.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache

from orchestrator.config import resources

_TOKEN = re.compile(r"(?<![\w/.@-])[A-Za-z][\w.+#-]*[\w+#]|(?<![\w/.@-])[A-Z](?![\w.])|(?<![\w.])\.NET\b")


@dataclass(frozen=True, slots=True)
class _Known:
    layers: dict[str, str]  # name -> layer
    common: frozenset[str]


@cache
def _known() -> _Known:
    data = tomllib.loads((resources() / "config" / "technologies.toml").read_text(encoding="utf-8"))
    layers = {name: layer for layer, names in data["layers"].items() for name in names.split()}
    return _Known(layers, frozenset(data["common"].split()))


def layer_of(name: str) -> str:
    """The layer of a technology; empty for a name that is none."""
    return _known().layers.get(name.lower(), "")


def technologies(text: str) -> tuple[tuple[str, str], ...]:
    """(name, layer) of each technology that the text names, spelled as there."""
    known = _known()
    found: dict[str, tuple[str, str]] = {}
    for match in _TOKEN.finditer(text):
        word = match[0].rstrip(".-")
        low = word.lower()
        layer = known.layers.get(low)
        begins = match.start() == 0 or text[: match.start()].rstrip()[-1:] in (".", "!", "?", ":", "", "|")
        if layer and not (low in known.common and (word == low or (begins and not word.isupper()))):
            found.setdefault(low, (word, layer))
    return tuple(found.values())
