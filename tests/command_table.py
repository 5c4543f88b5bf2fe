"""What Typer knows of each command, as the files that `orchestrator/cli/short_way.py` reads. `make commands` writes them."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from orchestrator.cli import short_way
from orchestrator.cli.building import build

ASKING = ("resume", "continue", "feedback", "inbox", "delete")  # with Typer's prompts: they need it anyway


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    below = getattr(command, "commands", {})
    if not below:
        yield " ".join(path), command
    for name, inner in below.items():
        yield from leaves(inner, (*path, name))


def table() -> dict[str, Any]:
    entries = {}
    for name, command in leaves(get_command(build())):
        entry = None if name in ASKING else _entry(command)
        if entry is not None:
            entries[name] = entry
    modules = sorted({*short_way.SHARED, *(entry["module"] for entry in entries.values())})
    return {"checksums": {each: short_way.checksum(each) for each in modules}, "commands": entries}


def _entry(command: Any) -> dict[str, Any] | None:
    """None for what only Typer can call: a context, or an argument of another kind."""
    function = inspect.unwrap(command.callback)
    module = inspect.getmodule(function)
    parameters = [each for each in command.params if each.name != "help"]
    names = {each.name for each in parameters}
    if (
        module is None
        or not module.__name__.startswith("orchestrator.cli.")
        or getattr(module, function.__name__, None) is not function
        or names != set(inspect.signature(function).parameters)
    ):
        return None
    options: dict[str, Any] = {}
    arguments, required = [], []
    for each in parameters:
        kind = _kind(each)
        required += [each.name] if each.required else []
        if each.param_type_name == "argument":
            if kind is None:
                return None
            arguments.append([each.name, kind])
        elif kind == short_way.FLAG:
            options |= {option: [each.name, kind, True] for option in each.opts}
            options |= {option: [each.name, kind, False] for option in each.secondary_opts}
        elif kind is not None:
            options |= {option: [each.name, kind, None] for option in each.opts}
    return {
        "module": module.__name__.rpartition(".")[2],
        "function": function.__name__,
        "arguments": arguments,
        "required": required,
        "options": options,
    }


def _kind(parameter: Any) -> str | None:
    """How a value is given and what becomes of it; None where Typer alone knows."""
    wanted = parameter.type_descriptor.annotation
    if (
        parameter.nargs != 1
        or getattr(parameter, "multiple", False)
        or parameter.envvar
        or parameter.callback
    ):
        return None
    if getattr(parameter, "is_flag", False):
        return short_way.FLAG if wanted is bool else None
    return {str: short_way.TEXT, Path: short_way.PATH}.get(wanted)


def overview() -> str:
    """As `lifecycle --help` prints it where there are columns enough."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(short_way.COLUMNS)
    try:
        command = get_command(build("--help"))
        return (
            str(typer.Context(command, info_name="lifecycle", **command.context_settings).get_help()) + "\n"
        )
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before


def written() -> dict[Path, str]:
    found = table()
    lines = (f'"{name}": {json.dumps(entry)}' for name, entry in found["commands"].items())
    text = (
        f'{{"checksums": {json.dumps(found["checksums"])},\n"commands": {{\n' + ",\n".join(lines) + "\n}}\n"
    )
    return {short_way.TABLE: text, short_way.OVERVIEW: overview()}


if __name__ == "__main__":
    for file, text in written().items():
        file.write_text(text, encoding="utf-8")
