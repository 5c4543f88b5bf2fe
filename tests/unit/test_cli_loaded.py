"""Commands are loaded by name: what is left out for one of them is missed by nobody (orchestrator/cli/main.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
import typer
from typer.main import get_command

from orchestrator.cli.building import COMMANDS, build

ALL_NAMES = {name for names in COMMANDS.values() for name in names}


def commands(app: typer.Typer) -> dict[str, Any]:
    """Name -> command of the group that the app is."""
    found: dict[str, Any] = getattr(get_command(app), "commands")  # noqa: B009 - of a group alone
    return found


@pytest.mark.parametrize("module", COMMANDS)
def test_a_module_has_the_commands_that_it_is_loaded_for(module: str) -> None:
    for name in COMMANDS[module]:
        one = commands(build(name))
        assert set(one) == (set(ALL_NAMES) if module == "help" else {*COMMANDS[module]})


def test_every_command_is_in_the_table_and_the_list_tells_of_each_what_its_own_help_does() -> None:
    whole, listed = commands(build()), commands(build("--help"))

    assert set(whole) == ALL_NAMES
    assert {name: (each.get_short_help_str(), each.hidden) for name, each in listed.items()} == {
        name: (each.get_short_help_str(), each.hidden) for name, each in whole.items()
    }


def test_a_shell_that_completes_gets_options_too() -> None:
    line = {
        "_LIFECYCLE_COMPLETE": "complete_bash",
        "COMP_WORDS": "lifecycle check --se",
        "COMP_CWORD": "2",
        "PATH": os.environ["PATH"],
    }

    done = subprocess.run(
        [sys.executable, "-P", "-m", "orchestrator"], env=line, capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["--session"]
