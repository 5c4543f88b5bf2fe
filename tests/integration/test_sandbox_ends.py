"""Commands over somebody else's code end, with everything that they started, and do not take too much."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, Any

import pytest

from tests.patience import patient
from tests.sandbox_bench import Bench, benches
from workers.agents.protocol import Timeouts
from workers.evidence import sandbox
from workers.host.marked_processes import marked

pytestmark = pytest.mark.usefixtures("confinable")


@pytest.fixture
def one() -> Iterator[Bench]:
    yield from benches("/tmp")


DAEMON = """
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.environ.clear()
            time.sleep(600)
        os._exit(0)
    os.wait()
    print("up", flush=True)
"""


def test_a_daemon_does_not_outlive_the_command(one: Bench) -> None:
    done = one.sandboxed(DAEMON + "    sys.exit(3)\n")

    assert (done.ended.ended_by, done.ended.exit, done.ended.left) == ("exited", 3, False)
    assert marked("LIFECYCLE_RUN", one.run) == []


def test_kill_the_guardian_and_nothing_lives_on_though_it_has_no_mark_and_a_group_of_its_own(
    one: Bench,
) -> None:
    script = """
        import fcntl
        lock = open("lock", "w")
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.set_inheritable(lock.fileno(), True)
        subprocess.Popen(["setsid", "-f", "sleep", "600"], env={"PATH": os.environ["PATH"]}, close_fds=False).wait()
        open("up", "w")
        time.sleep(600)
    """
    guardians: list[Any] = []

    def kill() -> None:
        until(lambda: (one.tree / "up").exists())
        os.kill(guardians[0].pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    done = one.sandboxed(script, on_guardian=guardians.append)
    killer.join()

    assert done.ended.ended_by == "guardian_died"
    with (one.tree / "lock").open() as lock:
        until(lambda: is_free(lock))


def is_free(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def until(fact: Callable[[], bool], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + patient(seconds)
    while not fact():
        assert time.monotonic() < deadline, "did not come true in time"
        time.sleep(0.01)


def test_a_signal_that_ends_it_is_told(one: Bench) -> None:
    assert one.sandboxed("os.kill(os.getpid(), signal.SIGSEGV)").ended.signal == signal.SIGSEGV


FLOODS = {
    "total": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
        {"timeouts": Timeouts(total=0.5)},
    ),
    "output_limit": (
        "while True: os.write(1, b'x' * 65536)",
        {"timeouts": Timeouts(total=60, output_bytes=100_000)},
    ),
    "memory": (
        "kept = [bytearray(b'x') * 10_000_000 for _ in range(100) if not time.sleep(0.01)]; time.sleep(600)",
        {"memory_bytes": 200_000_000},
    ),
    "processes": (
        """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for _ in range(60):
            if os.fork() == 0:
                time.sleep(600)
        time.sleep(600)
        """,
        {"processes": 50},
    ),
}


@pytest.mark.parametrize("limit", FLOODS)
def test_what_takes_too_much_is_ended_with_all_that_it_started(one: Bench, limit: str) -> None:
    script, given = FLOODS[limit]

    done = one.sandboxed(script, **given)

    assert (done.ended.ended_by, done.ended.left) == (limit, False)
    assert len(done.out) <= 100_000
    assert marked("LIFECYCLE_RUN", one.run) == []


def test_a_fork_bomb_is_ended(one: Bench) -> None:
    """Root may fork beyond its limit, and is counted; anybody else cannot."""
    script = """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            try:
                os.fork()
            except OSError:
                pass
    """

    done = one.sandboxed(script, processes=100, timeouts=Timeouts(start=None, silence=None, turn=3.0))

    assert done.ended.ended_by in ("processes", "turn")
    assert done.ended.left is False
    assert marked("LIFECYCLE_RUN", one.run) == []


def test_a_disk_that_is_nearly_full_ends_it(one: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "FREE_BYTES", 1 << 60)

    assert one.sandboxed("time.sleep(600)").ended.ended_by == "disk"


def test_a_file_that_is_too_large_is_refused(one: Bench) -> None:
    done = one.sandboxed(
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); open('big', 'wb').write(b'x' * 2_000_000)",
        file_bytes=1_000_000,
    )

    assert "File too large" in done.err
    assert (one.tree / "big").stat().st_size <= 1_000_000


def test_stop_ends_it(one: Bench) -> None:
    stop = threading.Event()
    seen: list[Any] = []

    def on_guardian(guardian: Any) -> None:
        seen.append(guardian)
        stop.set()

    done = one.sandboxed("time.sleep(600)", stop=stop, on_guardian=on_guardian)

    assert done.ended.ended_by == "stopped"
    assert len(seen) == 1
