"""Wakes: many make one, a lost one costs nothing, a successor's socket is left alone."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from orchestrator import wakeup
from orchestrator.domain.errors import StoreError


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "lifecycle.db"


def test_many_wakes_make_one_and_a_wake_before_the_wait_counts(database: Path) -> None:
    waker = wakeup.Waker(database, "daemon")

    for _ in range(50):
        assert wakeup.wake_daemon(database)

    assert (waker.wait(5), waker.wait(0.01)) == (True, False)
    waker.close()
    assert not wakeup.wake_daemon(database)


def test_messages_arrive_and_rubbish_is_only_a_wake(database: Path) -> None:
    seen: list[object] = []
    waker = wakeup.Waker(database, "daemon", seen.append)

    wakeup.wake_daemon(database, {"type": "environment", "values": {"A": "1"}})
    wakeup.wake_path(waker.path, None)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(b"\xff{not json", str(waker.path))
        stranger.sendto(b"[1]", str(waker.path))

    assert waker.wait(5)
    assert seen == [{"type": "environment", "values": {"A": "1"}}]
    waker.close()


def test_a_predecessor_that_wakes_up_late_leaves_its_successors_socket_alone(database: Path) -> None:
    old = wakeup.Waker(database, "daemon")
    new = wakeup.Waker(database, "daemon")

    old.close()

    assert wakeup.wake_daemon(database) and new.wait(5)
    new.close()


def test_the_socket_directory_is_ours_alone(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "r"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime) if len(str(runtime)) < 60 else "")
    waker = wakeup.Waker(database, "daemon")
    directory = waker.path.parent

    assert directory.stat().st_mode & 0o777 == 0o700
    directory.chmod(0o755)
    with pytest.raises(StoreError, match="not safe"):
        wakeup.runtime_directory(database)
    directory.chmod(0o700)
    waker.close()


def test_to_wake_nobody_makes_nothing(database: Path) -> None:
    assert not wakeup.wake_daemon(database)
    assert wakeup.wake_hosts(database) == 0

    assert not wakeup.runtime_directory(database).exists()


def test_whoever_leaves_last_removes_the_directory(database: Path) -> None:
    daemon = wakeup.Waker(database, "daemon")
    host = wakeup.Waker(database, "h-1")

    host.close()
    stays = daemon.path.exists()
    daemon.close()

    assert stays
    assert not wakeup.runtime_directory(database).exists()


def test_the_sockets_of_the_dead_are_removed_by_the_next_that_comes_and_the_living_keep_theirs(
    database: Path,
) -> None:
    living = wakeup.Waker(database, "h-living")
    dead = living.path.with_name("h-dead.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as killed:
        killed.bind(str(dead))

    daemon = wakeup.Waker(database, "daemon")

    assert not dead.exists()
    assert living.path.exists()
    living.close()
    daemon.close()
    assert not daemon.path.parent.exists()


def test_a_very_long_project_path_has_short_sockets(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d" * 100] * 5)

    waker = wakeup.Waker(deep / "lifecycle.db", "daemon")

    assert len(str(waker.path)) < 107
    waker.close()
