"""Kills, stops and cuts of the engine and of hosts while sessions are delivered: nothing is lost, nothing is done twice."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import invariants
from tests.cut_proxy import cut_proxy
from tests.e2e.support import Lifecycle, lifecycle
from tests.e2e.temporal_project import BY_ENGINE, temporal_toml
from tests.temporal_server import TemporalServer, temporal_server

pytestmark = pytest.mark.scale
REQUESTS = [f"Build thing {number} with an admin dashboard" for number in range(4)]


@pytest.fixture
def own() -> Iterator[TemporalServer]:
    """A server that no other test needs."""
    with temporal_server() as running:
        yield running


@contextmanager
def at_work(folder: Path, server: TemporalServer, address: str | None = None) -> Iterator[Lifecycle]:
    """A project in which several sessions are begun, and some work is done."""
    with lifecycle(
        folder / "p", BY_ENGINE, temporal_toml(server, **({"address": address} if address else {}))
    ) as life:
        for request in REQUESTS:
            assert life.run("start", request, "--mode", "spec-only", "--detach").code == 0
        life.wait(lambda: life.rows("SELECT 1 FROM runs WHERE outcome = 'completed'"), "it is at work")
        yield life


def check_end(life: Lifecycle) -> None:
    """Every session ends; each task was completed once, and what was begun besides was lost."""
    life.wait(
        lambda: life.rows("SELECT count(*) FROM sessions WHERE status = 'completed'") == [(len(REQUESTS),)],
        "all sessions end",
        180,
    )
    for (session,) in life.rows("SELECT id FROM sessions"):
        for key in life.tasks(session):
            story = life.story(key, session)
            assert Counter(story)["completed"] == 1 and set(story[:-1]) <= {"lost"}, (
                f"{session} {key}: {story}"
            )
    invariants.check(life.database)


def host_of(life: Lifecycle) -> int:
    return int(life.rows("SELECT pid FROM hosts ORDER BY started_at DESC")[0][0])


def kill_engine(life: Lifecycle, server: TemporalServer) -> None:
    server.kill()
    server.start()


def stop_engine(life: Lifecycle, server: TemporalServer) -> None:
    server.send(signal.SIGSTOP)
    try:
        life.wait(lambda: life.rows("SELECT 1 FROM engines WHERE version IS NULL"), "it is noticed", 60)
    finally:
        server.send(signal.SIGCONT)


def kill_host(life: Lifecycle, server: TemporalServer) -> None:
    os.kill(host_of(life), signal.SIGKILL)


def stop_host(life: Lifecycle, server: TemporalServer) -> None:
    stopped = host_of(life)
    os.kill(stopped, signal.SIGSTOP)
    life.wait(
        lambda: host_of(life) != stopped or stopped not in life.pids(), "another one takes its place", 60
    )


def kill_coordinator(life: Lifecycle, server: TemporalServer) -> None:
    os.kill(int(life.rows("SELECT pid FROM leases")[0][0]), signal.SIGKILL)
    assert life.run("daemon", "start").code == 0


@pytest.mark.parametrize("blow", [kill_engine, stop_engine, kill_host, stop_host, kill_coordinator])
def test_after_a_blow_every_session_ends_and_each_task_is_done_once(
    own: TemporalServer, tmp_path: Path, blow: Callable[[Lifecycle, TemporalServer], None]
) -> None:
    with at_work(tmp_path, own) as life:
        blow(life, own)
        check_end(life)


def test_hosts_that_are_cut_off_from_the_engine_claim_for_themselves(
    own: TemporalServer, tmp_path: Path
) -> None:
    with cut_proxy(own.address) as proxy, at_work(tmp_path, own, proxy.address) as life:
        proxy.whole.clear()
        life.wait(lambda: life.rows("SELECT 1 FROM engines WHERE version IS NULL"), "it is noticed", 60)
        check_end(life)

        proxy.whole.set()

        life.wait(lambda: life.rows("SELECT 1 FROM engines WHERE version IS NOT NULL"), "it is back", 60)
