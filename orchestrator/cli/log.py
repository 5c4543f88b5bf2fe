"""log: a session's messages and events, past and live."""

from __future__ import annotations

import json
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Annotated

from orchestrator.cli.declaring import typer
from orchestrator.cli.opening import reading
from orchestrator.cli.options import AsJson, InSession, SessionArgument, one_session
from orchestrator.cli.output import clip, flush, is_live, note, say, width

if TYPE_CHECKING:
    from orchestrator.store.rows import Message

BATCH = 1_000
POLL_SECONDS = 0.25


def log(
    session: SessionArgument = None,
    in_session: InSession = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Keep printing until the session ends; Ctrl-C stops.")
    ] = False,
    last: Annotated[
        int | None, typer.Option("--last", "-n", min=0, max=10_000_000, help="Only the newest N.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the messages and events of a session, oldest first; with --json one object per line."""
    from orchestrator.store import messages, sessions
    from orchestrator.views.lookup import session as find

    with reading() as opened:
        row = opened.store.read(lambda tx: find(tx, one_session(session, in_session), finished=True))
        after = 0 if last is None else max(0, row.messages - last)
        while True:
            news = opened.store.read(partial(messages.after, session=row.id, number=after, limit=BATCH))
            for each in news:
                _show(each, as_json)
            after = news[-1].number if news else after
            if len(news) == BATCH:
                continue
            if not flush():
                return
            current = opened.store.read(lambda tx: sessions.get(tx, row.id))
            if not follow or current is None or current.status in ("completed", "cancelled"):
                if follow and current is not None and current.messages <= after:
                    note(f"{row.id} is {current.status}")
                if not follow or current is None or current.messages <= after:
                    return
            time.sleep(POLL_SECONDS)


def _show(row: Message, as_json: bool) -> None:
    from orchestrator.cli.follow import event_line
    from orchestrator.coordinator.projector import message_line

    if as_json:
        say(json.dumps(message_line(row), ensure_ascii=True))
        return
    line = f"{row.number:>5}  {event_line(row)}"
    say(clip(line, width()) if is_live(sys.stdout) else line)


def register(app: typer.Typer) -> None:
    app.command()(log)
