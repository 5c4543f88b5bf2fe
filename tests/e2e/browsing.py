"""A real Chromium for tests of pages, in which everything is noted that no page may do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.web_server import Served
from tests.patience import patient
from workers.evidence.browser_visit import FLAGS
from workers.evidence.browsers import axe_script, find_chromium, why_no_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

MISSING = why_no_browser(os.environ)
AXE = """axe.run(document, {resultTypes: ['violations']}).then(found => JSON.stringify(found.violations.map(rule =>
  [rule.id, rule.nodes.map(node => node.html.slice(0, 300))])))"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser process for all."""
    from playwright.sync_api import sync_playwright

    profile = tmp_path_factory.mktemp("profile")
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=find_chromium(os.environ),
            ignore_default_args=True,
            args=[*FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe"],
        )
        yield made
        made.close()


@dataclass
class Looked:
    """What pages did that none may do."""

    foreign: list[str]
    errors: list[str]


def opened(browser: Browser, served: Served, **options: Any) -> tuple[BrowserContext, Page, Looked]:
    """A browser of its own, in which everything is noted that is not as it has to be."""
    context = browser.new_context(**options)
    context.set_default_timeout(1000 * patient(20))
    looked = Looked([], [])
    context.on(
        "request", lambda request: request.url.startswith(served.origin) or looked.foreign.append(request.url)
    )
    context.on("console", lambda said: said.type == "error" and looked.errors.append(said.text))
    context.on("weberror", lambda error: looked.errors.append(str(error.error)))
    return context, context.new_page(), looked


def judged(context: BrowserContext, page: Page) -> str:
    """What axe-core finds, from a JavaScript world of its own, which the page's policy does not bind."""
    tools = context.new_cdp_session(page)
    frame = tools.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    own = tools.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]
    script = axe_script()
    assert script is not None
    tools.send("Runtime.evaluate", {"expression": script.read_text(), "contextId": own})
    asked = {"expression": AXE, "contextId": own, "awaitPromise": True, "returnByValue": True}
    return str(tools.send("Runtime.evaluate", asked)["result"]["value"])


def too_wide(page: Page) -> Any:
    """What makes the page scroll sideways."""
    return page.evaluate(
        """document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
        [...document.querySelectorAll('main *')].filter(each => !each.closest('.scroll') &&
          each.getBoundingClientRect().right > document.documentElement.clientWidth)
          .map(each => each.outerHTML.slice(0, 200))"""
    )
