"""The real server as a process: from a commit to the screen of real tabs, 200 streams, and nothing to do."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.dispatch.dashboards import STATE_FOLDER, state_folder
from orchestrator.store import messages
from orchestrator.store.store import Store
from orchestrator.web.access import Access
from orchestrator.web.feed import STREAMS_OF_ONE
from orchestrator.web.guard import NAME
from tests.bench.measure import Figure, times
from tests.e2e.support import Lifecycle
from tests.e2e.web_server import Served, serve
from tests.web_load.crowd import Crowd
from tests.web_world import entered
from workers.evidence.browser_visit import FLAGS
from workers.evidence.browsers import find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STREAMS = 200
TABS = 12
SCREEN_MS = 300  # from a commit to the screen
TABS_MS = 600  # ... of twelve visible tabs
STREAMS_SHARE = 5.0  # per cent of a core, at a change a second
STREAMS_MB = 150
IDLE_SHARE = 0.1
IDLE_MB = 60
GROWTH = 10.0  # per cent that the memory may grow while the streams are open
WARM = 0.1  # of the time, after which the memory is looked at first
TICK = 1 / os.sysconf("SC_CLK_TCK")
SEEN = r"""() => { globalThis.seen = {};
  new MutationObserver((changes) => { for (const added of changes.flatMap((each) => [...each.addedNodes]))
    for (const [, n] of added.textContent.matchAll(/mark-(\d+)\./g)) seen[n] ??= Date.now();
  }).observe(document.body, {childList: true, subtree: true}); }"""


@contextmanager
def served(folder: Path) -> Iterator[tuple[Lifecycle, Served, Access]]:
    """A server of the project, and what signs its cookies."""
    life = Lifecycle(folder)
    access = Access(state_folder({STATE_FOLDER: str(folder.parent / "state")}))
    try:
        yield life, serve(life), access
    finally:
        life.close()


def cookie(server: Served, access: Access, person: str) -> str:
    """A Cookie header of a browser that has entered as this person."""
    return f"lc-{server.port}={entered(access, person)}"


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=find_chromium(os.environ),
            ignore_default_args=True,
            args=[*FLAGS, f"--user-data-dir={folder}", "--remote-debugging-pipe"],
        )
        yield made
        made.close()


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def memory_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def to_the_screen(crowd: Crowd) -> Iterator[Figure]:
    """Messages are committed by another process than the server, and seen in the log of real tabs."""
    folder = crowd.folder.parent / "profile"
    with served(crowd.folder) as (_, server, _), chromium(folder) as browser:
        context = browser.new_context()
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.goto(server.link)
        page.wait_for_url(f"{server.origin}/")
        page.close()
        store = Store(crowd.folder / ".workflow" / "lifecycle.db")
        tabs: list[Page] = []
        for count, bound in ((1, SCREEN_MS), (times(TABS, 2), TABS_MS)):
            while len(tabs) < count:
                tabs.append(_tab(context.new_page(), server, crowd.running))
            taken = [each for _ in range(times(30, 3)) for each in _seen(store, crowd, tabs)]
            name = "from a commit to the screen, " + ("one tab" if count == 1 else f"{count} tabs")
            yield Figure(name, "ms", taken, below=bound, share=0.95)
        store.close()


def _tab(page: Page, server: Served, session: str) -> Page:
    page.goto(f"{server.origin}/p/p/s/{session}/log")
    page.wait_for_selector("#connection[data-state=live]")
    page.evaluate(SEEN)
    return page


def _seen(store: Store, crowd: Crowd, tabs: list[Page]) -> list[float]:
    """Milliseconds until each tab shows a message with a number of its own."""
    number = time.time_ns()
    store.write(lambda tx: messages.event(tx, crowd.running, "note", f"mark-{number}."))
    committed = time.time() * 1000
    for page in tabs:
        page.wait_for_selector(f"#log li:has-text('mark-{number}.')", state="attached")
    return [float(page.evaluate(f"seen['{number}']")) - committed for page in tabs]


def streams(crowd: Crowd, minutes: float) -> Iterator[Figure]:
    """200 streams of ten people, and a commit a second."""
    with served(crowd.folder) as (_, server, access):
        count = times(STREAMS, 4)
        people = [cookie(server, access, f"p{n}") for n in range(-(-count // STREAMS_OF_ONE))]
        found = asyncio.run(_listened(server, people, count, crowd, minutes * 60))
    yield Figure(f"{count} streams, nothing committed", "% of a core", [found["still"]], below=STREAMS_SHARE)
    yield Figure(f"{count} streams, a commit a second", "% of a core", [found["share"]], below=STREAMS_SHARE)
    yield Figure("from a commit to a stream", "ms", found["delays"], share=0.95, below=SCREEN_MS)
    yield Figure("memory", "MB", [found["memory"]], below=STREAMS_MB)
    note = f"in {minutes:g} min"
    yield Figure("growth of the memory", "%", [found["growth"]], below=GROWTH, note=note)


async def _listened(
    server: Served, people: list[str], count: int, crowd: Crowd, seconds: float
) -> dict[str, Any]:
    store = Store(crowd.folder / ".workflow" / "lifecycle.db")
    pid, delays, said = server.process.pid, [], [time.monotonic()]
    opened = [await _opened(server, people[n % len(people)]) for n in range(count)]
    readers = [asyncio.create_task(_read(reader, said, delays)) for reader, _ in opened]
    before = cpu_seconds(pid)
    await asyncio.sleep(seconds / 4)
    still = (cpu_seconds(pid) - before) / (seconds / 4) * 100
    begun, before, warm = time.monotonic(), cpu_seconds(pid), 0.0
    while time.monotonic() - begun < seconds:
        await asyncio.to_thread(store.write, lambda tx: messages.event(tx, crowd.running, "note", "x"))
        said[0] = time.monotonic()
        await asyncio.sleep(1.0)
        if not warm and time.monotonic() - begun > WARM * seconds:
            warm = memory_mb(pid)
    share = (cpu_seconds(pid) - before) / (time.monotonic() - begun) * 100
    memory = memory_mb(pid)
    for reader in readers:
        reader.cancel()
    for _, writer in opened:
        writer.close()
    store.close()
    assert len(delays) >= count * (seconds - 2) * 0.9, "some streams missed hints"
    growth = (memory / warm - 1) * 100
    return {"still": still, "share": share, "delays": delays, "memory": memory, "growth": growth}


async def _opened(server: Served, person: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A stream of hints that has begun."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    head = f"GET /api/v1/events HTTP/1.1\r\nhost: {NAME}:{server.port}\r\ncookie: {person}\r\n\r\n"
    writer.write(head.encode())
    await writer.drain()
    answer = await reader.readuntil(b"event: hello")
    assert answer.startswith(b"HTTP/1.1 200"), answer[:300]
    return reader, writer


async def _read(reader: asyncio.StreamReader, said: list[float], delays: list[float]) -> None:
    while line := await reader.readline():
        if line.startswith(b"event: changed"):
            delays.append((time.monotonic() - said[0]) * 1000)


def idle(crowd: Crowd) -> Iterator[Figure]:
    """A server that nobody looks at."""
    with served(crowd.folder) as (_, server, access):
        pid = server.process.pid
        seconds = times(60, 2)
        before = cpu_seconds(pid)
        time.sleep(seconds)  # the time itself is measured
        share = (cpu_seconds(pid) - before) / seconds * 100
        fresh = memory_mb(pid)
        person = cookie(server, access, "ana")
        for path in ("/", "/p/p/sessions", f"/p/p/s/{crowd.waiting}", f"/p/p/s/{crowd.waiting}/decide"):
            assert server.ask("GET", path, cookie=person, authorization="")[0] == 200
        visited = memory_mb(pid)
    yield Figure("an idle server", "% of a core", [share], below=IDLE_SHARE)
    yield Figure("its memory", "MB", [fresh], below=IDLE_MB)
    yield Figure("its memory after four pages", "MB", [visited], below=STREAMS_MB)
