"""What an adapter tells its client about the MCP server of a run (docs/mcp.md).

Hand it over in a file or in the environment, never on a command line: everybody on the machine can read those, and `env`
holds the run's token.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from orchestrator.door.work_desk import AgentsDoor
from orchestrator.store.run_tokens import token_for
from workers.agents.protocol import StdioServer

SERVER = "team"  # what the server is called in a client's configuration; its tools are mcp__team__... to most
# Clients start their servers with next to nothing: where our files and sockets are, and how the database is opened, has to
# be said.
_PASSED = ("LANG", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")
_OURS = "LIFECYCLE_"


def server_for(run: str, project: Path, environ: Mapping[str, str] | None = None) -> StdioServer:
    """The server that serves the agent of this run, and nobody else. `environ` is the host's. Raises StoreError."""
    return _server(run, project, token_for(project / ".workflow", run), environ)


def server_elsewhere(
    run: str, project: Path, token: str, door: AgentsDoor, environ: Mapping[str, str]
) -> StdioServer:
    """The same on a machine without the database: it asks at the door. `project` is the clone there."""
    named = [] if door.certificates is None else ["--ca", str(door.certificates)]
    return _server(run, project, token, environ, "--door", door.url, *named)


def _server(
    run: str, project: Path, token: str, environ: Mapping[str, str] | None, *more: str
) -> StdioServer:
    environ = os.environ if environ is None else environ
    passed = {name: value for name, value in environ.items() if name in _PASSED or name.startswith(_OURS)}
    return {
        "command": sys.executable,
        "args": ["-P", "-m", "orchestrator", "mcp", "--run", run, "--project", str(project), *more],
        "env": {**passed, "LIFECYCLE_MCP_TOKEN": token},
    }
