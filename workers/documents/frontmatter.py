"""Frontmatter read back: ours, which is JSON in each line, or anybody's YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

import regex

from orchestrator.domain.json_types import Json

_PRINTED = regex.compile(
    r"(?!(?:null|true|false):)([a-z][a-z_]*): (\[[^\\{]*\]|\"[^\"\\]*\"|-?\d+(?:\.\d+)?|null|true|false)"
)


@lru_cache(maxsize=64)
def read_front(text: str) -> tuple[Mapping[str, Json] | None, str]:
    """What stands between the rules, and what is wrong with it. A task asks several times for the same text."""
    front = as_printed(text)
    if front is not None:
        return front, ""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        value = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        return None, f"frontmatter is no YAML: {' '.join(str(error).split())[:200]}"
    if not isinstance(value, dict):
        return None, "frontmatter is no mapping"
    return {str(key): each for key, each in value.items()}, ""


def as_printed(text: str) -> Mapping[str, Json] | None:
    """Frontmatter as we print it (`escape.yaml`), which says the same in YAML; None for any other.

    To read it as YAML takes a quarter of the time of a whole task.
    """
    front: dict[str, Json] = {}
    for line in text.splitlines():
        found = _PRINTED.fullmatch(line)
        if found is None or not line.isprintable() or found[1] in front:
            return None
        try:
            front[found[1]] = json.loads(found[2], parse_constant=_no_number)
        except ValueError:
            return None
    return front or None


def _no_number(name: str) -> Json:
    """`NaN` and `Infinity` are numbers to Python's JSON alone."""
    raise ValueError(name)
