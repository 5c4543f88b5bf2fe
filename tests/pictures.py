"""Makes the pictures of docs/web.md: `python -m tests.pictures`, with the Chromium of the machine.

Each picture has a digest of the structure of its page in docs/pictures/pages.json; a test compares them without a browser.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

from tests.demo_world import BRIEF, Demo, demo_world

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
LIST = FOLDER / "pages.json"
WIDE, NARROW = (1200, 760), (375, 700)
PROJECT = "clinics"
# A picture does not name the version.
MASK = r"""() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    walk.currentNode.data = walk.currentNode.data.replace(/Team Lifecycle [0-9.a-z]+/, "Team Lifecycle");
  }
}"""

# Notices as a browser has them in which nobody has answered yet: without a window it denies them.
ASKABLE = "Object.defineProperty(Notification, 'permission', { get: () => 'default' });"

TO_PLACE = """at => {
  document.querySelector(at).scrollIntoView();
  scrollBy(0, -110);
}"""  # what is fixed at the top, and the heading before it


@dataclass(frozen=True)
class Picture:
    name: str
    path: Callable[[Demo], str]
    scheme: str = "light"
    size: tuple[int, int] = WIDE
    language: str = "en"
    at: str = ""  # what is scrolled to, as a selector


def _session(demo: Demo) -> str:
    return f"/p/{PROJECT}/s/{demo.paused}"


PICTURES = (
    Picture("inbox", lambda demo: "/"),
    Picture("inbox-phone-dark", lambda demo: "/", "dark", NARROW),
    Picture("session", _session),
    Picture("graph", _session, at=".scroll.wide-only"),
    Picture("session-zh", _session, language="zh-CN"),
    Picture("decide", lambda demo: f"{_session(demo)}/decide"),
    Picture("decide-phone", lambda demo: f"{_session(demo)}/decide", size=NARROW, at="#answers"),
    Picture("document-dark", lambda demo: f"{_session(demo)}/doc/{BRIEF}", "dark"),
    Picture("changes", lambda demo: f"{_session(demo)}/diff/{BRIEF}"),
    Picture("discussions", lambda demo: f"{_session(demo)}/discuss"),
    Picture("cost-dark", lambda demo: f"{_session(demo)}/cost", "dark"),
)


class Structure(HTMLParser):
    """The elements of a page with their classes, and its headings: what a picture shows, without its values."""

    HEADINGS = ("h1", "h2", "h3", "th", "button", "summary")

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append(f"<{tag} {dict(attrs).get('class') or ''}>")
        self._heading = tag in self.HEADINGS

    def handle_endtag(self, tag: str) -> None:
        self._heading = False

    def handle_data(self, data: str) -> None:
        if self._heading:
            self.parts.append(re.sub(r"\b[0-9a-f]{8,}\b|\d+", "0", data.strip()))


def structure(page: str) -> str:
    """A digest that changes with what the page is made of, not with its values."""
    read = Structure()
    read.feed(page)
    return hashlib.sha256("\n".join(read.parts).encode()).hexdigest()[:16]


def structures(demo: Demo, ask: Callable[[str, str], str]) -> dict[str, str]:
    """Picture -> the digest of its page; `ask` gets the page of an address in a language."""
    return {each.name: structure(ask(each.path(demo), each.language)) for each in PICTURES}


def main() -> None:
    from playwright.sync_api import sync_playwright

    from tests.e2e.support import lifecycle
    from tests.e2e.web_server import serve
    from workers.evidence.browser_visit import FLAGS
    from workers.evidence.browsers import find_chromium

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / PROJECT
        with demo_world(place) as demo, lifecycle(place) as life, sync_playwright() as playwright:
            served = serve(life)
            browser = playwright.chromium.launch(
                executable_path=find_chromium(os.environ),
                ignore_default_args=True,
                args=[*FLAGS, f"--user-data-dir={folder}/profile", "--remote-debugging-pipe"],
            )
            context = browser.new_context()
            page = context.new_page()
            page.goto(served.link)
            page.wait_for_url(f"{served.origin}/")
            cookies = context.cookies()
            for each in PICTURES:
                if each.language == "zh-CN" and not has_chinese_letters():
                    print(f"{each.name} stays as it was: no font here has Chinese letters")
                    continue
                own = browser.new_context(locale=each.language, color_scheme=each.scheme)  # type: ignore[arg-type]
                own.add_init_script(ASKABLE)
                own.add_cookies(cookies)  # type: ignore[arg-type]
                taken(own.new_page(), served.origin, each, demo)
                own.close()
            cookie = "; ".join(f"{one['name']}={one['value']}" for one in cookies)

            def ask(path: str, language: str) -> str:
                return str(
                    served.ask("GET", path, authorization="", cookie=cookie, accept_language=language)[1]
                )

            found = structures(demo, ask)
            LIST.write_text(json.dumps(found, indent=2) + "\n")
            browser.close()
    print(
        f"{len(PICTURES)} pictures, {sum(file.stat().st_size for file in FOLDER.glob('*.png')) // 1024} KiB"
    )


def has_chinese_letters() -> bool:
    """Whether a font of the machine has them."""
    found = subprocess.run(["fc-list", ":lang=zh-cn"], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip())


def taken(page: Page, origin: str, picture: Picture, demo: Demo) -> None:
    width, height = picture.size
    page.set_viewport_size({"width": width, "height": height})
    page.goto(origin + picture.path(demo))
    page.wait_for_selector("#connection:is([data-state=live], [data-state=shown])")
    page.evaluate(MASK)
    if picture.at:
        page.evaluate(TO_PLACE, picture.at)
    page.screenshot(path=FOLDER / f"{picture.name}.png", animations="disabled", caret="hide")


if __name__ == "__main__":
    main()
