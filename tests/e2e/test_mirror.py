"""A mirror on another machine: real processes of server, daemon and mirror, and a folder that is compared with a rebuild."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from orchestrator.failpoints import MIRROR_NAMES
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

    def serve(self, port: int = 0) -> None:
        self.server = process = self.here.spawn("server", "--port", str(port))
        assert process.stdout is not None
        self.url = process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), process.communicate()[1]

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


def test_an_edit_becomes_a_version_by_user_and_voids_the_approval(world: Mirrored) -> None:
    session = world.finished()
    assert world.once().code == 0
    file = world.edit(session, "\nA line of mine.\n")

    sent = world.once()

    assert sent.code == 0 and sent.json()["sent"] == [{"file": f"{session}/{BRIEF}", "version": 2}]
    assert [row[1] for row in world.versions(session)] == ["writer", "user"]
    told = world.here.rows("SELECT data FROM messages WHERE session_id = ? AND type = 'edited'", session)
    assert '"anna-laptop"' in told[0][0]
    assert world.mirrored(session) == world.rebuild(session)
    assert file.read_text().endswith("A line of mine.\n")
    assert (world.here.directory(session) / BRIEF).read_bytes() == file.read_bytes()


def test_an_edit_of_an_older_version_is_a_shown_conflict_and_both_are_kept(world: Mirrored) -> None:
    session = world.finished()
    other = world.folder.with_name("other")
    assert world.once().code == 0 and world.once(other).code == 0
    world.edit(session, "\nFrom the other machine.\n", other)
    assert world.once(other).code == 0
    mine = world.edit(session, "\nMine, offline.\n").read_bytes()

    clashed = world.once()

    assert clashed.code == 3, clashed.out
    ((kept, text),) = world.conflicts(session).items()
    assert text == mine and kept.startswith("spec/product-brief.conflict-") and kept.endswith(".md")
    assert clashed.json()["conflicts"] == [
        {"file": f"{session}/{BRIEF}", "yours": f"{session}/{kept}", "base": 1}
    ]
    assert world.mirrored(session) == world.rebuild(session), "the document is the newest version"
    assert [row[0] for row in world.versions(session)] == [1, 2]
    here = world.here
    (told,) = here.run("check", session, "--json").json()["conflicts"]
    assert told["path"] == BRIEF and told["who"] == "anna-laptop" and told["base"] == 1
    assert "anna-laptop edited version 1" in here.run("check", session).out
    assert "edit_conflict" in [each["kind"] for each in here.run("inbox", "--json").json()["entries"]]
    assert world.once().code == 3, "it is told until it is settled"

    (world.folder / session / kept).unlink()
    assert world.once().code == 0
    assert here.run("check", session, "--json").json()["conflicts"] == []
    assert "edit_conflict" not in [each["kind"] for each in here.run("inbox", "--json").json()["entries"]]


def test_a_mirror_that_follows_survives_a_server_that_restarts(world: Mirrored) -> None:
    here = world.here
    mirror = world.follow()
    session = world.finished()
    here.wait(lambda: (world.folder / session / BRIEF).exists(), "it follows")
    port = urlsplit(world.url).port or 0
    world.server.kill()
    world.server.wait()
    world.edit(session, "\nWhile the server was away.\n")

    world.serve(port)

    here.wait(lambda: len(world.versions(session)) == 2, "the edit has arrived")
    assert world.versions(session)[-1][1] == "user"
    wanted = world.rebuild(session)
    here.wait(lambda: world.mirrored(session) == wanted, "the folder equals a rebuild")
    mirror.terminate()
    assert mirror.wait(60) == 0


@pytest.mark.long
@pytest.mark.parametrize("name", MIRROR_NAMES)
def test_a_mirror_killed_anywhere_loses_nothing_and_sends_nothing_twice(world: Mirrored, name: str) -> None:
    """A conflict, an edit that is sent and files that are written: each place is passed, and the mirror killed there."""
    session = world.finished()
    other = world.folder.with_name("other")
    assert world.once().code == 0 and world.once(other).code == 0
    world.edit(session, "\nFrom the other machine.\n", other)
    assert world.once(other).code == 0
    mine = world.edit(session, "\nMine, offline.\n").read_bytes()
    epics = next((world.folder / session / "spec").rglob("EPIC-*.md"))
    epics.write_text(epics.read_text() + "\nAnother line.\n")
    path = epics.relative_to(world.folder / session).as_posix()
    if name.startswith("mirror.replaced"):
        _save_while_written(world, session, name)
    else:
        killed = world.there.spawn(*world.arguments(), "--once", env={"LIFECYCLE_FAILPOINT": f"{name}=kill"})
        assert killed.wait(120) == -signal.SIGKILL, name

    done = world.once()
    done = world.once() if name.startswith("mirror.replaced") else done

    assert done.code == 3, done.out + done.err
    assert mine in world.conflicts(session).values()
    assert [row[1] for row in world.versions(session)] == ["writer", "user"]
    assert [row[1] for row in world.versions(session, path)] == ["writer", "user"], "sent once"
    assert world.mirrored(session) == world.rebuild(session)
    events = world.here.rows(
        "SELECT 1 FROM messages WHERE session_id = ? AND type = 'edit_conflict' AND ref IS NULL", session
    )
    assert len(events) == len(world.here.run("check", session, "--json").json()["conflicts"])
    assert not list((world.folder / ".mirror" / "drafts").iterdir())


def _save_while_written(world: Mirrored, session: str, name: str) -> None:
    """A person saves between the look at a file and its exchange, and the mirror is killed at `name` then."""
    announce = world.folder.with_name("announced")
    stopped = world.there.spawn(
        *(*world.arguments(), "--once"),
        env={"LIFECYCLE_FAILPOINT": f"mirror.draft_written=stop:{announce}"},
    )
    world.here.wait(lambda: announce.exists() and announce.read_text().endswith("\n"), "a draft is there")
    (world.folder / session / BRIEF).write_text("Saved in the very moment.\n")
    if name == "mirror.replaced_noted":
        stopped.kill()
    else:
        stopped.send_signal(signal.SIGCONT)
    stopped.wait(120)
    assert "Saved in the very moment.\n" in {
        (world.folder / session / path).read_text() for path in (BRIEF, *world.conflicts(session))
    }
