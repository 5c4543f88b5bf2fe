"""A session's directory: rebuilt byte for byte, never over a person's edit, never outside."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from orchestrator import failpoints
from orchestrator.commands.repair import repair
from orchestrator.coordinator.projector import project
from orchestrator.domain.errors import LifecycleError
from orchestrator.store import artifacts, files, messages
from orchestrator.store.edits import session_directory
from orchestrator.store.store import Store, Tx
from tests import factories as make
from tests import invariants
from tests.patience import patient


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = make.make_store(tmp_path)
    yield found
    found.close()
    invariants.check(found.path)


def worked(store: Store) -> tuple[str, Path]:
    """A session with one completed task, projected."""
    session = make.make_session(store)
    make.make_host(store)
    make.one_beat(store, session, make.lead(store))
    make.finish(store, make.claim(store, "h-1"), files={"spec/a.md": b"# A\n", "spec/deep/b.md": b"# B\n"})
    project(store, session)
    return session, session_directory(store.workflow, session)


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
    }


def test_a_deleted_directory_is_rebuilt_byte_for_byte(store: Store) -> None:
    session, root = worked(store)
    before = tree(root)
    shutil.rmtree(root)

    project(store, session)

    assert tree(root) == before
    assert before["spec/a.md"] == b"# A\n"


def test_the_message_mirror_follows_and_heals(store: Store) -> None:
    session, root = worked(store)
    mirror = root / ".msg" / "messages.jsonl"
    store.write(lambda tx: messages.say(tx, session, "writer", "state_update", "one more"))
    project(store, session)
    followed = mirror.read_bytes()
    mirror.write_bytes(followed[:-30])

    store.write(lambda tx: messages.say(tx, session, "writer", "no_such_type", "and one"))
    project(store, session)

    lines = [json.loads(line) for line in mirror.read_text().splitlines()]
    assert [line["id"] for line in lines] == [f"MSG-{n:03d}" for n in range(1, len(lines) + 1)]
    assert mirror.read_bytes().startswith(followed)
    assert (lines[-2]["known_type"], lines[-1]["known_type"]) == (True, False)


def test_a_hand_edit_becomes_a_version_by_user_and_is_not_overwritten(store: Store) -> None:
    session, root = worked(store)
    (root / "spec/a.md").write_text("# A, by hand\n")

    edited = project(store, session)

    versions = store.read(lambda tx: artifacts.versions(tx, session, "spec/a.md"))
    assert edited == ["spec/a.md"]
    assert (root / "spec/a.md").read_text() == "# A, by hand\n"
    assert [version.author for version in versions] == ["analyst", "user"]
    assert project(store, session) == []


def new_version(store: Store, session: str, body: bytes) -> None:
    def unit(tx: Tx) -> None:
        digest = artifacts.put(tx, body)
        artifacts.register(
            tx, session, "spec/a.md", digest, len(body), "document", author="writer", task=None, run=None
        )

    store.write(unit)


def test_an_edit_made_while_the_files_are_written_is_kept_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, root = worked(store)
    new_version(store, session, b"# A2\n")
    edits = [b"# A, by hand\n"]
    monkeypatch.setattr(
        failpoints, "hit", lambda place: (root / "spec/a.md").write_bytes(edits.pop()) if edits else None
    )

    edited = project(store, session)

    versions = store.read(lambda tx: artifacts.versions(tx, session, "spec/a.md"))
    assert edited == ["spec/a.md"]
    assert [version.author for version in versions] == ["analyst", "writer", "user"]
    assert (root / "spec/a.md").read_bytes() == b"# A, by hand\n"


@pytest.mark.parametrize("begun", ["before it is looked at", "projector.before_rename"])
def test_an_edit_that_is_being_saved_is_waited_for(
    store: Store, begun: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, root = worked(store)
    new_version(store, session, b"# A2\n")
    saving: list[IO[bytes]] = []
    has_writer = files._has_writer

    def begin(place: str) -> None:
        if place == begun and not saving:
            saving.append((root / "spec/a.md").open("wb"))

    def end(descriptor: int) -> bool:
        found = has_writer(descriptor)
        if found:
            saving[0].write(b"# A, by hand\n")
            saving[0].close()
        return found

    monkeypatch.setattr(failpoints, "hit", begin)
    monkeypatch.setattr(files, "_has_writer", end)
    begin("before it is looked at")

    edited = project(store, session)

    versions = store.read(lambda tx: artifacts.versions(tx, session, "spec/a.md"))
    assert edited == ["spec/a.md"]
    bodies = [store.read(lambda tx, one=one: artifacts.body(tx, one.sha256)) for one in versions]  # type: ignore[misc]
    assert bodies == [b"# A\n", b"# A2\n", b"# A, by hand\n"]
    assert (root / "spec/a.md").read_bytes() == b"# A, by hand\n"


def test_a_file_that_stays_open_for_writing_holds_nothing_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, root = worked(store)
    new_version(store, session, b"# A2\n")
    monkeypatch.setattr(files, "WRITER_SECONDS", 0.01)

    with (root / "spec/a.md").open("ab"):
        assert project(store, session) == []

    assert (root / "spec/a.md").read_bytes() == b"# A2\n"


def test_whoever_opens_a_file_while_it_is_asked_for_writers_does_not_end_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"1")
    call = fcntl.fcntl
    told: list[int] = []
    numbers = (signal.SIGIO, signal.SIGURG)  # the first would end a process that does not handle it
    before = {number: signal.signal(number, lambda number, _: told.append(number)) for number in numbers}

    def meanwhile(file: int, what: int, value: int = 0) -> int:
        answer = call(file, what, value)
        if (what, value) == (fcntl.F_SETLEASE, fcntl.F_RDLCK):
            with pytest.raises(BlockingIOError):
                os.open(tmp_path / "a", os.O_WRONLY | os.O_NONBLOCK)
        return answer

    with (tmp_path / "a").open("rb") as file:
        monkeypatch.setattr(fcntl, "fcntl", meanwhile)
        assert files._has_writer(file.fileno()) is False
        assert told == [signal.SIGURG]
        assert call(file, fcntl.F_GETLEASE) == fcntl.F_UNLCK
        with (tmp_path / "a").open("ab"):
            assert files._has_writer(file.fileno()) is True
    for number in numbers:
        signal.signal(number, before[number])


def test_a_projection_that_died_before_it_could_say_so_is_no_edit(store: Store) -> None:
    session, root = worked(store)
    new_version(store, session, b"# A2\n")
    new_version(store, session, b"# A3\n")
    (root / "spec/a.md").write_bytes(b"# A2\n")

    edited = project(store, session)

    assert edited == []
    assert (root / "spec/a.md").read_bytes() == b"# A3\n"


def test_a_version_put_back_by_hand_is_an_edit(store: Store) -> None:
    session, root = worked(store)
    (root / "spec/a.md").write_text("# A, by hand\n")
    project(store, session)
    (root / "spec/a.md").write_bytes(b"# A\n")

    edited = project(store, session)

    assert edited == ["spec/a.md"]
    assert (root / "spec/a.md").read_bytes() == b"# A\n"


def test_stray_files_in_the_directory_are_ignored(store: Store) -> None:
    session, root = worked(store)
    (root / "spec/.a.md.swp").write_bytes(b"\0\1\2")
    (root / "core").write_bytes(b"\x7fELF")

    assert project(store, session) == []


@pytest.mark.parametrize("place", [".", "spec", "spec/a.md"])
def test_nothing_is_written_through_a_link(store: Store, tmp_path: Path, place: str) -> None:
    session, root = worked(store)
    outside = tmp_path / "outside"
    outside.mkdir()
    target = root / place
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink()
    target.symlink_to(outside)
    store.write(lambda tx: messages.say(tx, session, "writer", "state_update", "go"))

    with pytest.raises(LifecycleError):
        project(store, session)

    assert list(outside.iterdir()) == []


def _link(place: Path, outside: Path) -> None:
    place.symlink_to(outside)


def _folder(place: Path, outside: Path) -> None:
    place.mkdir()
    (place / "mine").write_text("mine")


def _socket(place: Path, outside: Path) -> None:
    os.mknod(place, stat.S_IFSOCK | 0o600)  # bound, its path could be too long


def _second_name(place: Path, outside: Path) -> None:
    os.link(outside, place)


IN_THE_WAY = {
    "a link": (_link, "a link"),
    "a folder": (_folder, "a folder"),
    "a FIFO": (lambda place, outside: os.mkfifo(place), "a FIFO"),
    "a socket": (_socket, "a socket"),
    "a second name": (_second_name, "a hard link"),
}


@pytest.mark.parametrize(("lay", "kind"), IN_THE_WAY.values(), ids=IN_THE_WAY)
@pytest.mark.parametrize("name", ["spec/a.md", "team-session.json", ".msg/messages.jsonl"])
def test_repair_mends_the_rest_and_its_advice_makes_room(
    store: Store, tmp_path: Path, name: str, lay: Callable[[Path, Path], None], kind: str
) -> None:
    session, root = worked(store)
    whole = tree(root)
    outside = tmp_path / "outside"
    outside.write_text("not ours")
    shutil.rmtree(root)
    (root / name).parent.mkdir(parents=True)
    lay(root / name, outside)

    found = repair(store, session)
    (fault,) = found["faults"]
    mended = tree(root)
    command = shlex.split(fault.partition("move it away: ")[2])
    subprocess.run(command, check=True)
    again = repair(store, session)

    assert fault.startswith(f"{name}: ") and kind in fault
    assert whole.items() - mended.items() <= {(name, whole[name])}
    assert outside.read_text() == "not ours"
    assert again["faults"] == []
    assert (root / name).read_bytes() == whole[name]


@pytest.mark.parametrize("place", ["a link", "a file"])
def test_a_folder_that_is_none_is_told_once_however_many_files_belong_in_it(
    store: Store, tmp_path: Path, place: str
) -> None:
    session, root = worked(store)
    (tmp_path / "outside").mkdir()
    shutil.rmtree(root / "spec")
    if place == "a link":
        (root / "spec").symlink_to(tmp_path / "outside")
    else:
        (root / "spec").write_text("mine")

    found = repair(store, session)

    (fault,) = found["faults"]
    assert fault.startswith(f"spec: {place} stands in its place")
    assert list((tmp_path / "outside").iterdir()) == []


UNSAFE = [
    "",
    "/etc/passwd",
    "../x",
    "a/../../x",
    "a//b",
    "./a",
    "~/x",
    "C:/x",
    "a\\b",
    "a\nb",
    "a/b.",
    "nul",
    "con.txt",
    "a" * 201,
    "e\u0301",
    "a/" * 17 + "a",
    "\ud800",
    "a\0b",
    " a",
    "x/ ",
]


@pytest.mark.parametrize("path", UNSAFE, ids=[ascii(path)[:20] for path in UNSAFE])
def test_paths_that_could_lead_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(files.UnsafePath):
        files.clean(path)


@pytest.mark.parametrize("path", ["spec/product-brief.md", "spec/.content/brief.json", "a b/é.md", "需求.md"])
def test_plain_paths_pass(path: str) -> None:
    assert str(files.clean(path)) == path


SWAP = """
import os, sys
root, secret = sys.argv[1:]
while True:
    os.rename(root + "/in", root + "/kept")
    os.symlink(secret, root + "/in")
    os.unlink(root + "/in")
    os.rename(root + "/kept", root + "/in")
"""


def test_a_link_swapped_while_a_file_is_read_never_leads_outside(tmp_path: Path) -> None:
    root, secret = tmp_path / "root", tmp_path / "secret"
    (root / "in").mkdir(parents=True)
    secret.mkdir()
    (root / "in" / "f").write_bytes(b"inside")
    (secret / "f").write_bytes(b"outside")
    swapper = subprocess.Popen([sys.executable, "-c", SWAP, str(root), str(secret)])
    seen: set[bytes | None] = set()
    deadline = time.monotonic() + patient(20)
    try:
        while time.monotonic() < deadline and not {b"inside", b"refused"} <= seen:
            seen |= {_read(root) for _ in range(1_000)}
        seen |= {_read(root) for _ in range(5_000)}
    finally:
        swapper.kill()
        swapper.wait()

    assert {b"inside", b"refused"} <= seen and b"outside" not in seen


def _read(root: Path) -> bytes | None:
    try:
        return files.read(root, "in/f")
    except files.UnsafePath:
        return b"refused"


@pytest.mark.parametrize("kind", ["directory", "fifo", "hardlink", "symlink"])
def test_only_plain_files_of_one_name_are_read(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "x"
    other = tmp_path / "other"
    other.write_text("other")
    {
        "directory": lambda: target.mkdir(),
        "fifo": lambda: os.mkfifo(target),
        "hardlink": lambda: os.link(other, target),
        "symlink": lambda: target.symlink_to(other),
    }[kind]()

    with pytest.raises(files.UnsafePath):
        files.read(tmp_path, "x")
