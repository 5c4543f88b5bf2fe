"""`python -m tests.clients.one NAME URL FOLDER [TREE]`: ask one client one question, or let it edit a tree."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.clients.support import agent, request
from workers.agents.protocol import Protected, Timeouts

if __name__ == "__main__":
    name, url, folder, *tree = sys.argv[1:]
    timeouts = Timeouts(start=100, silence=100, turn=150, total=150)  # it is traced, which takes its time
    asked = request(Path(folder) / "run", "Rate it.", timeouts=timeouts)
    client = agent(name, url, Path(folder) / "home")
    if not tree:
        print(client.ask(asked).data)
    else:
        project, mine = Path(folder) / "project", Path(tree[0])
        protected = Protected(
            project, project / ".workflow" / "lifecycle.db", lambda _: False, mine.parents[1]
        )
        run = request(
            project / ".workflow" / "run", "Edit it.", tree=mine, timeouts=timeouts, protected=protected
        )
        print(client.work(run).data)
