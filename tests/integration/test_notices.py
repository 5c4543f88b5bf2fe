"""Notices: each event at most once, whoever dies; by a command, the desktop and a webhook; nobody by default."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import structlog

from orchestrator.config.settings import NotifySettings
from orchestrator.coordinator.notifier import Notifier
from orchestrator.domain.pauses import PauseReason
from orchestrator.store import messages, sessions
from orchestrator.store.store import Store
from tests import factories
from tests.patience import patient


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = factories.make_store(tmp_path)
    yield made
    made.close()


class Received:
    """What was told; waited for by its number."""

    def __init__(self) -> None:
        self.notices: list[dict[str, Any]] = []
        self.arrived = threading.Semaphore(0)

    def add(self, notice: dict[str, Any]) -> None:
        self.notices.append(notice)
        self.arrived.release()

    def wait(self) -> None:
        assert self.arrived.acquire(timeout=patient(20))


@pytest.fixture
def webhook() -> Iterator[tuple[str, Received]]:
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.add(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/told?by=us", received
    server.shutdown()
    server.server_close()
    thread.join()


def notifier(store: Store, **given: Any) -> Notifier:
    return Notifier(store, NotifySettings(**given), store.workflow.parent, structlog.get_logger())


def pause(store: Store, reason: PauseReason, **detail: str) -> str:
    session = factories.make_session(store, "Order 3 < 4 beans & more")
    assert store.write(lambda tx: sessions.pause(tx, session, reason, dict(detail)))
    return session


def test_a_webhook_is_told_of_each_event_once_though_another_daemon_follows(
    store: Store, webhook: tuple[str, Received]
) -> None:
    address, received = webhook
    waits = pause(store, PauseReason.CHECKPOINT)
    failed = pause(store, PauseReason.TASK_FAILED, task="DRAFT-001")
    pause(store, PauseReason.USER)
    for _ in range(2):
        first = notifier(store, webhook=address)
        first.follow()
        first.follow()
    received.wait()
    received.wait()
    finished = factories.make_session(store, "Done")
    store.write(lambda tx: messages.event(tx, finished, "completed", "all done"))
    notifier(store, webhook=address).follow()
    received.wait()

    assert [(each["kind"], each["session"]) for each in received.notices] == [
        ("waits", waits),
        ("failed", failed),
        ("finished", finished),
    ]
    assert received.notices[0]["says"] == "it waits for you (checkpoint): resume would approve what was shown"
    assert not received.arrived.acquire(blocking=False)


def test_a_command_gets_the_notice_on_its_standard_input_and_no_shell_sees_it(
    store: Store, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    script = f"import sys; open({str(told)!r}, 'w').write(sys.stdin.read() + '|' + ' '.join(sys.argv[1:]))"
    session = pause(store, PauseReason.CHECKPOINT)

    notifier(store, command=[sys.executable, "-c", script, "$HOME;"]).follow()

    notice, _, arguments = told.read_text().partition("|")
    assert (json.loads(notice)["session"], arguments) == (session, "$HOME;")


def test_a_desktop_notice_holds_no_markup_of_a_title(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    program = tmp_path / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {told}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    session = pause(store, PauseReason.CHECKPOINT)

    notifier(store, desktop=True).follow()

    arguments = told.read_text().split("|")
    assert arguments[:3] == ["--app-name=lifecycle", "--", f"waits: {session}"]
    assert "3 &lt; 4 beans &amp; more" in arguments[3]


def test_one_way_that_fails_keeps_the_others_from_nothing(
    store: Store, webhook: tuple[str, Received]
) -> None:
    address, received = webhook
    pause(store, PauseReason.CHECKPOINT)

    notifier(store, command=["/nonexistent/program"], webhook=address).follow()

    received.wait()
    assert [each["kind"] for each in received.notices] == ["waits"]


def test_nothing_is_told_or_marked_by_default_and_only_what_was_asked_for(store: Store) -> None:
    pause(store, PauseReason.CHECKPOINT)

    notifier(store).follow()
    notifier(store, command=["/nonexistent/program"], on=["finished"]).follow()

    assert not (store.workflow / "notified").exists()


def test_a_link_in_place_of_the_marks_loses_nobody_a_file(store: Store, tmp_path: Path) -> None:
    """The daemon removes old marks: behind a link that somebody planted these would be anybody's files."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    old = elsewhere / "thesis.txt"
    old.write_text("years of work")
    os.utime(old, (0, 0))
    (store.workflow / "notified").symlink_to(elsewhere)
    pause(store, PauseReason.CHECKPOINT)

    notifier(store, command=["true"]).follow()

    assert list(elsewhere.iterdir()) == [old]


def test_a_pause_for_a_reason_that_nobody_knows_stops_no_daemon(store: Store) -> None:
    session = factories.make_session(store)
    store.write(lambda tx: messages.event(tx, session, "paused", "imported", reason="because"))

    notifier(store, command=["true"]).follow()

    assert not (store.workflow / "notified").exists()
