"""What is documented is true: every command and option of the program stands in docs/cli.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from orchestrator.cli.building import build

DOCS = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
OF_TYPER = {"--install-completion", "--show-completion", "--help"}


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    below = getattr(command, "commands", {})
    if not below:
        yield " ".join(path), command
    for name, inner in below.items():
        yield from commands(inner, (*path, name))


ALL = dict(commands(get_command(build())))


@pytest.mark.parametrize("name", ALL)
def test_every_command_is_documented_and_says_what_it_does(name: str) -> None:
    command = ALL[name]

    assert f"`{name}" in DOCS or command.hidden
    assert command.help


@pytest.mark.parametrize("name", ALL)
def test_every_option_is_documented(name: str) -> None:
    options = [
        option
        for parameter in ALL[name].params
        if not getattr(parameter, "hidden", False)
        for option in parameter.opts
        if option.startswith("--") and option not in OF_TYPER
    ]

    assert [option for option in options if f"`{option}" not in DOCS] == []


def test_the_help_is_plain_text() -> None:
    app = build()

    assert app.rich_markup_mode is None
