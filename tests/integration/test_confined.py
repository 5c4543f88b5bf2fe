"""An agent that is only asked cannot write to the user's project; where that cannot be had, what changed is told."""

from __future__ import annotations

import json
import os
import signal
import sys
import textwrap
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workers.agents.command import CommandAgent
from workers.agents.process import marked
from workers.agents.protocol import AgentReply, AgentRequest, Limits, Protected

READ_ONLY = "Read-only file system"


@dataclass
class Place:
    """A project with a file, a link into it from elsewhere, and a document of a session."""

    root: Path
    run: str

    @property
    def folder(self) -> Path:
        return self.root / ".workflow" / "runs" / self.run

    @property
    def document(self) -> Path:
        return self.root / ".workflow" / ".team" / "TLS-x" / "spec" / "brief.md"

    def ask(self, script: str, *arguments: str, home: Path | None = None, **more: Any) -> AgentReply:
        return self.agent(script, *arguments, home=home, **more.pop("agent", {})).ask(self.request(**more))

    def agent(self, script: str, *arguments: str, home: Path | None = None, **more: Any) -> CommandAgent:
        words = [
            sys.executable,
            "-S",
            "-c",
            "import os, subprocess, sys\n" + textwrap.dedent(script),
            *arguments,
        ]
        environ = {"PATH": os.environ["PATH"], "HOME": str(home or self.root.parent)}
        return CommandAgent("mine", words, environ=environ, **more)

    def request(self, **more: Any) -> AgentRequest:
        values: dict[str, Any] = {
            "kind": "critique",
            "prompt": "Judge this.",
            "schema": None,
            "facts": {},
            "workdir": self.folder,
            "session": "TLS-x",
            "task": "DRAFT-001",
            "role": "writer",
            "run": self.run,
            "limits": Limits(turn=20, total=30),
            "folder": self.folder.with_name("loop-1"),
            "protected": Protected(self.root, self.root / ".workflow" / "lifecycle.db"),
        }
        return AgentRequest(**{**values, **more})

    def tree(self) -> dict[str, Any]:
        """Everything but the run's own folders, with its bytes."""
        found = [path for path in self.root.rglob("*") if "runs" not in path.parts]
        return {str(path): path.read_bytes() if path.is_file() else path.is_dir() for path in found}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path / "pro ject", f"run-{uuid.uuid4().hex}")
    found.document.parent.mkdir(parents=True)
    found.document.write_text("# Brief\n")
    found.folder.mkdir(parents=True)
    (found.root / "code.py").write_text("answer = 42\n")
    (tmp_path / "link").symlink_to(found.root)
    yield found
    for pid in marked("LIFECYCLE_RUN", found.run):
        os.kill(pid, signal.SIGKILL)


TRIES = """
import pathlib
root = pathlib.Path(sys.argv[1])
def attempt(deed):
    try:
        deed()
        print("done")
    except OSError as error:
        print(error.strerror)
for deed in (
    lambda: (root / "new").write_text("mine"),
    lambda: (root / "code.py").write_text("mine"),
    lambda: (root / "code.py").unlink(),
    lambda: (root / "code.py").rename(root / "other.py"),
    lambda: (root.parent / "link" / "code.py").write_text("mine"),
    lambda: (root / ".workflow/.team/TLS-x/spec/brief.md").write_text("mine"),
    lambda: (root / ".workflow/config.toml").write_text("mine"),
    lambda: pathlib.Path("/proc/self/cwd/../../../code.py").write_text("mine"),
    lambda: os.chmod(root / "code.py", 0o777),
):
    attempt(deed)
"""


def test_one_that_is_only_asked_cannot_write_to_the_project_by_any_path(place: Place) -> None:
    before = place.tree()

    reply = place.ask(TRIES, str(place.root))

    assert reply.text.split("\n") == [READ_ONLY] * 9 + [""]
    assert place.tree() == before
    assert reply.notes == ()


def test_nor_can_what_it_starts_or_one_that_arranges_mounts_of_its_own(place: Place) -> None:
    script = """
        target = sys.argv[1]
        ways = [
            ["sh", "-c", 'echo mine > "$0"', target],
            ["setsid", "-f", "sh", "-c", 'echo mine > "$0"', target],
            ["mount", "-o", "remount,bind,rw", os.path.dirname(target)],
            ["umount", os.path.dirname(target)],
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
             'mount -o remount,bind,rw "$(dirname "$0")"; umount "$(dirname "$0")"; echo mine > "$0"', target],
            ["sh", "-c", 'echo mine > /proc/$PPID/root"$0"; echo mine > "/proc/$1/root$0"', target, sys.argv[2]],
        ]
        print([subprocess.run(way).returncode for way in ways])
        try:
            os.write(os.open(target, os.O_WRONLY), b"mine")
        except OSError as error:
            print(error.strerror)
    """

    reply = place.ask(script, str(place.root / "code.py"), str(os.getpid()))

    codes, said, *_ = reply.text.split("\n")
    assert 0 not in json.loads(codes)[:1] + json.loads(codes)[2:]
    assert said == READ_ONLY
    assert (place.root / "code.py").read_text() == "answer = 42\n"


def test_what_it_writes_in_folders_of_its_own_stays_possible(place: Place) -> None:
    home = place.root / ".home"
    home.mkdir()
    script = """
        for folder in (os.getcwd(), os.environ["TMPDIR"], os.environ["HOME"], sys.argv[1]):
            open(os.path.join(folder, "own"), "w").write("mine")
        print("good")
    """
    loop = place.folder.with_name("loop-1")
    loop.mkdir()

    reply = place.ask(script, str(loop), home=home)

    assert reply.text == "good\n"
    assert (place.folder / "own").exists() and (loop / "own").exists() and (home / "own").exists()


def test_work_may_write(place: Place) -> None:
    script = "open(sys.argv[1], 'a').write('more = 1\\n'); print('done')"

    place.agent(script, str(place.root / "code.py"), edits_files=True).work(place.request())

    assert (place.root / "code.py").read_text() == "answer = 42\nmore = 1\n"


def test_one_that_is_not_to_be_confined_may_write_and_nothing_is_said(place: Place) -> None:
    script = "open(sys.argv[1], 'w').write('mine'); print('done')"

    reply = place.ask(script, str(place.root / "log"), agent={"confine": False})

    assert (place.root / "log").read_text() == "mine"
    assert reply.notes == ()


def test_a_submount_is_read_only_too(place: Place) -> None: ...


WRITES = "open(sys.argv[1], 'w').write('mine'); os.remove(sys.argv[2]); print('good')"


def without_namespaces(reason: str, place: Place) -> Mapping[str, Any]:
    return {}


def test_where_it_cannot_be_had_the_answer_counts_and_what_changed_is_told(place: Place) -> None:
    """The client's home is the project itself: it could not keep its own login."""
    other = place.root / "notes" / "kept.md"
    other.parent.mkdir()
    other.write_text("kept")

    reply = place.ask(WRITES, str(place.root / "new"), str(place.root / "code.py"), home=place.root)

    assert reply.text == "good\n"
    (note,) = reply.notes
    assert note.startswith("the project could not be made read-only for it (HOME is ")
    assert note.endswith("these files changed while it was asked: code.py, new")
