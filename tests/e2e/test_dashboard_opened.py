"""The dashboard as other commands open, name and end it: real servers, and a browser that notes what it is given."""

from __future__ import annotations

import http.client
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from orchestrator.commands import manage
from orchestrator.dispatch import dashboards
from orchestrator.dispatch.dashboards import running
from tests import factories
from tests.e2e.cli_world import World, make_world
from tests.e2e.support import lifecycle
from tests.e2e.web_server import serve
from tests.patience import patient


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        life.environment["LIFECYCLE_STATE_DIR"] = str(tmp_path / "state")
        made = make_world(life)
        yield made
        made.store.close()


def browser(folder: Path) -> tuple[dict[str, str], Path]:
    """The environment of somebody whose browser is a script that notes the address it is given."""
    noted, script = folder / "opened", folder / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" >> "{noted}"\n')
    script.chmod(0o755)
    return {"BROWSER": str(script)}, noted


def follow_link(link: str) -> tuple[int, str, str]:
    """Status, the page that it leads to, and what this page shows, for somebody who opens the link."""
    parts = urlsplit(link)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=60)
    form = {"content-type": "application/x-www-form-urlencoded"}
    connection.request("POST", "/enter", urlencode({"code": parts.fragment}), form)
    entered = connection.getresponse()
    entered.read()
    page = str(entered.headers["location"])
    cookie = str(entered.headers["set-cookie"]).partition(";")[0]
    connection.request("GET", page, headers={"cookie": cookie})
    shown = connection.getresponse().read().decode()
    connection.close()
    return entered.status, page, shown


@pytest.mark.long
def test_start_opens_the_session_in_a_browser(world: World, tmp_path: Path) -> None:
    env, noted = browser(tmp_path)
    request = "Build a tool that counts the words of a text file"

    gave = world.life.run("start", request, "--open", "--detach", env=env)
    status, page, shown = follow_link(noted.read_text().strip())

    assert gave.code == 0, gave.err
    assert (status, page) == (303, f"/p/p/s/{gave.out.strip()}")
    assert request in shown


def test_resume_opens_the_session_with_the_server_that_runs_already(world: World, tmp_path: Path) -> None:
    life = world.life
    env, noted = browser(tmp_path)
    session, other = (factories.make_session(world.store, title) for title in ("One", "Other"))
    for each in (session, other):  # what is resumed may be done before anything else is
        manage.pause(world.store, each, who="ana")

    first = life.run("resume", session, "--open", "--detach", env=env)
    (server,) = running(tmp_path / "state" / "web")
    status, page, shown = follow_link(noted.read_text().strip())
    nowhere = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    second = life.run("resume", other, "--open", "--detach", env=nowhere)
    same = running(tmp_path / "state" / "web")
    stopped = life.run("serve", "--stop")

    assert (first.code, first.out) == (0, ""), first.err
    assert "opens in your browser" in first.err
    assert "enter#" not in first.err  # it was given to the browser
    assert (status, page) == (303, f"/p/p/s/{session}")
    assert session in shown
    assert "there is no display here: open this link" in second.err
    assert f"{server.address}/enter#" in second.err
    assert second.out == ""  # a link is no data
    assert same == [server]
    assert stopped.out == f"the server on port {server.port} has stopped\n"
    assert running(tmp_path / "state" / "web") == []


def test_check_and_doctor_name_the_servers_that_live(world: World, tmp_path: Path) -> None:
    life = world.life
    session = factories.make_session(world.store)
    notes = tmp_path / "state" / "web" / "servers"

    def dashboard() -> tuple[object, str]:
        checks = {each["check"]: each for each in life.run("doctor", "--json").json()}
        return life.run("check", session, "--json").json()["dashboard"], checks["dashboard"]["says"]

    before = dashboard()
    served = serve(life, "--read-only")
    shown, examined = dashboard()
    drawn = life.run("check", session).out
    elsewhere = life.run("serve", "--stop", str(tmp_path)).out
    served.process.send_signal(signal.SIGKILL)
    served.process.wait()
    left = list(notes.iterdir())
    after = dashboard()

    assert before == (None, "not running; `lifecycle serve` starts it")
    assert shown == {
        "address": served.origin,
        "page": f"{served.origin}/p/p/s/{session}",
        "read_only": True,
        "pid": served.process.pid,
    }
    assert examined == f"{served.origin}, pid {served.process.pid}, read-only"
    assert f"{served.origin}/p/p/s/{session}" in drawn
    assert "enter#" not in drawn
    assert elsewhere == "no server shows this project\n"
    assert len(left) == 1  # of the one that was killed: nobody believes it
    assert after == before
    assert list(notes.iterdir()) == []


def test_a_note_of_another_process_with_the_same_pid_is_not_believed(world: World, tmp_path: Path) -> None:
    served = serve(world.life)
    (note,) = (tmp_path / "state" / "web" / "servers").glob("*.json")
    text = note.read_text()

    (found,) = running(tmp_path / "state" / "web")
    for forged in (
        text.replace(f'"pid": {served.process.pid}', f'"pid": {os.getpid()}'),
        text.replace(found.boot, "another boot"),
        "no JSON",
        "[]",
    ):
        note.write_text(forged)
        assert running(tmp_path / "state" / "web") == []


def test_a_link_needs_a_server_that_runs(world: World) -> None:
    gave = world.life.run("serve", "--link")

    assert (gave.code, gave.out) == (2, "")
    assert "no server is running" in gave.err


def test_a_server_that_cannot_start_ends_no_session(world: World, tmp_path: Path) -> None:
    env, noted = browser(tmp_path)
    session = factories.make_session(world.store)

    gave = world.life.run("resume", session, "--open", "-d", env={**env, "LIFECYCLE_WEB_TOKEN": "short"})

    assert gave.code == 0, gave.err
    assert "the dashboard could not be opened" in gave.err
    assert "LIFECYCLE_WEB_TOKEN is too short" in gave.err
    assert not noted.exists()


@pytest.mark.long
def test_a_state_folder_named_from_the_current_one_is_the_servers_too(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(dashboards.STATE_FOLDER, "here")
    monkeypatch.setattr(dashboards, "UP_SECONDS", patient(10))
    state = dashboards.state_folder(os.environ)

    found = dashboards.start(state, (tmp_path / "p").resolve(), tmp_path / "logs" / "serve.out")

    assert [each.pid for each in running(state)] == [found.pid]
    assert dashboards.stop(found)
