"""Who may enter: one-use codes, cookies and form tokens, all HMACs of one key in the user's state folder.

A signed text is `base64(JSON).base64(HMAC-SHA256)`, the HMAC over the purpose and the text: a code is no cookie. It names
its person's epoch: `--revoke WHO` begins another one, the time in milliseconds. It ends all that this person has, and what a
proxy shows in their name with a cookie from before; a new key (`--revoke`) ends everything. Both hold for servers that run:
they read the key's file again when it has changed. The file is the key, then the epochs as JSON.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import hmac
import json
import os
import secrets
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Literal, cast

from orchestrator.dispatch.dashboards import STATE_FOLDER, is_private
from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.errors import UsageError

CODE_SECONDS = 10 * 60
COOKIE_SECONDS = 12 * 3600
KEY_BYTES = 32
MOST_BYTES = 1024 * 1024  # of the file of the key with its epochs
KEPT_COOKIES = 1_000  # that need not be checked again while the key's file stays as it is
Purpose = Literal["code", "cookie", "form"]
Role = Literal["decide", "read"]


class Refused(StrEnum):
    """Why a code lets nobody in."""

    USED = "used"
    OLD = "old"
    REVOKED = "revoked"
    UNKNOWN = "unknown"  # cut off, of another key, or no code at all


@dataclass(frozen=True, slots=True)
class Pass:
    """What a code or a cookie says: its own id, whom it was made for, and until when (seconds since 1970)."""

    id: str
    person: str
    role: Role
    end: float
    epoch: int = 0  # of its person, when it was made
    page: str = ""  # where a code leads; "" is the first page


@dataclass(frozen=True, slots=True)
class Admission:
    """What a code is taken for: the cookie, and the page that its link leads to."""

    cookie: str
    page: str


@dataclass(frozen=True, slots=True)
class _Keys:
    key: bytes
    epochs: Mapping[str, int]  # by person; 0 for all others
    cookies: dict[str, Pass] = field(
        default_factory=dict
    )  # that these have signed, as far as they were shown


class Access:
    """The key and what it has signed. `now` gives seconds since 1970."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._now = now
        self._lock = threading.Lock()
        self._path = folder / "key"
        self._keys = _Keys(b"", {})
        self._read: tuple[int, ...] | None = None  # what the file was when it was read

    def code(self, person: str, role: Role, page: str = "") -> str:
        """A new code, valid once, for ten minutes; its link leads to `page`, a path of the server."""
        return self._sealed("code", self._made(person, role, CODE_SECONDS, page))

    def enter(self, code: str) -> Admission | Refused:
        """The cookie for a code, which is used up by this, or why there is none.

        A file for each used code makes it one use whatever processes share the folder, and after any restart.
        """
        found = self._opened("code", code)
        if isinstance(found, Refused):
            return found
        used = self._folder / "used"
        used.mkdir(mode=0o700, exist_ok=True)
        self._forget(used)
        name = hashlib.sha256(found.id.encode()).hexdigest()
        try:
            os.close(os.open(used / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return Refused.USED
        cookie = self._sealed("cookie", self._made(found.person, found.role, COOKIE_SECONDS))
        return Admission(cookie, found.page)

    def visitor(self, cookie: str) -> Pass | None:
        """Whom the cookie was made for; None when it is not ours, or has ended."""
        keys = self._current()
        found = keys.cookies.get(cookie)  # each request and each hint shows one
        if found is None:
            made = self._opened("cookie", cookie)
            if isinstance(made, Refused):
                return None
            if len(keys.cookies) >= KEPT_COOKIES:
                keys.cookies.clear()
            found = keys.cookies[cookie] = made
        return found if self._now() < found.end else None

    def has_ended(self, person: str, cookie: Pass) -> bool:
        """Whether the access of a person, whom a proxy names, was ended after this cookie was made for somebody."""
        return self._current().epochs.get(person, 0) > (cookie.end - COOKIE_SECONDS) * 1000

    def form_token(self, cookie_id: str) -> str:
        """What each form of the pages for this cookie carries: under a new mask each time.

        The sizes of compressed pages would tell a text that stays the same, to who can choose another part of them (BREACH).
        """
        mac = self._mac("form", cookie_id.encode())
        mask = secrets.token_bytes(len(mac))
        return _text(mask + _masked(mac, mask))

    def is_form_token(self, cookie_id: str, token: str) -> bool:
        """Whether a form for this cookie carried `token`."""
        try:
            raw = _bytes(token)
        except ValueError:
            return False
        mac = self._mac("form", cookie_id.encode())
        mask, masked = raw[: len(mac)], raw[len(mac) :]
        return len(masked) == len(mac) and hmac.compare_digest(_masked(masked, mask), mac)

    def revoke(self, person: str | None = None) -> None:
        """End every code and cookie, by a new key; with `person` those of this person alone, by another epoch."""
        self._make_folder()
        with self._changing():
            if person is None:
                self._make_key(replace=True)
                return
            now = self._current()
            epochs = {**now.epochs, person: max(now.epochs.get(person, 0) + 1, int(self._now() * 1000))}
            self._write(now.key + json.dumps(epochs).encode(), replace=True)

    def _forget(self, used: Path) -> None:
        """Delete the marks of codes that have ended by themselves."""
        for file in used.iterdir():
            with suppress(OSError):
                if file.stat().st_mtime < self._now() - 2 * CODE_SECONDS:
                    file.unlink()

    def _made(self, person: str, role: Role, seconds: float, page: str = "") -> Pass:
        epoch = self._current().epochs.get(person, 0)
        return Pass(secrets.token_urlsafe(12), person, role, self._now() + seconds, epoch, page)

    def _sealed(self, purpose: Purpose, given: Pass) -> str:
        text = json.dumps([given.id, given.person, given.role, given.end, given.epoch, given.page]).encode()
        return f"{_text(text)}.{_text(self._mac(purpose, text))}"

    def _opened(self, purpose: Purpose, sealed: str) -> Pass | Refused:
        first, _, second = sealed.partition(".")
        try:
            text, mac = _bytes(first), _bytes(second)
        except ValueError:
            return Refused.UNKNOWN
        if not hmac.compare_digest(mac, self._mac(purpose, text)):
            return Refused.UNKNOWN
        name, person, role, end, *later = json.loads(text)
        epoch, page = later or (0, "")  # an earlier version signed neither
        found = Pass(str(name), str(person), cast(Role, role), float(end), int(epoch), str(page))
        if found.epoch != self._current().epochs.get(found.person, 0):
            return Refused.REVOKED
        return found if self._now() < found.end else Refused.OLD

    def _mac(self, purpose: Purpose, text: bytes) -> bytes:
        return hmac.digest(self._current().key, f"team-lifecycle web {purpose} ".encode() + text, "sha256")

    def _current(self) -> _Keys:
        """Key and epochs as the file has them now; made when there is none.

        Raises UsageError when others could read or plant it.
        """
        with self._lock:
            if self._read is None or self._read != self._version_now():
                descriptor = self._open_key()
                try:
                    found = os.fstat(descriptor)
                    self._check_private(found)
                    self._make_folder()
                    self._keys = _parsed(os.read(descriptor, MOST_BYTES))
                    self._read = _version(found)
                finally:
                    os.close(descriptor)
            return self._keys

    def _version_now(self) -> tuple[int, ...] | None:
        """Of the key's file, without opening it."""
        try:
            return _version(os.lstat(self._path))
        except OSError:
            return None  # to open it says why, or makes another one

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Alone among the processes that change the epochs: each adds to what the one before has written."""
        flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self._folder / "key.lock", flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _open_key(self) -> int:
        """Raises UsageError."""
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            try:
                return os.open(self._path, flags)
            except FileNotFoundError:
                self._make_folder()
                self._make_key()
                return os.open(self._path, flags)
        except OSError as error:
            raise UsageError(
                "the key of the web server cannot be read",
                why=f"{self._path}: {error.strerror}",
                fix="`lifecycle serve --revoke` makes a new one",
            ) from error

    def _make_folder(self) -> None:
        """Raises UsageError when it is not ours alone to write in."""
        self._folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        if not is_private(self._folder):
            raise UsageError(
                "the folder of the web server's key is not private",
                why=f"others may write in {self._folder}, or it is a link",
                fix=f"remove it, or name another folder in {STATE_FOLDER}",
            )

    def _check_private(self, key: os.stat_result) -> None:
        """Raises UsageError."""
        whole = stat.S_ISREG(key.st_mode) and KEY_BYTES <= key.st_size <= MOST_BYTES
        if key.st_mode & 0o077 or key.st_uid != os.getuid() or not whole:
            raise UsageError(
                "the key of the web server is not private",
                why=f"{self._path} has mode {key.st_mode & 0o777:o}, {key.st_size} bytes, and belongs to user {key.st_uid}",
                fix="`lifecycle serve --revoke` makes a new one",
            )

    def _make_key(self, *, replace: bool = False) -> None:
        self._write(secrets.token_bytes(KEY_BYTES), replace=replace)

    def _write(self, content: bytes, *, replace: bool) -> None:
        """Make the key's file, whole at every moment: written beside the old one, then put in its place."""
        beside = self._folder / f"key.{secrets.token_hex(6)}"
        with os.fdopen(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(content)
        try:
            if replace:
                beside.replace(self._path)
            else:
                with suppress(FileExistsError):  # another process was faster: its key is the key
                    os.link(beside, self._path)
        finally:
            beside.unlink(missing_ok=True)


def _version(found: os.stat_result) -> tuple[int, ...]:
    """Another one after each change of a file, of its owner or of its mode."""
    return (
        found.st_dev,
        found.st_ino,
        found.st_mode,
        found.st_uid,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )


def _masked(text: bytes, mask: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(text, mask, strict=True))


def _parsed(content: bytes) -> _Keys:
    """Raises UsageError for epochs that were not written by us: nobody knows then whose access has ended."""
    try:
        given = json.loads(content[KEY_BYTES:] or b"{}")
        epochs = {str(person): int(epoch) for person, epoch in given.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            "the key of the web server cannot be read",
            why=f"what follows the key is not what was written: {error}",
            fix="`lifecycle serve --revoke` makes a new one",
        ) from error
    return _Keys(content[:KEY_BYTES], epochs)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """Raises ValueError."""
    raw = text.encode("ascii")
    return base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True)
