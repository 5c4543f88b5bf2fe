"""The steps of placing sessions and of emptying cells, each done once however often it is begun."""

from __future__ import annotations

from collections import Counter
from functools import partial

from orchestrator import failpoints
from orchestrator.commands.resume import Answer, resume
from orchestrator.commands.start import StartRequest, begin, prepare
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import NotAllowedNow, UnknownName
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.pauses import PauseReason
from orchestrator.fleet.definition import Fleet
from orchestrator.project import ensure_daemon, read_settings
from orchestrator.store import custody, directory, queries, sessions
from orchestrator.store.directory import OPEN, RETIRED
from orchestrator.store.rows import Session
from orchestrator.store.store import Store, Tx

WORDS = "the cell is drained"
BY = "fleet"


def states(fleet: Fleet) -> dict[str, str]:
    """Cell -> its state."""
    with fleet.opened(fleet.directory) as store:
        noted = store.read(directory.states)
    return {cell: noted.get(cell, OPEN) for cell in fleet.cells}


def choose(fleet: Fleet, wanted: str | None = None, beside: str | None = None) -> str:
    """The cell that is `wanted`, else the one with the fewest sessions by the directory, which is not `beside`.

    Raises NotAllowedNow where it is not open, or none is.
    """
    with fleet.opened(fleet.directory) as store:
        counts = Counter(row.cell for row in store.read(directory.everybody))
    known = states(fleet)
    if wanted is not None and known[wanted] != OPEN:
        raise NotAllowedNow(
            f"{wanted} is {known[wanted]}", why="it takes no session", fix="name another cell, or none"
        )
    usable = [cell for cell in known if known[cell] == OPEN and cell != beside and wanted in (None, cell)]
    if not usable:
        raise NotAllowedNow("no cell is open", fix="open one again: `lifecycle fleet drain CELL --over`")
    return min(usable, key=lambda cell: (counts[cell], cell))


def start_in(fleet: Fleet, cell: str, request: str, mode: str | None, key: str) -> str:
    """The session that was started in a cell under that key. Raises UsageError, NotAllowedNow, ConfigError."""
    failpoints.hit("fleet.begin.before")
    project = fleet.project(cell)
    prepared = prepare(project, StartRequest(request, mode=mode, key=key))
    with fleet.opened(cell) as store:
        session = begin(prepared, store).session
        ensure_daemon(project, store)
    failpoints.hit("fleet.begin.after")
    return session


def mark(fleet: Fleet, cell: str, state: str) -> None:
    """Note the state of a cell; a retired one stays so. Raises NotAllowedNow."""
    failpoints.hit("fleet.mark.before")
    fleet.project(cell)
    known = states(fleet)[cell]
    if known == RETIRED != state:
        raise NotAllowedNow(f"{cell} is retired", fix="add a new cell under another name")
    with fleet.opened(fleet.directory) as store:
        store.write(lambda tx: directory.set_state(tx, cell, state))
    failpoints.hit("fleet.mark.after")


def may_retire(fleet: Fleet, cell: str) -> None:
    """Raises NotAllowedNow, before anything is changed, for a cell that the fleet cannot do without."""
    if cell == fleet.directory:
        raise NotAllowedNow(
            f"{cell} keeps the directory",
            fix="name another cell as `directory`, once its rows were copied there",
        )
    choose(fleet, beside=cell)


def halt(fleet: Fleet, cell: str) -> bool:
    """Pause what is active in a cell; whether nothing is at work there any more."""
    failpoints.hit("fleet.halt.before")
    with fleet.opened(cell) as store:
        for session in _active(store):  # one that has ended since then stays as it is
            store.write(partial(_pause, session=session), about=session)
        at_rest = not store.read(queries.open_run_ids)
    failpoints.hit("fleet.halt.after")
    return at_rest


def _active(store: Store) -> list[str]:
    return [row.id for row in store.read(sessions.unfinished) if row.status == SessionStatus.ACTIVE]


def _pause(tx: Tx, session: str) -> None:
    sessions.pause(tx, session, PauseReason.USER, {"by": BY, "words": WORDS})


def go_on(fleet: Fleet, cell: str) -> list[str]:
    """Continue what `halt` paused there; the sessions that go on.

    Raises NotAllowedNow, once all others go on, for one that cannot.
    """
    failpoints.hit("fleet.go_on.before")
    project = fleet.project(cell)
    more = read_settings(project).max_attempts
    continued: list[str] = []
    refused: list[NotAllowedNow] = []
    with fleet.opened(cell) as store:
        for session in _halted(store):
            try:
                resume(store, session, Answer(who=BY), more_attempts=more, paused_as=_was_halted)
                continued.append(session)
            except UnknownName:  # deleted since
                pass
            except NotAllowedNow as error:  # somebody has ended or answered it since, or must do so
                if session in _halted(store):
                    refused.append(error)
        if continued:
            ensure_daemon(project, store)
    if refused:
        raise refused[0]
    failpoints.hit("fleet.go_on.after")
    return continued


def _halted(store: Store) -> list[str]:
    return [row.id for row in store.read(sessions.unfinished) if _was_halted(row)]


def _was_halted(row: Session) -> bool:
    detail = row.pause_detail or {}
    return row.pause_reason == PauseReason.USER and (detail.get("by"), detail.get("words")) == (BY, WORDS)


def sessions_in(fleet: Fleet, cell: str) -> list[str]:
    """Every session that a cell has."""
    with fleet.opened(cell) as store:
        return store.read(custody.session_ids)


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The cell that a session is in, or that it leaves while `moving`."""

    cell: str
    moving: bool
    epoch: int = 0  # of its last move


def where(fleet: Fleet, session: str) -> Whereabouts:
    """Ask the cell that the directory names, then each other one. Raises UnknownName."""
    with fleet.opened(fleet.directory) as store:
        known = store.read(lambda tx: directory.resident(tx, session))
    for cell in sorted(fleet.cells, key=lambda cell: known is None or cell != known.cell):
        with fleet.opened(cell) as store:
            row, kept = store.read(lambda tx: (sessions.get(tx, session), custody.of(tx, session)))
        if row is None:
            continue
        if kept is not None and kept.state == custody.COMING:
            return Whereabouts(kept.peer, moving=True)
        if kept is None:
            return Whereabouts(cell, moving=False)
        return Whereabouts(cell, moving=kept.state == custody.LEAVING, epoch=kept.epoch)
    raise UnknownName("session", session, [])


def view(fleet: Fleet) -> list[JsonObject]:
    """What `fleet list` shows: the cells, and which sessions each has."""
    known = states(fleet)
    return [
        {
            "cell": cell,
            "folder": str(folder),
            "state": known[cell],
            "directory": cell == fleet.directory,
            "sessions": _held(fleet, cell),
        }
        for cell, folder in fleet.cells.items()
    ]


def _held(fleet: Fleet, cell: str) -> list[JsonObject]:
    def read(tx: Tx) -> list[JsonObject]:
        return [_line(tx, session) for session in custody.session_ids(tx)]

    with fleet.opened(cell) as store:
        return store.read(read)


def _line(tx: Tx, session: str) -> JsonObject:
    row, kept = sessions.get(tx, session), custody.of(tx, session)
    assert row is not None
    return {
        "session": session,
        "status": row.status,
        "moving": kept.state if kept and kept.state in (custody.LEAVING, custody.COMING) else None,
        "epoch": kept.epoch if kept else 0,
    }
