"""Agents that will not die, hosts that do: after each, /proc knows nobody with the run's mark."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.patience import patient
from workers.agents.programs.process import Confinement, Ended, GuardedProcess, agent_environment
from workers.agents.protocol import Timeouts
from workers.host.guardian import Guardian
from workers.host.marked_processes import marked
from workers.host.process_tree import Process

ROOT = Path(__file__).resolve().parents[2]
NO_TIMEOUTS = Timeouts(start=None, silence=None, turn=None, total=None)
CONFINED = Confinement(["/usr"], [])


@pytest.fixture
def confined(request: pytest.FixtureRequest) -> bool:
    """Whether the agent is confined; skips where it should be and cannot."""
    if request.param:
        request.getfixturevalue("confinable")
    return bool(request.param)


@pytest.fixture
def run() -> Iterator[str]:
    name = f"run-{uuid.uuid4().hex}"
    yield name
    for pid in marked("LIFECYCLE_RUN", name):  # a failed test must leave nothing
        os.kill(pid, signal.SIGKILL)


def until(fact: Callable[[], object], seconds: float = 15.0) -> None:
    deadline = time.monotonic() + patient(seconds)
    while not fact():
        assert time.monotonic() < deadline, "did not come true in time"
        time.sleep(0.01)


def start(
    script: str,
    run: str,
    folder: Path,
    *,
    timeouts: Timeouts = NO_TIMEOUTS,
    stdin: bytes = b"",
    lease: float = 60.0,
    rlimits: dict[str, int] | None = None,
    confine: Confinement | None = None,
) -> GuardedProcess:
    program = folder / "agent.py"
    program.write_text("import os, signal, subprocess, sys, time\n" + textwrap.dedent(script))
    return GuardedProcess(
        [sys.executable, "-S", str(program)],
        cwd=folder,
        env=agent_environment(os.environ, [], {"TMPDIR": str(folder)}),
        stdin=stdin,
        timeouts=timeouts,
        run=run,
        lease_seconds=lease,
        run_dir=folder,
        rlimits=rlimits,
        confine=confine,
    )


def ended(process: GuardedProcess, seconds: float = 20.0) -> Ended:
    end = process.wait(seconds)
    assert end is not None, "the guardian did not report in time"
    return end


def test_prompt_goes_in_and_answer_comes_out(run: str, tmp_path: Path) -> None:
    with start(
        "print(sys.stdin.read().upper()); sys.exit(3)", run, tmp_path, stdin="héllo".encode()
    ) as process:
        end = ended(process)
        text = process.stdout().text

    assert (end.ended_by, end.exit, end.signal, end.survivors_killed) == ("exited", 3, None, 0)
    assert text == "HÉLLO\n"
    assert end.stdout_bytes == len(text.encode())
    assert end.max_rss_kb > 1000


def test_large_prompt_that_nobody_reads_hurts_nobody(run: str, tmp_path: Path) -> None:
    with start("print('done')", run, tmp_path, stdin=b"x" * 5_000_000) as process:
        end = ended(process)

    assert (end.ended_by, end.exit) == ("exited", 0)


def test_agent_that_cannot_be_confined_is_not_started_and_the_reason_told(run: str, tmp_path: Path) -> None:
    with start(
        "open('started', 'w')", run, tmp_path, confine=Confinement([str(tmp_path / "nowhere")], [])
    ) as process:
        end = ended(process)

    assert end.ended_by == "unconfined"
    assert end.error
    assert not (tmp_path / "started").exists()


def test_program_that_does_not_exist_is_reported(run: str, tmp_path: Path) -> None:
    with GuardedProcess(
        ["no-such-program-here"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin"},
        stdin=b"",
        timeouts=NO_TIMEOUTS,
        run=run,
        lease_seconds=60,
        run_dir=tmp_path,
    ) as process:
        end = ended(process)

    assert end.ended_by == "spawn_failed"
    assert "No such file" in end.error


def test_death_by_signal_is_reported(run: str, tmp_path: Path) -> None:
    with start("os.kill(os.getpid(), signal.SIGSEGV)", run, tmp_path) as process:
        end = ended(process)

    assert (end.ended_by, end.exit, end.signal) == ("exited", None, signal.SIGSEGV)


def test_agent_has_no_terminal_no_descriptors_of_ours_and_only_the_given_environment(
    run: str, tmp_path: Path
) -> None:
    secret = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(secret, True)

    with start(
        """
        import json
        try:
            os.close(os.open("/dev/tty", os.O_RDWR)); tty = True
        except OSError:
            tty = False
        open_files = [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if int(name) > 2
                      and os.path.exists(f"/proc/self/fd/{name}")]
        print(json.dumps([tty, open_files, dict(os.environ)]))
        """,
        run,
        tmp_path,
    ) as process:
        ended(process)
        tty, open_files, environment = json.loads(process.stdout().text)
    os.close(secret)

    assert tty is False
    assert [name for name in open_files if not name.startswith("/proc/")] == []
    assert environment["LIFECYCLE_RUN"] == run
    assert environment["TERM"] == "dumb"
    assert "PYTEST_CURRENT_TEST" not in environment


@pytest.mark.parametrize(
    ("timeouts", "script", "ended_by"),
    [
        (Timeouts(start=0.3, silence=None, turn=None, total=None), "time.sleep(60)", "start"),
        (
            Timeouts(start=20, silence=0.3, turn=None, total=None),
            "print('a', flush=True); time.sleep(60)",
            "silence",
        ),
        (
            Timeouts(start=20, silence=20, turn=0.5, total=None),
            "while True: print('drip', flush=True); time.sleep(0.05)",
            "turn",
        ),
        (Timeouts(start=None, silence=None, turn=None, total=0.3), "time.sleep(60)", "total"),
        (
            Timeouts(start=None, silence=None, turn=20, total=20, output_bytes=100_000),
            "while True: sys.stdout.write('x' * 65536)",
            "output_limit",
        ),
        (
            Timeouts(start=None, silence=None, turn=20, total=20, output_bytes=100_000),
            "while True: sys.stderr.write('x' * 65536)",
            "output_limit",
        ),
    ],
)
def test_each_limit_ends_the_agent_and_is_named(
    timeouts: Timeouts, script: str, ended_by: str, run: str, tmp_path: Path
) -> None:
    with start(script, run, tmp_path, timeouts=timeouts) as process:
        end = ended(process)
        kept = len(process.stdout().text)

    assert end.ended_by == ended_by
    assert end.seconds < 10
    assert kept <= timeouts.output_bytes
    assert marked("LIFECYCLE_RUN", run) == []


def test_one_hundred_megabytes_are_cut_at_the_limit(run: str, tmp_path: Path) -> None:
    timeouts = Timeouts(start=None, silence=None, turn=60, total=60, output_bytes=1_000_000)

    with start(
        "for _ in range(100): sys.stdout.write('x' * 1_000_000)", run, tmp_path, timeouts=timeouts
    ) as process:
        end = ended(process)
        text = process.stdout().text

    assert end.ended_by == "output_limit"
    assert len(text) == end.stdout_bytes == 1_000_000


STUBBORN = {
    "ignores_term": "signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)",
    "stops_itself": "print('up', flush=True); os.kill(os.getpid(), signal.SIGSTOP)",
    "child": "subprocess.Popen(['sleep', '600']); print('up', flush=True); time.sleep(600)",
    "double_fork_setsid": """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                print('up', flush=True)
                time.sleep(600)
            os._exit(0)
        os.wait()
        time.sleep(600)
    """,
    "thread_leader_gone": """
        import ctypes, threading
        threading.Thread(target=time.sleep, args=(600,)).start()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print('up', flush=True)
        ctypes.CDLL(None).pthread_exit(None)
    """,
    "many": """
        for _ in range(200):
            if os.fork() == 0:
                os.setsid()
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                time.sleep(600)
                os._exit(0)
        print('up', flush=True)
        time.sleep(600)
    """,
}
EACH_KIND = [*((kind, False) for kind in STUBBORN), ("double_fork_setsid", True)]
each_kind = pytest.mark.parametrize(("kind", "confined"), EACH_KIND, indirect=["confined"])
each_way = pytest.mark.parametrize("confined", [False, True], indirect=True)


def is_up(process: GuardedProcess) -> Callable[[], bool]:
    return lambda: "up" in process.stdout().text


def test_stop_asks_every_descendant_to_end_before_it_kills(run: str, tmp_path: Path) -> None:
    script = f"""
        if os.fork() == 0:
            os.setsid()

            def bye(*_):
                open({str(tmp_path / "bye")!r}, "w").close()
                os._exit(0)

            signal.signal(signal.SIGTERM, bye)
            print("up", flush=True)
            time.sleep(600)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    """
    with start(script, run, tmp_path) as process:
        until(is_up(process))

        process.stop("cancelled")
        ended(process)

    assert (tmp_path / "bye").exists()


@each_kind
def test_stop_leaves_nobody_whatever_the_agent_does(
    kind: str, confined: bool, run: str, tmp_path: Path
) -> None:
    with start(STUBBORN[kind], run, tmp_path, confine=CONFINED if confined else None) as process:
        until(is_up(process))

        process.stop("cancelled")
        end = ended(process)

        assert end.ended_by == "stopped"
        assert end.left is False
        assert marked("LIFECYCLE_RUN", run) == []


def test_agent_may_finish_its_sentence_when_it_is_asked_to_end(run: str, tmp_path: Path) -> None:
    script = """
        def bye(*_):
            os.write(1, b'last words')  # print may not be interrupted by itself
            sys.exit(143)
        signal.signal(signal.SIGTERM, bye)
        os.write(1, b'up')
        time.sleep(600)
    """
    with start(script, run, tmp_path) as process:
        until(is_up(process))

        process.stop()
        end = ended(process)

        assert (end.ended_by, end.exit) == ("stopped", 143)
        assert "last words" in process.stdout().text


def test_child_that_outlives_the_agent_is_killed_though_the_agent_exited_well(
    run: str, tmp_path: Path
) -> None:
    script = """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)  # holds our pipes open
            os._exit(0)
        os.wait()
        print('good answer')
    """
    with start(script, run, tmp_path) as process:
        end = ended(process, 10)

        assert (end.ended_by, end.exit, end.survivors_killed) == ("exited", 0, 1)
        assert process.stdout().text == "good answer\n"
        assert marked("LIFECYCLE_RUN", run) == []


def test_fork_bomb_ends_within_the_limit(run: str, tmp_path: Path) -> None:
    script = """
        def count():
            return sum(1 for name in os.listdir('/proc') if name.isdigit())
        start = count()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print('up', flush=True)
        end = time.monotonic() + 30  # whatever becomes of the guardian, this goes by
        while time.monotonic() < end:
            try:
                if count() < start + 200:
                    os.fork()
                    os.setpgrp()
            except OSError:
                pass
    """
    timeouts = Timeouts(start=None, silence=None, turn=2.0, total=None)

    with start(script, run, tmp_path, timeouts=timeouts) as process:
        end = ended(process, 60)

    assert end.ended_by == "turn"
    assert end.left is False
    assert end.survivors_killed > 10
    assert marked("LIFECYCLE_RUN", run) == []


def test_a_process_that_is_just_ending_is_in_no_group_and_does_not_end_the_guardian() -> None:
    ending = {os.getpid(): Process(False, os.getppid(), -1)}  # as /proc shows it for a moment
    job = {"timeouts": {}, "output_bytes": 1, "sent": 0.0, "deadline": 1.0}

    Guardian(job, b"").send_groups(signal.SIGCONT, ending)


def test_resource_limits_of_the_job_hold(run: str, tmp_path: Path) -> None:
    with start(
        "open('big', 'wb').write(b'x' * 2_000_000)", run, tmp_path, rlimits={"FSIZE": 1_000_000}
    ) as process:
        end = ended(process)

    assert end.signal == signal.SIGXFSZ or end.exit == 1
    assert (tmp_path / "big").stat().st_size <= 1_000_000


def test_lease_ends_the_agent_unless_it_is_extended(run: str, tmp_path: Path) -> None:
    with start("print('up', flush=True); time.sleep(600)", run, tmp_path, lease=1.5) as process:
        process.extend(4.0)
        end = ended(process)

    assert end.ended_by == "lease"
    assert 2 < end.seconds < 8  # past the lease it was started with; counted from when the program began


@each_way
def test_agent_dies_with_its_guardian_though_nobody_looks(confined: bool, run: str, tmp_path: Path) -> None:
    with start(STUBBORN["ignores_term"], run, tmp_path, confine=CONFINED if confined else None) as process:
        until(is_up(process))

        os.kill(process.pid, signal.SIGKILL)

        until(lambda: marked("LIFECYCLE_RUN", run) in ([], [process.pid]))


@each_way
def test_dead_guardian_is_noticed_and_its_orphans_are_found_by_their_mark(
    confined: bool, run: str, tmp_path: Path
) -> None:
    with start(
        STUBBORN["double_fork_setsid"], run, tmp_path, confine=CONFINED if confined else None
    ) as process:
        until(is_up(process))

        os.kill(process.pid, signal.SIGKILL)
        end = ended(process)

        assert end.ended_by == "guardian_died"
        assert marked("LIFECYCLE_RUN", run) == []


HOST = """
import os, sys, threading
from pathlib import Path
sys.path.insert(0, {root!r})
from workers.agents.programs.process import Confinement, GuardedProcess, agent_environment
from workers.agents.protocol import Timeouts

folder = Path({folder!r})
processes = []

def slot():
    processes.append(GuardedProcess([sys.executable, "-S", str(folder / "agent.py")], cwd=folder,
        env=agent_environment(os.environ, [], {{}}), stdin=b"",
        timeouts=Timeouts(start=None, silence=None, turn=None, total=None),
        run={run!r}, lease_seconds={lease}, run_dir=folder,
        confine=Confinement(["/usr"], []) if {confined} else None))

thread = threading.Thread(target=slot)  # the thread ends before the agent does
thread.start()
thread.join()
print("started", flush=True)
sys.stdin.read()
"""


def host(
    run: str, folder: Path, agent: str, lease: float, *, confined: bool = False
) -> subprocess.Popen[str]:
    """A host process of its own, whose agent (started from a thread that has ended) has written `up` to a file."""
    program = "import os, signal, subprocess, sys, time\n" + textwrap.dedent(agent)
    (folder / "agent.py").write_text(program)
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HOST.format(root=str(ROOT), folder=str(folder), run=run, lease=lease, confined=confined),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    until(lambda: any("up" in out.read_text() for out in (folder / "calls").glob("*.out")))
    return process


@each_kind
def test_kill_the_host_and_nothing_of_the_run_lives_on(
    kind: str, confined: bool, run: str, tmp_path: Path
) -> None:
    process = host(run, tmp_path, STUBBORN[kind], lease=60, confined=confined)
    assert len(marked("LIFECYCLE_RUN", run)) >= 2

    process.kill()
    process.communicate()

    until(lambda: marked("LIFECYCLE_RUN", run) == [])


def test_stopped_host_cannot_hold_its_agent_beyond_the_lease(run: str, tmp_path: Path) -> None:
    process = host(run, tmp_path, STUBBORN["ignores_term"], lease=3)
    try:
        process.send_signal(signal.SIGSTOP)

        until(lambda: marked("LIFECYCLE_RUN", run) == [], 10)
    finally:
        process.kill()
        process.communicate()


def cpu_ticks(pid: int) -> int:
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]))


def test_guardian_that_waits_writes_nothing_and_burns_nothing(run: str, tmp_path: Path) -> None:
    with start("print('up', flush=True); time.sleep(600)", run, tmp_path) as process:
        until(is_up(process))
        before = cpu_ticks(process.pid)

        assert process.wait(2.0) is None

        assert cpu_ticks(process.pid) - before <= 2  # hundredths of a second


def test_guardian_and_host_killed_together_still_leave_no_agent(run: str, tmp_path: Path) -> None:
    process = host(run, tmp_path, STUBBORN["ignores_term"], lease=60)
    guardian = next(pid for pid in marked("LIFECYCLE_RUN", run) if b"guardian.py" in command_line(pid))
    process.send_signal(signal.SIGSTOP)  # nobody clears up
    try:
        os.kill(guardian, signal.SIGKILL)

        until(lambda: marked("LIFECYCLE_RUN", run) == [], 5)
    finally:
        process.kill()
        process.communicate()


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
