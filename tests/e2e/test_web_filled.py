"""Pages that show much, or show it only when asked: compared forks, groups of tasks, an item, plans; and all in Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from orchestrator.dispatch.dashboards import STATE_FOLDER, state_folder
from orchestrator.web.access import Access
from orchestrator.web.language import language
from tests.demo_world import (
    BRIEF,
    BRIEF_TEXT,
    CHANGED,
    FINDING,
    MODELS,
    RATINGS,
    REQUESTS,
    REQUIREMENTS_TEXT,
    STORY,
    Demo,
    demo_world,
)
from tests.e2e.browsing import MISSING, judged, opened, too_wide
from tests.e2e.cli_world import end_processes, work_off
from tests.e2e.support import Lifecycle, lifecycle
from tests.e2e.test_web_browser import SMALL_DARK, WIDE_LIGHT
from tests.e2e.web_server import Served, serve
from tests.integration.test_web_language import Texts
from tests.web_load.crowd import LARGE, large_session, write_document

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING}")

FEEDBACK = "It is not good"
TITLES = (*REQUESTS, LARGE)
WRITTEN = (BRIEF_TEXT, CHANGED, REQUIREMENTS_TEXT + STORY, FEEDBACK, *TITLES)
HEADINGS = re.findall(r"^#+ (.+)$", "\n".join(WRITTEN), re.MULTILINE)
NAMES = (*TITLES, *HEADINGS, FINDING, *MODELS, *MODELS.values())
KEPT = {*RATINGS[0], "coordinator"}  # perspectives and roles have the same names for agents and people
ENGLISH = re.compile(r"\b[a-z]{2,} [a-z]{2,}\b")  # two words in a row, in small letters


@dataclass
class Filled:
    demo: Demo
    life: Lifecycle
    served: Served
    forks: tuple[str, str]
    large: str  # more tasks than are shown singly

    def enter(self, page: Page) -> None:
        """With a link of its own: each lets in once."""
        code = Access(state_folder({STATE_FOLDER: str(self.life.folder.parent / "state")})).code(
            "ana", "decide"
        )
        page.goto(f"{self.served.origin}/enter#{code}")
        page.wait_for_url(f"{self.served.origin}/")

    def at(self, session: str, rest: str = "") -> str:
        return f"{self.served.origin}/p/clinics/s/{session}{rest}"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    folder = tmp_path_factory.mktemp("filled") / "clinics"
    with lifecycle(folder) as life, demo_world(folder) as demo:
        served = serve(life)
        forks = (_fork(served, demo, "DRAFT-001"), _fork(served, demo, "DRAFT-002"))
        end_processes(demo.store)
        work_off(demo.store, forks[0], until="DRAFT-004")
        work_off(demo.store, forks[1], low=("DRAFT-003",))
        write_document(demo.store, forks[0], BRIEF, BRIEF_TEXT.replace("60 %", "75 %"))
        write_document(demo.store, forks[1], BRIEF, BRIEF_TEXT.replace("30 patients", "45 patients"))
        large = large_session(demo.store, folder, 330)
        yield Filled(demo, life, served, forks, large)


def _fork(served: Served, demo: Demo, task: str) -> str:
    address = f"/api/v1/p/clinics/sessions/{demo.paused}/commands/fork"
    status, made = served.ask("POST", address, {"at": task})
    assert status == 201, made
    return str(made["session"])


Visit = Callable[["Page"], None]


def visits(filled: Filled) -> dict[str, Visit]:
    """What each page is called -> what a person does to see it."""

    def to(address: str) -> Visit:
        return lambda page: _goto(page, address)

    def form(address: str, fill: Visit, button: str, shows: str) -> Visit:
        def send(page: Page) -> None:
            _goto(page, address)
            fill(page)
            page.click(button)
            page.wait_for_selector(shows)

        return send

    paused, (one, other) = filled.demo.paused, filled.forks
    compared = {"a fork and another": (one, other), "a session and its fork": (paused, one)}
    found = {
        f"compare {name}, {what}": to(filled.at(a, f"/compare?with={b}{query}"))
        for name, (a, b) in compared.items()
        for what, query in (("rows", ""), ("documents", "&diff=1"))
    }
    found |= {
        "compare, nothing chosen": to(filled.at(one, "/compare")),
        "a large session": to(filled.at(filled.large)),
        "a group": to(filled.at(filled.large, f"/group/{quote('spec/writer/pending')}")),
        "a group, its next page": to(filled.at(filled.large, "/group/spec/writer/pending?skip=100")),
        "impact": to(filled.at(paused, "/impact")),
        "an item of impact": to(filled.at(paused, "/impact/REQ-002")),
        "a planned start": form(
            f"{filled.served.origin}/p/clinics/start",
            lambda page: page.fill("#task", "Build a URL shortener"),
            "#form-plan button",
            "#plan-title",
        ),
        "a planned fork": form(filled.at(paused), _choose_fork, "#form-fork-plan button", "#plan-title"),
        "unclear feedback": form(filled.at(paused), _write_feedback, "#form-feedback button", "[role=alert]"),
    }
    return found


def _goto(page: Page, address: str) -> None:
    answer = page.goto(address)
    assert answer is not None and answer.status == 200, address


def _choose_fork(page: Page) -> None:
    page.click("#details-fork summary")
    page.select_option("#fork-at", "DRAFT-002")


def _write_feedback(page: Page) -> None:
    page.click("#details-feedback summary")
    page.fill("#field-feedback-text", FEEDBACK)


SIZES = (SMALL_DARK, WIDE_LIGHT)


@pytest.mark.parametrize("by_turns", [True, pytest.param(False, marks=pytest.mark.long)])
def test_filled_pages_are_accessible_and_fit_small_screens_light_and_dark(
    filled: Filled, browser: Browser, by_turns: bool
) -> None:
    """By turns: axe-core judges each page in one size and scheme, else in both."""
    context, page, looked = opened(browser, filled.served)
    filled.enter(page)

    for number, (name, visit) in enumerate(visits(filled).items()):
        for width, height, scheme in SIZES[number % 2 : number % 2 + 1] if by_turns else SIZES:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": height})
            visit(page)
            assert too_wide(page) == [], (name, width)
            assert page.locator("[style], style, [onclick], script:not([src])").count() == 0, name
            assert judged(context, page) == "[]", (name, width)

    assert looked.foreign == []
    assert [each for each in looked.errors if "422" not in each] == []  # of the feedback that is unclear
    context.close()


PAGES = (
    "",
    "?at=9",
    "?done=resume",
    "/decide",
    "/docs",
    "/discuss",
    "/discuss/DISCUSS-002",
    "/cost",
    "/impact",
    "/log",
)
PAGES += ("/timeline", "/t/DRAFT-002", "/t/DRAFT-002?at=9", f"/doc/{BRIEF}", f"/diff/{BRIEF}", "/compare")


@pytest.mark.long
def test_every_page_is_chinese_for_who_wishes_it(filled: Filled, browser: Browser) -> None:
    """Also what scripts have added to it; what agents and users wrote stays as it is."""
    context, page, looked = opened(
        browser, filled.served, locale="zh-CN", viewport={"width": 375, "height": 667}
    )
    filled.enter(page)
    demo = filled.demo
    rests = ("/", "/p/clinics/sessions", "/p/clinics/start", "/p/clinics/cost", "/p/clinics/system", "/enter")
    addresses = [filled.served.origin + each for each in rests]
    addresses += [
        filled.at(each, rest) for each in (demo.paused, demo.blocked, demo.running) for rest in PAGES
    ]
    every: dict[str, Visit] = {each: partial(_goto, address=each) for each in addresses}
    left = {}

    for name, visit in (every | visits(filled)).items():
        visit(page)
        assert page.get_attribute("html", "lang") == "zh-CN", name
        assert too_wide(page) == [], name
        if found := untranslated(page.content()):
            left[name] = found

    assert left == {}
    assert looked.foreign == []
    context.close()


def untranslated(page: str) -> list[str]:
    """Texts of a Chinese page that are English, or that have a translation; without what users and agents wrote."""
    spoken = language("zh")
    read = Texts()
    read.feed(page)
    own = [text for text in read.found if text not in KEPT and not any(text in each for each in WRITTEN)]
    return [text for text in own if ENGLISH.search(_without_names(text)) or spoken.word(text) != text]


def _without_names(text: str) -> str:
    for each in NAMES:
        text = text.replace(each, "")
    return re.sub("`[^`]*`", "", text)
