"""Commands over somebody else's code: what they see, what they may do, and that they end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workers.agents.protocol import Timeouts
from workers.evidence import sandbox
from workers.evidence.sandbox import Confined, run_confined
from workers.host import guardian
from workers.host.marked_processes import marked

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("confinable")
READ_ONLY = "Read-only file system"
SECONDS = Timeouts(start=None, silence=None, turn=None, total=60.0)


@dataclass
class Bench:
    """A tree beside things that are none of its business, in a folder that is not below /tmp."""

    folder: Path
    run: str

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    def sandboxed(self, script: str, *words: str, **more: Any) -> Confined:
        program = self.tree / "program.py"
        program.write_text("import os, signal, subprocess, sys, time\n" + textwrap.dedent(script))
        values: dict[str, Any] = {
            "cwd": self.tree,
            "env": sandbox.test_environment(os.environ, self.tree, self.folder / "run" / "tmp"),
            "writable": [self.tree, self.folder / "run" / "tmp"],
            "folder": self.folder / "run",
            "run": self.run,
            "timeouts": SECONDS,
            "stop": threading.Event(),
            "hidden": [],
        }
        return run_confined([sys.executable, "-S", str(program), *words], **{**values, **more})


@pytest.fixture(params=["/tmp", "/var/tmp"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Below the folder that is replaced, and elsewhere."""
    yield from benches(request.param)


@pytest.fixture
def one() -> Iterator[Bench]:
    yield from benches("/tmp")


def benches(place: str) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="bench ", dir=place) as name:
        found = Bench(Path(name), f"run-{uuid.uuid4().hex}")
        found.tree.mkdir()
        (found.folder / "run").mkdir()
        yield found
        for pid in marked("LIFECYCLE_RUN", found.run):  # a failed test must leave nothing
            os.kill(pid, signal.SIGKILL)


TRIES = """
import json, multiprocessing, pathlib, pty, socket
tree, outside, port, host = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
said = {}
def attempt(name, deed):
    try:
        deed()
        said[name] = "done"
    except OSError as error:
        said[name] = error.strerror
def own_listener():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        socket.create_connection(listener.getsockname(), 2).close()
attempt("outside", lambda: (outside / "new").write_text("mine"))
attempt("beside", lambda: (tree.parent / "new").write_text("mine"))
attempt("system", lambda: open("/etc/new", "w"))
attempt("kernel", lambda: open("/proc/sys/kernel/core_pattern", "w"))
attempt("kill", lambda: os.kill(-1, signal.SIGKILL))
attempt("kill host", lambda: os.kill(host, signal.SIGKILL))
attempt("host", lambda: socket.create_connection(("127.0.0.1", port), 2))
attempt("abroad", lambda: socket.create_connection(("192.0.2.1", 80), 2))
attempt("tree", lambda: (tree / "new").write_text("mine"))
attempt("tmpdir", lambda: pathlib.Path(os.environ["TMPDIR"], "new").write_text("mine"))
attempt("home", lambda: pathlib.Path(os.environ["HOME"], "new").write_text("mine"))
attempt("tmp", lambda: pathlib.Path("/tmp/new").write_text("mine"))
attempt("shared memory", multiprocessing.Lock)
attempt("terminal", pty.openpty)
attempt("null", lambda: open("/dev/null", "w").write("x"))
attempt("loopback", own_listener)
print(json.dumps([said, sorted(os.listdir("/dev")), sorted(os.listdir("/tmp"))]))
"""
REFUSED = {
    "outside": READ_ONLY,
    "system": READ_ONLY,
    "kernel": READ_ONLY,
    "kill": "No such process",
    "kill host": "No such process",
    "host": "Connection refused",
    "abroad": "Network is unreachable",
}
POSSIBLE = ("tree", "tmpdir", "home", "tmp", "shared memory", "terminal", "null", "loopback")


def test_only_the_tree_and_its_own_folders_can_be_written_and_nothing_be_reached(bench: Bench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        words = (str(bench.tree), str(ROOT), str(listener.getsockname()[1]), str(os.getpid()))
        done = bench.sandboxed(TRIES, *words)

    said, devices, tmp = json.loads(done.out)
    said.pop("beside")  # what lies beside the tree is read-only, or below a /tmp that goes away
    assert done.confined
    assert said == {**REFUSED, **dict.fromkeys(POSSIBLE, "done")}
    assert not (bench.folder / "new").exists()
    assert (bench.tree / "new").read_text() == "mine"
    assert not {"sda", "vda", "mem", "kmsg", "loop0", "fuse"} & set(devices)
    assert tmp == sorted({"new", *([bench.folder.name] if bench.folder.parent == Path("/tmp") else [])})


def test_what_is_hidden_is_empty_and_what_was_named_inside_it_stays(bench: Bench) -> None:
    keys, netrc, workflow = bench.folder / "home/.ssh", bench.folder / "home/.netrc", bench.tree / ".workflow"
    for each in (keys, workflow / "runs" / "mine", workflow / "config"):
        each.mkdir(parents=True)
    (keys / "id").write_text("secret")
    netrc.write_text("secret")
    (workflow / "config" / "known").write_text("known")
    script = """
        folder = sys.argv[1]
        print(os.listdir(folder + "/home/.ssh"), repr(open(folder + "/home/.netrc").read()))
        print(sorted(os.listdir(folder + "/tree/.workflow")), open(folder + "/tree/.workflow/config/known").read())
        open(folder + "/tree/.workflow/runs/mine/new", "w").write("mine")
        for path in ("home/.ssh/new", "tree/.workflow/new", "tree/.workflow/config/new"):
            try:
                open(f"{folder}/{path}", "w")
            except OSError as error:
                print(error.strerror)
    """

    done = bench.sandboxed(
        script,
        str(bench.folder),
        hidden=[keys, netrc, workflow, bench.folder / "not-there"],
        readable=[workflow / "config", keys.parent],
        writable=[bench.tree, workflow / "runs" / "mine"],
    )

    assert done.out.splitlines() == ["[] ''", "['config', 'runs'] known", *[READ_ONLY] * 3], done.err
    assert (workflow / "runs" / "mine" / "new").read_text() == "mine"


def test_network_can_be_left_on_for_what_fetches(one: Bench) -> None:
    script = "import socket; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5); print('reached')"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = one.sandboxed(script, str(listener.getsockname()[1]), network=True)

    assert done.out == "reached\n", done.err


def test_mounts_of_its_own_undo_nothing(one: Bench) -> None:
    script = """
        for way in ("umount /tmp", "mount -o remount,bind,rw /", "umount -l /proc",
                    "unshare --user --map-root-user --mount mount -o remount,bind,rw /"):
            print(subprocess.run(way.split(), capture_output=True).returncode != 0)
    """

    assert one.sandboxed(script).out == "True\n" * 4


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


NO_NAMESPACES = """
import sys
from pathlib import Path
from tests.integration.test_sandbox import Bench
bench = Bench(Path(sys.argv[1]), "run-elsewhere")
for allowed in (False, True):
    done = bench.sandboxed("open('started', 'a').write('x'); print('ran')", allow_unconfined=allowed)
    print([done.out, done.confined, done.why, done.ended.ended_by, (bench.tree / "started").exists()])
"""


def test_without_a_sandbox_nothing_runs_unless_that_is_allowed(one: Bench) -> None:
    host = [sys.executable, "-c", NO_NAMESPACES, str(one.folder)]
    setup = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'

    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", setup, "sh", *host],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
    )

    why = "unshare: No space left on device"
    assert done.stdout.splitlines() == [
        f"{['', False, why, 'unconfined', False]}",
        f"{['ran' + chr(10), False, why, 'exited', True]}",
    ], done.stderr


def test_the_environment_has_no_secret_and_nothing_of_git(tmp_path: Path) -> None:
    (tmp_path / "home/.cargo").mkdir(parents=True)
    given = {"PATH": "/bin", "HOME": str(tmp_path / "home"), "LC_ALL": "C", "TZ": "UTC", "LANG": "C"}
    secret = {
        "GIT_DIR": "/x",
        "MY_API_KEY": "k",
        "AWS_PROFILE": "p",
        "SSH_AUTH_SOCK": "/s",
        "PYTHONPATH": "/x",
    }

    found = sandbox.test_environment({**given, **secret}, tmp_path, tmp_path / "tmp")

    assert not secret.keys() & found.keys()
    assert {**given, "HOME": str(tmp_path / "tmp/home")}.items() <= found.items()
    assert found["CARGO_HOME"] == str(tmp_path / "home/.cargo")
    assert "RUSTUP_HOME" not in found  # it is not there
    assert Path(found["HOME"]).is_dir() and Path(found["TMPDIR"]).is_dir()


def test_places_that_hold_the_home_folder_are_not_hidden() -> None:
    environ = {"HOME": "/home/me", "CODEX_HOME": "/home/me", "CLAUDE_CONFIG_DIR": "/srv/claude"}

    found = sandbox.hidden_places(environ, Path("/home/me/project"))

    assert Path("/home/me") not in found
    assert {Path("/home/me/.ssh"), Path("/srv/claude"), Path("/home/me/project/.workflow")} <= set(found)


AS_NOBODY = """
import json, os, sys
sys.path.append(sys.argv[1])
import confinement, guardian
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    guardian.prctl(4, 1)  # its files in /proc are its own again
guardian.prctl(guardian.PR_SET_CHILD_SUBREAPER, 1)
print(json.dumps(guardian.Guardian(json.loads(sys.argv[2]), b"").run()))
"""
SHELL = """
id -u
echo mine > /etc/new
echo mine > new && echo written
echo mine > /tmp/new && echo tmp
cat ../secrets/key
cat ../netrc
grep -vc lo: /proc/net/dev
kill -9 -1
(setsid sleep 600 &)
exit 3
"""


def test_it_works_for_a_user_without_any_rights_too() -> None:
    """The sandbox itself, by the guardian: a user without rights may not even see this interpreter."""
    folder = Path(tempfile.mkdtemp(prefix="nobody-", dir="/var/tmp"))
    try:
        for name in ("tree", "secrets"):
            (folder / name).mkdir()
        (folder / "secrets/key").write_text("secret")
        (folder / "netrc").write_text("secret")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        out, err = (os.memfd_create(name, 0) for name in ("out", "err"))
        nothing = os.open("/dev/null", os.O_RDONLY)
        confine = {
            "read_only": [],
            "writable": [str(folder / "tree")],
            "everything": True,
            "hidden": [str(folder / "secrets"), str(folder / "netrc")],
            "visible": [],
            "network": False,
            "tmp_bytes": 1_000_000,
        }
        job = {
            "argv": ["/bin/sh", "-c", SHELL],
            "cwd": str(folder / "tree"),
            "env": {"PATH": os.defpath, "LIFECYCLE_RUN": folder.name},
            "stdin": nothing,
            "stdout": out,
            "stderr": err,
            "timeouts": {"total": 30.0},
            "output_bytes": 1_000_000,
            "rlimits": {"NPROC": 100},
            "confine": confine,
            "memory_bytes": 1_000_000_000,
            "processes": 100,
            "deadline": 60.0,
            "sent": guardian.clock(),
        }
        with subprocess.Popen(
            [sys.executable, "-c", AS_NOBODY, str(Path(guardian.__file__).parent), json.dumps(job)],
            stdin=subprocess.PIPE,  # it ends when this does
            stdout=subprocess.PIPE,
            pass_fds=[nothing, out, err],
        ) as process:
            assert process.stdout is not None
            answer = json.loads(process.stdout.read())
        said, errors = (os.pread(each, 10_000, 0).decode() for each in (out, err))

        assert answer["error"] == ""
        assert (answer["ended_by"], answer["exit"], answer["left"]) == ("exited", 3, False), errors
        uid = "65534" if os.getuid() == 0 else str(os.getuid())
        assert said.splitlines() == [uid, "written", "tmp", "2"], errors
        assert READ_ONLY in errors and "secrets/key: No such file" in errors
        assert (folder / "tree/new").read_text() == "mine\n"
        assert marked("LIFECYCLE_RUN", folder.name) == []
    finally:
        shutil.rmtree(folder)
