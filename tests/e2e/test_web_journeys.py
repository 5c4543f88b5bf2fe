"""Whole sessions from a browser: by keyboard alone, on a phone, and without JavaScript; and every page that refuses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orchestrator.domain.pauses import PauseReason
from orchestrator.lifecycle import report
from orchestrator.web.entry import FAILED_A_MINUTE
from tests import factories
from tests.e2e.browsing import MISSING, judged, opened, too_wide
from tests.e2e.cli_world import World, end_processes, make_world
from tests.e2e.court import REQUEST, court, rated
from tests.e2e.support import lifecycle
from tests.e2e.test_web_browser import BRIEF, FLOW, at_a_checkpoint, written
from tests.e2e.web_server import serve
from tests.patience import patient

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING}")
FAULT = {"text": "passwords are kept in clear text", "severity": "critical"}
APPROVAL = "#answers form:has(#approve)"
BUTTONS = "#answers .actions > form:first-child button"


@dataclass
class Keyboard:
    """Does everything with keys, as somebody without a mouse."""

    page: Page

    def reach(self, selector: str) -> None:
        """Move the focus there with the Tab key; from the end of the page it begins again at its top."""
        for _ in range(150):
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the Tab key does not reach {selector} on {self.page.url}")

    def press(self, selector: str) -> None:
        self.reach(selector)
        self.page.keyboard.press("Enter")

    def write(self, selector: str, text: str) -> None:
        self.reach(selector)
        self.page.keyboard.insert_text(text)

    def choose(self, selector: str, value: str) -> None:
        self.reach(selector)
        self.page.keyboard.type(value)
        assert self.page.input_value(selector) == value

    def sessions(self) -> None:
        for key in ("g", "s"):
            self.page.keyboard.press(key)

    def approve(self) -> None:
        for key in ("a", "Enter"):
            self.page.keyboard.press(key)

    def revise(self) -> None:
        self.page.keyboard.press("r")


@dataclass
class Finger:
    """Does everything by touch, on a phone, where no page may scroll sideways."""

    page: Page

    def press(self, selector: str) -> None:
        assert too_wide(self.page) == [], self.page.url
        self.page.tap(selector)

    def write(self, selector: str, text: str) -> None:
        self.page.tap(selector)
        self.page.keyboard.insert_text(text)

    def choose(self, selector: str, value: str) -> None:
        self.page.select_option(selector, value)

    def sessions(self) -> None:
        self.press('nav a[href="/p/p/sessions"]')

    def approve(self) -> None:
        self.press("#approve")

    def revise(self) -> None:
        self.press("#details-revise summary")


PHONE: dict[str, Any] = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


@pytest.mark.long  # a whole session of real processes
@pytest.mark.parametrize(("hand", "options"), [(Keyboard, {}), (Finger, PHONE)])
def test_a_whole_session_from_the_plan_to_its_end(
    tmp_path: Path, browser: Browser, hand: type[Keyboard | Finger], options: dict[str, Any]
) -> None:
    """Started with the plan shown first, watched, a HIGH discussion decided, revised, approved, finished."""
    with court(tmp_path) as bench:
        bench.plan(
            {
                "DISCUSS-002/technical": {"rating": 4, "weaknesses": [FAULT]},
                **rated("DISCUSS-006", product=1, technical=1),
                **rated("DISCUSS-006-R1", product=1, technical=1),
            }
        )
        life = bench.project
        served = serve(life)
        context, page, looked = opened(browser, served, **options)
        does = hand(page)
        page.goto(served.link)
        page.wait_for_selector("#connection[data-state=live]")

        does.sessions()
        page.wait_for_url("**/sessions")
        does.press('a[href="/p/p/start"]')
        page.wait_for_url("**/start")
        does.write("#task", REQUEST)
        does.press("#more summary")
        does.choose("#discuss", "standalone")
        does.press("#form-plan button")
        page.wait_for_selector("#plan-title")
        is_only_planned = not life.database.exists()
        does.press("#form-start button")
        page.wait_for_url("**/p/p/s/*")

        _waits(page, "discussion blocked")
        does.approve()
        page.wait_for_url("**/decide")
        option = page.inner_text(BUTTONS)
        does.press(BUTTONS)
        page.wait_for_url("**done=resume")
        _waits(page, "signoff blocked")
        does.approve()
        page.wait_for_url("**/decide")
        does.revise()
        does.choose("#field-revise-task", "DRAFT-004")
        does.write("#field-revise-text", "Say who hosts it")
        does.press("#form-revise button")
        page.wait_for_url("**done=revise")
        _waits(page, "signoff blocked")
        does.approve()
        page.wait_for_url("**/decide")
        does.approve()
        page.wait_for_url("**done=resume")
        page.wait_for_selector("#live > p .tag.good", timeout=1000 * patient(60))

        assert is_only_planned
        assert page.locator("#live body").count() == 0
        assert FAULT["text"] in option
        assert life.status() == ("completed", None)
        assert "DRAFT-004-R1" in life.tasks()
        assert [each for each in looked.errors if "404" not in each] == []
        assert looked.foreign == []
        context.close()


def _waits(page: Page, reason: str) -> None:
    """The page says so by itself, without being loaded again."""
    page.wait_for_selector(f"#pause-title:has-text('{reason}')", timeout=1000 * patient(60))
    page.wait_for_selector("#connection[data-state=live]")


def test_without_javascript_documents_are_read_and_every_kind_of_answer_is_given(
    world: World, browser: Browser
) -> None:
    session = at_a_checkpoint(world)
    blocked = _a_blocked_discussion(world)
    written(world, session, FLOW)
    written(world, session, FLOW.replace("30 days", "45 days"))
    served = serve(world.life)
    context, page, looked = opened(browser, served, java_script_enabled=False)
    page.goto(served.link)
    page.fill("#code", served.link.partition("#")[2])
    page.press("#code", "Enter")
    at = f"{served.origin}/p/p/s/{session}"

    page.click("text=中文")
    chinese = page.inner_text("h1")
    page.click("text=English")
    page.goto(f"{at}/doc/{BRIEF}")
    page.click("#diff")
    words = page.inner_text("ins")
    page.goto(f"{at}/decide")
    page.click("#details-revise summary")
    page.select_option("#field-revise-task", "DRAFT-002")
    page.fill("#field-revise-text", "Name who pays")
    with page.expect_navigation():
        page.click("#form-revise button")
    assert page.url.endswith("done=revise"), page.inner_text("main")
    page.goto(f"{served.origin}/p/p/s/{blocked}/decide")
    page.click(BUTTONS)
    page.wait_for_url("**done=resume")

    assert (chinese, words) == ("待办", "45")
    kinds = dict(world.life.rows("SELECT session_id, subject FROM decisions"))
    assert kinds[blocked].startswith("decide_discussion")
    assert "DRAFT-002-R1" in world.life.tasks(session)
    assert (looked.foreign, looked.errors) == ([], [])
    context.close()


def _a_blocked_discussion(world: World) -> str:
    session = factories.make_session(world.store, "Some work", discuss="standalone")
    factories.one_beat(world.store, session, factories.lead(world.store))
    host = factories.make_host(world.store, "h-blocked", seconds=3600)
    row = factories.claim(world.store, host)
    while row is not None and row.key != "DISCUSS-002":
        found = factories.discussed(row, {"product": 4, "quality": 4}) if row.round else None
        row = factories.finish(world.store, row, discussed=found).next
    assert row is not None
    blocked = row
    detail = {"task": row.key, "round": row.round, "options": [{"label": "one way"}, {"label": "another"}]}
    pause = PauseReason.DISCUSSION_BLOCKED
    world.store.write(
        lambda tx: report.fail(
            tx, blocked, "waits", counted=False, backoff=(), timings={}, pause=pause, detail=detail
        )
    )
    end_processes(world.store)
    return session


def test_pages_that_refuse_are_accessible_and_say_how_to_go_on(world: World, browser: Browser) -> None:
    """401, 403, 404, 412, 422 and 429, in both languages, on a small screen."""
    session = at_a_checkpoint(world)
    served = serve(world.life)
    context, page, looked = opened(
        browser, served, viewport={"width": 375, "height": 667}, color_scheme="dark", locale="zh-CN"
    )
    found: dict[int, str] = {}

    def see(answer: Any) -> None:
        found[answer.status] = page.inner_text("h1")
        assert judged(context, page) == "[]", answer.status
        assert too_wide(page) == [], answer.status
        assert page.locator("main a").count() > 0, answer.status
        assert page.locator("[style], style, [onclick], script:not([src])").count() == 0

    see(page.goto(f"{served.origin}/p/p/s/{session}"))
    page.goto(served.link)
    page.wait_for_url(f"{served.origin}/")
    see(page.goto(f"{served.origin}/p/p/nothing"))
    see(page.goto(f"{served.origin}/p/p/s/{session}?at=x"))
    written(world, session, FLOW)
    page.goto(f"{served.origin}/p/p/s/{session}/decide")
    page.route("**/*", _without_news)
    written(world, session, FLOW.replace("30 days", "45 days"))
    see(_sent(page, APPROVAL))
    page.unroute("**/*")
    page.goto(f"{served.origin}/p/p/s/{session}/decide")
    page.evaluate("document.querySelector('#approve').form.elements.form_token.value = 'x'")
    see(_sent(page, APPROVAL))
    for _ in range(FAILED_A_MINUTE):
        served.ask("POST", "/enter", {"code": "wrong"})
    page.goto(f"{served.origin}/enter")
    page.fill("#code", "wrong")
    see(_sent(page, "#enter"))

    assert sorted(found) == [401, 403, 404, 412, 422, 429]
    assert all(any("\u4e00" <= letter <= "\u9fff" for letter in title) for title in found.values()), found
    assert looked.foreign == []
    assert [each for each in looked.errors if "the server responded with a status" not in each] == []
    context.close()


def _without_news(route: Route) -> None:
    """Refuse what the page asks for by itself, so that it stays as it was."""
    if route.request.resource_type in ("fetch", "eventsource"):
        route.fulfill(status=503)
    else:
        route.continue_()


def _sent(page: Page, form: str) -> Any:
    with page.expect_navigation() as answer:
        page.evaluate("form => document.querySelector(form).submit()", form)
    return answer.value
