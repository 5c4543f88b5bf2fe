"""`python -m tests.clients.one NAME URL FOLDER`: ask one client one question."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.clients.support import agent, request
from workers.agents.protocol import Timeouts

if __name__ == "__main__":
    name, url, folder = sys.argv[1:]
    timeouts = Timeouts(start=100, silence=100, turn=150, total=150)  # it is traced, which takes its time
    asked = request(Path(folder) / "run", "Rate it.", timeouts=timeouts)
    print(agent(name, url, Path(folder) / "home").ask(asked).data)
