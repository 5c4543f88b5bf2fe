"""Sessions whose offers a Temporal server delivers: the real command, coordinator, server and worker hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import invariants
from tests.e2e.support import Lifecycle, lifecycle
from tests.e2e.temporal_project import BY_ENGINE, delivered, temporal_toml
from tests.e2e.test_joined_host import Machines, stopped_at
from tests.e2e.test_kill import check_story
from tests.temporal_server import TemporalServer, temporal_server

REQUEST = "Build a URL shortener with an admin dashboard"


@pytest.fixture
def project(temporal: TemporalServer, tmp_path: Path) -> Iterator[Lifecycle]:
    with lifecycle(tmp_path / "p", BY_ENGINE, temporal_toml(temporal)) as made:
        yield made


@pytest.fixture
def machines(temporal: TemporalServer, tmp_path: Path) -> Iterator[Machines]:
    extra = temporal_toml(temporal)
    with (
        lifecycle(tmp_path / "here" / "p", {**BY_ENGINE, "own_host": False}, extra) as here,
        lifecycle(tmp_path / "there" / "clone") as clone,
    ):
        given = here.run("host", "add", "far-1")
        assert given.code == 0, given.err
        token = tmp_path / "there" / "token"
        token.write_text(given.out)
        yield Machines(here, clone, token)


@pytest.mark.scale
def test_a_session_is_delivered_to_the_projects_own_host(
    project: Lifecycle, temporal: TemporalServer
) -> None:
    done = project.run("start", REQUEST, "--mode", "spec-only")

    assert done.code == 0, done.err
    session = project.session()
    check_story(project, session)
    answers = delivered(project, temporal, session)
    assert "RESEARCH-001" in answers and set(answers.values()) == {"claimed"}
    engine = project.run("daemon", "status", "--json").json()["engine"]
    assert (engine["up"], engine["address"]) == (True, temporal.address)
    assert (
        f"engine: Temporal {engine['version']} at {temporal.address}" in project.run("daemon", "status").out
    )
    checks = {each["check"]: each for each in project.run("doctor", "--json").json()}
    assert checks["engine"]["state"] == "ok" and temporal.address in checks["engine"]["says"]


@pytest.mark.scale
def test_a_session_is_delivered_to_a_joined_host_alone(machines: Machines, temporal: TemporalServer) -> None:
    _, url = machines.serve()
    machines.join(url)
    session = machines.start()

    machines.await_end(session)

    here = machines.here
    assert {
        row[0] for row in here.rows("SELECT h.token FROM runs r JOIN hosts h ON h.incarnation = r.host")
    } == {"far-1"}
    answers = delivered(here, temporal, session)
    assert "RESEARCH-001" in answers and set(answers.values()) == {"claimed"}


@pytest.mark.scale
def test_without_its_engine_a_session_goes_on_and_says_since_when(tmp_path: Path) -> None:
    with temporal_server() as own:
        own.kill()
        with lifecycle(tmp_path / "p", BY_ENGINE, temporal_toml(own)) as project:
            done = project.run("start", REQUEST, "--mode", "spec-only")

            assert done.code == 0, done.err
            check_story(project, project.session())
            engine = project.run("daemon", "status", "--json").json()["engine"]
            assert (engine["up"], "cannot be reached" in engine["why"]) == (False, True)
            said = project.run("daemon", "status").out
            assert f"engine: {own.address} has been away since {engine['since']}" in said
            checks = {each["check"]: each for each in project.run("doctor", "--json").json()}
            assert checks["engine"]["state"] == "fault" and engine["since"] in checks["engine"]["says"]


def test_an_offer_says_by_which_queue_it_is_delivered(project: Lifecycle, temporal: TemporalServer) -> None:
    project.configure({**BY_ENGINE, "own_host": False}, temporal_toml(temporal))
    assert project.run("start", REQUEST, "--mode", "spec-only", "--detach").code == 0
    project.wait(lambda: project.rows("SELECT 1 FROM engines WHERE version IS NOT NULL"), "the engine is up")

    (task, epoch) = project.wait(
        lambda: project.rows("SELECT id, epoch FROM tasks WHERE offered_at IS NOT NULL"), "it is offered"
    )[0]
    said = project.run("why", "RESEARCH-001").out

    assert f"delivered by the engine at {temporal.address}" in " ".join(said.split())
    assert f":{task}:{epoch}" in said


KILLED = ("offer.delivered", "claim.after", "relay.sent")


@pytest.mark.scale
@pytest.mark.parametrize("name", KILLED)
def test_whoever_is_killed_between_offer_and_claim_the_offer_is_claimed_once(
    project: Lifecycle, name: str
) -> None:
    announce = project.folder / "announced"
    planted = {"LIFECYCLE_FAILPOINT": f"{name}=wait:{announce}"}
    assert project.run("start", REQUEST, "--mode", "spec-only", "--detach", env=planted).code == 0
    session = project.session()

    stopped = stopped_at(project, announce, name)
    killed = (
        project.kill_everything()
    )  # the coordinator first: it would start a host that stops there as well
    again = project.run("resume")

    assert stopped in killed
    assert again.code == 0, again.err
    project.wait(lambda: project.status(session)[0] == "completed", "the session ends", 120)
    for key in project.tasks(session):
        story = project.story(key, session)
        assert Counter(story)["completed"] == 1 and set(story[:-1]) <= {"lost"}, f"{key}: {story}"
    invariants.check(project.database)


@pytest.mark.scale
def test_dispatch_by_the_desk_again_forgets_the_engine(project: Lifecycle) -> None:
    assert project.run("start", REQUEST, "--mode", "spec-only").code == 0
    assert project.run("daemon", "stop").code == 0
    project.configure({"own_host": True})

    second = project.run("start", "Build a chat server", "--mode", "spec-only")

    assert second.code == 0, second.err
    assert project.run("daemon", "status", "--json").json()["engine"] is None
    assert project.rows("SELECT count(*) FROM engines") == [(0,)]


def test_settings_that_no_engine_can_have_are_faults(tmp_path: Path) -> None:
    with lifecycle(
        tmp_path / "p", BY_ENGINE, '\n[temporal]\naddress = "nowhere"\nqueues = "a/b"\n'
    ) as project:
        said = project.run("config", "check")

        assert said.code == 1, said.err
        assert "temporal.address" in said.err + said.out and "temporal.queues" in said.err + said.out
