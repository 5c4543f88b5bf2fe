"""The processes of a run: a server and its coordinator in the centre, joined hosts on machines of their own.

Server and hosts are started again a little after they have ended, as by an init system; the server sees to the
coordinator.
"""

from __future__ import annotations

import random
import re
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import IO

from tests.chaos.verdict import tracebacks
from tests.e2e.postgres_project import OnPostgres, database_toml
from tests.e2e.support import QUICK, Lifecycle, agent_toml
from tests.e2e.temporal_project import BY_ENGINE, temporal_toml
from tests.fleet_run.drawn import Shape
from tests.fleet_run.namespaces import CENTRE, Network
from tests.temporal_server import TemporalServer

AGENT = Path(__file__).parents[1] / "chaos" / "agent.py"
PORT = 8471
ASK = """
import ssl, sys, urllib.request
url, certificate, token = sys.argv[1:]
question = urllib.request.Request(url, headers={"Authorization": "Bearer " + token})
context = ssl.create_default_context(cafile=certificate)
sys.stdout.write(urllib.request.urlopen(question, timeout=30, context=context).read().decode())
"""
ASKED = re.compile(r'^lifecycle_door_requests_total\{operation="(\w+)",result="(\w+)"\} (\S+)$', re.MULTILINE)
AGAIN = (0.2, 1.0)  # seconds until what has ended is started again
# Every session begins with an agent that is a process, with a guardian; the built-in one writes what follows.
AGENTS = """
[roles]
analyst = ["prober", "builtin"]
writer = ["builtin"]
reviewer = ["builtin"]
"""
AGENT_LIMITS = "limits = { start = 20, silence = 20, turn = 20, total = 40 }\n"


class Kept:
    """A process that is started again by `keep`, some time after it was seen to have ended."""

    def __init__(self, name: str, start: Callable[[IO[bytes]], subprocess.Popen[bytes]], log: Path) -> None:
        self.name = name
        self._start = start
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._due: float | None = 0.0
        self._stopped_until: float | None = None

    @property
    def is_up(self) -> bool:
        return self._process is not None and self._process.poll() is None and self._stopped_until is None

    def keep(self, now: float, dice: random.Random) -> None:
        if self._stopped_until is not None and now >= self._stopped_until:
            self.go_on()
        if self._process is not None and self._process.poll() is not None:
            self._process, self._due = None, now + dice.uniform(*AGAIN)
        if self._process is None and self._due is not None and now >= self._due:
            with self._log.open("ab") as out:
                self._process = self._start(out)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()

    def stop(self, until: float) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        self._stopped_until = until

    def go_on(self) -> None:
        self._stopped_until = None
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def end(self, seconds: float) -> int | None:
        """Its exit code; None when it did not end in time, and was killed."""
        self._due = None
        self.go_on()
        if self._process is None:
            return 0
        self._process.terminate()
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None


class Fleet:
    """A project on PostgreSQL whose work joined hosts alone do."""

    def __init__(
        self,
        folder: Path,
        shape: Shape,
        seed: int,
        address: str,
        network: Network,
        engine: TemporalServer | None,
    ) -> None:
        self.folder = folder
        self.probe = folder / "probe"
        (self.probe / "locks").mkdir(parents=True)
        times = {
            "lease_seconds": shape.lease,
            "renew_seconds": shape.lease / 6,
            "watchdog_margin_seconds": shape.lease / 5,
        }
        extra = database_toml(address) + ("" if engine is None else temporal_toml(engine, tls=False))
        given = {**times, "own_host": False, "discuss": "off", **(BY_ENGINE if engine else {})}
        self.centre = OnPostgres(folder / "centre" / "project", address, given, extra)
        self._shape = shape
        self._watch_token = secrets.token_hex(16)
        self._network = network
        prober = agent_toml("prober", [sys.executable, "-I", "-S", str(AGENT), str(self.probe), str(seed)])
        # A clone's settings name the engine, which otherwise a host asks for with TLS: it is on another machine.
        theirs = prober + AGENT_LIMITS + AGENTS + ("" if engine is None else temporal_toml(engine, tls=False))
        own = {**QUICK, **(BY_ENGINE if engine else {})}
        self.clones = [
            Lifecycle(folder / f"h{number}" / "clone", own, theirs) for number in range(1, shape.hosts + 1)
        ]
        self.server = Kept("server", self._serve, folder / "server.out")
        self.hosts = {
            f"far-{number}": Kept(f"far-{number}", self._joining(number), folder / f"h{number}.out")
            for number in range(1, shape.hosts + 1)
        }

    def prepare(self) -> None:
        """Make what the processes need: tables, a certificate, a token for each host."""
        subprocess.run(
            [
                *(
                    "openssl",
                    "req",
                    "-x509",
                    "-newkey",
                    "rsa:2048",
                    "-nodes",
                    "-days",
                    "2",
                    "-subj",
                    "/CN=server",
                ),
                *("-addext", f"subjectAltName=IP:{CENTRE}"),
                *("-keyout", str(self.folder / "key.pem"), "-out", str(self.folder / "cert.pem")),
            ],
            check=True,
            capture_output=True,
        )
        watch = self.folder / "watch-token"
        watch.touch(mode=0o600)
        watch.write_text(self._watch_token)
        for name, clone in zip(self.hosts, self.clones, strict=True):
            (clone.folder.parent / "run").mkdir(mode=0o700)
            given = self.centre.run("host", "add", name, "--slots", str(self._shape.slots))
            assert given.code == 0, given.err
            token = clone.folder.parent / "token"
            token.touch(mode=0o600)
            token.write_text(given.out)

    def keep(self, dice: random.Random) -> None:
        for each in (self.server, *self.hosts.values()):
            each.keep(time.monotonic(), dice)

    def answers(self) -> int:
        """How often the server has said that it is ready."""
        out = self.folder / "server.out"
        return out.read_text(errors="replace").count(f"https://{CENTRE}:{PORT}\n") if out.exists() else 0

    def asked(self) -> Counter[str]:
        """How often the server was asked for what, since it was started the last time."""
        words = (f"https://{CENTRE}:{PORT}/metrics", str(self.folder / "cert.pem"), self._watch_token)
        done = subprocess.run(
            [*self._network.centre, sys.executable, "-I", "-c", ASK, *words],
            capture_output=True,
            text=True,
            check=True,
        )
        found: Counter[str] = Counter()
        for operation, _, number in ASKED.findall(done.stdout):
            found[operation] += int(float(number))
        return found

    def end(self) -> list[str]:
        """End everything in the order in which an operator would; what did not end as it should."""
        codes = {name: host.end(30.0) for name, host in self.hosts.items()}
        codes["server"] = self.server.end(30.0)
        stopped = self.centre.run("daemon", "stop")
        codes["coordinator"] = stopped.code
        return [f"{name} ended with {code}" for name, code in codes.items() if code != 0]

    def faults_in_logs(self) -> list[str]:
        found = tracebacks(self.centre)
        logs = [log for clone in self.clones for log in clone.folder.parent.rglob("workers.jsonl")]
        logs += [self.folder / "server.out", *self.folder.glob("h*.out")]
        return found + [
            f"{log.relative_to(self.folder)}: {line[:300]} ... {line[-300:]}"
            for log in logs
            for line in log.read_text(errors="replace").splitlines()
            if "Traceback" in line or "AssertionError" in line
        ]

    def close(self) -> None:
        for each in (*self.hosts.values(), self.server):
            each.end(0.0)
        for life in (*self.clones, self.centre):
            life.close()

    def _serve(self, out: IO[bytes]) -> subprocess.Popen[bytes]:
        files = ("--tls-cert", str(self.folder / "cert.pem"), "--tls-key", str(self.folder / "key.pem"))
        watch = ("--metrics-token-file", str(self.folder / "watch-token"))
        words = self.centre.command("server", "--bind", CENTRE, "--port", str(PORT), *files, *watch)
        return subprocess.Popen(
            [*self._network.centre, *words],
            cwd=self.centre.folder,
            env=self.centre.environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )

    def _joining(self, number: int) -> Callable[[IO[bytes]], subprocess.Popen[bytes]]:
        clone = self.clones[number - 1]
        home = clone.folder.parent

        def join(out: IO[bytes]) -> subprocess.Popen[bytes]:
            words = (
                *(f"https://{CENTRE}:{PORT}", "--token-file", str(home / "token")),
                *("--folder", str(clone.folder), "--ca", str(self.folder / "cert.pem")),
                *("--state", str(home / "state"), "--whole", str(self._shape.whole)),
            )
            return subprocess.Popen(
                [
                    *self._network.machine(number),
                    sys.executable,
                    "-P",
                    "-m",
                    "tests.fleet_run.light_host",
                    *words,
                ],
                cwd=clone.folder,
                env={**clone.environment, "XDG_RUNTIME_DIR": str(home / "run")},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )

        return join
