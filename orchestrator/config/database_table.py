"""Writing the table `[database]` into a project's settings, whose other lines stay as they are."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping

from orchestrator.domain.errors import UsageError
from orchestrator.domain.patterns import expression

_HEADER = expression(r"^[ \t]*\[[ \t]*database[ \t]*\][ \t]*(?:#.*)?$", re.MULTILINE)


def with_database(text: str, values: Mapping[str, str]) -> str:
    """The settings with these keys of `[database]`, none of which they have. Raises UsageError where they do not fit."""
    lines = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())
    header = _HEADER.search(text)
    if header is None:
        end = "" if not text or text.endswith("\n") else "\n"
        made = f"{text}{end}{'' if not text else chr(10)}[database]\n{lines}"
    else:
        rest = text[header.end() :].removeprefix("\r").removeprefix("\n")
        made = f"{text[: header.end()]}\n{lines}{rest}"
    before = tomllib.loads(text)
    wanted = {**before, "database": {**before.get("database", {}), **values}}
    try:
        found = tomllib.loads(made)
    except tomllib.TOMLDecodeError:
        found = {}
    if found != wanted:
        raise UsageError(
            "the settings cannot be written",
            why="`database` stands there in another form than as a table of its own",
            fix="write it as [database] on a line of its own, its settings below",
        )
    return made
