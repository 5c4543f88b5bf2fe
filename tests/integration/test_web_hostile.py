"""What a review by attackers found: each of these got through once."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, replace
from html import unescape
from pathlib import Path

import pytest
import uvicorn
from starlette.types import Message

from orchestrator.dispatch import dashboards
from orchestrator.domain.errors import UsageError
from orchestrator.store.clock import process_start
from orchestrator.web import connection, request_body
from orchestrator.web.access import Access, Admission, Refused
from orchestrator.web.feed import STREAMS_OF_ONE, Feed
from orchestrator.web.problems import TooMany
from orchestrator.web.server import build, listen
from tests.web_world import ORIGIN, PORT, WebWorld, web_world

VISIT = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
ELSEWHERE = ("/%5cevil.example/x", "/%09/evil.example/x", "/%2fevil.example/x", "/%0a%5cevil.example")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    with web_world(tmp_path_factory.mktemp("hostile")) as made:
        yield made


@pytest.mark.parametrize("path", ELSEWHERE)
def test_no_page_sends_a_visitor_to_an_address_that_is_another_site(world: WebWorld, path: str) -> None:
    again = world.client.get(path, headers=VISIT)
    missing = world.client.get(path, headers={"cookie": world.cookie()})

    assert (again.status_code, missing.status_code) == (200, 404)
    for page in (again.text, missing.text):
        targets = [unescape(each) for each in re.findall(r'(?:href="|;url=)([^"]*)"', page)]
        assert targets
        assert not [each for each in targets if re.match(r"[/\\\s]{2}", each)], targets


def test_a_question_mark_in_a_name_makes_no_parameter(world: WebWorld) -> None:
    path = f"/api/v1/p/demo/sessions/{world.session}/artifacts/"

    unknown = world.get(f"{path}no%3fversion=x")
    checked = world.get(f"{path}no%23?version=x")

    assert unknown.status_code == 404, unknown.text
    assert checked.status_code == 422, checked.text


def test_only_the_proxys_own_name_names_a_person(tmp_path: Path) -> None:
    with web_world(tmp_path, allowed_host="team.example", user_header="X-User") as made:
        cookie = made.cookie(person="mallory")
        by_proxy, here = (
            made.client.get("/", headers={"host": host, "cookie": cookie, "x-user": "berta"}).text
            for host in ("Team.example", f"lifecycle.localhost:{PORT}")
        )

    assert "berta" in by_proxy
    assert "berta" not in here
    assert "mallory" in here


def test_who_was_shut_out_cannot_come_again_in_the_proxys_name(tmp_path: Path) -> None:
    with web_world(tmp_path, allowed_host="team.example", user_header="X-User") as world:
        asked = {"host": "team.example", "x-user": "berta"}
        old = {**asked, "cookie": world.cookie(person="everybody")}
        before = world.client.get("/", headers=old).status_code
        world.site.access.revoke("berta")

        after = world.client.get("/", headers=old).status_code
        others = world.client.get("/", headers={**old, "x-user": "ana"}).status_code
        again = world.client.get(
            "/", headers={**asked, "cookie": world.cookie(person="everybody")}
        ).status_code

    assert (before, after, others, again) == (200, 401, 200, 200)


def test_the_plan_that_was_shown_starts_exactly_what_was_asked(world: WebWorld) -> None:
    cookie = world.cookie()
    task = 'Build "a" <b>\u202e shop\u200b & more\x07'

    page = world.client.post(
        "/p/demo/start",
        data={"task": task, "plan": "true", "form_token": world.form_token(cookie)},
        headers={"cookie": cookie, "origin": ORIGIN},
    ).text

    form = page.partition('id="form-start"')[2].partition("</form>")[0]
    sent = re.search(r'name="task" value="([^"]*)"', form)
    assert sent is not None
    assert unescape(sent[1]) == unescape(task)
    assert "\u202e" not in re.sub(r'(?s)value="[^"]*"|<textarea.*?</textarea>', "", page)


def test_a_code_that_many_send_at_once_lets_in_one(tmp_path: Path) -> None:
    access = Access(tmp_path / "web")
    code = access.code("ana", "decide")

    with ThreadPoolExecutor(50) as threads:
        entered = list(threads.map(lambda _: access.enter(code), range(50)))

    assert sum(isinstance(each, Admission) for each in entered) == 1
    assert entered.count(Refused.USED) == 49


def test_a_key_that_somebody_planted_is_not_taken(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    own = tmp_path / "own"
    own.touch(mode=0o600)
    folder.mkdir(0o700)
    for plant in (lambda key: key.symlink_to(own), lambda key: key.touch(0o600), os.mkfifo):
        plant(folder / "key")
        with pytest.raises(UsageError, match="key of the web server"):
            Access(folder).code("eve", "decide")
        (folder / "key").unlink()

    folder.chmod(0o777)
    with pytest.raises(UsageError, match="folder"):
        Access(folder).code("ana", "decide")


def test_as_many_streams_as_come_at_once_are_not_more_than_allowed() -> None:
    async def open_them() -> int:
        feed = Feed([])
        with ExitStack() as streams:
            for _ in range(STREAMS_OF_ONE):
                streams.enter_context(feed.subscribed("ana"))
            with (
                pytest.raises(TooMany),
                feed.subscribed("ana"),
            ):  # it was let in before the others were counted
                pass
            with feed.subscribed("berta"):
                return STREAMS_OF_ONE
        return 0

    assert asyncio.run(open_them()) == STREAMS_OF_ONE


def _body(parts: list[bytes], *, keep: bool, limit: int = 100) -> bytes:
    async def receive() -> Message:
        if not parts:
            await asyncio.Event().wait()  # nothing comes any more
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": part != b""}

    headers = {"transfer-encoding": ["chunked"]}
    return asyncio.run(request_body.read(headers, receive, limit, keep=keep))


def test_the_body_of_who_is_not_let_in_is_measured_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "BODY_SECONDS", 0.05)

    assert _body([b"one", b"two", b""], keep=True) == b"onetwo"
    assert _body([b"one", b"two", b""], keep=False) == b""
    with pytest.raises(request_body.TooLarge):
        _body([b"x" * 60, b"x" * 60], keep=False)
    with pytest.raises(TimeoutError):
        _body([b"one"], keep=True)


def test_without_a_cookie_only_a_small_body_is_taken(world: WebWorld) -> None:
    answer = world.client.post("/enter", content=b"code=" + b"x" * request_body.OPEN_LIMIT)

    assert answer.status_code == 413


def test_who_never_finishes_a_request_is_let_go(world: WebWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.3)

    async def ask() -> tuple[bytes, bytes]:
        listening = listen(0)
        config = uvicorn.Config(
            build(world.site), http=connection.PatientForAWhile, log_config=None, ws="none"
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        port = listening.getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port, family=socket.AF_INET)
        head = b"GET /enter HTTP/1.1\r\nHost: lifecycle.localhost:%d\r\n" % PORT
        writer.write(head + b"\r\n")
        whole = await asyncio.wait_for(reader.readuntil(b"</html>"), 10)
        writer.write(head)  # of another one, which uvicorn itself would await for ever
        rest = await asyncio.wait_for(reader.read(), 10)
        writer.close()
        server.should_exit = True
        await serving
        return whole, rest

    whole, rest = asyncio.run(ask())

    assert whole.startswith(b"HTTP/1.1 200")
    assert rest.strip() == b""


def test_notes_of_servers_that_somebody_else_may_have_written_end_no_process(tmp_path: Path) -> None:
    state = tmp_path / "web"
    victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with dashboards.noted(state, 1, {tmp_path: "p"}, read_only=False):
        own = dashboards.running(state)[0]
    planted = replace(own, pid=victim.pid, process_start=process_start(victim.pid) or 0)
    (state / "servers" / "1.json").write_text(json.dumps(asdict(planted)))
    known = [each.pid for each in dashboards.running(state)]
    (state / "servers").chmod(0o777)

    environment = {**os.environ, "LIFECYCLE_STATE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "orchestrator", "serve", "--stop", str(tmp_path)]
    stopped = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    lives = victim.poll() is None
    with pytest.raises(UsageError, match="not private"), dashboards.noted(state, 1, {}, read_only=False):
        pass
    victim.kill()
    victim.wait()

    assert known == [victim.pid]
    assert (stopped.returncode, lives) == (2, True)
    assert "not private" in stopped.stderr
