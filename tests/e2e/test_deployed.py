"""The command lines of the deployment files, run as they are from a wheel of this checkout: only places are others."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
import venv
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from ssl import create_default_context

import psycopg
import pytest

from tests.conftest import Distributions
from tests.deploying import DEPLOY, KINDS, Service
from tests.e2e.test_install import SITE_PACKAGES, install_wheel
from tests.patience import patient
from tests.postgres_server import Server

REQUEST = "Build a URL shortener with an admin dashboard"
POLL_SECONDS = 0.1
WATCHER = "watcher-0123456789"
CERTIFICATES = (
    *("/run/secrets/server.pem", "/run/secrets/tls/tls.crt", "%d/server.pem"),
    *("/run/secrets/ca.pem", "/run/secrets/host/ca.crt", "%d/ca.pem"),
)
KEYS = ("/run/secrets/server-key.pem", "/run/secrets/tls/tls.key", "%d/server-key.pem")
WATCHERS = ("/run/secrets/metrics-token", "/run/secrets/metrics/token", "%d/metrics-token")
TOKENS = ("/run/secrets/host-token", "/run/secrets/host/token", "%d/token")


@pytest.fixture(scope="module")
def program(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a virtual environment that has the wheel."""
    folder = tmp_path_factory.mktemp("deployed") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    install_wheel(folder / "bin" / "python", distributions, tmp_path_factory.mktemp("scratch"))
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(SITE_PACKAGES)  # behind its own packages
    return folder / "bin" / "lifecycle"


@dataclass
class Site:
    """The places that the files name, below a folder of the test, and a database for it."""

    program: Path
    folder: Path
    address: str
    port: int

    def prepare(self) -> None:
        for name in ("project/.workflow", "clone", "state", "run", "secrets", "home"):
            (self.folder / name).mkdir(parents=True, mode=0o700)
        (self.folder / "secrets" / "password").write_text("unused: the test's server trusts its users\n")
        (self.folder / "secrets" / "metrics-token").write_text(WATCHER)
        settings = (DEPLOY / "settings.toml").read_text(encoding="utf-8")
        given = "postgresql://lifecycle@database/lifecycle"
        assert given in settings
        settings = "own_host = false\n" + settings.replace(
            given, self.address
        )  # so that the joined one has to do it
        settings = settings.replace("/run/secrets/database-password", str(self.folder / "secrets/password"))
        (self.folder / "project/.workflow/config.toml").write_text(settings, encoding="utf-8")
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
                *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
                *("-keyout", str(self.folder / "secrets/key.pem"), "-out", str(self.certificate)),
            ],
            check=True,
            capture_output=True,
        )

    @property
    def certificate(self) -> Path:
        return self.folder / "secrets" / "cert.pem"

    def here(self, argument: str) -> str:
        """An argument with the place or address that it names as one of the test's."""
        option, given, value = argument.rpartition("=")
        own, secrets = str(self.folder), str(self.folder / "secrets")
        places = {
            **dict.fromkeys(("https://server:8471", "${URL}"), f"https://localhost:{self.port}"),
            **dict.fromkeys(("/project", "/srv/lifecycle"), f"{own}/project"),
            **dict.fromkeys(("/clone", "/srv/clone"), f"{own}/clone"),
            **dict.fromkeys(("/state", "/var/lib/lifecycle-host-%i"), f"{own}/state"),
            **dict.fromkeys(CERTIFICATES, str(self.certificate)),
            **dict.fromkeys(KEYS, f"{secrets}/key.pem"),
            **dict.fromkeys(WATCHERS, f"{secrets}/metrics-token"),
            **dict.fromkeys(TOKENS, f"{secrets}/token"),
            "/run/lifecycle": f"{own}/run",
            "0.0.0.0": "127.0.0.1",
            "8471": str(self.port),
        }
        assert value in places or not value.startswith(("/", "%", "$")), f"{argument} names an unknown place"
        return f"{option}{given}{places.get(value, value)}"

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        own = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "LANG": "C.UTF-8"}
        return {**own, **{key: self.here(value) for key, value in given.items()}}

    @contextmanager
    def running(self, service: Service) -> Iterator[subprocess.Popen[bytes]]:
        log = self.folder / f"{service.arguments[0]}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [str(self.program), *map(self.here, service.arguments)],
                cwd=self.folder / "home",
                env=self.environment(service.environment),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()

    def command(self, *arguments: str) -> str:
        """What a command printed that a person gives in the project's folder."""
        done = subprocess.run(
            [str(self.program), *arguments],
            cwd=self.folder / "project",
            env=self.environment({}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patient(120),
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def wait(self, fact: str, *, seconds: float = 120.0) -> None:
        """Until the database has a row of this query."""
        until = time.monotonic() + patient(seconds)
        with psycopg.connect(self.address, autocommit=True) as connection:
            while connection.execute(fact).fetchone() is None:  # type: ignore[call-overload]
                assert time.monotonic() < until, f"not within {seconds} s: {fact}\n{self.logs()}"
                time.sleep(POLL_SECONDS)  # between two looks

    def get(self, path: str) -> str:
        """What the server answers to who watches it."""
        asked = urllib.request.Request(
            f"https://localhost:{self.port}{path}", headers={"Authorization": f"Bearer {WATCHER}"}
        )
        context = create_default_context(cafile=self.certificate)
        with urllib.request.urlopen(asked, context=context, timeout=30) as answer:
            return str(answer.read().decode())

    def logs(self) -> str:
        return "\n".join(f"== {file.name}\n{file.read_text()}" for file in sorted(self.folder.glob("*.log")))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def end(process: subprocess.Popen[bytes], service: Service, site: Site) -> None:
    """SIGTERM ends it within the time that the file gives it, as a success."""
    process.terminate()
    assert process.wait(service.stop_seconds) == 0, site.logs()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["compose", "kubernetes", "systemd"])
def test_the_command_lines_run_a_session_and_end_in_time(
    kind: str, program: Path, postgres: Server, tmp_path: Path
) -> None:
    services = KINDS[kind]()
    site = Site(program, tmp_path, postgres.database(), free_port())
    site.prepare()
    (tmp_path / "secrets" / "token").write_text(site.command("host", "add", "far-1"))
    with ExitStack() as stack:
        server, coordinator, host = (
            stack.enter_context(site.running(services[name])) for name in ("server", "coordinator", "host")
        )
        site.wait("SELECT 1 FROM leases JOIN hosts ON hosts.token = 'far-1'")
        assert site.get("/healthz") == "ok\n"
        site.command("start", REQUEST, "--mode", "spec-only", "--detach")

        site.wait("SELECT 1 FROM sessions WHERE status = 'completed'", seconds=180)

        assert 'lifecycle_slots{where="joined"} 4.0' in site.get("/metrics")
        assert json.loads(site.get("/v1/demand?role=writer"))["demand"] == 0
        end(host, services["host"], site)
        end(coordinator, services["coordinator"], site)
        end(server, services["server"], site)
        (told,) = json.loads(site.command("host", "list", "--json"))
        assert (told["name"], told["joined"]) == ("far-1", [])
        assert json.loads(site.command("daemon", "status", "--json"))["running"] is False
