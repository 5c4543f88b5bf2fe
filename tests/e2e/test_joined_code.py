"""Code is written, tested and reviewed by a host on another machine alone: real processes, a clone and a token of its own."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.e2e.support import Lifecycle, lifecycle
from tests.git_world import as_left, git
from tests.work.building import apply_to_the_user, assert_built, begin, building
from tests.work.lanes import lanes
from tests.work.repositories import COMMON, Fixture

CODE = ("executor", "planner", "reviewer", "tester")
HOST_KILLED = (
    "code.lent",
    "tree.ready",
    "agent.worked",
    "candidate.row",
    "code.handed_in",
    "land.ticket",
    "head.stored",
)
SERVER_KILLED = ("code.taken", "code.received")


@dataclass
class Machines:
    """A project whose coordinator starts no host, and another machine with a clone and a token."""

    here: Lifecycle
    there: Lifecycle
    fixture: Fixture
    token: Path
    before: Mapping[str, str]

    def serve(self, port: int = 0, failpoint: str = "") -> tuple[subprocess.Popen[str], str]:
        env = {"LIFECYCLE_FAILPOINT": failpoint} if failpoint else {}
        process = self.here.spawn("server", "--port", str(port), env=env)
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), process.communicate()[1]
        return process, url

    def join(self, url: str, failpoint: str = "") -> subprocess.Popen[str]:
        env = {"LIFECYCLE_FAILPOINT": failpoint} if failpoint else {}
        named = ("--token-file", str(self.token), "--folder", str(self.there.folder))
        return self.there.spawn("host", "join", url, *named, env=env)

    def start(self) -> str:
        started = self.here.run(*begin(self.here), "--detach")
        assert started.code == 0, started.err
        return self.here.session()

    def stopped_at(self, announce: Path, name: str) -> int:
        self.here.wait(
            lambda: announce.exists() and announce.read_text().endswith("\n"), f"{name} is reached", 180
        )
        return int(announce.read_text().split()[0])

    def await_end(self, session: str, *allowed: str) -> None:
        """Each task was completed once by the other machine, the branch passes its tests, and `apply` gives its tree."""
        here = self.here
        here.wait(lambda: here.status(session)[0] in ("completed", "paused"), "the session ends", 300)
        said = here.rows("SELECT task_id, outcome, error FROM runs WHERE outcome != 'completed'")
        assert here.status(session) == ("completed", None), said
        for key in here.tasks(session):
            story = here.story(key, session)
            assert story[-1] == "completed" and set(story[:-1]) <= set(allowed), f"{key}: {story}"
        by = "SELECT DISTINCT h.token FROM runs r JOIN hosts h ON h.incarnation = r.host"
        assert here.rows(by) == [("far-1",)]
        here.wait(
            lambda: here.rows("SELECT count(*) FROM works WHERE head = published") == [(1,)],
            "the project's machine publishes what has landed",
        )
        assert_built(here, self.fixture, self.before, session)


@contextmanager
def machines_of(folder: Path, fixture: Fixture) -> Iterator[Machines]:
    with building(folder / "here", fixture, settings={"own_host": False}) as here:
        clone = folder / "there" / "clone"
        clone.parent.mkdir()
        git(folder, "clone", "-q", str(here.folder), str(clone))
        config = here.folder / ".workflow" / "config.toml"
        with lifecycle(clone) as there:
            told = config.read_text().replace("own_host = false\n", "")
            (clone / ".workflow" / "config.toml").write_text(
                told.replace(str(folder / "here" / "trees"), str(folder / "there" / "trees"))
            )
            given = here.run("host", "add", "far-1", "--slots", "4")
            assert given.code == 0, given.err
            token = folder / "there" / "token"
            token.write_text(given.out)
            yield Machines(here, there, fixture, token, as_left(here.folder))


@pytest.mark.long
def test_a_host_elsewhere_plans_codes_tests_and_reviews_alone(tmp_path: Path) -> None:
    with machines_of(tmp_path, COMMON["python-flat"]) as machines:
        _, url = machines.serve()
        host = machines.join(url)
        session = machines.start()

        machines.await_end(session)

        here = machines.here
        assert {row[0] for row in here.rows("SELECT DISTINCT role FROM tasks")} >= set(CODE)
        assert here.run("diff", "IMPL-001").code == 0
        assert not list((tmp_path / "here" / "trees").rglob("owner.json")), "no tree was made on this machine"
        assert here.run("gc", "--dry-run").code == 0
        apply_to_the_user(here)
        host.terminate()
        assert host.wait(60) == 0


@pytest.mark.long
@pytest.mark.parametrize("name", HOST_KILLED)
def test_a_host_that_is_killed_as_it_codes_lands_everything_once(tmp_path: Path, name: str) -> None:
    with machines_of(tmp_path, lanes(2)) as machines:
        _, url = machines.serve()
        announce = tmp_path / "announced"
        host = machines.join(url, failpoint=f"{name}=wait:{announce}")
        session = machines.start()
        assert machines.stopped_at(announce, name) == host.pid

        host.send_signal(signal.SIGKILL)
        host.wait()
        machines.join(url)

        machines.await_end(session, "lost")
        apply_to_the_user(machines.here)


@pytest.mark.long
@pytest.mark.parametrize("name", SERVER_KILLED)
def test_a_server_that_is_killed_as_it_takes_code_in_loses_none(tmp_path: Path, name: str) -> None:
    with machines_of(tmp_path, lanes(2)) as machines:
        announce = tmp_path / "announced"
        server, url = machines.serve(failpoint=f"{name}=wait:{announce}")
        machines.join(url)
        session = machines.start()
        assert machines.stopped_at(announce, name) == server.pid

        server.send_signal(signal.SIGKILL)
        server.wait()
        machines.serve(port=urlsplit(url).port or 0)

        machines.await_end(session, "lost")
