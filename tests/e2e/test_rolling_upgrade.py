"""Server, coordinator and joined hosts go from one version to the next while sessions run, as docs/operations.md says."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from orchestrator import __version__
from orchestrator.store.backends.sqlite_file import SCHEMA
from orchestrator.store.clock import process_start
from tests import invariants
from tests.conftest import Distributions
from tests.cut_proxy import CutProxy, cut_proxy
from tests.e2e.installed_versions import (
    EARLIER,
    NUMBERED,
    Installed,
    InstalledOnPostgres,
    install,
    replace_with,
    wheel_of,
    wheel_of_checkout,
)
from tests.e2e.postgres_project import database_toml
from tests.e2e.test_bad_disk import Gate
from tests.e2e.test_install import install_wheel
from tests.patience import patient
from tests.postgres_server import Server

pytestmark = pytest.mark.scale
REQUEST = "Build a URL shortener with an admin dashboard"
SAME_SCHEMA = "7b42f36b"  # schema and door are those of now
EARLIER_SCHEMA = "95f82013"  # the first that knew servers and joined hosts: schema 0007, door 1
SETTINGS = {
    "own_host": False,
    "lease_seconds": int(patient(30)),  # nobody is killed: whoever lets a lease end has done it wrong
    "renew_seconds": 1,
    "watchdog_margin_seconds": 2,
    "drain_seconds": 60,
    "slots": 1,
    "idle_exit_seconds": 3600,
}


@pytest.fixture(scope="module")
def now(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(distributions.wheel, tmp_path_factory.mktemp("now"))


def of_commit(commit: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("earlier")
    return install(wheel_of(commit, folder), folder)


@pytest.fixture(scope="module")
def same_schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return of_commit(SAME_SCHEMA, tmp_path_factory)


@pytest.fixture(scope="module")
def earlier_schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return of_commit(EARLIER_SCHEMA, tmp_path_factory)


@dataclass
class Team:
    """A project on PostgreSQL, and machines with a clone each; every part may run another version.

    Hosts know the servers by one address, behind which a person puts another server in the place of the first.
    """

    here: InstalledOnPostgres
    folder: Path
    servers: CutProxy
    ending: ExitStack
    machines: dict[str, Installed] = field(default_factory=dict)
    tokens: dict[str, Path] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def begin(self, program: Path, *arguments: str) -> subprocess.Popen[str]:
        """A process beside the database; what the person gives commands with stays as it is."""
        process = subprocess.Popen(
            [str(program), *arguments],
            cwd=self.here.folder,
            env=self.here.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.here.take_along(process)
        return process

    def serve(self, program: Path, *more: str) -> subprocess.Popen[str]:
        """A server, to which hosts come from now on."""
        process = self.begin(program, "server", "--port", "0", *more)
        assert process.stdout is not None
        url = urlsplit(process.stdout.readline().strip())
        assert url.port is not None, process.communicate()[1]
        self.servers.to = ("127.0.0.1", url.port)
        return process

    def add(self, name: str) -> None:
        self.machines[name] = machine = Installed(self.folder / name / "clone", SETTINGS)
        self.ending.callback(machine.close)
        given = self.here.run("host", "add", name, "--slots", "1")
        assert given.code == 0, given.err
        self.tokens[name] = self.folder / name / "token"
        self.tokens[name].write_text(given.out)

    def join(self, name: str, program: Path) -> subprocess.Popen[str]:
        if name not in self.machines:
            self.add(name)
        machine = self.machines[name]
        machine.use(program)
        process = machine.spawn(
            *("host", "join", f"http://{self.servers.address}", "--token-file", str(self.tokens[name])),
            *("--folder", str(machine.folder)),
        )
        self.here.wait(lambda: name in self.joined() or process.poll() is not None, f"{name} has joined")
        return process

    def joined(self) -> set[str]:
        rows = self.here.rows(
            "SELECT token FROM hosts WHERE token IS NOT NULL AND draining = 0 "
            "AND lease_until > extract(epoch FROM clock_timestamp()) * 1000000"
        )
        return {row[0] for row in rows}

    def doctor(self, check: str) -> dict[str, str]:
        done = self.here.run("doctor", "--json").json()
        (found,) = (each for each in done if each["check"] == check)
        return dict(found)

    def start(self, sessions: int) -> None:
        """More work, all of it at once: begun one after another, one host could end each before the next is there."""
        begun = [
            self.here.spawn("start", f"{REQUEST} {next(self.numbers)}", "--mode", "spec-only", "--detach")
            for _ in range(sessions)
        ]
        for each in begun:
            _, err = each.communicate(timeout=patient(120))
            assert each.returncode == 0, err

    def unfinished(self) -> int:
        return int(self.here.rows("SELECT count(*) FROM sessions WHERE status <> 'completed'")[0][0])

    def works(self, name: str) -> None:
        """The host completes a task that it begins from now on, and sessions go on.

        There is always more to do than all other hosts can: else they may leave nothing for this one.
        """
        (before,) = self.here.rows("SELECT coalesce(max(opened_at), 0) FROM runs")[0]

        def has_worked() -> bool:
            self.start(max(0, len(self.machines) + 1 - self.unfinished()))
            found = self.here.rows(
                "SELECT 1 FROM runs r JOIN hosts h ON h.incarnation = r.host "
                "WHERE h.token = ? AND r.outcome = 'completed' AND r.opened_at > ?",
                *(name, before),
            )
            return bool(found)

        self.here.wait(has_worked, f"{name} completes a task")
        assert self.unfinished(), "the sessions have ended before the step that they are for"

    def await_end(self) -> list[str]:
        """All sessions are completed, each task once; the hosts whose runs were lost, each of which was done again."""
        here = self.here
        here.wait(lambda: not self.unfinished(), "the sessions end", 240)
        for (session,) in here.rows("SELECT id FROM sessions"):
            for key in here.tasks(session):
                story = here.story(key, session)
                assert Counter(story)["completed"] == 1 and set(story[:-1]) <= {"lost"}, f"{key}: {story}"
        here.check_invariants()
        lost = "SELECT h.token FROM runs r JOIN hosts h ON h.incarnation = r.host WHERE r.outcome = 'lost'"
        return [row[0] for row in here.rows(lost)]


@pytest.fixture
def team(postgres: Server, tmp_path: Path) -> Iterator[Team]:
    address = postgres.database()
    with ExitStack() as ending:
        here = InstalledOnPostgres(tmp_path / "here" / "p", address, SETTINGS, database_toml(address))
        ending.callback(here.close)
        yield Team(here, tmp_path, ending.enter_context(cut_proxy("127.0.0.1:1")), ending)


def end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    out, err = process.communicate(timeout=patient(120))
    assert process.returncode == 0, out + err


def test_without_a_migration_each_part_rolls_by_itself(team: Team, same_schema: Path, now: Path) -> None:
    here = team.here
    here.use(same_schema)
    coordinator = team.begin(same_schema, "daemon", "run")
    server = team.serve(same_schema, "--no-coordinator")
    first, second = team.join("far-1", same_schema), team.join("far-2", same_schema)
    team.works("far-1")

    end(first)
    team.join("far-1", now)
    team.works("far-1")  # a newer host of an earlier server
    newer = team.serve(now, "--no-coordinator")
    end(server)
    team.works("far-2")  # an earlier host of a newer server
    team.begin(now, "daemon", "run", "--standby")
    end(coordinator)
    here.use(now)
    here.wait(
        lambda: here.rows("SELECT 1 FROM leases WHERE version <> ? AND name = 'coordinator'", EARLIER),
        "it leads",
    )
    team.works("far-2")  # an earlier host under a newer coordinator
    assert "earlier_host_drained" not in here.logs()
    assert f"an earlier version ({EARLIER}): upgrade it there" in here.run("daemon", "status").out
    assert f"far-2 runs version {EARLIER}" in team.doctor("hosts")["says"]
    end(second)
    team.join("far-2", now)
    team.works("far-2")

    assert team.await_end() == []
    assert (
        "far-2 runs version" not in team.doctor("hosts")["says"]
    )  # far-1 has its row from the earlier server
    assert EARLIER not in team.doctor("servers")["says"]
    end(newer)


def test_with_a_migration_everything_ends_first_and_what_was_forgotten_says_so(
    team: Team, earlier_schema: Path, now: Path
) -> None:
    here = team.here
    here.use(earlier_schema)
    coordinator = team.begin(earlier_schema, "daemon", "run")
    server = team.serve(earlier_schema)
    first, forgotten = team.join("far-1", earlier_schema), team.join("far-2", earlier_schema)
    team.works("far-1")

    end(first)
    end(server)
    end(coordinator)
    assert team.unfinished()
    team.begin(now, "daemon", "run", "--standby")
    here.wait(lambda: here.rows("SELECT version_num FROM alembic_version") == [(SCHEMA,)], "it has migrated")
    late = here.run("list")
    assert (late.code, "the database is newer than this program" in late.err) == (2, True), late.err
    team.serve(now, "--no-coordinator")
    here.use(now)
    _, err = forgotten.communicate(timeout=patient(60))
    assert forgotten.returncode == 2 and "the server speaks another version" in err, err
    assert "run the same version of team-lifecycle on the server and on its hosts" in err
    for name in ("far-1", "far-2"):
        team.join(name, now)
        team.works(name)

    assert set(team.await_end()) <= {"far-2"}
    assert EARLIER not in team.doctor("hosts")["says"] + team.doctor("servers")["says"]


def test_a_newer_command_ends_the_coordinator_that_it_finds_here_before_it_migrates(
    team: Team, earlier_schema: Path, now: Path
) -> None:
    here = team.here
    here.use(earlier_schema)
    coordinator = team.begin(earlier_schema, "daemon", "run")
    here.wait(lambda: here.has_tables() and here.rows("SELECT 1 FROM leases"), "it leads")
    here.use(now)

    listed = here.run("list")

    assert listed.code == 0, listed.err
    assert f"stopping processes of an earlier version (pid {coordinator.pid})" in listed.err
    assert coordinator.wait(patient(60)) == 0
    assert here.rows("SELECT version_num FROM alembic_version") == [(SCHEMA,)]
    here.wait(
        lambda: here.rows("SELECT 1 FROM leases WHERE version <> ? AND pid <> ?", EARLIER, coordinator.pid),
        "it leads",
    )


def test_a_joined_host_whose_program_is_replaced_goes_on_as_the_new_one(
    team: Team, now: Path, distributions: Distributions, tmp_path: Path
) -> None:
    program = install(wheel_of_checkout(distributions, tmp_path, NUMBERED), tmp_path)
    team.here.use(now)
    team.begin(now, "daemon", "run")
    team.serve(now, "--no-coordinator")
    joined = team.join("far-1", program)
    team.works("far-1")
    assert f"far-1 runs version {EARLIER}" in team.doctor("hosts")["says"]

    replace_with(distributions.wheel, program, tmp_path)

    team.here.wait(lambda: EARLIER not in team.doctor("hosts")["says"], "the host has joined anew")
    team.works("far-1")
    assert team.await_end() == []
    assert team.here.rows("SELECT sum(attempts) FROM tasks") == [(0,)]
    end(joined)


@pytest.mark.parametrize("commit", [None, SAME_SCHEMA, EARLIER_SCHEMA])
def test_on_one_machine_the_package_is_upgraded_under_a_session_at_work(
    commit: str | None, distributions: Distributions, tmp_path: Path
) -> None:
    """None: the version before is this very checkout, and notices it. The other two do not: what they load late is of
    the new package. So their agent is at work until they release it.
    """
    wheel = (
        wheel_of_checkout(distributions, tmp_path, NUMBERED) if commit is None else wheel_of(commit, tmp_path)
    )
    program = install(wheel, tmp_path)
    gate = Gate(tmp_path)
    settings = {**SETTINGS, "own_host": True, "slots": 2, "drain_seconds": 60 if commit is None else 5}
    life = Installed(tmp_path / "one" / "p", settings, gate.toml)
    life.use(program)
    try:
        session = gate.start(life)
        ((earlier,),) = life.rows("SELECT pid FROM leases WHERE version = ?", EARLIER)

        install_wheel(program.with_name("python"), distributions, tmp_path)
        looked = life.run("check", session)
        going_on = life.run("resume", session, "--detach")
        if commit is not None:
            life.wait(lambda: process_start(earlier) is None, "the earlier coordinator has ended", 120)
        gate.open()

        assert looked.code == 0, looked.err
        assert going_on.code == 0, going_on.err
        life.wait(lambda: life.status(session)[0] == "completed", "the session ends", 240)
        assert life.rows("SELECT version FROM leases") == [(__version__,)]
        assert life.rows("SELECT version_num FROM alembic_version") == [(SCHEMA,)]
        for key in life.tasks(session):
            story = life.story(key, session)
            assert story[-1] == "completed" and set(story[:-1]) <= {"released"}, f"{key}: {story}"
        assert life.rows("SELECT sum(attempts) FROM tasks") == [(0,)]
        invariants.check(life.database)
    finally:
        life.close()
