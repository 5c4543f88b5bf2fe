"""The dashboard in a real browser: entering, reading and deciding by keyboard, without JavaScript, on a small screen."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orchestrator.domain.pauses import PauseReason
from orchestrator.store import artifacts, decisions, messages, sessions
from orchestrator.store.store import Tx
from tests import factories
from tests.e2e.browsing import MISSING, judged, opened, too_wide
from tests.e2e.cli_world import World, make_world, work_off
from tests.e2e.support import lifecycle
from tests.e2e.web_server import serve
from tests.patience import patient

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING}")

NOTED = """window.noted = []; document.hasFocus = () => false;
window.Notification = class extends EventTarget {
  static permission = 'default';
  static async requestPermission() { return (this.permission = 'granted'); }
  constructor(text) { super(); window.noted.push(text); }
};"""  # a desktop of its own: what would be shown there is noted

STATES = """() => { const shown = document.getElementById('connection'); globalThis.states = [];
  new MutationObserver(() => states.push(shown.dataset.state)).observe(shown, {attributes: true}); }"""
BRIEF = "spec/product-brief.md"
FLOW = """# Brief

Links expire after 30 days, [as asked](https://example.org/request).

| Goal | Metric |
| --- | --- |
| Short links | 90 % |

```mermaid
flowchart LR
    a["One"]
    b["Two"]
    a --> b
```

```mermaid
sequenceDiagram
  Alice->>Bob: <img src=x onerror=alert(1)>
```
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        yield made
        made.store.close()


def at_a_checkpoint(world: World) -> str:
    session = factories.make_session(world.store, mode="full-lifecycle")
    work_off(world.store, session)
    assert world.life.status(session) == ("paused", "checkpoint")
    return session


def written(world: World, session: str, text: str) -> None:
    """Another version of the brief."""

    def unit(tx: Tx) -> None:
        body = text.encode()
        digest = artifacts.put(tx, body)
        artifacts.register(
            tx, session, BRIEF, digest, len(body), "document", author="writer", task=None, run=None
        )

    world.store.write(unit)


def approved(world: World, session: str) -> None:
    def unit(tx: Tx) -> None:
        digest = sessions.subject_digest(tx, session, PauseReason.CHECKPOINT)
        decisions.decide(tx, session, "approve_checkpoint QUALITY-001", "ana", "", digest=digest)

    world.store.write(unit)


def test_a_checkpoint_is_found_read_and_approved_by_keyboard(world: World, browser: Browser) -> None:
    session = at_a_checkpoint(world)
    served = serve(world.life)
    context, page, looked = opened(browser, served)

    page.goto(served.link)
    page.wait_for_url(f"{served.origin}/")
    page.wait_for_selector("#connection[data-state=live]")
    assert page.title().startswith("(1) ")
    for key in ("j", "Enter"):
        page.keyboard.press(key)
    page.wait_for_url(f"{served.origin}/p/p/s/{session}/decide")
    page.wait_for_selector("#connection[data-state=live]")
    page.keyboard.press("a")
    assert str(page.evaluate("document.activeElement.textContent")).startswith("Approve ")
    page.keyboard.press("Enter")
    page.wait_for_url("**done=resume")

    assert world.life.status(session)[1] != "checkpoint"
    who = world.life.rows("SELECT who FROM decisions WHERE session_id = ?", session)
    assert len(who) == 1
    assert str(who[0][0]).endswith(" (web)")
    assert (looked.foreign, looked.errors) == ([], [])
    context.close()


def test_a_page_says_when_the_server_is_gone_and_is_right_when_it_is_back(
    world: World, browser: Browser
) -> None:
    session = factories.make_session(world.store)
    served = serve(world.life)
    context, page, _ = opened(browser, served)
    page.goto(served.link)
    page.goto(f"{served.origin}/p/p/s/{session}/log")
    page.wait_for_selector("#connection[data-state=live]")
    world.store.write(lambda tx: messages.event(tx, session, "note", "said <b>live</b>"))
    page.wait_for_selector("text=said <b>live</b>")
    second = context.new_page()
    second.goto(f"{served.origin}/p/p/s/{session}")
    second.wait_for_selector(
        "#connection[data-state=live]", timeout=1000 * patient(3)
    )  # it asks the other tab

    served.process.send_signal(signal.SIGSTOP)  # nothing tells that what is shown has become old
    page.wait_for_selector("#connection[data-state=late]", timeout=1000 * patient(3))
    second.wait_for_selector("#connection[data-state=late]", timeout=1000 * patient(3))
    served.process.send_signal(signal.SIGCONT)
    page.wait_for_selector("#connection[data-state=live]", timeout=1000 * patient(3))

    served.process.send_signal(signal.SIGKILL)
    page.wait_for_selector("#connection[data-state=offline]", timeout=1000 * patient(3))
    second.wait_for_selector("#connection[data-state=offline]")
    offline = [
        second.locator("[data-command]:not([disabled])").count(),
        page.locator("#connection").inner_text(),
    ]
    world.store.write(lambda tx: messages.event(tx, session, "note", "said meanwhile"))
    page.evaluate(STATES)
    held: list[Route] = []
    page.route("**/log?part=1*", lambda route: held.append(route), times=1)
    serve(world.life, port=served.port)
    page.wait_for_selector("#connection[data-state=late]")
    (request,) = held
    request.continue_()
    page.wait_for_selector("text=said meanwhile")
    page.wait_for_selector("#connection[data-state=live]")
    states = page.evaluate("states")
    second.wait_for_selector("#connection[data-state=live]")

    assert states == ["late", "live"]  # what is shown is old until it was fetched
    assert offline[0] == 0
    assert str(offline[1]).startswith("offline since ")
    assert page.locator("text=said meanwhile").count() == 1
    page.close()  # the tab with the stream
    world.store.write(lambda tx: messages.event(tx, session, "note", "x"))
    second.wait_for_selector("#connection[data-state=live]")
    context.close()


def test_without_javascript_one_enters_reads_and_decides(world: World, browser: Browser) -> None:
    session = at_a_checkpoint(world)
    served = serve(world.life)
    context, page, looked = opened(browser, served, java_script_enabled=False)

    page.goto(served.link)
    page.fill("#code", served.link.partition("#")[2])
    page.click("text=Enter")
    page.click(".row.waiting a")
    page.wait_for_url("**/decide")
    page.click("summary:has-text('Cancel the session')")
    page.check("#form-cancel input[type=checkbox]")
    page.click("#form-cancel button")
    page.wait_for_url("**done=cancel")

    assert world.life.status(session)[0] == "cancelled"
    assert (looked.foreign, looked.errors) == ([], [])
    context.close()


SMALL_DARK, WIDE_LIGHT = (375, 667, "dark"), (1280, 800, "light")


def test_the_slider_shows_the_past_as_it_moves_by_keyboard(world: World, browser: Browser) -> None:
    session = at_a_checkpoint(world)
    served = serve(world.life)
    context, page, looked = opened(browser, served, viewport={"width": 375, "height": 667})
    page.goto(served.link)
    page.wait_for_url(f"{served.origin}/")

    page.goto(f"{served.origin}/p/p/s/{session}?at=4")
    page.wait_for_selector("text=This is the past")
    page.focus("#at")
    page.keyboard.press("Home")
    page.wait_for_selector("#live >> text=MSG-001")
    assert page.url.endswith("?at=1")
    assert page.locator("#live .tag.good").count() == 0
    page.keyboard.press("End")
    page.wait_for_selector("#live >> text=nothing has happened since")
    assert page.locator("#live .tag.good").count() > 0
    assert page.locator("#live form").count() == 0
    assert not too_wide(page)
    assert (looked.foreign, looked.errors) == ([], [])
    context.close()


@pytest.mark.long
@pytest.mark.parametrize("by_turns", [True, pytest.param(False, marks=pytest.mark.long)])
def test_every_page_is_accessible_and_fits_small_screens_light_and_dark(
    world: World, browser: Browser, by_turns: bool
) -> None:
    """By turns: axe-core judges each page in one size and scheme, else in both."""
    session = at_a_checkpoint(world)
    served = serve(world.life)
    paths = ["/", "/p/p/sessions", "/p/p/start", f"/p/p/s/{session}", f"/p/p/s/{session}/t/DRAFT-001"]
    paths += [f"/p/p/s/{session}{each}" for each in ("?at=3", "/timeline")] + ["/p/p/cost", "/p/p/system"]
    paths += [f"/p/p/s/{session}/log", "/p/p/nothing"]
    paths += [
        f"/p/p/s/{session}/{each}"
        for each in ("decide", "docs", "discuss", "discuss/DISCUSS-002", "cost", "impact")
    ]
    written(world, session, FLOW)
    written(world, session, FLOW.replace("30 days", "45 days"))
    paths += [f"/p/p/s/{session}/doc/{BRIEF}", f"/p/p/s/{session}/diff/{BRIEF}"]
    small, page, looked = opened(browser, served, viewport={"width": 375, "height": 667}, color_scheme="dark")
    page.goto(served.link)
    page.wait_for_url(f"{served.origin}/")

    for number, path in enumerate(paths):
        answer = page.goto(served.origin + path)
        assert answer is not None and answer.status == (404 if path.endswith("nothing") else 200), path
        assert too_wide(page) == [], path
        assert page.locator("[style], style, [onclick], script:not([src])").count() == 0
        for width, height, scheme in (SMALL_DARK, WIDE_LIGHT)[number % 2 if by_turns else 0 :][
            : 2 - by_turns
        ]:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": height})
            assert judged(small, page) == "[]", (path, width)
        page.set_viewport_size({"width": 375, "height": 667})

    assert looked.foreign == []
    assert [each for each in looked.errors if "404" not in each] == []
    small.close()


def test_changes_are_read_and_approved_by_keyboard_on_the_page_that_decides(
    world: World, browser: Browser
) -> None:
    session = at_a_checkpoint(world)
    written(world, session, FLOW)
    approved(world, session)
    written(world, session, FLOW.replace("30 days", "45 days"))
    served = serve(world.life)
    context, page, looked = opened(browser, served)
    page.goto(served.link)
    page.wait_for_url(f"{served.origin}/")

    page.goto(f"{served.origin}/p/p/s/{session}/decide")
    page.keyboard.press("n")
    read = page.evaluate("document.activeElement.closest('details').innerText")
    page.keyboard.press("x")
    page.keyboard.press("r")
    wrote = page.evaluate("document.activeElement.tagName")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    button = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_url("**done=resume")

    assert "45" in str(read)
    assert wrote in ("SELECT", "TEXTAREA")
    assert str(button).startswith("Approve ")
    assert world.life.status(session)[1] != "checkpoint"
    assert (looked.foreign, looked.errors) == ([], [])
    context.close()


def test_documents_remember_what_was_read_and_draw_diagrams_in_a_frame_without_rights(
    world: World, browser: Browser
) -> None:
    session = at_a_checkpoint(world)
    written(world, session, FLOW)
    served = serve(world.life)
    context, page, looked = opened(browser, served)
    page.goto(served.link)
    page.wait_for_url(f"{served.origin}/")
    address = f"{served.origin}/p/p/s/{session}/doc/{BRIEF}"
    page.goto(address)
    first = page.locator("#since-visit").is_visible()

    written(world, session, FLOW.replace("30 days", "45 days"))
    page.goto(address)
    page.click("#since-visit")
    page.wait_for_url("**/diff/**from=1")
    changed = page.locator("ins").inner_text()
    page.goto(address)
    again = page.locator("#since-visit").is_visible()
    page.click("text=Draw it")
    page.wait_for_selector("iframe.drawn")
    frame = page.frame_locator("iframe.drawn")

    assert (first, changed, again) == (False, "45", False)
    assert frame.locator("svg").count() == 1
    assert frame.locator("body").evaluate("() => window.origin") == "null"
    assert page.locator("article svg.graph").count() == 1
    assert (looked.foreign, looked.errors) == ([], [])
    context.close()


def test_rows_of_the_inbox_are_hidden_until_they_change_and_notices_are_given_on_request(
    world: World, browser: Browser
) -> None:
    session = at_a_checkpoint(world)
    served = serve(world.life)
    context, page, looked = opened(browser, served)
    context.add_init_script(NOTED)
    page.goto(served.link)
    page.wait_for_selector("#connection[data-state=live]")
    row = page.locator("[data-entry]")

    page.keyboard.press("j")
    page.keyboard.press("e")
    hidden = [row.is_visible(), page.locator("#show-hidden").inner_text()]
    page.reload()
    page.wait_for_selector("#connection[data-state=live]")
    hidden.append(row.is_visible())

    def ask_anew(tx: Tx) -> None:
        sessions.resume(tx, session, str(PauseReason.CHECKPOINT))
        sessions.pause(tx, session, PauseReason.USER, {"words": "something else"})

    world.store.write(ask_anew)
    row.wait_for(state="visible")
    before = page.evaluate("noted")
    page.click("#notices")
    page.wait_for_selector("#notices[aria-pressed=true]")
    other = factories.make_session(world.store, "Some other work")
    world.store.write(lambda tx: sessions.pause(tx, other, PauseReason.USER, {"words": "stop"}))
    world.life.wait(lambda: bool(page.evaluate("noted.length")), "the notice")
    noted = page.evaluate("noted")

    page.goto(f"{served.origin}/p/p/s/{session}?at=2")
    page.wait_for_selector("#connection[data-state=past]")

    assert hidden == [False, "Show what is hidden (1)", False]
    assert (before, noted) == ([], ["2 things wait for you"])
    assert page.locator("#connection").inner_text() == "the past"
    assert (looked.foreign, looked.errors) == ([], [])
    context.close()
