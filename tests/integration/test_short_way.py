"""Ordinary requests at the door: which way they go, and that nobody can tell by the answer."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from orchestrator.domain.elsewhere import ROLES_ELSEWHERE
from orchestrator.door import wire
from orchestrator.door.http_desk import HttpDesk
from orchestrator.server.door import Answered, Door
from orchestrator.server.door_connection import DoorConnection
from orchestrator.server.door_site import DoorSite
from orchestrator.store import host_tokens
from tests import factories as make
from tests.door_server import Running, serving
from tests.patience import patient

HOST = "h-far"
LONG = b"Connection: keep-alive\r\n"  # says nothing new, but of the frame


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    store = make.make_store(tmp_path)
    with serving(store) as found:
        yield found
    store.close()


@pytest.fixture
def long_ways(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What went the long way."""
    seen: list[bytes] = []
    go = DoorConnection._go_long

    def noted(self: DoorConnection, data: bytes) -> None:
        seen.append(data)
        go(self, data)

    monkeypatch.setattr(DoorConnection, "_go_long", noted)
    return seen


def joined(running: Running, folder: Path) -> str:
    """The token of a host that has registered."""
    token = running.token("far", ROLES_ELSEWHERE)
    desk = HttpDesk(running.connections(token), folder)
    desk.as_desk().register(HOST, roles=ROLES_ELSEWHERE, slots=1, lease_seconds=20.0)
    return token


def connect(running: Running) -> socket.socket:
    at = urlsplit(running.url)
    return socket.create_connection((str(at.hostname), at.port), timeout=patient(20.0))


def request(token: str, name: str, body: bytes, more: bytes = b"") -> bytes:
    return (
        f"POST /v1/{name} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        f"{wire.VERSION_HEADER}: {wire.VERSION}\r\nContent-Length: {len(body)}\r\n"
    ).encode() + (more + b"\r\n" + body)


def answer(connection: socket.socket) -> tuple[bytes, dict[bytes, bytes], bytes]:
    """Status line, headers but for the date, and body of the next answer."""
    with connection.makefile("rb", buffering=0) as file:
        first = file.readline()
        headers: dict[bytes, bytes] = {}
        while (line := file.readline()) != b"\r\n":
            name, _, value = line.rstrip().partition(b": ")
            headers[name] = value
        body = b""
        while len(body) < int(headers[b"content-length"]):
            body += file.read(int(headers[b"content-length"]) - len(body))
    headers.pop(b"date")
    return first, headers, body


def renewal(host: str = HOST) -> bytes:
    asked = wire.operation("renew")
    assert asked is not None
    return asked.question(host, (), lease_seconds=20.0, draining=False)


def test_what_a_host_asks_goes_the_short_way_once_its_token_is_known(
    running: Running, tmp_path: Path, long_ways: list[bytes]
) -> None:
    desk = HttpDesk(running.connections(running.token("far", ROLES_ELSEWHERE)), tmp_path).as_desk()
    desk.register(HOST, roles=ROLES_ELSEWHERE, slots=1, lease_seconds=20.0)
    registered = len(long_ways)

    assert desk.renew(HOST, [], lease_seconds=20.0, draining=False).alive
    assert desk.claim(HOST, ROLES_ELSEWHERE, "r-1") is None

    assert registered == 1 and len(long_ways) == 1


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("renew", renewal(), b"200"),
        ("renew", renewal("h-another"), b"403"),
        ("renew", b"{}", b"422"),
        ("renew", b"{", b"422"),
        ("is_led", b"{}", b"200"),
        ("is_ours", b'{"file": "/x"}', b"403"),
        ("nothing", b"{}", b"422"),
    ],
)
def test_the_answer_is_the_same_on_both_ways(
    running: Running, tmp_path: Path, name: str, body: bytes, status: bytes, long_ways: list[bytes]
) -> None:
    token = joined(running, tmp_path)
    with connect(running) as connection:
        connection.sendall(request(token, name, body, LONG))
        long = answer(connection)
        ways = len(long_ways)
        connection.sendall(request(token, name, body))
        short = answer(connection)

    assert short == long and long[0].split()[1] == status
    assert (len(long_ways) == ways) == (wire.operation(name) is not None)


def test_a_token_that_was_revoked_is_refused_on_the_short_way_too(running: Running, tmp_path: Path) -> None:
    token = joined(running, tmp_path)
    running.store.write(lambda tx: host_tokens.revoke(tx, "far"))

    with connect(running) as connection:
        connection.sendall(request(token, "renew", renewal()))
        assert answer(connection)[0].split()[1] == b"403"
        connection.sendall(request(token, "renew", renewal()))
        assert answer(connection)[0].split()[1] == b"401"


class Gate:
    """Holds what is asked first until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()
        wait, self._first = Door.answer, True

        def held(door: Door, *given: object) -> Answered:
            if self._first:
                self._first = False
                self.entered.set()
                assert self.opened.wait(patient(20.0))
            return wait(door, *given)  # type: ignore[arg-type]

        monkeypatch.setattr(Door, "answer", held)


def test_what_comes_before_the_answer_is_answered_after_it(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = joined(running, tmp_path)
    gate = Gate(monkeypatch)
    with connect(running) as connection:
        connection.sendall(request(token, "renew", renewal()))
        assert gate.entered.wait(patient(20.0))
        for name, more in (("nothing", b""), ("is_led", LONG), ("nothing", b"")):
            connection.sendall(request(token, name, b"{}", more))
        gate.opened.set()

        assert [answer(connection)[0].split()[1] for _ in range(4)] == [b"200", b"422", b"200", b"422"]


def test_a_server_that_stops_answers_what_is_under_way_and_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make.make_store(tmp_path)
    with serving(store) as running:
        token = joined(running, tmp_path)
        gate = Gate(monkeypatch)
        connection, idle = connect(running), connect(running)
        connection.sendall(request(token, "renew", renewal()))
        assert gate.entered.wait(patient(20.0))
        running.stop()
        assert idle.recv(1) == b""  # from then on nobody else is served
        gate.opened.set()

        first, headers, _ = answer(connection)
        assert first.split()[1] == b"200" and headers[b"connection"] == b"close"
        assert connection.recv(1) == b""
    store.close()


def test_an_answer_that_nobody_waits_for_any_more_is_counted_and_dropped(
    running: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = joined(running, tmp_path)
    told = threading.Event()
    note = DoorSite.told

    def noted(site: DoorSite, *given: object) -> None:
        note(site, *given)  # type: ignore[arg-type]
        told.set()

    monkeypatch.setattr(DoorSite, "told", noted)
    gate = Gate(monkeypatch)
    with connect(running) as connection:
        connection.sendall(request(token, "renew", renewal()))
        assert gate.entered.wait(patient(20.0))
    gate.opened.set()

    assert told.wait(patient(20.0))
    with connect(running) as connection:
        connection.sendall(request(token, "renew", renewal()))
        assert answer(connection)[0].split()[1] == b"200"
