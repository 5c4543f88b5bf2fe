"""Wakes: many make one, a lost one costs nothing, a successor's socket is left alone."""

from __future__ import annotations

import os
import socket
import threading
from functools import partial
from pathlib import Path

import pytest

from orchestrator import wakeup
from orchestrator.domain.errors import StoreError
from orchestrator.domain.identity import ProjectId
from orchestrator.project import Project
from orchestrator.store.backends.sqlite import project_id
from orchestrator.store.store import Store


@pytest.fixture
def project(tmp_path: Path) -> ProjectId:
    return project_id(tmp_path / "lifecycle.db")


def test_projects_sockets_keep_their_directory_across_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)

    found = wakeup.runtime_directory(ProjectId("/srv/shop/.workflow/lifecycle.db"))

    assert found == Path(f"/tmp/lifecycle-{os.getuid()}/95154935a533")


def test_a_link_to_a_project_leads_to_the_same_identity(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to("shop")

    assert Project(tmp_path / "link").id == Store(tmp_path / "shop" / ".workflow" / "lifecycle.db").project_id


def test_many_wakes_make_one_and_a_wake_before_the_wait_counts(project: ProjectId) -> None:
    waker = wakeup.Waker(project, "daemon")

    for _ in range(50):
        assert wakeup.wake_daemon(project)

    assert (waker.wait(5), waker.wait(0.01)) == (True, False)
    waker.close()
    assert not wakeup.wake_daemon(project)


def test_messages_arrive_and_rubbish_is_only_a_wake(project: ProjectId) -> None:
    seen: list[object] = []
    waker = wakeup.Waker(project, "daemon", seen.append)

    wakeup.wake_daemon(project, {"type": "environment", "values": {"A": "1"}})
    wakeup.wake_path(waker.path, None)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(b"\xff{not json", str(waker.path))
        stranger.sendto(b"[1]", str(waker.path))

    assert waker.wait(5)
    assert seen == [{"type": "environment", "values": {"A": "1"}}]
    waker.close()


def test_a_predecessor_that_wakes_up_late_leaves_its_successors_socket_alone(project: ProjectId) -> None:
    old = wakeup.Waker(project, "daemon")
    new = wakeup.Waker(project, "daemon")

    old.close()

    assert wakeup.wake_daemon(project) and new.wait(5)
    new.close()


def test_the_socket_directory_is_ours_alone(
    project: ProjectId, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "r"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime) if len(str(runtime)) < 60 else "")
    waker = wakeup.Waker(project, "daemon")
    directory = waker.path.parent

    assert directory.stat().st_mode & 0o777 == 0o700
    directory.chmod(0o755)
    with pytest.raises(StoreError, match="not safe"):
        wakeup.runtime_directory(project)
    directory.chmod(0o700)
    waker.close()


def test_to_wake_nobody_makes_nothing(project: ProjectId) -> None:
    assert not wakeup.wake_daemon(project)
    assert wakeup.wake_hosts(project) == 0

    assert not wakeup.runtime_directory(project).exists()


def test_whoever_leaves_last_removes_the_directory(project: ProjectId) -> None:
    daemon = wakeup.Waker(project, "daemon")
    host = wakeup.Waker(project, "h-1")

    host.close()
    stays = daemon.path.exists()
    daemon.close()

    assert stays
    assert not wakeup.runtime_directory(project).exists()


def test_the_sockets_of_the_dead_are_removed_by_the_next_that_comes_and_the_living_keep_theirs(
    project: ProjectId,
) -> None:
    living = wakeup.Waker(project, "h-living")
    dead = living.path.with_name("h-dead.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as killed:
        killed.bind(str(dead))

    daemon = wakeup.Waker(project, "daemon")

    assert not dead.exists()
    assert living.path.exists()
    living.close()
    daemon.close()
    assert not daemon.path.parent.exists()


def test_a_very_long_project_path_has_short_sockets(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d" * 100] * 5)

    waker = wakeup.Waker(project_id(deep / "lifecycle.db"), "daemon")

    assert len(str(waker.path)) < 107
    waker.close()


def test_what_a_bell_is_asked_to_do_is_done_in_order_before_it_closes(project: ProjectId) -> None:
    waker = wakeup.Waker(project, "daemon")
    bell = wakeup.Bell(project)
    done: list[int] = []

    for number in range(20):
        bell.later(partial(done.append, number))
    bell.close()

    assert done == list(range(20))
    assert not waker.wait(0)  # nobody rang
    waker.close()


def test_a_bell_that_was_rung_wakes_though_it_closes(project: ProjectId) -> None:
    waker = wakeup.Waker(project, "daemon")
    bell = wakeup.Bell(project)

    bell.ring()
    bell.close()

    assert waker.wait(10)
    waker.close()


def test_what_is_asked_of_a_bell_that_is_just_waking_somebody_is_done_before_it_closes(
    project: ProjectId, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    rings, asked = threading.Event(), threading.Event()

    def slow_wake(_: ProjectId) -> bool:
        rings.set()
        return asked.wait(10)

    monkeypatch.setattr(wakeup, "wake_daemon", slow_wake)
    bell = wakeup.Bell(project)
    bell.ring()
    assert rings.wait(10)
    closing = threading.Thread(target=bell.close)

    bell.later(lambda: done.append("work"))
    closing.start()
    while not bell._closing:
        closing.join(0.001)
    asked.set()
    closing.join(10)

    assert not closing.is_alive()
    assert done == ["work"]
