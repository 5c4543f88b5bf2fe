"""The statements of the store, compiled ahead of time. `make statements` writes the file that commands read."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pkgutil
from collections.abc import Iterable, Mapping
from typing import Any

import orchestrator.store
from orchestrator.store import building, compiled
from orchestrator.store.backends.sqlite import SQL
from orchestrator.store.statements import Insertion, Statement
from orchestrator.store.tables import metadata


def statements() -> dict[str, Statement | Insertion]:
    """Every statement of the store by its name; an INSERT by its module and variable."""
    found: dict[str, Statement | Insertion] = {}
    for module in pkgutil.iter_modules(orchestrator.store.__path__, "orchestrator.store."):
        for variable, value in vars(importlib.import_module(module.name)).items():
            for key, each in _several(value):
                if isinstance(each, Statement):
                    found[each.name] = each
                elif isinstance(each, Insertion):
                    found[f"{module.name.rpartition('.')[2]}.{variable}{key}"] = each
    return found


def _several(value: object) -> Iterable[tuple[str, object]]:
    if isinstance(value, dict):
        return ((f".{key}", each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return ((f".{number}", each) for number, each in enumerate(value))
    return [("", value)]


def written() -> str:
    """The file's text, as the source is now."""
    of_modules = {each.name: each for each in statements().values() if isinstance(each, Statement)}
    modules = {name.partition(".")[0] for name in of_modules} | {"tables"}
    content: dict[str, dict[str, Any]] = {
        "stamps": {name: compiled.stamp(name) for name in sorted(modules)},
        "tables": {name: dict(building.kinds(name, SQL)) for name in sorted(metadata.tables)},
        "statements": {
            name: dataclasses.asdict(building.build(of_modules[name].build(), SQL))
            for name in sorted(of_modules)
        },
    }
    parts = (f'"{name}": {{\n' + ",\n".join(_lines(entries)) + "\n}" for name, entries in content.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(entries: Mapping[str, object]) -> Iterable[str]:
    return (f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items())


if __name__ == "__main__":
    compiled.file_of(SQL).write_text(written(), encoding="utf-8")
