"""Tells a person what happened, outside of every transaction and of the daemon's loop; never twice.

An event is marked by a file, made whole or not at all, before it is told: whoever dies in between leaves it untold, and it is
in the inbox all the same. What is older than a while is not told, so a daemon that comes back does not repeat a whole night.
"""

from __future__ import annotations

import errno
import json
import os
import queue
import shutil
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from orchestrator.config.settings import NotifySettings
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.notices import Notice, notice_of
from orchestrator.log import Logger
from orchestrator.store import noticed
from orchestrator.store.store import Store

RECENT_SECONDS = 600.0  # events older than this are not told
KEEP_SECONDS = 3_600.0  # how long a mark stays: longer than its event is recent
SEND_SECONDS = 10.0  # for each way
WAITING = 100  # notices that wait to be told; more are left to the inbox


class Notifier:
    def __init__(self, store: Store, settings: NotifySettings, project: Path, log: Logger) -> None:
        self._store = store
        self._settings = settings
        self._project = project
        self._log = log
        self._marks = store.workflow / "notified"
        self._waiting: queue.Queue[Notice] = queue.Queue(WAITING)
        self._thread: threading.Thread | None = None

    def follow(self) -> None:
        """Take up what is new, and let a thread tell it; a disk that takes no mark leaves it untold. Raises StoreError."""
        if not self._settings.is_on:
            return
        since = self._store.clock.wall() - int(RECENT_SECONDS * 1_000_000)
        for row in self._store.read(lambda tx: noticed.since(tx, since)):
            found = notice_of(row.session, row.title, row.number, row.type, row.data)
            if found is not None and found.kind in self._settings.on and self._mark(found):
                self._tell(found)

    def _mark(self, notice: Notice) -> bool:
        """Whether this event is ours to tell: nobody has marked it before."""
        mark = self._marks / f"{notice.session}.{notice.number}"
        try:
            self._marks.mkdir(mode=0o700, exist_ok=True)
            if self._marks.is_symlink():  # what is old behind it is not ours to remove
                raise NotADirectoryError(errno.ENOTDIR, "it is a link", str(self._marks))
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._forget()
        except FileExistsError:
            return False
        except OSError as error:
            self._log.warning("notice_not_marked", session=notice.session, error=str(error))
            return not self._marks.is_symlink() and mark.exists()
        return True

    def _forget(self) -> None:
        """Remove marks of events that are too old to be told."""
        until = time.time() - KEEP_SECONDS
        for mark in self._marks.iterdir():
            with suppress(FileNotFoundError):
                if mark.stat().st_mtime < until:
                    mark.unlink()

    def _tell(self, notice: Notice) -> None:
        try:
            self._waiting.put_nowait(notice)
        except queue.Full:
            self._log.warning("notice_dropped", session=notice.session, number=notice.number)
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="notifier", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        while True:
            notice = self._waiting.get()
            for way, send in (
                ("command", send_command),
                ("desktop", send_desktop),
                ("webhook", send_webhook),
            ):
                try:
                    send(self._settings, notice, self._project)
                except (OSError, subprocess.SubprocessError, ValueError) as error:
                    self._log.warning("notice_failed", way=way, session=notice.session, error=str(error))


def as_json(notice: Notice) -> JsonObject:
    """What a command reads on its standard input, and a webhook gets."""
    return {
        "kind": str(notice.kind),
        "session": notice.session,
        "message": notice.number,
        "title": notice.title,
        "says": notice.says,
    }


def send_command(settings: NotifySettings, notice: Notice, project: Path) -> None:
    """Run the user's command without a shell; the notice is on its standard input, never among its arguments."""
    if settings.command:
        subprocess.run(
            settings.command,
            input=json.dumps(as_json(notice)).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=project,
            timeout=SEND_SECONDS,
            check=True,
            start_new_session=True,
        )


def send_desktop(settings: NotifySettings, notice: Notice, project: Path) -> None:
    program = shutil.which("notify-send") if settings.desktop else None
    if program is not None:
        subprocess.run(
            [program, "--app-name=lifecycle", "--", f"{notice.kind}: {notice.session}", _plain(notice)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SEND_SECONDS,
            check=True,
            start_new_session=True,
        )


def _plain(notice: Notice) -> str:
    """Desktops read markup in a notice's text: nothing of a title is any."""
    text = f"{notice.title}: {notice.says}"
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def send_webhook(settings: NotifySettings, notice: Notice, project: Path) -> None:
    """Post it to the address; a redirection is not followed. Raises ValueError for an answer that is none of success."""
    if settings.webhook is None:
        return
    import http.client  # loads ssl, 3 MB that a daemon without a webhook has no use for

    url = urlsplit(settings.webhook)
    make = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = make(url.hostname or "", url.port, timeout=SEND_SECONDS)
    try:
        path = f"{url.path or '/'}{'?' + url.query if url.query else ''}"
        connection.request("POST", path, json.dumps(as_json(notice)), {"Content-Type": "application/json"})
        status = connection.getresponse().status
    except http.client.HTTPException as error:
        raise ValueError(f"the webhook's answer is no HTTP ({type(error).__name__}: {error})") from error
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise ValueError(f"the webhook answered {status}")
