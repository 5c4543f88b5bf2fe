"""Wakes: many make one, a lost one costs nothing, a successor's socket is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import bus
from orchestrator.domain.errors import StoreError


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "lifecycle.db"


def test_many_wakes_make_one_and_a_wake_before_the_wait_counts(database: Path) -> None:
    waker = bus.Waker(database, "daemon")

    for _ in range(50):
        assert bus.wake_daemon(database)

    assert (waker.wait(5), waker.wait(0.01)) == (True, False)
    waker.close()
    assert not bus.wake_daemon(database)


def test_messages_arrive_and_rubbish_is_only_a_wake(database: Path) -> None:
    seen: list[object] = []
    waker = bus.Waker(database, "daemon", seen.append)

    bus.wake_daemon(database, {"type": "environment", "values": {"A": "1"}})
    bus.wake_path(waker.path, None)
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(b"\xff{not json", str(waker.path))
        stranger.sendto(b"[1]", str(waker.path))

    assert waker.wait(5)
    assert seen == [{"type": "environment", "values": {"A": "1"}}]
    waker.close()


def test_a_predecessor_that_wakes_up_late_leaves_its_successors_socket_alone(database: Path) -> None:
    old = bus.Waker(database, "daemon")
    new = bus.Waker(database, "daemon")

    old.close()

    assert bus.wake_daemon(database) and new.wait(5)
    new.close()


def test_the_socket_directory_is_ours_alone(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "r"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime) if len(str(runtime)) < 60 else "")
    directory = bus.runtime_directory(database)

    assert directory.stat().st_mode & 0o777 == 0o700
    directory.chmod(0o755)
    with pytest.raises(StoreError, match="not safe"):
        bus.runtime_directory(database)
    directory.chmod(0o700)
    directory.rmdir()


def test_a_very_long_project_path_has_short_sockets(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d" * 100] * 5)

    waker = bus.Waker(deep / "lifecycle.db", "daemon")

    assert len(str(waker.path)) < 107
    waker.close()
    waker.path.parent.rmdir()
