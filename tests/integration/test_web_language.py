"""The pages in Chinese and English: by the browser's wish, by the switch, and as what a text is marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from orchestrator.web.translation import SPOKEN
from tests import factories
from tests.e2e.cli_world import work_off
from tests.web_world import ORIGIN, WebWorld, web_world

FORM = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    with web_world(tmp_path_factory.mktemp("zh")) as made:
        made.leave_lead()
        session = factories.make_session(made.store, mode="full-lifecycle")
        work_off(made.store, session)
        made.session = session
        factories.lead(made.store)
        factories.make_session(made.store, "Another")
        yield made


@pytest.fixture(autouse=True)
def _without_a_choice(world: WebWorld) -> Iterator[None]:
    yield
    world.client.cookies.clear()


class Texts(HTMLParser):
    """The texts of a page that claim to be in the page's own language."""

    SILENT = ("script", "style", "code", "kbd", "pre", "svg", "option", "time")
    VOID = ("meta", "link", "input", "br", "hr", "img")

    def __init__(self) -> None:
        super().__init__()
        self.inside: list[tuple[str, bool]] = []
        self.found: list[str] = []
        self.languages: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "html":
            self.languages.append(given.get("lang"))
        if tag not in self.VOID:
            silent = tag in self.SILENT or given.get("lang") == "en"
            self.inside.append((tag, silent))
        for name in SPOKEN:
            if given.get(name) and not self._is_silent():
                self.found.append(str(given[name]))

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._is_silent():
            self.found.append(data.strip())

    def _is_silent(self) -> bool:
        return any(silent for _, silent in self.inside)


def english(page: str) -> list[str]:
    """What of a Chinese page is English though it is not marked as such: two words in a row, in small letters."""
    read = Texts()
    read.feed(page)
    own = (re.sub("`[^`]*`", "", text) for text in read.found)  # a command is no sentence
    return [text for text in own if re.search(r"\b[a-z]{2,} [a-z]{2,}\b", text)]


PAGES = (
    "/",
    "/p/demo/sessions",
    "/p/demo/start",
    "/p/demo/cost",
    "/p/demo/system",
    "/p/demo/nothing",
    "{s}",
    "{s}?at=3",
    "{s}?done=revise",
    "{s}/compare",
    "{s}/compare?with=TLS-another&diff=1",
    "{s}/decide",
    "{s}/docs",
    "{s}/discuss",
    "{s}/discuss/DISCUSS-002",
    "{s}/cost",
    "{s}/impact",
    "{s}/log",
    "{s}/log?level=error&q=none",
    "{s}/timeline",
    "{s}/t/DRAFT-001",
    "{s}/t/DRAFT-001?at=3",
)


@pytest.mark.parametrize("path", PAGES)
def test_a_chinese_page_says_nothing_in_english_that_is_not_marked_so(world: WebWorld, path: str) -> None:
    address = path.format(s=f"/p/demo/s/{world.session}")

    page = world.get(address, **{"accept-language": "zh-CN,zh;q=0.9,en;q=0.8"}).text
    plain = world.get(address).text

    assert '<html lang="zh-CN"' in page
    assert "跳到正文" in page
    assert english(page) == []
    assert '<html lang="en"' in plain
    assert "跳到正文" not in plain


def test_what_a_command_has_done_and_what_a_filter_offers_is_in_the_language(world: WebWorld) -> None:
    address = f"/p/demo/s/{world.session}"
    wish = {"accept-language": "zh"}

    accepted = world.get(f"{address}?done=revise", **wish).text
    log = world.get(f"{address}/log", **wish).text
    inbox = world.get("/", **wish).text
    compared = world.get(f"{address}/compare?with=TLS-another", **wish).text

    assert "您的修订已接受。" in accepted
    assert re.findall(r'<option value="warning">([^<]+)<', log) == ["警告和错误"]
    assert 'data-says="项等待您处理"' in log
    assert 'data-says="显示已隐藏的项"' in inbox
    assert "对比 " in compared
    assert "质量关卡</th>" in compared


def test_the_plan_of_a_fork_is_in_the_language(world: WebWorld) -> None:
    cookie = world.cookie()
    given = {"form_token": world.form_token(cookie), "plan": "true", "at": "DRAFT-002"}

    plan = world.client.post(
        f"/p/demo/s/{world.session}/commands/fork",
        data=given,
        headers={"cookie": cookie, "origin": ORIGIN, "accept-language": "zh"},
    ).text

    assert "<h1>分叉 " in plan
    assert "DRAFT-002 之后" in plan
    assert english(plan) == []


def test_the_switch_keeps_the_language_and_returns_to_the_page(world: WebWorld) -> None:
    cookie = world.cookie()
    back = f"/p/demo/s/{world.session}/log?after=0"

    shown = world.client.get(back, headers={"cookie": cookie, "accept-language": "zh"}).text
    asked = urlencode({"to": "en", "back": back})
    answer = world.client.post("/language", content=asked, headers={**FORM, "cookie": cookie})
    chosen = answer.headers["set-cookie"]
    kept = f"{cookie}; {chosen.partition(';')[0]}"
    again = world.client.get(back, headers={"cookie": kept, "accept-language": "zh"}).text

    assert f'name="back" value="{back}"' in shown
    assert '<html lang="zh-CN"' in shown
    assert (answer.status_code, answer.headers["location"]) == (303, back)
    assert {"HttpOnly", "SameSite=strict"} <= set(re.split("; *", chosen))
    assert '<html lang="en"' in again


@pytest.mark.parametrize(
    ("back", "location"),
    [
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/%5Cevil.example"),
        ("/%5cevil.example", "/%5Cevil.example"),
        ("/p/demo/sessions?q=%E6%9F%A5&state=", "/p/demo/sessions?q=%E6%9F%A5"),
        ("/a\r\nset-cookie: x=y", "/a%0Aset-cookie%3A%20x%3Dy"),
    ],
)
def test_the_switch_leads_only_to_pages_of_this_server(world: WebWorld, back: str, location: str) -> None:
    asked = urlencode({"to": "zh", "back": back})

    answer = world.client.post("/language", content=asked, headers=FORM)
    foreign = world.client.post(
        "/language", content=asked, headers={**FORM, "sec-fetch-site": "cross-site", "origin": "http://x"}
    )
    other = world.client.post("/language", content=urlencode({"to": "fr"}), headers=FORM)

    assert (answer.status_code, answer.headers["location"].removeprefix(ORIGIN)) == (303, location)
    assert foreign.status_code == 403
    assert other.status_code == 422


def test_pages_of_those_who_have_not_entered_speak_the_language_too(world: WebWorld) -> None:
    wish = {"accept-language": "zh"}

    refused = world.client.get("/", headers=wish)
    entry = world.client.get("/enter", headers=wish)

    assert refused.status_code == 401
    assert "您还没有进入" in refused.text
    assert "进入码" in entry.text
    assert english(refused.text) == []
    assert english(entry.text) == []


def test_scripts_and_the_part_that_is_fetched_anew_speak_the_language_too(world: WebWorld) -> None:
    address = f"/p/demo/s/{world.session}"

    page = world.get(address, **{"accept-language": "zh"})
    part = world.get(f"{address}?part=1", **{"accept-language": "zh"})
    plain = world.get(f"{address}?part=1")
    problem = world.get("/api/v1/p/demo/sessions/none", **{"accept-language": "zh"})

    assert "自 {0} 起离线" in page.text
    assert "data-texts" not in world.get(address).text
    assert "等待您处理" in part.text
    assert part.headers["etag"] != plain.headers["etag"]
    assert problem.json()["title"].startswith("unknown session")


def test_a_document_keeps_its_own_language(world: WebWorld) -> None:
    session = f"/p/demo/s/{world.session}"
    listed = world.get(f"{session}/docs", **{"accept-language": "zh"}).text
    found = re.search(r'href="([^"]+/doc/[^"]+\.md)"', listed)
    assert found is not None

    page = world.get(found[1], **{"accept-language": "zh"}).text

    assert re.search(r'<article class="prose" lang="en"', page)
    assert english(page) == []


def test_the_switch_of_an_answer_to_a_form_leads_back_to_the_session(world: WebWorld) -> None:
    cookie = world.cookie()
    page = f"/p/demo/s/{world.session}"
    form = {"form_token": world.form_token(cookie)}

    for asked in ({"plan": "true", "at": "DRAFT-002"}, {"plan": "true", "at": "NONE-999"}):
        shown = world.client.post(
            f"{page}/commands/fork",
            content=urlencode({**form, **asked}),
            headers={**FORM, "cookie": cookie, "origin": ORIGIN, "accept": "text/html"},
        ).text
        assert re.findall(r'name="back" value="([^"]*)"', shown) == [page]


def test_the_switch_of_a_document_below_a_folder_of_commands_leads_to_the_document(world: WebWorld) -> None:
    path = f"/p/demo/s/{world.session}/doc/docs/commands/none.md"

    shown = world.client.get(path, headers={"cookie": world.cookie()}).text
    refused = world.client.get(path, headers={"accept": "text/html"}).text

    assert [re.findall(r'name="back" value="([^"]*)"', each) for each in (shown, refused)] == [[path]] * 2
