"""What an adapter tells its client about the MCP server of a run (docs/mcp.md).

Hand it over in a file or in the environment, never on a command line: everybody on the machine can read those, and `env`
holds the run's token.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from orchestrator.store.run_tokens import token_for
from workers.agents.protocol import StdioServer

SERVER = "team"  # what the server is called in a client's configuration; its tools are mcp__team__... to most
# Clients start their servers with next to nothing: where our files and sockets are, and how the database is opened, has to
# be said.
_PASSED = ("LANG", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR")
_OURS = "LIFECYCLE_"


def server_for(run: str, project: Path, environ: Mapping[str, str] | None = None) -> StdioServer:
    """The server that serves the agent of this run, and nobody else. `environ` is the host's. Raises StoreError."""
    environ = os.environ if environ is None else environ
    passed = {name: value for name, value in environ.items() if name in _PASSED or name.startswith(_OURS)}
    token = token_for(project / ".workflow", run)
    return {
        "command": sys.executable,
        "args": ["-P", "-m", "orchestrator", "mcp", "--run", run, "--project", str(project)],
        "env": {**passed, "LIFECYCLE_MCP_TOKEN": token},
    }
