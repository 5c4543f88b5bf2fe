"""A mirror on another machine: real processes of server, daemon and mirror, and a folder that is compared with a rebuild."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import invariants
from tests.e2e.support import Gave, Lifecycle, lifecycle

REQUEST = "Build a URL shortener with an admin dashboard"
BRIEF = "spec/product-brief.md"


@dataclass
class Mirrored:
    """A project with its server, and a person's folder elsewhere."""

    here: Lifecycle
    there: Lifecycle  # where the mirror is started: no project
    token: Path
    folder: Path
    url: str = ""

    def serve(self, port: int = 0) -> subprocess.Popen[str]:
        process = self.here.spawn("server", "--port", str(port))
        assert process.stdout is not None
        self.url = process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), process.communicate()[1]
        return process

    def arguments(self, folder: Path | None = None, token: Path | None = None) -> tuple[str, ...]:
        return (
            *("mirror", self.url, "--token-file", str(token or self.token)),
            *("--folder", str(folder or self.folder)),
        )

    def once(self, folder: Path | None = None, *, failpoint: str = "", token: Path | None = None) -> Gave:
        env = {"LIFECYCLE_FAILPOINT": failpoint} if failpoint else {}
        return self.there.run(*self.arguments(folder, token), "--once", "--json", env=env)

    def follow(self, folder: Path | None = None, failpoint: str = "") -> subprocess.Popen[str]:
        env = {"LIFECYCLE_FAILPOINT": failpoint} if failpoint else {}
        return self.there.spawn(*self.arguments(folder), env=env)

    def finished(self) -> str:
        """A session whose specification waits for approval; its id."""
        gave = self.here.run("start", REQUEST, "--mode", "spec-only", "--yes")
        assert gave.code in (0, 3), gave.err
        return self.here.session()

    def versions(self, session: str, path: str = BRIEF) -> list[tuple[Any, ...]]:
        return self.here.rows(
            "SELECT version, author, sha256 FROM artifacts WHERE session_id = ? AND path = ? ORDER BY version",
            *(session, path),
        )

    def rebuild(self, session: str) -> dict[str, bytes]:
        """What the session's folder has when it is made anew."""
        self.here.wait(
            lambda: self.here.rows("SELECT 1 FROM sessions WHERE id = ? AND messages = projected", session),
            "the files are as the rows",
        )
        shutil.rmtree(self.here.directory(session))
        assert self.here.run("repair", session).code == 0
        return tree(self.here.directory(session))

    def mirrored(self, session: str, folder: Path | None = None) -> dict[str, bytes]:
        found = tree((folder or self.folder) / session)
        return {path: body for path, body in found.items() if ".conflict-" not in path}

    def conflicts(self, session: str) -> dict[str, bytes]:
        found = tree(self.folder / session)
        return {path: body for path, body in found.items() if ".conflict-" in path}

    def edit(self, session: str, text: str, folder: Path | None = None) -> Path:
        file = (folder or self.folder) / session / BRIEF
        file.write_text(file.read_text() + text)
        return file


def tree(folder: Path) -> dict[str, bytes]:
    return {
        each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()
    }


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Mirrored]:
    there = tmp_path / "there"
    with lifecycle(tmp_path / "here" / "p") as here, lifecycle(there / "home") as elsewhere:
        given = here.run("person", "add", "anna-laptop")
        assert given.code == 0, given.err
        token = there / "token"
        token.write_text(given.out)
        found = Mirrored(here, elsewhere, token, there / "documents")
        found.serve()
        yield found
        invariants.check(here.database)


def test_a_closed_laptop_catches_up_and_its_folder_equals_a_rebuild(world: Mirrored) -> None:
    mirror = world.follow()
    world.here.wait(lambda: (world.folder / ".mirror" / "project.json").exists(), "the mirror has begun")
    mirror.send_signal(signal.SIGKILL)  # the lid is closed
    mirror.wait()

    session = world.finished()  # goes on without it
    caught_up = world.once()

    assert caught_up.code == 0, caught_up.out + caught_up.err
    assert world.mirrored(session) == world.rebuild(session)
    assert BRIEF in world.mirrored(session) and ".msg/messages.jsonl" in world.mirrored(session)
    again = world.once()
    assert again.json() == {
        "written": [],
        "sent": [],
        "conflicts": [],
        "skipped": [],
        "left_alone": [],
        "exit_code": 0,
    }, "nothing is left to do"
