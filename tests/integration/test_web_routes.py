"""Every address of the web server: answered, documented, and refusing what it does not know."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.main import get_command

import orchestrator
from orchestrator.cli.building import build
from orchestrator.commands import by_name, manage
from orchestrator.domain.pauses import PauseReason
from orchestrator.project import Project
from orchestrator.store import messages, sessions
from orchestrator.web import openapi
from orchestrator.web.route import Route
from orchestrator.web.routes import ROUTES
from orchestrator.web.served import ServedProject
from orchestrator.web.server import build as build_app
from tests import factories
from tests.web_world import BEARER, ORIGIN, WebWorld, web_world

GETS = [each for each in ROUTES if each.method == "GET" and not each.stream]
DOCUMENT = "<script>alert(1)</script> \u202e of a brief\n"
PATH = "spec/product-brief.md"
DIGEST = hashlib.sha256(DOCUMENT.encode()).hexdigest()
OTHER = "Another session to compare with"
S = "/api/v1/p/{p}/sessions/{session}"
SHOWN = {  # command of the CLI -> where the web has it
    "artifacts": f"{S}/artifacts",
    "check": S,
    "status": S,
    "config show": "/p/{p}/system",
    "cost": f"{S}/cost",
    "daemon status": "/api/v1/system",
    "compare": f"{S}/compare/{{other}}",
    "diff": f"{S}/diff/{{path:path}}",
    "discuss": f"{S}/discussions",
    "doctor": "/p/{p}/system",
    "fork": f"{S}/commands/fork",
    "impact": f"{S}/impact",
    "inbox": "/api/v1/inbox",
    "list": "/api/v1/p/{p}/sessions",
    "log": f"{S}/messages",
    "msg list": f"{S}/messages",
    "open": f"{S}/artifacts/{{path:path}}",
    "runs": f"{S}/tasks/{{task}}/runs",
    "show": f"{S}/show",
    "start": "/api/v1/p/{p}/sessions",
    "continue": f"{S}/commands/resume",
    "tasks": f"{S}/tasks",
    "why": f"{S}/tasks/{{task}}/why",
    **{name: f"{S}/commands/{name}" for name in by_name.COMMANDS},
}
AT_THE_TERMINAL = {
    "agents",
    "config check",
    "config init",
    "help",
}  # of this machine
AT_THE_TERMINAL |= {"daemon run", "daemon start", "daemon stop", "worker", "mcp", "serve", "server"}
AT_THE_TERMINAL |= {"host add", "host list", "host revoke", "host audit", "host join", "adopt-database"}
AT_THE_TERMINAL |= {"person add", "person list", "person revoke", "mirror"}
AT_THE_TERMINAL |= {f"fleet {each}" for each in ("list", "place", "move", "drain", "retire", "work")}
AT_THE_TERMINAL |= {"delete", "export", "gc", "import"}  # delete for good, or read and write files of yours
AT_THE_TERMINAL |= {"apply"}  # changes the checkout that you work in
AT_THE_TERMINAL |= {f"msg {name}" for name in ("log", "read", "status", "broadcast", "state", "get_state")}
AT_THE_TERMINAL |= {"msg delete", "msg clear"}  # messages are the agents'


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    with web_world(tmp_path_factory.mktemp("routes")) as made:
        store, session = made.store, made.session
        host = factories.make_host(store)
        factories.one_beat(store, session, made.lead)
        run = factories.claim(store, host)
        assert run is not None
        discussed = factories.discussed(run, {"product": 4, "risk": 2})
        factories.finish(
            store,
            run,
            files={PATH: DOCUMENT.encode(), "spec/items.md": b"## REQ-001: Short links\n"},
            discussed=discussed,
        )
        factories.make_session(store, OTHER)
        yield made


def address(world: WebWorld, route: Route) -> str:
    """The route's path with names that are there."""
    task = "RESEARCH-001"
    values = {
        "p": "demo",
        "session": world.session,
        "task": task,
        "group": "spec/writer/pending",
        "item": "REQ-001",
        "round": "DISCUSS-001",
        "path": PATH,
        "sha256": DIGEST,
        "other": "TLS-another",
        "name": "app.css",
    }
    return re.sub(r"\{(\w+)(?::path)?\}", lambda found: values[found[1]], route.path)


@pytest.mark.parametrize("route", GETS, ids=lambda route: route.path)
def test_every_address_answers_and_refuses_a_parameter_that_it_does_not_know(
    world: WebWorld, route: Route
) -> None:
    path = address(world, route)

    answer = world.get(path)
    unknown = world.get(f"{path}?surprise=1")
    twice = world.get(f"{path}?part=1&part=1")

    assert answer.status_code == 200, answer.text
    assert (unknown.status_code, twice.status_code) == (422, 422)


@pytest.mark.parametrize("route", [each for each in GETS if "{" in each.path], ids=lambda route: route.path)
def test_a_name_that_is_not_there_is_not_found(world: WebWorld, route: Route) -> None:
    for given in ("no-such", "..%2f..%2fetc%2fpasswd", "%00", "x" * 300):
        path = re.sub(r"\{(\w+)(:path)?\}", given, route.path)

        answer = world.get(path)

        assert answer.status_code in (404, 422), (path, answer.text)
        if route.is_api:
            assert {"type", "title", "detail", "fix", "status"} <= answer.json().keys()
            assert answer.headers["content-type"] == "application/problem+json"


def test_the_openapi_document_has_every_address_and_nothing_else(world: WebWorld) -> None:
    found = world.get("/api/v1/openapi.json").json()

    listed = {(method.upper(), path) for path, methods in found["paths"].items() for method in methods}
    routed = {(each.method, re.sub(r":path", "", each.path)) for each in ROUTES if each.is_api}
    assert listed == routed
    refs = set(re.findall(r'"#/components/schemas/(\w+)"', world.get("/api/v1/openapi.json").text))
    assert refs <= found["components"]["schemas"].keys()
    assert found == openapi.document(ROUTES)


def test_every_command_of_the_terminal_is_in_the_web_or_listed_as_not() -> None:
    every: set[str] = set()

    def walk(command: Any, path: tuple[str, ...] = ()) -> None:
        below = getattr(command, "commands", {})
        if not below:
            every.add(" ".join(path))
        for name, inner in below.items():
            walk(inner, (*path, name))

    walk(get_command(build()))

    paths = {each.path for each in ROUTES}
    assert every == SHOWN.keys() | AT_THE_TERMINAL
    assert {name: path for name, path in SHOWN.items() if path not in paths} == {}


def test_what_an_agent_wrote_is_text_and_never_markup(world: WebWorld) -> None:
    document = world.get(f"/api/v1/p/demo/sessions/{world.session}/artifacts/{PATH}")
    content = world.get(f"/api/v1/p/demo/sessions/{world.session}/contents/{DIGEST}")

    assert document.text == content.text == DOCUMENT
    for answer in (document, content):
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["content-disposition"].startswith("attachment")
    hostile = "<img src=x onerror=alert(1)> \u202eevil \x1b[31m"
    world.store.write(lambda tx: messages.event(tx, world.session, "note", hostile))
    page = world.get(f"/p/demo/s/{world.session}/log").text
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "\u202e" not in page
    assert "\x1b" not in page


def test_a_part_of_a_page_is_sent_again_only_when_it_has_changed(world: WebWorld) -> None:
    path = f"/p/demo/s/{world.session}/t/RESEARCH-001?part=1"

    first = world.get(path)
    again = world.get(path, **{"if-none-match": first.headers["etag"]})

    assert first.status_code == 200
    assert "<html" not in first.text
    assert (again.status_code, again.text) == (304, "")


def test_sessions_come_a_page_at_a_time_without_gap_or_repeat(world: WebWorld) -> None:
    for number in range(6):
        factories.make_session(world.store, f"Build thing {number}")
    made = {row.id for row in world.store.read(sessions.all_sessions)}

    seen: list[str] = []
    before = ""
    while True:
        found = world.get(f"/api/v1/p/demo/sessions?limit=3{before}").json()
        seen += [each["session"] for each in found["sessions"]]
        if found["next"] is None:
            break
        before = f"&before={found['next']}"

    assert len(seen) == len(made)
    assert set(seen) == made
    words = world.get("/api/v1/p/demo/sessions?q=THING+4").json()["sessions"]
    assert [each["title"] for each in words] == ["Build thing 4"]
    assert world.get("/api/v1/p/demo/sessions?state=cancelled").json()["sessions"] == []


@pytest.mark.parametrize("reason", PauseReason)
def test_every_pause_has_a_form_that_answers_it(world: WebWorld, reason: PauseReason) -> None:
    session = factories.make_session(world.store, f"Some work for {reason}")
    detail = {"task": "DRAFT-001", "options": [{"label": "one way"}], "error": "it broke"}
    world.store.write(lambda tx: sessions.pause(tx, session, reason, detail))

    page = world.get(f"/p/demo/s/{session}/decide")
    inbox = world.get("/")

    assert page.status_code == 200, page.text
    assert f'action="/p/demo/s/{session}/commands/resume"' in page.text
    assert f'href="/p/demo/s/{session}/decide"' in inbox.text


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"[" * 100_000, b'{"words": 1}', b'{"surprise": 1}', b'{"words": "\xff"}'],
    ids=lambda body: body[:12].decode("latin-1"),
)
def test_a_body_that_cannot_be_used_changes_nothing(world: WebWorld, body: bytes) -> None:
    before = world.get(f"/api/v1/p/demo/sessions/{world.session}").json()["status"]
    path = f"/api/v1/p/demo/sessions/{world.session}/commands/archive"
    headers = {"authorization": f"Bearer {BEARER}", "content-type": "application/json"}

    answer = world.client.post(path, content=body, headers=headers)

    assert answer.status_code == 422, answer.text
    assert answer.json()["fix"]
    assert world.get(f"/api/v1/p/demo/sessions/{world.session}").json()["status"] == before


def test_too_many_parameters_are_refused(world: WebWorld) -> None:
    path = f"/api/v1/inbox?{'&'.join(f'a{n}=1' for n in range(60))}"

    assert world.get(path).status_code == 422


def test_a_form_can_be_sent_again_after_it_was_undone(tmp_path: Path) -> None:
    with web_world(tmp_path) as world:
        manage.cancel(world.store, world.session, who="ana")
        cookie = world.cookie()
        page = f"/p/demo/s/{world.session}"
        seen = []
        for _ in range(4):
            text = world.client.get(page, headers={"cookie": cookie}).text
            form = text.partition('id="form-archive')[2].partition("</form>")[0]
            fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
            sent = world.client.post(
                f"{page}/commands/archive", data=fields, headers={"cookie": cookie, "origin": ORIGIN}
            )
            assert sent.status_code == 303, sent.text
            seen.append(world.get(f"/api/v1/p/demo/sessions/{world.session}").json()["archived"])

    assert seen == [True, False, True, False]


def test_lines_of_a_form_end_as_in_a_file_through_plan_and_start(tmp_path: Path) -> None:
    with web_world(tmp_path) as world:
        cookie = world.cookie()
        sent = {
            "task": "# Reading lists\r\n\r\nLists must have names.",
            "form_token": world.form_token(cookie),
        }
        headers = {"cookie": cookie, "origin": ORIGIN}

        plan = world.client.post("/p/demo/start", data={**sent, "plan": "true"}, headers=headers)

        assert plan.status_code == 200, plan.text
        assert "# Reading lists\n\nLists must have names." in plan.text
        assert "\\r" not in plan.text


def test_request_for_nothing_is_refused_by_the_form_and_the_api(world: WebWorld) -> None:
    cookie = world.cookie()
    sent = {"task": "你好", "form_token": world.form_token(cookie)}
    before = [each["session"] for each in world.get("/api/v1/p/demo/sessions").json()["sessions"]]

    page = world.client.post("/p/demo/start", data=sent, headers={"cookie": cookie, "origin": ORIGIN})
    answer = world.client.post(
        "/api/v1/p/demo/sessions", json={"task": "do it"}, headers={"authorization": f"Bearer {BEARER}"}
    )

    assert (page.status_code, "the request asks for nothing" in page.text) == (422, True), page.text
    assert (answer.status_code, answer.json()["title"]) == (422, "the request asks for nothing"), answer.text
    after = [each["session"] for each in world.get("/api/v1/p/demo/sessions").json()["sessions"]]
    assert after == before


def test_a_project_that_cannot_be_read_shows_why_and_hides_no_other(tmp_path: Path) -> None:
    with web_world(tmp_path / "good") as world:
        broken = tmp_path / "broken"
        (broken / ".workflow").mkdir(parents=True)
        (broken / ".workflow" / "lifecycle.db").write_bytes(b"no database at all")
        site = replace(world.site, projects=[ServedProject("broken", Project(broken)), *world.site.projects])
        client = TestClient(build_app(site), base_url=ORIGIN)
        headers = {"authorization": f"Bearer {BEARER}"}

        page = client.get("/", headers=headers)
        api = client.get("/api/v1/p/broken/sessions", headers=headers)

    assert page.status_code == 200
    assert "lifecycle.db" in page.text
    assert "Build a URL shortener" in page.text
    assert api.status_code == 503
    assert api.json()["fix"]


def test_read_only_changes_no_byte_of_the_database_and_takes_no_command(tmp_path: Path) -> None:
    with web_world(tmp_path, read_only=True) as world:
        database = world.site.projects[0].project.file
        files = [database, database.with_name("lifecycle.db-wal")]
        before = [each.read_bytes() for each in files]

        answers = {route.path: world.get(address(world, route)).status_code for route in GETS}
        posts = {
            route.path: world.post(address(world, route), {}).status_code
            for route in ROUTES
            if route.method == "POST" and route.path not in ("/enter", "/language", "/leave")
        }
        assert set(answers.values()) <= {200, 404}
        assert set(posts.values()) == {403}
        assert [each.read_bytes() for each in files] == before


def test_no_other_command_imports_the_web() -> None:
    package = Path(orchestrator.__file__).parent

    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "orchestrator.web" in path.read_text() and path.relative_to(package).parts[0] != "web"
    }

    server = {
        each for each in found if each.startswith("server/")
    }  # it reads requests, and counts refusals, as it does

    assert found - server == {"cli/serve.py"}
    assert "server/application.py" in server
