"""Looks at pages with a real browser, inside the sandbox: `python browser_visit.py JOB.json` (docs/frontend.md).

It serves the tree on a loopback port, or starts the project's own server and finds the port that it listens on; opens each
page in Chromium in two widths and two themes; takes pictures; and has axe-core judge the page in a JavaScript world of its
own, which scripts of the page cannot reach. What it found is written as JSON beside the pictures.

A page that hangs blocks whoever waits for its answer. When its time is over the browser is killed from a thread: the call
then fails, and the next page has a browser of its own.

The pages are somebody else's: nothing in them is trusted, no address but their own is loaded, and all that is read is cut.
It is started as a file, with nothing of the product but itself, since the sandbox may hide the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page, Playwright, Route

    from orchestrator.domain.json_types import Json, JsonObject

WIDTHS = {375: 667, 1280: 800}  # pixels: width -> height
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
JUDGED = ((375, "light"), (1280, "dark"))  # where axe-core looks: each width and each theme once
PAGE_SECONDS = 15.0  # for one page to be loaded
SERVER_SECONDS = 60.0  # for the project's server to listen
END_SECONDS = 5.0  # for what was killed to be gone
SET_CHILD_SUBREAPER = 36  # of prctl: children of a child that has ended are ours
POLL_SECONDS = 0.1
TALLEST = 4_000  # pixels of a picture
MOST_NODES, MOST_RULES, MOST_ERRORS = 20, 60, 20
CUT = 600  # characters of a text from the page
LISTENS = "0A"  # a socket's state in /proc/net/tcp
FLAGS = (
    "--headless",
    "--no-sandbox",  # the sandbox around this program takes its place: one in it cannot be made
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-quic",
    "--disable-crash-reporter",
    "--no-first-run",
    "--no-default-browser-check",
    "--mute-audio",
    "--hide-scrollbars",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
)
AXE = f"""
axe.run(document, {{resultTypes: ['violations'], rules: {{'region': {{enabled: false}}}}}}).then(found =>
  JSON.stringify(found.violations.slice(0, {MOST_RULES}).map(rule => ({{
    id: rule.id, impact: rule.impact, help: rule.help,
    nodes: rule.nodes.slice(0, {MOST_NODES}).map(node => ({{
      html: String(node.html).slice(0, {CUT}), target: node.target.map(String).join(' ').slice(0, {CUT}),
      why: String(node.failureSummary || '').slice(0, {CUT}), impact: node.impact
    }}))
  }}))))
"""


def main(job: JsonObject) -> JsonObject:
    """Visit the job's pages; what was seen of each."""
    from playwright.sync_api import sync_playwright

    axe = Path(str(job["axe"])).read_text(encoding="utf-8")
    version, seen = "", []
    with _served(job) as origin, sync_playwright() as playwright:
        browser: Browser | None = None
        for number, page in enumerate(map(str, job["pages"])):
            profile = f"{job['profile']}-{number}"  # one that was killed leaves a lock in it
            if browser is None or not browser.is_connected():
                browser = _launched(playwright, str(job["chromium"]), profile)
                version = browser.version
            seconds = float(job["page_seconds"])
            with _limit(seconds) as is_over:
                found = _visit(browser, origin, axe, page, number, job)
            if is_over.is_set() and found["why_not"]:
                found["why_not"] = f"it hangs: it was not done after {seconds:.0f} seconds"
            seen.append(found)
        if browser is not None and browser.is_connected():
            browser.close()
    return {"browser": version, "pages": seen}


def _launched(playwright: Playwright, chromium: str, profile: str) -> Browser:
    return playwright.chromium.launch(
        executable_path=chromium,
        ignore_default_args=True,
        args=[*FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe"],
        timeout=1000 * PAGE_SECONDS,
    )


@contextlib.contextmanager
def _limit(seconds: float) -> Iterator[threading.Event]:
    """After this time every browser below this process is killed, and the event is set."""
    is_over = threading.Event()

    def end() -> None:
        is_over.set()
        for pid in _family():
            with contextlib.suppress(OSError):
                if b"--user-data-dir=" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield is_over
    finally:
        timer.cancel()


def _family() -> list[int]:
    """All that this process started and what that started; empty where /proc shows the processes of others."""
    if Path("/proc/self").readlink().name != str(os.getpid()):
        return []
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            stat = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            parents[int(folder.name)] = int(stat[1])
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(found - {os.getpid()})


# one page


def _visit(browser: Browser, origin: str, axe: str, path: str, number: int, job: JsonObject) -> JsonObject:
    """The page in each width and theme: pictures, violations, errors."""
    found: JsonObject = {"page": path, "title": "", "why_not": None}
    screens: list[Json] = []
    violations: JsonObject = {}
    errors: list[Json] = []
    missing: list[Json] = []
    outside: list[Json] = []
    sideways: list[Json] = []
    for width, height in WIDTHS.items():
        for scheme in SCHEMES:
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                reduced_motion="reduce",
                service_workers="block",
                accept_downloads=False,
            )
            try:
                page = context.new_page()
                page.on("pageerror", lambda error: _add(errors, str(error)))
                page.on("dialog", lambda dialog: dialog.dismiss())
                page.on(
                    "response",
                    lambda answer: (
                        _add(missing, answer.url.removeprefix(origin)) if answer.status >= 400 else None
                    ),
                )
                page.route("**/*", lambda route: _own(route, origin, outside))
                answer = page.goto(
                    origin + "/" + urllib.parse.quote(path), wait_until="load", timeout=1000 * PAGE_SECONDS
                )
                if answer is None or answer.status >= 400:
                    found["why_not"] = f"the server answers {answer.status if answer else 'nothing'}"
                    return found
                found["title"] = page.title()[:CUT]
                session = context.new_cdp_session(page)
                size = _size(session)
                if size["scroll"] > size["client"]:
                    _add(sideways, f"{width}")
                if (width, scheme) in JUDGED:
                    for rule in _judged(session, axe):
                        _merge(violations, rule, f"{width} {scheme}")
                name = f"{number}-{width}-{scheme}.png"
                _picture(page, width, min(TALLEST, max(height, size["height"])), Path(str(job["out"])) / name)
                screens.append({"width": width, "scheme": scheme, "file": name})
            except (
                Exception
            ) as error:  # of Playwright: a page that cannot be seen is told, the others are visited
                found["why_not"] = f"{type(error).__name__}: {str(error)[:CUT]}"
                return found
            finally:
                with contextlib.suppress(Exception):
                    context.close()
    return {
        **found,
        "screens": screens,
        "violations": list(violations.values()),
        "errors": errors,
        "missing": missing,
        "outside": outside,
        "sideways": sideways,
    }


def _own(route: Route, origin: str, outside: list[Json]) -> None:
    url = route.request.url
    if url.startswith((origin + "/", "data:", "blob:")):
        route.continue_()
    else:
        _add(outside, url)
        route.abort()


def _add(listed: list[Json], text: str) -> None:
    if len(listed) < MOST_ERRORS and text[:CUT] not in listed:
        listed.append(text[:CUT])


def _world(session: CDPSession) -> int:
    """A JavaScript world of our own in the page: the same elements, none of its functions."""
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    made = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "lifecycle"})
    return int(made["executionContextId"])


def _evaluated(session: CDPSession, world: int, expression: str) -> str:
    answer = session.send(
        "Runtime.evaluate",
        {"expression": expression, "contextId": world, "awaitPromise": True, "returnByValue": True},
    )
    if "exceptionDetails" in answer:
        raise RuntimeError(str(answer["exceptionDetails"].get("text", ""))[:CUT])
    return str(answer["result"].get("value", ""))


def _size(session: CDPSession) -> dict[str, int]:
    told = _evaluated(
        session,
        _world(session),
        "JSON.stringify({scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth,"
        " height: document.documentElement.scrollHeight})",
    )
    return {name: int(value) for name, value in json.loads(told).items()}


def _judged(session: CDPSession, axe: str) -> list[JsonObject]:
    world = _world(session)
    _evaluated(session, world, axe + "\n;''")
    found: list[JsonObject] = json.loads(_evaluated(session, world, AXE))
    return found


def _merge(violations: dict[str, JsonObject], rule: JsonObject, where: str) -> None:
    """Keep each element once under its rule, with the width and theme in which it was seen first."""
    nodes = violations.setdefault(str(rule["id"]), {**rule, "nodes": []})["nodes"]
    known = {node["target"] for node in nodes}
    for node in rule["nodes"]:
        if node["target"] not in known and len(nodes) < MOST_NODES:
            nodes.append({**node, "where": where})


def _picture(page: Page, width: int, height: int, file: Path) -> None:
    page.screenshot(
        path=file,
        full_page=True,
        clip={"x": 0, "y": 0, "width": width, "height": height},
        animations="disabled",
        caret="hide",
        timeout=1000 * PAGE_SECONDS,
    )


# the server


@contextlib.contextmanager
def _served(job: JsonObject) -> Iterator[str]:
    """The address of the tree's pages while they are served."""
    argv = job.get("serve")
    tree = Path(str(job["tree"]))
    if argv:
        with _started([str(word) for word in argv], tree) as port:
            yield f"http://127.0.0.1:{port}"
        return
    handler = functools.partial(_OwnFiles, directory=str(tree))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class _OwnFiles(http.server.SimpleHTTPRequestHandler):
    """The files of the tree; a link that leads out of it is not there."""

    def translate_path(self, path: str) -> str:
        found = Path(super().translate_path(path))
        inside = found.resolve().is_relative_to(Path(self.directory).resolve())
        return str(found) if inside else os.devnull + "/none"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


@contextlib.contextmanager
def _started(argv: list[str], tree: Path) -> Iterator[int]:
    """The port on which the command listens; it and what it started are ended afterwards."""
    before = _listening()
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    log = Path(os.environ["TMPDIR"]) / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            argv, cwd=tree, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
    try:
        deadline = time.monotonic() + SERVER_SECONDS
        while True:
            port = next((port for port in sorted(_listening() - before) if _answers(port)), None)
            if port is not None:
                break
            if process.poll() is not None or time.monotonic() > deadline:
                ended = (
                    f"ended with {process.returncode}"
                    if process.returncode is not None
                    else "does not answer"
                )
                said = log.read_bytes()[-CUT:].decode("utf-8", "replace").strip()
                raise SystemExit(f"the project's server {ended}: {said}")
            time.sleep(POLL_SECONDS)
        yield port
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _end_family()


def _end_family() -> None:
    """End what is left of the server, in sessions of its own too: nobody may write where the answer is to be."""
    until = time.monotonic() + END_SECONDS
    while (left := _family()) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(POLL_SECONDS)


def _listening() -> set[int]:
    """The TCP ports of this network namespace that somebody listens on."""
    ports: set[int] = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(table).read_text(encoding="ascii").splitlines()[1:]:
                words = line.split()
                if words[3] == LISTENS:
                    ports.add(int(words[1].rpartition(":")[2], 16))
    return ports


def _answers(port: int) -> bool:
    """Whether HTTP is spoken there."""
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PAGE_SECONDS).close()
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False
    return True


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    told = main(given)
    answer = Path(given["out"]) / "seen.json"
    answer.unlink(missing_ok=True)  # a server of the project may have put something there
    with answer.open("x", encoding="utf-8") as file:
        file.write(json.dumps(told))
