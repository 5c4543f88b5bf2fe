"""What a person's mirror may ask: the documents of this project's sessions, and to take in their edits. Nothing else.

An edit names the version that it was made from. Where that is the newest one, the text becomes the next version by `user`, as
a hand edit beside the project does; where it is not, a conflict is noted and nothing replaced: the text stays where it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from orchestrator import __version__
from orchestrator import project as app
from orchestrator.coordinator import projections, projector
from orchestrator.domain.errors import StoreError, UnknownName, UsageError
from orchestrator.door import mirror_wire as given
from orchestrator.door.mirror_wire import Message, Nothing
from orchestrator.door.wire import DoorRefused, NotReadable
from orchestrator.log import Logger
from orchestrator.server.door import SMALL
from orchestrator.store import (
    artifacts,
    edit_conflicts,
    edits,
    messages,
    person_tokens,
    session_changes,
    sessions,
)
from orchestrator.store.rows import PersonToken
from orchestrator.store.store import Store, Tx

EDIT_QUESTION = 2 * given.LARGEST_EDIT  # bytes: base64 and what is around it
WINDOW = 60_000_000  # microseconds that a commit may be later than its time says, and a clock may be set back


def limit_of(name: str) -> int:
    """How many bytes a question may have."""
    return EDIT_QUESTION if name == "edit" else SMALL


class MirrorDoor:
    """Answers the questions of mirrors on a store."""

    def __init__(self, store: Store, project: str, log: Logger) -> None:
        self._store = store
        self._project = project
        self._log = log

    def holder(self, token: str) -> PersonToken | None:
        """Whose token it is; None for one that is unknown or revoked. Raises StoreError."""
        return self._store.read(lambda tx: person_tokens.token_of(tx, token))

    def answer(self, token: PersonToken, name: str, body: bytes) -> bytes:
        """Do one operation. Raises LifecycleError."""
        found = OPERATIONS.get(name)
        if found is None:
            raise NotReadable(f"there is no operation {name[:60]!r}")
        asked, do = found
        answer: Message = do(self, token, given.read(asked, body))
        return answer.written()

    def _terms(self, token: PersonToken, _: Nothing) -> given.Terms:
        identity = hashlib.sha256(self._store.project_id.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        return given.Terms(name=token.name, project=self._project, identity=identity, version=__version__)

    def _sessions(self, _: PersonToken, asked: given.AskSessions) -> given.Sessions:
        def unit(tx: Tx) -> given.Sessions:
            since = asked.since
            if since is None:
                return given.Sessions(
                    now=tx.now, sessions={row.id: row.messages for row in sessions.all_sessions(tx)}
                )
            changed = session_changes.changed_since(tx, since - WINDOW)
            return given.Sessions(
                now=tx.now, sessions={each: number for each, (number, _) in changed.items()}
            )

        return self._store.read(unit)

    def _files(self, _: PersonToken, asked: given.AskFiles) -> given.Files:
        number, newest, rendered = self._store.read(lambda tx: projector.listing(tx, asked.session))
        return given.Files(
            number=number,
            documents=[
                given.Document(path=row.path, version=row.version, sha256=row.sha256, size=row.size)
                for row in newest
                if row.path not in rendered
            ],
            rendered={
                path: None if asked.have.get(path) == artifacts.digest_of(body) else body.decode()
                for path, body in rendered.items()
            },
        )

    def _log_of(self, _: PersonToken, asked: given.AskLog) -> given.Log:
        count = min(max(0, asked.upto - asked.after), given.LOG_LINES)
        found = self._store.read(lambda tx: messages.after(tx, asked.session, asked.after, count))
        lines = b"".join(projector.log_lines(found))
        return given.Log(lines=lines.decode(), last=found[-1].number if found else asked.after)

    def _content(self, _: PersonToken, asked: given.AskContent) -> given.Content:
        def unit(tx: Tx) -> bytes:
            found = next(
                (row for row in artifacts.every_version(tx, asked.session) if row.sha256 == asked.sha256),
                None,
            )
            if found is None:
                raise UnknownName("content", asked.sha256[:64], [])
            if found.size > given.LARGEST_CONTENT:
                raise DoorRefused("the document is too large for a mirror", why=f"it has {found.size} bytes")
            return artifacts.body(tx, found.sha256)

        return given.Content(body=self._store.read(unit))

    def _edit(self, token: PersonToken, asked: given.Edit) -> given.Taken:
        why = given.not_a_text(asked.body)
        if why:
            raise DoorRefused(f"{asked.path[:200]!r} is not taken in", why=why, fix="send a text")
        self._store.read(lambda tx: _base(tx, asked))
        edits.adopt(self._store, asked.session)  # what was edited beside the project came first
        edits.keep_large(self._store.workflow, {asked.path: asked.body})
        taken = self._store.write(lambda tx: _take(tx, token, asked), about=asked.session)
        self._log.info("edit", person=token.name, session=asked.session, path=asked.path, state=taken.state)
        self._tell(asked.session)
        return taken

    def _settle(self, token: PersonToken, asked: given.Settle) -> given.Settled:
        def unit(tx: Tx) -> bool:
            _keep_valid(tx, token)
            if sessions.get(tx, asked.session) is None:
                return False  # deleted, and its conflicts with it
            return edit_conflicts.settle(tx, asked.session, asked.path, asked.sha256, token.name)

        is_new = self._store.write(unit, about=asked.session)
        if is_new:
            self._tell(asked.session)
        return given.Settled(is_new=is_new)

    def _tell(self, session: str) -> None:
        """Wake the coordinator; where none leads, write the session's files here."""
        try:
            if not app.wake(self._store):
                projections.write_all(self._store, session)
        except StoreError as error:  # what was committed stands, and a timer finds it
            self._log.warning("coordinator_not_woken", why=error.what)


def _keep_valid(tx: Tx, token: PersonToken) -> None:
    """Raises DoorRefused for a token that was revoked meanwhile."""
    if not person_tokens.keep_valid(tx, token.name):
        raise DoorRefused(
            f"the token {token.name!r} was revoked",
            fix="`lifecycle person add NAME` on the server makes another",
        )


def _base(tx: Tx, asked: given.Edit) -> list[str]:
    """The digests of the document's versions. Raises UnknownName, UsageError for a base that it does not have."""
    if sessions.get(tx, asked.session) is None:
        raise UnknownName("session", asked.session[:200], [])
    digests = [row.sha256 for row in artifacts.versions(tx, asked.session, asked.path)]
    if not digests:
        raise UnknownName("document", asked.path[:200], [])
    if not 1 <= asked.base <= len(digests) or digests[asked.base - 1] != asked.base_sha256:
        raise UsageError(
            f"{asked.path[:200]} has no such version",
            why=f"version {asked.base} with the digest {asked.base_sha256[:64]} was never made",
            fix="begin the mirror anew in an empty folder",
        )
    return digests


def _take(tx: Tx, token: PersonToken, asked: given.Edit) -> given.Taken:
    _keep_valid(tx, token)
    digests = _base(tx, asked)
    digest = artifacts.digest_of(asked.body)
    since = digests[asked.base - 1 :]
    if digest in since:  # sent before, and the answer was lost; or somebody wrote the same
        return given.Taken(state="known", version=asked.base + len(since) - 1 - since[::-1].index(digest))
    if len(since) > 1:
        edit_conflicts.note(tx, asked.session, asked.path, digest, token.name, asked.base, len(digests))
        return given.Taken(state="conflict", version=len(digests))
    edits.register(tx, asked.session, {asked.path: asked.body}, standing=False, who=token.name)
    return given.Taken(state="version", version=len(digests) + 1)


OPERATIONS: dict[str, tuple[type[Message], Callable[[MirrorDoor, PersonToken, Any], Message]]] = {
    "terms": (Nothing, MirrorDoor._terms),
    "sessions": (given.AskSessions, MirrorDoor._sessions),
    "files": (given.AskFiles, MirrorDoor._files),
    "log": (given.AskLog, MirrorDoor._log_of),
    "content": (given.AskContent, MirrorDoor._content),
    "edit": (given.Edit, MirrorDoor._edit),
    "settle": (given.Settle, MirrorDoor._settle),
}
