"""Parse command-line parameters without pydantic where possible.

Typer passes every parameter to pydantic, even plain strings and parameters that were not given; importing it costs a
reading command a fifth of its time. So pydantic is used only where a string has to become something else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer


class _Late:
    """A stand-in for a parameter's coercion in Typer; the real one is built when it is needed."""

    def __init__(self, parameter: Any) -> None:
        self._wanted = parameter.type_descriptor.annotation
        self._parameter = parameter

    def coerce(self, value: object, **where: object) -> object:
        if (
            value is None or type(value) is self._wanted
        ):  # a number typed by a user arrives as a string and is checked
            return value
        if self._wanted is Path and isinstance(value, str):
            return Path(value)
        self._parameter._runtime_param = None
        return self._parameter.get_runtime_param().coerce(value, **where)


def coerce_late(command: Any, parent: Any = None) -> None:
    """Make the command and its subcommands coerce only what needs it; no effect on a Typer that works differently."""
    context = typer.Context(command, parent=parent, **command.context_settings)
    for parameter in command.get_params(context):  # with the help option, which exists only from here on
        if hasattr(parameter, "get_runtime_param") and hasattr(parameter, "type_descriptor"):
            parameter._runtime_param = _Late(parameter)
    for below in getattr(command, "commands", {}).values():
        coerce_late(below, context)
