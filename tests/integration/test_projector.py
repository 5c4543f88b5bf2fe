"""A session's directory: rebuilt byte for byte, never over a person's edit, never outside."""

from __future__ import annotations

import errno
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
from types import SimpleNamespace
from typing import IO

import pytest
import structlog

from orchestrator import failpoints
from orchestrator.cli import follow
from orchestrator.commands import manage
from orchestrator.commands.repair import repair
from orchestrator.commands.resume import Answer, resume
from orchestrator.coordinator import projections, projector
from orchestrator.coordinator.leadership import Leader
from orchestrator.coordinator.projector import project
from orchestrator.domain.errors import LifecycleError
from orchestrator.store import artifacts, edits, files, messages, sessions
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


def never(_: float) -> None:
    raise AssertionError("nobody waits here")


def texts(store: Store, session: str) -> list[bytes]:
    """Every version of the document."""
    return store.read(
        lambda tx: [artifacts.body(tx, each.sha256) for each in artifacts.versions(tx, session, "spec/a.md")]
    )


def mirrored(root: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (root / ".msg/messages.jsonl").read_bytes().splitlines()]


def messages_of(store: Store, session: str) -> int:
    row = store.read(lambda tx: sessions.get(tx, session))
    assert row is not None
    return row.messages


def test_an_edit_made_while_the_files_are_written_is_kept_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, root = worked(store)
    new_version(store, session, b"# A2\n")
    mine = [b"# A, by hand\n"]
    monkeypatch.setattr(
        failpoints, "hit", lambda place: (root / "spec/a.md").write_bytes(mine.pop()) if mine else None
    )

    edited = project(store, session)

    versions = store.read(lambda tx: artifacts.versions(tx, session, "spec/a.md"))
    assert edited == ["spec/a.md"]
    assert [version.author for version in versions] == ["analyst", "writer", "user"]
    assert (root / "spec/a.md").read_bytes() == b"# A, by hand\n"


@pytest.mark.parametrize("begun", ["before it is looked at", "projector.before_rename"])
def test_a_document_that_is_open_for_writing_is_left_until_it_is_closed_and_holds_nothing_up(
    store: Store, begun: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, root = worked(store)
    new_version(store, session, b"# A2\n")
    saving: list[IO[bytes]] = []

    def begin(place: str) -> None:
        if place == begun and not saving:
            saving.append((root / "spec/a.md").open("wb"))
            saving[0].write(b"# A, by h")
            saving[0].flush()

    monkeypatch.setattr(failpoints, "hit", begin)
    monkeypatch.setattr(time, "sleep", never)
    begin("before it is looked at")
    file = (root / "spec/a.md").stat().st_ino

    for _ in range(2):
        with pytest.raises(files.BeingWritten, match="1 of the session's files") as caught:
            project(store, session)
        assert caught.value.paths == ["spec/a.md"]
        assert (root / "spec/a.md").stat().st_ino == file, "and it has its name"
        assert texts(store, session) == [b"# A\n", b"# A2\n"]
        assert len(mirrored(root)) == messages_of(store, session), "all else is written"
    saving[0].write(b"and\n")
    saving[0].close()

    assert project(store, session) == ["spec/a.md"]
    assert texts(store, session) == [b"# A\n", b"# A2\n", b"# A, by hand\n"]
    assert (root / "spec/a.md").read_bytes() == b"# A, by hand\n"
    assert project(store, session) == []


def test_an_open_document_is_left_too_where_names_cannot_be_exchanged(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, root = worked(store)
    new_version(store, session, b"# A2\n")
    monkeypatch.setattr(files, "exchange", lambda *_: False)

    with (root / "spec/a.md").open("ab") as file:
        with pytest.raises(files.BeingWritten):
            project(store, session)
        file.write(b"mine\n")

    assert project(store, session) == ["spec/a.md"]
    assert texts(store, session)[-1] == b"# A\nmine\n"


def test_the_coordinator_looks_at_an_open_document_again_and_writes_what_comes_beside_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, root = worked(store)
    new_version(store, session, b"# A2\n")
    store.write(lambda tx: messages.event(tx, session, "note", "a new version"))
    written: list[str] = []
    projecting = projector.project

    def count(store: Store, session: str, fence: Callable[[Tx], None] | None = None) -> list[str]:
        written.append(session)
        return projecting(store, session, fence)

    monkeypatch.setattr(projector, "project", count)
    monkeypatch.setattr(projections, "COALESCE_SECONDS", 0.0)
    monkeypatch.setattr(time, "sleep", never)
    logger = structlog.get_logger()
    writer = projections.Projections(store, Leader(store, 60, logger, lambda: None), logger, 60)

    with (root / "spec/a.md").open("ab"):
        delays = [writer.follow() for _ in range(3)]
        assert len(written) == 1, "it is only asked whether it is closed"
        store.write(lambda tx: messages.event(tx, session, "note", "beside it"))
        delays.append(writer.follow())
        assert mirrored(root)[-1]["summary"] == "beside it"
    writer.follow()

    assert delays == [projections.OPEN_SECONDS] * 4
    assert (root / "spec/a.md").read_bytes() == b"# A2\n"
    row = store.read(lambda tx: sessions.get(tx, session))
    assert row is not None and row.status == "active" and row.projected == row.messages


def test_who_is_saving_documents_is_waited_for_outside_of_transactions_once_for_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, root = worked(store)
    paths = ["spec/a.md", "spec/deep/b.md"]
    saving = [(root / path).open("wb") for path in paths]
    waits: list[float] = []
    clock = time.monotonic

    def wait(seconds: float) -> None:
        store.write(lambda tx: messages.event(tx, session, "note", "nobody has the lock"))
        waits.append(seconds)
        if len(waits) == 2:
            for file in saving:
                file.write(b"mine\n")
                file.close()

    monkeypatch.setattr(time, "sleep", wait)
    monkeypatch.setattr(time, "monotonic", lambda: clock() if len(waits) < 3 else clock() + 3600)

    assert edits.adopt(store, session) == paths
    assert len(waits) == 2

    saving = [(root / path).open("ab") for path in paths]
    for file in saving:
        file.write(b"and")
        file.flush()
    waits[:] = [0.0] * 2
    assert edits.await_saved(store, session) == paths
    assert len(waits) == 3, "one deadline"


def test_a_document_that_stays_open_is_not_waited_for(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session, root = worked(store)
    (root / "spec/a.md").write_bytes(b"# A, half\n")
    hour = time.time() - 3600
    os.utime(root / "spec/a.md", (hour, hour))
    monkeypatch.setattr(time, "sleep", never)

    with (root / "spec/a.md").open("ab"):
        assert edits.adopt(store, session) == []
        assert edits.await_saved(store, session) == ["spec/a.md"]
        assert store.read(lambda tx: edits.edited(tx, session)) == {}
        assert store.write(lambda tx: dict(edits.edited(tx, session))) == {}
    assert edits.adopt(store, session) == ["spec/a.md"]


def test_resume_says_which_open_documents_it_left_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session, root = worked(store)
    manage.pause(store, session, who="me")
    monkeypatch.setattr(edits, "WRITER_SECONDS", 0.0)
    before = texts(store, session)

    with (root / "spec/a.md").open("ab") as file:
        file.write(b"half of")
        file.flush()
        done = resume(store, session, Answer("me"), more_attempts=3)

    assert [each.partition(" in ")[0] for each in done.warnings] == ["spec/a.md is open for writing"]
    assert texts(store, session) == before


def test_the_end_of_a_session_is_not_told_later_for_a_document_that_is_open(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session, root = worked(store)
    store.write(lambda tx: messages.event(tx, session, "note", "not in the files yet"))
    monkeypatch.setattr(follow, "OPEN_SECONDS", 0.0)
    monkeypatch.setattr(time, "sleep", never)

    with (root / "spec/a.md").open("ab"):
        follow._await_files(SimpleNamespace(store=store), session, SimpleNamespace(keep=never))  # type: ignore[arg-type]

    assert "spec/a.md" in capsys.readouterr().err


@pytest.mark.parametrize(("file_system", "known"), [(0xEF53, False), (0x6969, True), (0xFF534D42, True)])
def test_a_lease_that_a_file_server_has_to_grant_tells_nothing_of_writers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file_system: int, known: bool
) -> None:
    (tmp_path / "a").write_bytes(b"1")

    def refuse(file: int, what: int, value: int = 0) -> int:
        if what == fcntl.F_SETLEASE:
            raise BlockingIOError(errno.EAGAIN, "as without a delegation")
        return 0

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    monkeypatch.setattr(files, "_file_system", lambda _: file_system)

    assert files.is_being_written(tmp_path, "a") is not known
    if known:
        assert files.read_saved(tmp_path, "a") == b"1"


def test_the_kind_of_a_file_system_is_the_systems_own(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    told = subprocess.run(
        ["stat", "-f", "-c", "%t", str(tmp_path / "a")], capture_output=True, text=True, check=True
    ).stdout

    with (tmp_path / "a").open("rb") as file:
        assert files._file_system(file.fileno()) == int(told, 16)


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
