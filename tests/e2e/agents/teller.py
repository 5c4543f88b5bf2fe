"""Stands in for `claude`: tells the coordinator through its MCP server that it begins, then answers nothing.

The first call with a server leaves `BESIDE/N.json`: what its server is, and what the server answered.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.mcp_clients import Refused, over_stdio


def main(beside: Path, arguments: list[str]) -> int:
    if "--version" in arguments:
        print("2.1.0 (Claude Code)")
        return 0
    if "--mcp-config" not in arguments or any(beside.iterdir()):
        print("nothing more to tell", file=sys.stderr)
        return 1
    given = json.loads(Path(arguments[arguments.index("--mcp-config") + 1]).read_text())
    server = given["mcpServers"]["team"]
    with over_stdio(server) as team:
        told = team.msg("log", summary="I begin", sender="user")
        tasks = team.call("task_list")
        explored = team.call("explore", query="a shortener")
        try:
            team.msg("log", summary="to all", to="all")
            refused = ""
        except Refused as error:
            refused = error.what
        found = {
            "server": server,
            "tools": sorted(team.tools()),
            "told": told,
            "tasks": tasks,
            "explored": explored,
            "refused": refused,
        }
    part = beside / f"{told['id']}.part"
    part.write_text(json.dumps(found))
    part.rename(part.with_suffix(".json"))
    print("no document from me", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
