"""A real `lifecycle serve` of a test's project, and a client of it."""

from __future__ import annotations

import http.client
import json
import subprocess
import threading
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.e2e.support import Lifecycle

TOKEN = "a-token-of-the-tests"


@dataclass
class Served:
    process: subprocess.Popen[str]
    link: str  # by the name of the server
    port: int

    @property
    def origin(self) -> str:
        return f"http://lifecycle.localhost:{self.port}"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """The status and the JSON, or text, of an answer to a program."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        given = {
            "authorization": f"Bearer {TOKEN}",
            **{name.replace("_", "-"): each for name, each in headers.items()},
        }
        given = {name: value for name, value in given.items() if value}
        content = None
        if body is not None:
            given["content-type"] = "application/json"
            content = json.dumps(body)
        connection.request(method, path, content, given)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text) if "json" in str(answer.headers["content-type"]) else text

    def enter(self) -> str:
        """A Cookie header, for the code of the link."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        form = {"content-type": "application/x-www-form-urlencoded"}
        connection.request("POST", "/enter", urlencode({"code": urlsplit(self.link).fragment}), form)
        answer = connection.getresponse()
        connection.close()
        assert answer.status == 303
        return str(answer.headers["set-cookie"]).partition(";")[0]


@dataclass
class EventStream:
    """The events of an address, read by a thread as they come."""

    served: Served
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    events: list[tuple[str, str | None, Any]] = field(default_factory=list)  # name, id, data
    ended: bool = False

    def __post_init__(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    def named(self, name: str) -> list[Any]:
        return [data for found, _, data in list(self.events) if found == name]

    def _read(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=120)
        try:
            connection.request("GET", self.path, headers=_without_empty(self.headers))
            answer = connection.getresponse()
            event: dict[str, str] = {}
            while line := answer.readline().decode():
                name, _, value = line.rstrip("\n").partition(": ")
                if value and name:
                    event[name] = value
                elif not line.strip() and "event" in event:
                    self.events.append((event["event"], event.get("id"), json.loads(event["data"])))
                    event = {}
        except (OSError, http.client.HTTPException):
            pass  # the server was killed
        finally:
            self.ended = True


def _without_empty(headers: dict[str, str]) -> dict[str, str]:
    given = {"authorization": f"Bearer {TOKEN}", **headers}
    return {name: value for name, value in given.items() if value}


def serve(life: Lifecycle, *arguments: str, port: int = 0) -> Served:
    """Start a server and wait for its link."""
    extra = {"LIFECYCLE_STATE_DIR": str(life.folder.parent / "state"), "LIFECYCLE_WEB_TOKEN": TOKEN}
    process = life.spawn("serve", "--port", str(port), *arguments, env=extra)
    assert process.stdout is not None
    link = process.stdout.readline().strip()
    assert link, process.stderr.read() if process.stderr else ""
    return Served(process, link, urlsplit(link).port or 0)
