"""A fleet of two cells with real processes: two projects on PostgreSQL databases of their own, and a Temporal server."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.postgres_project import OnPostgres, on_postgres
from tests.e2e.support import Gave
from tests.postgres_server import Server
from tests.temporal_server import TemporalServer

REQUEST = "Build a URL shortener with an admin dashboard"
NORTH, SOUTH = "north", "south"
OWNS = ("here", "leaving")


class FleetWorld:
    def __init__(self, folder: Path, cells: dict[str, OnPostgres], temporal: TemporalServer) -> None:
        self.folder = folder
        self.cells = cells
        self.file = folder / "fleet.toml"
        self.queues = f"t{uuid.uuid4().hex[:12]}"
        lines = [f'{name} = "{cell.folder}"' for name, cell in cells.items()]
        self.file.write_text(
            f'directory = "{NORTH}"\n[cells]\n' + "\n".join(lines) + "\n"
            f'[temporal]\naddress = "{temporal.address}"\nqueues = "{self.queues}"\n'
        )

    @property
    def north(self) -> OnPostgres:
        return self.cells[NORTH]

    def run(self, *arguments: str, failpoint: str = "") -> Gave:
        env = {"LIFECYCLE_FAILPOINT": failpoint} if failpoint else {}
        return self.north.run("fleet", *arguments, "--fleet", str(self.file), env=env, timeout=180)

    def spawn(self, *arguments: str, failpoint: str = "") -> subprocess.Popen[str]:
        """In a process of its own, which may be killed."""
        env = {"LIFECYCLE_FAILPOINT": failpoint} if failpoint else {}
        return self.north.spawn("fleet", *arguments, "--fleet", str(self.file), env=env)

    def start(self, cell: str = NORTH, *more: str) -> str:
        life = self.cells[cell]
        done = life.run("start", REQUEST, "--mode", "spec-only", *more)
        assert done.code in (0, 3), done.err
        return life.session()

    def copies(self, session: str) -> dict[str, str]:
        """Cell -> how it has the session: what its custody says, `here` where it has never moved; only with its rows."""
        found = {}
        for name, cell in self.cells.items():
            if cell.has_tables() and cell.rows("SELECT 1 FROM sessions WHERE id = ?", session):
                kept = cell.rows("SELECT state FROM custody WHERE session_id = ?", session)
                found[name] = str(kept[0][0]) if kept else "here"
        return found

    def check(self, session: str) -> None:
        """Not lost, and nobody can change it in two cells."""
        copies = self.copies(session)
        assert copies, f"{session} is lost"
        owners = [name for name, state in copies.items() if state in OWNS]
        assert len(owners) <= 1, copies
        if not owners:
            assert list(copies.values()) == ["coming"], copies

    def whole(self, cell: str, session: str) -> dict[str, list[tuple[Any, ...]]]:
        """What makes up the session, without what a move may change."""
        life = self.cells[cell]
        return {
            "tasks": life.rows(
                "SELECT key, status, seq FROM tasks WHERE session_id = ? ORDER BY seq", session
            ),
            "runs": life.rows("SELECT id, outcome FROM runs WHERE session_id = ? ORDER BY id", session),
            "artifacts": life.rows(
                "SELECT path, version, sha256 FROM artifacts WHERE session_id = ? ORDER BY path, version",
                session,
            ),
            "messages": life.rows(
                "SELECT number, type, summary FROM messages WHERE session_id = ? AND type <> 'moved' ORDER BY number",
                session,
            ),
        }


@contextmanager
def fleet_world(folder: Path, postgres: Server, temporal: TemporalServer) -> Iterator[FleetWorld]:
    with ExitStack() as stack:
        cells = {
            name: stack.enter_context(on_postgres(folder / name / "p", postgres.database()))
            for name in (NORTH, SOUTH)
        }
        yield FleetWorld(folder, cells, temporal)
