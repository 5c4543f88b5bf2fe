"""One session of a mirror brought up to date: what was begun is ended, a person's edits are sent, then changes are written.

Each step is noted before it is taken. A mirror that is killed anywhere and begins anew does what is left: no text of a
person's is lost, and an edit that had arrived is not sent as another one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from orchestrator import failpoints
from orchestrator.coordinator.projector import IN_PLACE, LOG
from orchestrator.domain.errors import LifecycleError, ServerAway
from orchestrator.door import mirror_wire as wire
from orchestrator.mirror.asking import MirrorServer, NotLetIn
from orchestrator.mirror.folder import Folder, OnOther, Seen, beside
from orchestrator.mirror.known import UNKNOWN, Clash, Known, Shown
from orchestrator.mirror.told import Told
from orchestrator.store.files import UnsafePath, clean

SETTLE_NS = 1_000_000_000  # after which a file is taken for saved, not for being saved


class SessionSync:
    """`waits`: a file that was changed just now may not be saved whole, and is looked at again."""

    def __init__(
        self, server: MirrorServer, folder: Folder, known: Known, told: Told, session: str, *, waits: bool
    ) -> None:
        self._server = server
        self._folder = folder
        self._known = known
        self._told = told
        self._session = session
        self._waits = waits
        self._state = known.load(session)
        self._kept: set[str] = set()  # edited files that are not sent, and stay as they are
        self._is_missing = False  # a file is not as it was written, and nobody's edit

    def run(self, number: int) -> bool:
        """Bring the session to the server's `number`, or a later one; whether nothing is left to do for now.

        Raises NotLetIn, ServerAway, OSError.
        """
        self._told.begin_pass(self._session)
        self._kept.clear()
        self._is_missing = False
        self._recover()
        self._tell_clashes()
        self._send_edits()
        if self._is_missing or number != self._state.number:
            self._bring()
        for file, clash in self._state.clashes.items():
            base = None if clash.base is None else clash.base.version
            self._told.clashed(self._at(clash.path), self._at(file), base)
        return self._state.number != UNKNOWN

    def others(self) -> list[str]:
        """Files in the session's folder that are none of the mirror's."""
        return self._folder.others(self._session, {*self._state.files, *self._state.clashes, LOG})

    def leave(self) -> None:
        """The session is no more on the server: remove what it wrote, and keep every text of a person's."""
        self._told.begin_pass(self._session)
        self._recover(is_gone=True)
        state = self._state
        own = {**state.files, LOG: Shown(version=None, sha256=state.log_sha256)}
        for path, shown in sorted(own.items()):
            try:
                if not self._folder.remove(self._at(path), shown.sha256) and shown.version is not None:
                    self._told.skip(
                        self._at(path), "its session was deleted on the server; your text stays here"
                    )
            except UnsafePath as error:
                self._told.skip(self._at(path), error.why)
        for file in state.clashes:
            self._told.settled(self._at(file))
        self._folder.remove_empty(self._session)
        self._known.forget(self._session)

    # what was begun

    def _recover(self, *, is_gone: bool = False) -> None:
        state = self._state
        for path, pending in sorted(state.pending.items()):
            shown = state.files.get(path)
            digests = {pending.sha256, *([] if shown is None else [shown.sha256])}
            known = None if pending.version is None else digests
            try:
                self._folder.recover(self._at(path), known, self._on_other(path, shown))
                seen = self._folder.look(self._at(path))
            except UnsafePath as error:
                self._told.skip(self._at(path), error.why)
                continue
            if seen is not None and seen.sha256 == pending.sha256:
                state.files[path] = pending
        if state.pending:
            state.pending.clear()
            state.number = UNKNOWN
            self._save()
        if state.sending and not is_gone:
            self._find_sent()

    def _find_sent(self) -> None:
        """What was sent last and is the newest version now was taken in: what follows is made from that."""
        state = self._state
        newest = {each.path: each for each in self._listing().documents}
        for path, digest in list(state.sending.items()):
            found, shown = newest.get(path), state.files.get(path)
            if found is not None and shown is not None and found.sha256 == digest:
                if found.version > (shown.version or 0):
                    self._told.took(self._at(path), found.version)
                state.files[path] = Shown(version=found.version, sha256=digest)
            del state.sending[path]
        state.number = UNKNOWN
        self._save()

    # a person's texts

    def _tell_clashes(self) -> None:
        for file, clash in list(self._state.clashes.items()):
            try:
                seen = self._folder.look(self._at(file))
                if seen is None:
                    self._settle(file, clash)
                elif not clash.told:
                    self._tell_clash(file, clash)
            except UnsafePath as error:
                self._told.skip(self._at(file), error.why)

    def _settle(self, file: str, clash: Clash) -> None:
        """The person has removed the file."""
        if clash.told:
            asked = wire.Settle(session=self._session, path=clash.path, sha256=clash.sha256)
            self._server.ask("settle", asked, wire.Settled)
        del self._state.clashes[file]
        self._save()
        self._told.settled(self._at(file))

    def _tell_clash(self, file: str, clash: Clash) -> None:
        """Tell the server of a text that stood in the place of a newer version. Raises UnsafePath."""
        body = self._folder.read(self._at(file))
        if body is None:
            return
        state = "conflict"
        if clash.base is not None and clash.base.version is not None and not wire.not_a_text(body):
            state = self._ask_to_take(clash.path, clash.base, body).state
        if state == "conflict":
            digest = hashlib.sha256(body).hexdigest()
            self._state.clashes[file] = clash.model_copy(update={"told": True, "sha256": digest})
        elif self._folder.remove(self._at(file), hashlib.sha256(body).hexdigest()):
            del self._state.clashes[file]  # it is a version, so that its file has nothing that would be lost
            self._state.number = UNKNOWN
        self._save()

    def _send_edits(self) -> None:
        for path, shown in sorted(self._state.files.items()):
            try:
                seen = self._folder.look(self._at(path))
                if seen is None or (shown.version is None and seen.sha256 != shown.sha256):
                    self._is_missing = True
                elif seen.sha256 != shown.sha256:
                    self._kept.add(path)
                    self._send(path, shown, seen)
            except UnsafePath as error:
                self._told.skip(self._at(path), error.why)
                self._kept.add(path)

    def _send(self, path: str, shown: Shown, seen: Seen) -> None:
        """Raises UnsafePath."""
        if seen.size > wire.LARGEST_EDIT:
            self._told.skip(self._at(path), f"it has more than {wire.LARGEST_EDIT >> 20} MiB")
            return
        if self._waits and not self._folder.is_settled(self._at(path), SETTLE_NS):
            return
        body = self._folder.read(self._at(path))
        if body is None:
            return
        if why := wire.not_a_text(body):
            self._told.skip(self._at(path), why)
            return
        digest = hashlib.sha256(body).hexdigest()
        if digest == shown.sha256:
            return  # it was put back meanwhile
        self._state.sending[path] = digest
        self._save()
        try:
            taken = self._ask_to_take(path, shown, body)
        except (ServerAway, NotLetIn):
            raise
        except LifecycleError as error:
            self._told.skip(self._at(path), "; ".join(part for part in (error.what, error.why) if part))
            del self._state.sending[path]
            self._save()
            return
        if taken.state == "conflict":
            self._keep_clash(path, shown, body, digest)
        else:
            self._state.files[path] = Shown(version=taken.version, sha256=digest)
            self._told.took(self._at(path), taken.version)
        del self._state.sending[path]
        self._state.number = UNKNOWN
        self._kept.discard(path)
        self._save()
        failpoints.hit("mirror.sent")

    def _ask_to_take(self, path: str, base: Shown, body: bytes) -> wire.Taken:
        assert base.version is not None
        edit = wire.Edit(
            session=self._session, path=path, base=base.version, base_sha256=base.version_sha256, body=body
        )
        failpoints.hit("mirror.before_send")
        taken = self._server.ask("edit", edit, wire.Taken)
        failpoints.hit("mirror.after_send")
        return taken

    def _keep_clash(self, path: str, shown: Shown, body: bytes, digest: str) -> None:
        """Keep the text beside the document; from now on the document's file may be written over."""
        file = beside(path, digest)
        self._folder.keep(self._at(file), body)  # first: a note without its file would count as settled
        failpoints.hit("mirror.clash_kept")
        self._state.clashes[file] = Clash(path=path, base=shown, sha256=digest, told=True)
        self._save()
        failpoints.hit("mirror.clash_noted")
        self._state.files[path] = Shown(version=shown.version, sha256=digest, of=shown.version_sha256)

    # the server's

    def _bring(self) -> None:
        found = self._listing()
        wanted, rendered = self._wanted(found)
        state = self._state
        todo = {path: each for path, each in wanted.items() if self._is_to_write(path, each)}
        is_whole = True
        if todo:
            state.pending = todo
            self._save()
            failpoints.hit("mirror.pending")
        for path, each in sorted(todo.items()):
            is_whole &= self._write(path, each, rendered.get(path))
        failpoints.hit("mirror.written")
        is_whole &= self._write_log(found.number)
        failpoints.hit("mirror.log_written")
        state.pending = {}
        state.number = found.number if is_whole else UNKNOWN
        self._save()
        failpoints.hit("mirror.done")

    def _listing(self) -> wire.Files:
        have = {
            path: each.sha256
            for path, each in self._state.files.items()
            if each.version is None and self._has(path, each.sha256)
        }
        return self._server.ask("files", wire.AskFiles(session=self._session, have=have), wire.Files)

    def _has(self, path: str, digest: str) -> bool:
        try:
            seen = self._folder.look(self._at(path))
        except UnsafePath:
            return False
        return seen is not None and seen.sha256 == digest

    def _wanted(self, found: wire.Files) -> tuple[dict[str, Shown], Mapping[str, bytes]]:
        """What each file is to have, and the bytes of those that came along; what cannot be here is told."""
        state = self._state
        wanted: dict[str, Shown] = {}
        bodies: dict[str, bytes] = {}
        for path, text in found.rendered.items():
            if text is None:
                if path in state.files:
                    wanted[path] = state.files[path]
                continue
            bodies[path] = text.encode()
            wanted[path] = Shown(version=None, sha256=hashlib.sha256(bodies[path]).hexdigest())
        for each in found.documents:
            if each.size > wire.LARGEST_CONTENT:
                self._told.skip(self._at(each.path), f"it has {each.size} bytes, too many for a mirror")
            else:
                wanted[each.path] = Shown(version=each.version, sha256=each.sha256)
        folded: dict[str, str] = {}
        for path in sorted(wanted, key=lambda each: (each not in state.files, each)):
            try:
                clean(path)
            except UnsafePath as error:
                self._told.skip(self._at(path), error.why)
                del wanted[path]
                continue
            twin = folded.setdefault(path.casefold(), path)
            if twin != path:
                self._told.skip(self._at(path), f"it differs from {twin} in upper and lower case only")
                del wanted[path]
        return wanted, bodies

    def _is_to_write(self, path: str, each: Shown) -> bool:
        """Whether a file has to be written; one that has it already is noted."""
        shown = self._state.files.get(path)
        if path in self._kept and shown == each:
            return False  # an edit of the newest version, which is not sent yet
        try:
            seen = self._folder.look(self._at(path))
        except UnsafePath:
            return True  # to be told of when it is written
        if seen is not None and seen.sha256 == each.sha256:
            self._state.files[path] = each
            return False
        return True

    def _write(self, path: str, each: Shown, body: bytes | None) -> bool:
        """Write one file; False where it has to be tried again."""
        shown = self._state.files.get(path)
        try:
            if body is None and each.version is None:
                return False  # it was changed since we said that we have it: it is asked for
            if body is None:
                asked = wire.AskContent(session=self._session, sha256=each.sha256)
                body = self._server.ask("content", asked, wire.Content).body
            if hashlib.sha256(body).hexdigest() != each.sha256:
                self._told.skip(self._at(path), "the server sent other bytes than it named")
                return False
            self._folder.look(self._at(path))  # what is in the way stays there, and is told
            old = set() if shown is None else {shown.sha256}
            known = None if each.version is None else old
            other = self._folder.place(self._at(path), body, known, self._on_other(path, shown))
        except UnsafePath as error:
            self._told.skip(self._at(path), error.why)
            return False
        except OSError as error:
            if error.errno not in IN_PLACE:
                raise
            self._told.skip(self._at(path), f"something stands in its place: {error.strerror}")
            return False
        except (ServerAway, NotLetIn):
            raise
        except LifecycleError as error:
            self._told.skip(self._at(path), error.what)
            return False
        self._state.files[path] = each
        self._told.wrote(self._at(path))
        return other is None  # else there is a text to be told of

    def _write_log(self, upto: int) -> bool:
        state = self._state
        try:
            seen = self._folder.look(self._at(LOG))
            is_ours = seen is not None and seen.sha256 == state.log_sha256 and state.lines <= upto
            if is_ours and state.lines == upto:
                return True
            body = (self._folder.read(self._at(LOG)) if is_ours else None) or b""
            number = state.lines if is_ours else 0
            while number < upto:
                asked = wire.AskLog(session=self._session, after=number, upto=upto)
                found = self._server.ask("log", asked, wire.Log)
                if found.last <= number:
                    return False
                body += found.lines.encode()
                number = found.last
            self._folder.write(self._at(LOG), body)
        except UnsafePath as error:
            self._told.skip(self._at(LOG), error.why)
            return False
        state.lines, state.log_sha256 = number, hashlib.sha256(body).hexdigest()
        return True

    def _on_other(self, path: str, shown: Shown | None) -> OnOther:
        """Notes a text that stood where a newer version goes, before it is moved beside it."""

        def note(file: str, digest: str) -> None:
            inside = file.removeprefix(f"{self._session}/")
            self._state.clashes[inside] = Clash(path=path, base=shown, sha256=digest, told=False)
            self._save()

        return note

    def _at(self, path: str) -> str:
        return f"{self._session}/{path}"

    def _save(self) -> None:
        self._known.save(self._session, self._state)
