"""Who gets in: every rule of the guard, in its order, asked of the real application."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from orchestrator.domain.errors import UsageError
from orchestrator.web import guard
from orchestrator.web.access import (
    CODE_SECONDS,
    COOKIE_SECONDS,
    KEY_BYTES,
    Access,
    Admission,
    Refused,
    Role,
)
from orchestrator.web.entry import FAILED_A_MINUTE
from orchestrator.web.feed import STREAMS_OF_ONE, Feed
from orchestrator.web.problems import TooMany
from orchestrator.web.request_body import BODY_LIMIT
from tests.web_world import BEARER, ORIGIN, PORT, WebWorld, web_world

INBOX = "/api/v1/inbox"
CROSS = {"sec-fetch-site": "cross-site"}
VISIT = {**CROSS, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
PROGRAM = {"authorization": f"Bearer {BEARER}"}


def cookie_of(access: Access, person: str = "ana", role: Role = "decide") -> str:
    found = access.enter(access.code(person, role))
    assert isinstance(found, Admission)
    return found.cookie


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    with web_world(tmp_path_factory.mktemp("guard")) as made:
        yield made


GETS: dict[str, tuple[str, dict[str, str], int]] = {
    "a program with the token": (INBOX, PROGRAM, 200),
    "a browser with a cookie": (INBOX, {"cookie": "DECIDE"}, 200),
    "a cookie for reading": (INBOX, {"cookie": "READ"}, 200),
    "the name by its number": (INBOX, {**PROGRAM, "host": f"127.0.0.1:{PORT}"}, 200),
    "another name (DNS rebinding)": (INBOX, {**PROGRAM, "host": f"evil.example:{PORT}"}, 421),
    "another port": (INBOX, {**PROGRAM, "host": "lifecycle.localhost:1"}, 421),
    "no port": (INBOX, {**PROGRAM, "host": "lifecycle.localhost"}, 421),
    "a name before the token": (INBOX, {"host": "evil.example"}, 421),
    "another site": (INBOX, {"cookie": "DECIDE", **CROSS}, 403),
    "another port of this machine": (INBOX, {"cookie": "DECIDE", "sec-fetch-site": "same-site"}, 403),
    "a value nobody knows": (INBOX, {"cookie": "DECIDE", "sec-fetch-site": "SAME-ORIGIN"}, 403),
    "another site's script, in a browser without Sec-Fetch": (
        INBOX,
        {"cookie": "DECIDE", "origin": "http://evil.example"},
        403,
    ),
    "its own script": (INBOX, {"cookie": "DECIDE", "origin": ORIGIN}, 200),
    "its own page": (INBOX, {"cookie": "DECIDE", "sec-fetch-site": "same-origin"}, 200),
    "an address that was typed": ("/", {"cookie": "DECIDE", "sec-fetch-site": "none"}, 200),
    "a link on another site": ("/", VISIT, 200),
    "a link on another site, framed": ("/", {**VISIT, "sec-fetch-dest": "iframe"}, 403),
    "a link on another site, with a cookie": ("/", {**VISIT, "cookie": "DECIDE"}, 403),
    "nobody": (INBOX, {}, 401),
    "nobody, a page": ("/", {}, 401),
    "a wrong token": (INBOX, {"authorization": "Bearer wrong"}, 401),
    "the token by another scheme": (INBOX, {"authorization": f"Basic {BEARER}"}, 401),
    "a wrong token beside a cookie": (INBOX, {"cookie": "DECIDE", "authorization": "Bearer x"}, 401),
    "a cookie of another port": (INBOX, {"cookie": "OTHER"}, 401),
    "a cookie that was changed": (INBOX, {"cookie": "FORGED"}, 401),
    "a code as a cookie": (INBOX, {"cookie": "CODE"}, 401),
    "a file of the pages": ("/static/app.css", {}, 200),
    "a file of the pages, from a sandboxed frame": ("/static/app.js", CROSS, 200),
    "a file that is not there": ("/static/access.py", {}, 404),
    "a path out of the files": ("/static/..%2faccess.py", {}, 404),
    "the page that takes codes": ("/enter", {}, 200),
    "the page that takes codes, from a link": ("/enter", VISIT, 200),
    "the page that takes codes, in a frame": ("/enter", CROSS, 403),
    "a look-alike of an open page": ("/entering", {}, 401),
    "an address that is not there": ("/nothing", PROGRAM, 404),
}


@pytest.mark.parametrize("name", GETS)
def test_a_request_is_admitted_or_refused_by_the_first_rule_that_it_breaks(
    world: WebWorld, name: str
) -> None:
    path, headers, expected = GETS[name]

    answer = world.client.get(path, headers=filled(world, headers))

    assert answer.status_code == expected, answer.text


FORMS: dict[str, tuple[dict[str, str], int]] = {
    "a form of its own page": ({"cookie": "DECIDE", "origin": ORIGIN, "x-form-token": "TOKEN"}, 404),
    "a form of the page by its number": (
        {"cookie": "DECIDE", "origin": f"http://127.0.0.1:{PORT}", "x-form-token": "TOKEN"},
        404,
    ),
    "a form under no-referrer": (
        {"cookie": "DECIDE", "origin": "null", "sec-fetch-site": "same-origin", "x-form-token": "TOKEN"},
        404,
    ),
    "a sandboxed frame": ({"cookie": "DECIDE", "origin": "null", "x-form-token": "TOKEN"}, 403),
    "another site's form": (
        {"cookie": "DECIDE", "origin": "http://evil.example", "x-form-token": "TOKEN"},
        403,
    ),
    "another port's form": (
        {"cookie": "DECIDE", "origin": "http://127.0.0.1:1", "x-form-token": "TOKEN"},
        403,
    ),
    "no origin": ({"cookie": "DECIDE", "x-form-token": "TOKEN"}, 403),
    "no token": ({"cookie": "DECIDE", "origin": ORIGIN}, 403),
    "another one's token": ({"cookie": "DECIDE", "origin": ORIGIN, "x-form-token": "OTHERS"}, 403),
    "a person who may only read": ({"cookie": "READ", "origin": ORIGIN, "x-form-token": "TOKEN"}, 403),
    "a program": (PROGRAM, 404),
    "nobody": ({}, 401),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_command_is_admitted_only_from_a_page_of_ours_or_a_program(world: WebWorld, name: str) -> None:
    headers, expected = FORMS[name]

    answer = world.client.post("/nothing", json={}, headers=filled(world, headers))

    assert answer.status_code == expected, answer.text


def filled(world: WebWorld, headers: dict[str, str]) -> dict[str, str]:
    """The headers with cookies and tokens in place of their names."""
    names = headers.get("cookie")
    cookie = {
        None: lambda: "",
        "DECIDE": world.cookie,
        "READ": lambda: world.cookie("read"),
        "OTHER": lambda: world.cookie().replace(f"lc-{PORT}", f"lc-{PORT + 1}"),
        "FORGED": lambda: world.cookie()[:-2] + "AA",
        "CODE": lambda: f"lc-{PORT}={world.site.access.code('eve', 'decide')}",
    }[names]()
    tokens = {"TOKEN": world.form_token(cookie) if names in ("DECIDE", "READ") else ""}
    tokens["OTHERS"] = world.form_token(world.cookie())
    given = {**headers, **({"cookie": cookie} if names else {})}
    return {name: tokens.get(value, value) for name, value in given.items()}


def test_nobody_sees_anything_of_the_projects_before_entering(world: WebWorld) -> None:
    name = world.site.projects[0].title

    for path in ("/", "/enter", "/static/missing", "/nothing", "/p/demo/sessions", "/api/v1/projects"):
        assert name not in world.client.get(path).text, path


def test_a_body_beyond_the_limit_is_refused_before_anybody_is_asked_who_they_are(world: WebWorld) -> None:
    large = b"x" * (BODY_LIMIT + 1)

    announced = world.client.post("/nothing", content=large)
    in_parts = world.client.post("/nothing", content=iter([large[:-10], large[-10:]]))

    assert (announced.status_code, in_parts.status_code) == (413, 413)


def test_every_answer_tells_the_browser_how_little_it_may_do(world: WebWorld) -> None:
    for path in ("/enter", "/nothing", INBOX, "/static/app.css", "/static/missing"):
        headers = world.client.get(path).headers

        assert headers["content-security-policy"] == guard.CSP, path
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        static = path.startswith("/static/")
        assert headers["cross-origin-resource-policy"] == ("cross-origin" if static else "same-origin")
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers


def test_a_file_of_the_pages_may_be_kept_for_ever_under_its_digest_only(world: WebWorld) -> None:
    page = world.client.get("/enter").text
    address = page.partition('rel="stylesheet" href="')[2].partition('"')[0]

    kept = world.client.get(address).headers["cache-control"]
    other = world.client.get("/static/app.css?v=0").headers["cache-control"]

    assert "immutable" in kept
    assert other == "no-store"


def test_a_code_lets_in_once_and_its_cookie_is_strict(world: WebWorld) -> None:
    code = world.site.access.code("ana", "decide")

    first = world.client.post("/enter", data={"code": code})
    again = world.client.post("/enter", data={"code": code})

    assert (first.status_code, again.status_code) == (303, 401)
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert f"Max-Age={COOKIE_SECONDS}" in cookie


def test_a_code_and_a_cookie_end_by_themselves_and_with_the_key(tmp_path: Path) -> None:
    clock = [1_000_000.0]
    access = Access(tmp_path / "web", now=lambda: clock[0])
    late = access.code("ana", "decide")
    clock[0] += CODE_SECONDS
    assert access.enter(late) is Refused.OLD

    cookie = cookie_of(access, "ana", "read")
    found = access.visitor(cookie)
    assert found is not None
    assert (found.person, found.role) == ("ana", "read")
    clock[0] += COOKIE_SECONDS
    assert access.visitor(cookie) is None

    kept = cookie_of(access)
    code = access.code("ana", "decide")
    Access(tmp_path / "web").revoke()  # as another process does it
    assert access.visitor(kept) is None
    assert access.enter(code) is Refused.UNKNOWN


def test_the_access_of_one_person_ends_and_that_of_others_stays(tmp_path: Path) -> None:
    access = Access(tmp_path / "web")
    ana, berta = cookie_of(access, "ana"), cookie_of(access, "berta")
    unused = access.code("berta", "decide")

    with ThreadPoolExecutor(8) as threads:  # as other processes do it; none loses what another has written
        for done in [threads.submit(Access(tmp_path / "web").revoke, f"person {n}") for n in range(20)]:
            done.result()
    Access(tmp_path / "web").revoke("berta")

    assert access.visitor(berta) is None
    assert access.enter(unused) is Refused.REVOKED
    assert access.visitor(ana) is not None
    again = access.visitor(cookie_of(access, "berta"))
    assert again is not None
    assert again.person == "berta"
    epochs = json.loads((tmp_path / "web" / "key").read_bytes()[KEY_BYTES:])
    assert epochs.keys() == {"berta", *(f"person {n}" for n in range(20))}
    assert epochs["berta"] == again.epoch
    access.revoke()
    assert access.visitor(ana) is None


@pytest.mark.parametrize("person", [None, "ana"])
def test_a_cookie_ends_though_it_was_shown_just_before(tmp_path: Path, person: str | None) -> None:
    access = Access(tmp_path / "web")
    ana, berta = cookie_of(access, "ana"), cookie_of(access, "berta")
    shown = [access.visitor(each) is not None for each in (ana, berta, ana)]

    Access(tmp_path / "web").revoke(person)  # as another process does it

    assert shown == [True] * 3
    assert access.visitor(ana) is None
    assert (access.visitor(berta) is None) == (person is None)


def test_a_key_that_others_may_read_or_that_is_a_link_lets_nobody_in(tmp_path: Path) -> None:
    access = Access(tmp_path / "web")
    cookie, key = cookie_of(access), tmp_path / "web" / "key"
    assert access.visitor(cookie) is not None

    key.chmod(0o644)
    with pytest.raises(UsageError, match="not private"):
        access.visitor(cookie)
    key.chmod(0o600)
    assert access.visitor(cookie) is not None
    key.rename(tmp_path / "moved")
    key.symlink_to(tmp_path / "moved")
    with pytest.raises(UsageError, match="cannot be read"):
        access.visitor(cookie)


def test_epochs_that_cannot_be_read_let_nobody_in(tmp_path: Path) -> None:
    access = Access(tmp_path / "web")
    cookie = cookie_of(access)
    access.revoke("berta")
    key = tmp_path / "web" / "key"
    key.write_bytes(key.read_bytes()[:-3])

    with pytest.raises(UsageError, match="cannot be read") as refused:
        access.visitor(cookie)

    assert "--revoke" in refused.value.fix


def test_a_code_is_used_up_for_every_process_and_after_a_restart(tmp_path: Path) -> None:
    code = Access(tmp_path / "web").code("ana", "decide")

    entered = [Access(tmp_path / "web").enter(code) for _ in range(3)]

    assert isinstance(entered[0], Admission)
    assert entered[1:] == [Refused.USED, Refused.USED]


def test_whoever_is_not_let_in_is_told_why_and_what_to_do(world: WebWorld) -> None:
    access = world.site.access
    used, ended = access.code("ana", "decide"), access.code("carla", "decide")
    access.enter(used)
    access.revoke("carla")
    folder = world.store.path.parents[1] / "state"
    late = Access(folder, now=lambda: time.time() - 2 * CODE_SECONDS).code("ana", "decide")
    codes = {
        "used already": used,
        "older than ten minutes": late,
        "--revoke": ended,
        "not complete": used[:-4],
    }

    pages = {why: world.client.post("/enter", data={"code": code}) for why, code in codes.items()}

    assert {page.status_code for page in pages.values()} == {401}
    for why, page in pages.items():
        assert why in page.text
        assert "lifecycle serve --link" in page.text


@pytest.mark.parametrize(
    "headers",
    [
        CROSS,
        {"sec-fetch-site": "same-site", "origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": "http://evil.example"},
        {"origin": f"{ORIGIN}.evil.example"},
        {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
        {"origin": "null"},  # of a sandboxed frame
    ],
)
def test_another_site_lets_nobody_in_as_somebody_else_and_changes_no_language(
    world: WebWorld, headers: dict[str, str]
) -> None:
    code = world.site.access.code("eve", "decide")

    entered = world.client.post("/enter", data={"code": code}, headers=headers)
    spoken = world.client.post("/language", data={"to": "zh", "back": "/"}, headers=headers)
    own = world.client.post("/enter", data={"code": code}, headers={"origin": ORIGIN})

    assert (entered.status_code, spoken.status_code, own.status_code) == (403, 403, 303)
    assert "set-cookie" not in entered.headers
    assert "set-cookie" not in spoken.headers


def test_a_link_leads_to_its_page_and_may_be_entered_whole(world: WebWorld) -> None:
    page = f"/p/demo/s/{world.session}"
    link = f"{ORIGIN}/enter#{world.site.access.code('ana', 'decide', page)}"

    entered = world.client.post("/enter", data={"code": f" {link} "})
    elsewhere = world.client.post("/enter", data={"code": world.site.access.code("ana", "decide", "//evil")})

    assert (entered.status_code, entered.headers["location"]) == (303, page)
    assert elsewhere.headers["location"] == "/"


def test_the_key_is_private(tmp_path: Path) -> None:
    access = Access(tmp_path / "web")
    access.code("ana", "decide")
    key = tmp_path / "web" / "key"

    assert key.stat().st_mode & 0o777 == 0o600

    key.chmod(0o644)
    with pytest.raises(Exception, match="not private"):
        access.code("ana", "decide")


def test_behind_a_proxy_its_name_is_answered_and_the_cookie_stays_on_tls(tmp_path: Path) -> None:
    with web_world(tmp_path, allowed_host="team.example", user_header="X-User") as world:
        headers = {"host": "team.example"}
        code = world.site.access.code("ana", "decide")
        entered = world.client.post("/enter", data={"code": code}, headers=headers)
        cookie = entered.headers["set-cookie"].partition(";")[0]
        shown = world.client.get("/", headers={**headers, "cookie": cookie, "x-user": "berta"})
        named_only = world.client.get("/", headers={**headers, "x-user": "berta"})

    assert "Secure" in entered.headers["set-cookie"]
    assert "berta" in shown.text
    assert named_only.status_code == 401  # a name alone lets nobody in


def test_a_slash_too_many_leads_to_the_same_site_whatever_its_scheme(tmp_path: Path) -> None:
    with web_world(tmp_path, allowed_host="team.example") as world:
        headers = {**PROGRAM, "host": "team.example"}
        known = world.client.get("/p/demo/sessions/?q=a%20b", headers=headers)
        unknown = world.client.get("/nothing//", headers=headers)
        foreign = world.client.get("//evil.example/", headers=headers)
        posted = world.client.post("/p/demo/start/", headers=headers)

    assert (known.status_code, known.headers["location"]) == (307, "/p/demo/sessions?q=a%20b")
    assert unknown.headers["location"] == "/nothing"
    assert "location" not in foreign.headers
    assert posted.status_code == 404


def test_entering_and_commands_are_limited(tmp_path: Path) -> None:
    with web_world(tmp_path) as world:
        wrong = [
            world.client.post("/enter", data={"code": "x.y"}).status_code for _ in range(FAILED_A_MINUTE + 1)
        ]
        right = world.client.post("/enter", data={"code": world.site.access.code("ana", "decide")})
        sent = [
            world.client.post("/nothing", json={}, headers=PROGRAM).status_code
            for _ in range(guard.COMMANDS_A_MINUTE + 1)
        ]
        other: Any = world.client.get(INBOX, headers=PROGRAM)

    assert wrong == [401] * FAILED_A_MINUTE + [429]
    assert right.status_code == 303  # whoever sends wrong codes locks nobody out
    assert sent == [404] * guard.COMMANDS_A_MINUTE + [429]
    assert other.status_code == 200


def test_streams_of_one_person_are_limited() -> None:
    async def open_all() -> None:
        feed = Feed([])
        with ExitStack() as opened:
            for _ in range(STREAMS_OF_ONE):
                feed.refuse_more("ana")
                opened.enter_context(feed.subscribed("ana"))
            with pytest.raises(TooMany):
                feed.refuse_more("ana")
            feed.refuse_more("berta")
        feed.refuse_more("ana")

    asyncio.run(open_all())
