"""The web application as a test drives it: the real ASGI application, over a project with one session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from orchestrator.coordinator.leadership import Leadership
from orchestrator.project import Project
from orchestrator.store import leases
from orchestrator.store.store import Store
from orchestrator.wakeup import Waker
from orchestrator.web.access import Access, Admission, Role
from orchestrator.web.feed import Feed
from orchestrator.web.served import ServedProject
from orchestrator.web.server import build
from orchestrator.web.site import Site
from tests import factories

PORT = 8470
ORIGIN = f"http://lifecycle.localhost:{PORT}"
BEARER = "a-token-of-the-tests"


def entered(access: Access, person: str, role: Role = "decide") -> str:
    """The value of the cookie that a code of this person gives."""
    given = access.enter(access.code(person, role))
    assert isinstance(given, Admission)
    return given.cookie


@dataclass
class WebWorld:
    client: TestClient
    site: Site
    store: Store
    session: str
    lead: Leadership

    def leave_lead(self) -> None:
        """From now on nobody coordinates."""
        self.store.write(lambda tx: leases.leave_lead(tx, self.lead.holder, self.lead.epoch))

    def cookie(self, role: Role = "decide", person: str = "ana") -> str:
        """A cookie that was got with a code, as a Cookie header."""
        return f"lc-{PORT}={entered(self.site.access, person, role)}"

    def form_token(self, cookie: str) -> str:
        found = self.site.access.visitor(cookie.partition("=")[2])
        assert found is not None
        return self.site.access.form_token(found.id)

    def get(self, path: str, **headers: str) -> Any:
        """As a program with the token asks."""
        return self.client.get(path, headers={"authorization": f"Bearer {BEARER}", **headers})

    def post(self, path: str, body: Any, **headers: str) -> Any:
        return self.client.post(path, json=body, headers={"authorization": f"Bearer {BEARER}", **headers})


@contextmanager
def web_world(folder: Path, **options: Any) -> Iterator[WebWorld]:
    """A server's application over the project in `folder`, made there with a session; `options` are the site's."""
    store = factories.make_store(folder)
    try:
        session = factories.make_session(store)
        with serving(folder, store, session, factories.lead(store), **options) as world:
            yield world
    finally:
        store.close()


@contextmanager
def serving(folder: Path, store: Store, session: str, lead: Leadership, **options: Any) -> Iterator[WebWorld]:
    """The same over a project that is there, with a coordinator that leads."""
    projects = [ServedProject("demo", Project(folder), read_only=bool(options.get("read_only")))]
    site = Site(projects, Access(folder / "state"), Feed(projects), PORT, bearer=BEARER, **options)
    heard = Waker(store.path, "daemon")  # somebody coordinates already, so that no process is started
    client = TestClient(build(site), base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False)
    try:
        yield WebWorld(client, site, store, session, lead)
    finally:
        client.close()
        heard.close()
        for each in projects:
            each.close()
