"""Commands over somebody else's code: what they see and what they may do."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox_bench import Bench, benches
from workers.host import guardian
from workers.host.marked_processes import marked

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("confinable")
READ_ONLY = "Read-only file system"


@pytest.fixture(params=["/tmp", "/var/tmp"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Below the folder that is replaced, and elsewhere."""
    yield from benches(request.param)


@pytest.fixture
def one() -> Iterator[Bench]:
    yield from benches("/tmp")


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
attempt("signal all", lambda: os.kill(-1, 0))  # 0 asks whether it could be signalled
attempt("signal host", lambda: os.kill(host, 0))
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
    "signal all": "No such process",
    "signal host": "No such process",
    "host": "Connection refused",
    "abroad": "Network is unreachable",
}
POSSIBLE = ("tree", "tmpdir", "home", "tmp", "shared memory", "terminal", "null", "loopback")


def test_only_the_tree_and_its_own_folders_can_be_written_and_nothing_be_reached(bench: Bench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, tempfile.NamedTemporaryFile(dir="/tmp") as mine:
        words = (str(bench.tree), "/var/tmp", str(listener.getsockname()[1]), str(os.getpid()))
        done = bench.sandboxed(TRIES, *words)

    assert done.err == ""
    said, devices, tmp = json.loads(done.out)
    said.pop("beside")  # what lies beside the tree is read-only, or below a /tmp that goes away
    assert done.confined
    assert said == {**REFUSED, **dict.fromkeys(POSSIBLE, "done")}
    assert not (bench.folder / "new").exists()
    assert (bench.tree / "new").read_text() == "mine"
    assert not {"sda", "vda", "mem", "kmsg", "loop0", "fuse"} & set(devices)
    assert "new" in tmp and Path(mine.name).name not in tmp


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


NO_NAMESPACES = """
import sys
from pathlib import Path
from tests.sandbox_bench import Bench
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


def test_a_folder_that_is_not_there_is_no_missing_sandbox(one: Bench) -> None:
    with pytest.raises(FileNotFoundError):
        one.sandboxed("", writable=[one.folder / "not-there"])


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
kill -0 "$HOST" && echo "sees the host"
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
            "env": {"PATH": os.defpath, "LIFECYCLE_RUN": folder.name, "HOST": str(os.getpid())},
            "stdin": nothing,
            "stdout": out,
            "stderr": err,
            "timeouts": {"total": 30.0},
            "output_bytes": 1_000_000,
            "rlimits": {"NPROC": 100},
            "confine": confine,
            "memory_bytes": 1_000_000_000,
            "processes": 100,
            "free_bytes": {},
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
