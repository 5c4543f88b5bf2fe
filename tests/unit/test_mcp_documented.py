"""docs/mcp.md names the arguments that each tool, operation and command takes, and no others."""

from __future__ import annotations

import re

from orchestrator.commands.by_name import COMMANDS
from orchestrator.mcp_server.tools import OPERATIONS, TOOLS
from tests.conftest import ROOT

NAME = re.compile(r"`(\w+)`(\\\*)?")


def documented(title: str) -> dict[str, list[tuple[str, bool]]]:
    """Of the table whose first column has this title: name -> its arguments, each with whether it is required."""
    section = (
        (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8").split("## Arguments")[1].split("\n## ")[0]
    )
    rows = re.split(rf"^\| {title} \|.*\n\|[-|]+\n", section, flags=re.M)[1].split("\n\n")[0]
    found = {}
    for row in rows.strip().split("\n"):
        _, names, arguments, _ = row.split("|")
        for name in re.findall(r"`(\w+)`", names):
            found[name] = [(argument, bool(star)) for argument, star in NAME.findall(arguments)]
    return found


def test_the_arguments_of_every_tool_are_documented() -> None:
    tools = {
        tool.name: [
            (field.alias or name, field.is_required()) for name, field in tool.arguments.model_fields.items()
        ]
        for tool in TOOLS
    }

    assert {name: sorted(found) for name, found in documented("tool").items()} == {
        name: sorted(found) for name, found in tools.items()
    }


def test_what_each_operation_and_command_takes_is_documented() -> None:
    operations = {name: takes - {"operation", "session"} for name, (_, takes) in OPERATIONS.items()}
    commands = {name: takes for name, (_, takes) in COMMANDS.items()}

    for title, known in (("operation", operations), ("command", commands)):
        told = {name: {argument for argument, _ in found} for name, found in documented(title).items()}
        assert told == known
