"""A coordinator that does not come up: the page says so while it is waited for, and why as soon as that is known."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orchestrator.dispatch.coming_up import NOTE, START_SECONDS
from tests.e2e.browsing import MISSING, opened
from tests.e2e.cli_world import World, make_world
from tests.e2e.support import lifecycle
from tests.e2e.test_web_browser import at_a_checkpoint
from tests.e2e.web_server import serve
from tests.patience import patient

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING}")
SOON = 3.0  # seconds


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with lifecycle(tmp_path / "p") as life:
        made = make_world(life)
        (life.folder / ".workflow" / "logs").mkdir(exist_ok=True)
        yield made
        made.store.close()


@pytest.mark.long
def test_a_coordinator_that_hangs_at_its_start_is_waited_for_in_words_and_then_told(
    world: World, browser: Browser
) -> None:
    session = at_a_checkpoint(world)
    log = world.life.folder / ".workflow" / "logs" / "daemon.jsonl"
    os.mkfifo(log)  # nobody reads it: who opens it to write waits for ever
    note = world.life.folder / ".workflow" / NOTE
    served = serve(world.life)
    context, page, looked = opened(browser, served)
    page.goto(served.link)
    page.goto(f"{served.origin}/p/p/s/{session}/decide")

    page.click("#approve")
    page.wait_for_url("**done=resume")
    at_once = page.inner_text("main")
    page.wait_for_selector("text=/coordinator is starting: ([2-9]|\\d\\d) s/", timeout=1000 * patient(SOON))
    said = json.loads(note.read_text())
    note.write_text(json.dumps(said | {"at": said["at"] - int(START_SECONDS * 1e6)}))
    hangs = page.wait_for_selector("text=/pid \\d+. hangs/", timeout=1000 * patient(SOON))
    assert hangs is not None
    told = [hangs.inner_text(), page.locator("text=coordinator is starting").count()]
    os.kill(said["pid"], signal.SIGKILL)
    log.unlink()
    started = world.life.run("daemon", "start")
    page.wait_for_selector("[role=alert]", state="detached", timeout=1000 * patient(SOON))

    assert "The coordinator is starting: " in at_once
    assert told == [
        f"the coordinator (pid {said['pid']}) hangs: it lives and does not lead; "
        "`lifecycle daemon start` starts another one, see .workflow/logs",
        0,
    ]
    assert started.code == 0, started.err
    assert (looked.foreign, looked.errors) == ([], [])
    context.close()


def test_why_a_coordinator_ended_at_its_start_is_told_with_what_to_do(world: World, browser: Browser) -> None:
    session = at_a_checkpoint(world)
    log = world.life.folder / ".workflow" / "logs" / "daemon.jsonl"
    log.mkdir()
    (log.parent / "daemon.out").write_text("Error: an older one\n")
    served = serve(world.life)
    context, page, looked = opened(browser, served)
    page.goto(served.link)
    page.goto(f"{served.origin}/p/p/s/{session}/decide")

    page.click("#approve")
    page.wait_for_url("**done=resume")
    found = page.wait_for_selector("text=the coordinator has ended", timeout=1000 * patient(2 * SOON))
    assert found is not None
    told = found.inner_text()
    checked = world.life.run("check", session).out

    assert told.startswith(f"the coordinator has ended: Is a directory: {log}; `lifecycle doctor` ")
    assert told.endswith("; `lifecycle daemon start` starts it again")
    assert "the coordinator has ended: Is a directory" in checked
    assert (looked.foreign, looked.errors) == ([], [])
    context.close()
