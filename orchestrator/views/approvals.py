"""What `resume` would answer and approve now, what has changed since it was shown, and the refusal of all that was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote

from orchestrator.domain.approvals import Token, pause_digest
from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import Changed
from orchestrator.domain.json_types import JsonObject
from orchestrator.domain.model import SessionStatus
from orchestrator.domain.pauses import PAUSES, PauseReason
from orchestrator.store import artifacts, edits, messages, sessions
from orchestrator.store.rows import Session
from orchestrator.store.store import Tx
from orchestrator.views import lookup

NAMED = 5  # changed documents that a refusal names


@dataclass(frozen=True, slots=True)
class Change:
    """A document that has changed since it was shown; `shown` is the version shown, None for a new document."""

    path: str
    shown: int | None
    by: str
    taken_in: bool  # False: an edit that is only in the file


@dataclass(frozen=True, slots=True)
class Approval:
    """What an answer to the pause approves: the newest versions, and the edits it would import."""

    session: str
    reason: PauseReason
    pause: int  # number of the pause's message
    digest: str
    as_shown: bool
    changes: tuple[Change, ...]

    @property
    def token(self) -> str:
        return str(Token(self.pause, self.digest))

    def diffs(self, named: str) -> list[str]:
        """The commands that show what changed; a new document has no older version."""
        return [
            f"lifecycle diff {quote(each.path)} --from {each.shown}{named}"
            for each in self.changes
            if each.shown is not None
        ]


def approval(tx: Tx, session: Session, edited: Mapping[str, bytes] | None = None) -> Approval | None:
    """The approval a paused session waits for, including edits in its files; None if it waits for none."""
    if session.status != SessionStatus.PAUSED:
        return None
    reason = session.paused_for
    if not PAUSES[reason].approves:
        return None
    found = edits.edited(tx, session.id) if edited is None else edited
    taken = {path: artifacts.digest_of(body) for path, body in found.items()}
    digest = sessions.subject_digest(tx, session.id, reason, taken)
    assert digest is not None
    paused = messages.newest_event(tx, session.id, "paused")
    detail = session.pause_detail or {}
    shown = detail.get("digest")
    since = detail.get("digest_at")  # all that pauses of earlier versions of the program say
    changes = _changes(tx, session.id, reason, taken, detail.get("versions"), since)
    as_shown = digest == shown if shown else not changes
    number = paused.number if paused else 0
    return Approval(session.id, reason, number, digest, as_shown, () if as_shown else tuple(changes))


def _changes(
    tx: Tx,
    session: str,
    reason: PauseReason,
    taken: Mapping[str, str],
    versions: int | None,
    since: int | None,
) -> list[Change]:
    """The documents that are newer than the first `versions` of the session's, or than `since`; neither: all were shown."""
    every = artifacts.every_version(tx, session)
    if versions is None and since is not None:
        versions = sum(row.created_at <= since for row in every)
    shown = {row.path: row for row in every[:versions]}
    newest = {row.path: row for row in every if row.path.startswith(PAUSES[reason].approves)}
    found = []
    for path, row in sorted(newest.items()):
        before = shown.get(path)
        if before is None or before.sha256 != taken.get(path, row.sha256):
            by = "user" if path in taken else row.author
            found.append(Change(path, before.version if before else None, by, path not in taken))
    return found


def view(found: Approval, named: str) -> JsonObject:
    """The approval as plain values: its token, and what has changed since it was shown."""
    return {
        "token": found.token,
        "digest": found.digest,
        "as_shown": found.as_shown,
        "changes": change_views(found),
        "diffs": found.diffs(named),
    }


def change_views(found: Approval) -> list[JsonObject]:
    """What has changed since it was shown, as plain values."""
    return [
        {"path": each.path, "shown": each.shown, "by": each.by, "taken_in": each.taken_in}
        for each in found.changes
    ]


def token_of(tx: Tx, session: Session, found: Approval | None) -> Token | None:
    """What names the session's pause and what it asks; None while it is not paused. `found`: its approval, if it asks one."""
    if session.status != SessionStatus.PAUSED:
        return None
    if found is not None:
        return Token(found.pause, found.digest)
    paused = messages.newest_event(tx, session.id, "paused")
    asks = {name: value for name, value in (session.pause_detail or {}).items() if name != sessions.DEFERRED}
    return Token(paused.number if paused else 0, pause_digest(session.paused_for, asks))


def check(
    tx: Tx, found: Approval | None, session: Session, expected: Token | None, command: Sequence[str]
) -> None:
    """Refuse to answer what was not shown; the message repeats the options of the refused `resume` (`command`).

    Raises Changed, which carries the token of what is there now. To be called in the transaction that answers.
    """
    if expected is None and (found is None or found.as_shown):
        return
    now = token_of(tx, session, found)
    if expected and now and expected.pause == now.pause and expected.names(now.digest):
        return
    named = lookup.named(tx, session.id)
    options = "".join(f" {option}" for option in command)
    again = f"lifecycle resume{options} --expect {now}{named}"
    if now is None:
        raise Changed(
            f"{session.id} does not wait for an answer",
            token=None,
            why=f"--expect {expected} was given, and the session is {session.status}",
            fix="lifecycle check",
        )
    if found is None:
        raise Changed(
            f"{session.id} waits for another answer, not the one you named",
            token=str(now),
            why=f"it is paused: {session.pause_reason}, by message {now.pause}",
            fix=f"`lifecycle check{named}` shows what it asks\n{again}",
        )
    raise Changed(
        _what(found, expected),
        token=str(now),
        changes=change_views(found),
        why=_why(found, expected),
        fix="\n".join([*found.diffs(named)[:NAMED], again]),
    )


def _what(found: Approval, expected: Token | None) -> str:
    if expected is None:
        return f"{found.session} has changed since it paused and was shown"
    if expected.pause != found.pause:
        return f"{found.session} waits for another approval, not the one you named"
    return f"{found.session} has changed since you saw that token"


def _why(found: Approval, expected: Token | None) -> str:
    """What changed, by whom."""
    said = [
        f"{each.path} was changed by {each.by}" + ("" if each.taken_in else ", in its file")
        for each in found.changes[:NAMED]
    ]
    if len(found.changes) > NAMED:
        said.append(f"and {len(found.changes) - NAMED} more")
    if expected is not None and expected.pause != found.pause:
        said.insert(0, f"it is paused: {found.reason}, by message {found.pause}, not {expected.pause}")
    return "\n".join(said) or "it is as the pause showed it: an edit was taken back, or is being saved"
