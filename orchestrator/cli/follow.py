"""Following a session until it ends or waits: progress to standard error, the report to standard output.

The database is what is followed. A wake that is lost, or a daemon that was just leaving, costs two seconds here:
as long as the session is unfinished, the coordinator is looked for again and started when it is gone.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from orchestrator.cli.opening import Opened, wake
from orchestrator.cli.output import bar, cells, clip, duration, is_live, note, print_json
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import LifecycleError
from orchestrator.domain.inert import one_line
from orchestrator.domain.model import SessionStatus, TaskStatus
from orchestrator.domain.patterns import expression
from orchestrator.domain.pauses import ADVISED, EXIT_DETACHED, EXIT_DONE, EXIT_FAILED, PauseReason, exit_code
from orchestrator.domain.review_verdicts import BLOCK
from orchestrator.domain.review_verdicts import MODE as REVIEW_MODE

if TYPE_CHECKING:
    import subprocess

    from rich.console import Console
    from rich.live import Live as RichLive

    from orchestrator.domain.json_types import JsonObject
    from orchestrator.store.rows import Message, OpenRun, Session
    from orchestrator.store.store import Tx

POLL_SECONDS = 0.1
ENSURE_SECONDS = 2.0  # how often the coordinator is looked for
OPEN_SECONDS = 3.0  # after which documents that are open for writing are not waited for
PROJECTED_SECONDS = 15.0  # how long the files may take after the end
TAKEN_UP_SECONDS = 15.0  # how long a detached command waits for the coordinator's first beat
BATCH = 500
HOSTLESS_SECONDS = 60.0  # without a worker host, after which waiting on makes no sense
DAEMON_DEATHS = 3  # coordinators that die at once before we give up


@dataclass(frozen=True, slots=True)
class Seen:
    """The session as of one poll."""

    session: Session
    news: list[Message]
    running: list[OpenRun]
    hosts: int  # that are live
    done: int
    total: int


class Display(Protocol):
    def show(self, seen: Seen, elapsed: float) -> None: ...


_SENTENCES = ("advance", "beat")  # events whose text needs no name before it


def finish(
    opened: Opened,
    session: str,
    after: int,
    *,
    detach: bool,
    as_json: bool,
    until: tuple[str, ...] = (),
    show: bool = False,
) -> int:
    """Follow the session from message `after` on, or only until the coordinator has accepted it; return the exit code.

    `until`: tasks that can be done while it waits for a person, and are followed to their end. `show`: in a browser too.
    """
    from orchestrator.cli.opening import hand_over_environment

    coordinator = Coordinator(opened)
    coordinator.ensure()
    hand_over_environment(opened)
    if show:
        from orchestrator.cli.dashboard import show_session

        show_session(opened.project.root, opened.project.logs, session)
    if detach:
        return _detached(opened, session, coordinator, as_json)
    try:
        _follow(opened, session, after, coordinator, until)
    except KeyboardInterrupt:
        note()
        note(f"Detached; {session} continues. To return: lifecycle resume {session}   (or: lifecycle log -f)")
        return EXIT_DETACHED
    return _conclude(opened, session, after, as_json)


class Coordinator:
    """Keeps a coordinator running while a session is followed."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._process: subprocess.Popen[bytes] | None = None
        self._looked = 0.0
        self._deaths = 0

    def ensure(self) -> None:
        """Wake the daemon, or start one. Raises LifecycleError when they die as soon as they are started."""
        from orchestrator.project import ensure_daemon

        self._looked = time.monotonic()
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return  # it is still coming up, or works
            self._deaths += code != 0
            self._process = None
        if self._deaths >= DAEMON_DEATHS:
            raise LifecycleError(
                "the coordinator does not stay up",
                why=last_words(self._opened.project.logs / "daemon.out")
                or "it exited immediately, several times",
                fix="see .workflow/logs; `lifecycle doctor` checks the environment; the session is kept",
            )
        self._process = ensure_daemon(self._opened.project, self._opened.store)

    def keep(self) -> None:
        if time.monotonic() - self._looked >= ENSURE_SECONDS:
            self.ensure()


def last_words(file: Path) -> str:
    """The last error in a dead process's output, or its last line."""
    if not file.is_file():
        return ""
    lines = file.read_bytes()[-4000:].decode("utf-8", "replace").strip().splitlines()
    errors = [line for line in lines if line.startswith("Error: ")]
    return next(iter((errors or lines)[-1:]), "")


def _detached(opened: Opened, session: str, coordinator: Coordinator, as_json: bool) -> int:
    """Return when the coordinator has handled the session: a daemon that was just leaving may have missed the wake."""
    from orchestrator.store import sessions

    deadline = time.monotonic() + TAKEN_UP_SECONDS

    def waiting(tx: Tx) -> bool:
        row = sessions.get(tx, session)
        return row is not None and row.status == SessionStatus.ACTIVE and bool(row.needs_beat)

    while opened.store.read(waiting):
        if time.monotonic() > deadline:
            note("the coordinator has not picked it up yet; `lifecycle check` shows when it has")
            break
        time.sleep(POLL_SECONDS)
        coordinator.keep()
    row = opened.store.read(lambda tx: sessions.get(tx, session))
    status = row.status if row else None
    if as_json:
        print_json({"session": session, "status": status, "detached": True})
    elif row is not None and row.status == SessionStatus.PAUSED:
        note(
            f"{session} is paused: {row.pause_reason}: lifecycle check {session} | lifecycle resume {session}"
        )
    else:
        note(
            f"{session} continues in the background: lifecycle check | lifecycle log -f | lifecycle resume {session}"
        )
    return 0


def _follow(
    opened: Opened, session: str, after: int, coordinator: Coordinator, until: tuple[str, ...] = ()
) -> None:
    begun = worked = time.monotonic()
    with _display() as display:
        while True:
            seen = opened.store.read(lambda tx, after=after: _look(tx, session, after))  # type: ignore[misc]
            after = seen.news[-1].number if seen.news else after
            display.show(seen, time.monotonic() - begun)
            if (
                seen.session.status != SessionStatus.ACTIVE
                and len(seen.news) < BATCH
                and not _spends_still(seen)
                and not (
                    seen.session.pause_reason in ADVISED
                    and opened.store.read(lambda tx: _can_be_done(tx, session, until))
                )
            ):
                break
            if seen.running or seen.hosts:
                worked = time.monotonic()
            elif time.monotonic() - worked > HOSTLESS_SECONDS:
                raise without_host(opened.settings.own_host, opened.project.logs / "workers.out")
            if len(seen.news) < BATCH:
                time.sleep(POLL_SECONDS)
                coordinator.keep()
    _await_files(opened, session, coordinator)


def without_host(own_host: bool, output: Path) -> LifecycleError:
    """Why nobody works: hosts that end at once, or a project that starts none of its own and that none has joined."""
    if not own_host:
        return LifecycleError(
            "no worker host is running",
            why="own_host is off, so that the coordinator starts none, and none has joined",
            fix="`lifecycle worker` runs one here, `lifecycle host join` on another machine; it continues then",
        )
    return LifecycleError(
        "no worker host stays up",
        why=last_words(output) or "none has started",
        fix="see .workflow/logs/workers.out and `lifecycle doctor`; then `lifecycle daemon stop` and resume",
    )


def _can_be_done(tx: Tx, session: str, keys: tuple[str, ...]) -> bool:
    """Whether one of the tasks is running, or may start now."""
    from orchestrator.store import tasks

    rows = [tasks.task(tx, session, key) for key in keys]
    return any(
        row is not None
        and (row.status == TaskStatus.IN_PROGRESS or (row.status == TaskStatus.PENDING and not row.unmet))
        for row in rows
    )


def _spends_still(seen: Seen) -> bool:
    """Whether calls that ran when the budget was used up are still unfinished: the report includes their cost."""
    return seen.session.pause_reason == PauseReason.BUDGET and bool(seen.running)


def _look(tx: Tx, session: str, after: int) -> Seen:
    from orchestrator.domain.errors import UnknownName
    from orchestrator.store import leases, messages, sessions, tasks
    from orchestrator.views.session_line import progress

    row = sessions.get(tx, session)
    if row is None:
        raise UnknownName("session", session, [], fix="it was deleted meanwhile")
    news = messages.after(tx, session, after, BATCH)
    found = progress(tasks.counts(tx, session))
    return Seen(
        row, news, tasks.open_runs(tx, session), len(leases.live_hosts(tx)), found["done"], found["total"]
    )


def _await_files(opened: Opened, session: str, coordinator: Coordinator) -> None:
    """Wait until the files that the report names exist, but for no document that a person has open."""
    from orchestrator.store import edits, sessions

    begun = time.monotonic()
    deadline = begun + PROJECTED_SECONDS
    while time.monotonic() < deadline:
        row = opened.store.read(lambda tx: sessions.get(tx, session))
        if row is None or row.projected >= row.messages:
            return
        if time.monotonic() > begun + OPEN_SECONDS:
            kept = opened.store.read(lambda tx: edits.open_for_writing(tx, session))
            if kept:
                note(f"open for writing in another program, and written once closed there: {', '.join(kept)}")
                return
        time.sleep(POLL_SECONDS)
        coordinator.keep()
    note("not all files of the session are written yet; `lifecycle repair` writes them")


def _conclude(opened: Opened, session: str, after: int, as_json: bool) -> int:
    """Print the report, as JSON with what was revised since message `after`; return the exit code."""
    from orchestrator.cli.report import print_report
    from orchestrator.store import sessions
    from orchestrator.views.check import completion_report
    from orchestrator.views.revised import revised

    def read(tx: Tx) -> JsonObject:
        row = sessions.get(tx, session)
        assert row is not None
        return completion_report(tx, row)

    report = opened.store.read(read)
    reason = PauseReason(report["pause_reason"]) if report["pause_reason"] else None
    code = exit_code(SessionStatus(report["status"]), reason)
    if code == EXIT_DONE and report["mode"] == REVIEW_MODE and report["review"]:
        code = EXIT_FAILED if report["review"]["verdict"] == BLOCK else EXIT_DONE
    if as_json:
        since = opened.store.read(lambda tx: revised(tx, session, after))
        print_json(
            {"session": session, "status": report["status"], "exit_code": code, "report": report, **since}
        )
    else:
        print_report(report, opened.project.root)
    return code


def event_line(row: Message, columns: int = 0, *, whole: bool = True) -> str:
    """A message or event as one line: time and text; unless `whole`, only its first line."""
    clock = time.strftime("%H:%M:%S", time.localtime(row.at / 1e6))
    summary = row.summary if whole else next(iter(row.summary.splitlines()), "")
    said = row.kind == "message" or row.type in _SENTENCES or summary.startswith(row.type)
    text = one_line(f"{clock}  {summary if said else f'{row.type}: {summary}'}")
    verdict = _VERDICT.search(text)
    if not columns or cells(text) <= columns or verdict is None:
        return clip(text, columns or 10_000)
    ends = f" D{verdict['round'].lstrip('0')}{verdict['of']} {verdict['consensus']} {verdict['how']}"
    return clip(text[: verdict.start()], max(columns - cells(ends), 1)) + ends


_VERDICT = expression(  # what a report of a discussed task ends with: on a narrow terminal it is what matters
    r" Discuss DISCUSS-(?P<round>\d+)(?P<of>\S*): consensus_(?P<consensus>\w+) \(\w+=(?P<how>[\w.]+)(?:, by rules alone)?\)",
    re.ASCII,
)


class Lines:
    """Prints one line per event, for pipes, logs and simple terminals."""

    def show(self, seen: Seen, elapsed: float) -> None:
        for row in seen.news:
            note(event_line(row, whole=False))


class Live:
    """Scrolls events above a live last line: progress, running work and elapsed time."""

    def __init__(self, live: RichLive, console: Console) -> None:
        self._live = live
        self._console = console
        self._line = ""

    def show(self, seen: Seen, elapsed: float) -> None:
        from rich.text import Text

        columns = max(20, self._console.width)
        for row in seen.news:
            self._console.print(Text(event_line(row, columns - 1, whole=False)), soft_wrap=True)
        share = 100 * seen.done / seen.total if seen.total else 0
        working = ", ".join(
            f"{run.key} {run.role} {run.phase} {duration((time.time_ns() // 1000 - run.opened_at) / 1e6)}"
            for run in seen.running
        )
        line = (
            f"{seen.done}/{seen.total} {bar(share, 16)} {duration(elapsed)}  {working or seen.session.status}"
        )
        if line != self._line or seen.news:
            self._live.update(Text(clip(line, columns - 1)), refresh=True)
            self._line = line


@contextmanager
def _display() -> Iterator[Display]:
    if not is_live(sys.stderr):
        yield Lines()
        return
    from rich.console import Console
    from rich.live import Live as RichLive

    console = Console(stderr=True, highlight=False)
    with RichLive(console=console, auto_refresh=False, transient=True) as live:
        yield Live(live, console)


def newest_messages(opened: Opened, name: str | None) -> dict[str, int]:
    """The newest message of the session that a command is about to change, so that following begins where it did.

    Empty where no session is meant: the command says so, or was applied before under its key.
    """
    from orchestrator.domain.errors import UsageError
    from orchestrator.views.lookup import session

    with suppress(UsageError):
        row = opened.store.read(lambda tx: session(tx, name, finished=True))
        return {row.id: row.messages}
    return {}


def before_command(opened: Opened, before: dict[str, int], session: str) -> int:
    """The message behind which the session is followed; its newest where the command was applied before."""
    from orchestrator.store import sessions

    if session in before:
        return before[session]
    row = opened.store.read(lambda tx: sessions.get(tx, session))
    return 0 if row is None else row.messages


def wake_and_follow(
    opened: Opened,
    session: str,
    after: int,
    detach: bool,
    as_json: bool,
    stopped: tuple[str, ...] = (),
    *,
    show: bool = False,
) -> int:
    """Wake the coordinator, and the hosts of runs that were released (`stopped`), follow the session; the exit code.

    `show`: in a browser too.
    """
    wake(opened, stopped)
    return finish(opened, session, after, detach=detach, as_json=as_json, show=show)
