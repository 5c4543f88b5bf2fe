"""A plain command line, read by a table instead of Typer, which takes longer to load than most commands take.

`make commands` writes the table, `commands.json`, from what Typer knows of each command, and `overview.txt`, its list of all.
What it does not say for certain is left to Typer: an error, a help, `--option=value`, `--`, letters of several flags in one,
a value that becomes a number. So is a command whose module has changed since.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from orchestrator.cli import declaring

FOLDER = Path(__file__).parent
TABLE, OVERVIEW = FOLDER / "commands.json", FOLDER / "overview.txt"
SHARED = ("options", "building")  # modules that say something of all commands
COLUMNS = 80  # more than these make the list of commands no wider
FLAG, TEXT, PATH = "flag", "text", "path"

Found = tuple[Callable[..., object], dict[str, Any]]  # a command and what it is given


def checksum(module: str) -> int:
    """A number that changes with the module's source."""
    return zlib.crc32((FOLDER / f"{module}.py").read_bytes())


def overview(arguments: Sequence[str]) -> str | None:
    """The list of commands, where that is what is asked for on a screen or pipe wide enough."""
    if list(arguments) not in (["--help"], ["-h"]) or not _is_wide():
        return None
    try:
        return OVERVIEW.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _is_wide() -> bool:
    """As `shutil.get_terminal_size` sees it."""
    given = os.environ.get("COLUMNS", "")
    if given:
        return given.isascii() and given.isdigit() and len(given) < 10 and int(given) >= COLUMNS
    try:
        return not 0 < os.get_terminal_size(sys.__stdout__.fileno()).columns < COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return True


def read(arguments: Sequence[str]) -> Found | None:
    """The command's function, its module loaded without Typer, and its keyword arguments; None: let Typer read them."""
    if "typer" in sys.modules:  # commands may be loaded, declared with it
        return None
    try:
        return _found(json.loads(TABLE.read_bytes()), arguments)
    except (OSError, ValueError, KeyError):  # a table or a source that is not there: Typer needs neither
        return None


def _found(table: dict[str, Any], arguments: Sequence[str]) -> Found | None:
    words = list(arguments)
    if words and " " in words[0]:
        return None
    name, rest = (words[0], words[1:]) if words else ("", [])
    if name not in table["commands"] and rest:
        name, rest = f"{name} {rest[0]}", rest[1:]
    entry = table["commands"].get(name)
    given = None if entry is None else _given(entry, rest)
    if given is None or any(
        checksum(module) != table["checksums"][module] for module in (*SHARED, entry["module"])
    ):
        return None
    declaring.without_typer()
    return getattr(import_module(f"orchestrator.cli.{entry['module']}"), entry["function"]), given


def _given(entry: dict[str, Any], words: list[str]) -> dict[str, Any] | None:
    """The values by name of the function's parameter; None where it is not plain that Typer would read the same."""
    found: dict[str, Any] = {}
    arguments = list(entry["arguments"])  # of each its parameter, and its kind
    left = iter(words)
    for word in left:
        if word in entry["options"]:
            name, kind, value = entry["options"][word]
            if kind != FLAG:
                value = next(left, "")
                if not value or value.startswith("-"):
                    return None
        elif word and not word.startswith("-") and arguments:
            name, kind = arguments.pop(0)
            value = word
        else:
            return None
        if name in found:
            return None
        found[name] = Path(value) if kind == PATH else value
    return found if all(name in found for name in entry["required"]) else None
