"""The recipes: which two releases of which library, and what the later one's tests show. Nothing of a library is kept."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECIPES = Path(__file__).parent / "recipes.toml"
PYTHON, NODE = "python", "node"


@dataclass(frozen=True, slots=True)
class Recipe:
    """One task: bring `base` to what the tests of `release` ask for."""

    name: str
    stack: str  # PYTHON: a source archive of PyPI; NODE: a package of npm
    package: str
    base: str  # the earlier release
    release: str  # the next one
    base_sha256: str  # of the archives
    release_sha256: str
    request: str  # in our own words
    requirements: tuple[str, ...]  # what its tests need beside their runner, by exact version
    hidden: tuple[str, ...]  # the ids that fail with the base's source and pass with the release's
    kind: str = "feature"  # of the plan task


def read_recipes(path: Path = RECIPES) -> dict[str, Recipe]:
    """The recipes by name. Raises ValueError for a name that occurs twice."""
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("recipe", [])
    found = {row["name"]: _recipe(row) for row in rows}
    if len(found) < len(rows):
        raise ValueError(f"{path}: a name occurs twice")
    return found


def _recipe(row: Mapping[str, Any]) -> Recipe:
    lists = {name: tuple(row.get(name, ())) for name in ("requirements", "hidden")}
    return Recipe(**{**row, **lists})
