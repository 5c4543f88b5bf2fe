"""`python -m tests.clients.one NAME URL FOLDER`: ask one client one question."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.clients.support import agent, request

if __name__ == "__main__":
    name, url, folder = sys.argv[1:]
    print(agent(name, url, Path(folder) / "home").ask(request(Path(folder) / "run", "Rate it.")).data)
