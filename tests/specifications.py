"""Specifications written by hand, as another author than ours would, with the request they come from."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from workers.documents.models import MODELS

FOLDER = Path(__file__).parent / "data" / "specifications"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


@cache
def _values(name: str) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(FOLDER / f"{name}.yaml")
    return found


def facts_of(name: str) -> dict[str, Any]:
    """The facts of a run whose documents are these."""
    values = _values(name)
    return {**values, **{kind: model.model_validate(values[kind]) for kind, model in MODELS.items()}}
