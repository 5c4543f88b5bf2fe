"""Who may enter: one-use codes, cookies and form tokens, all HMACs of one key in the user's state folder.

A signed text is `base64(JSON).base64(HMAC-SHA256)`, the HMAC over the purpose and the text: a code is no cookie. A new key
(`--revoke`) ends them all, also those of a server that runs: it reads the key again when the file has changed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
import stat
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from orchestrator.domain.errors import UsageError

CODE_SECONDS = 10 * 60
COOKIE_SECONDS = 12 * 3600
KEY_BYTES = 32
STATE_FOLDER = "LIFECYCLE_STATE_DIR"
Purpose = Literal["code", "cookie", "form"]
Role = Literal["decide", "read"]


def state_folder(environ: dict[str, str] | os._Environ[str]) -> Path:
    """The user's folder for what a server remembers; `LIFECYCLE_STATE_DIR` names another."""
    named = environ.get(STATE_FOLDER)
    if named:
        return Path(named) / "web"
    import platformdirs

    return platformdirs.user_state_path("team-lifecycle", appauthor=False) / "web"


@dataclass(frozen=True, slots=True)
class Pass:
    """What a code or a cookie says: its own id, whom it was made for, and until when (seconds since 1970)."""

    id: str
    person: str
    role: Role
    end: float


class Access:
    """The key and what it has signed. `now` gives seconds since 1970."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._now = now
        self._lock = threading.Lock()
        self._key = b""
        self._read: tuple[int, int, int] | None = None

    def code(self, person: str, role: Role) -> str:
        """A new code, valid once, for ten minutes."""
        return self._sealed("code", Pass(secrets.token_urlsafe(12), person, role, self._now() + CODE_SECONDS))

    def enter(self, code: str) -> str | None:
        """The cookie for a code, which is used up by this; None for one that is wrong, too old or used already.

        A file for each used code makes it one use whatever processes share the folder, and after any restart.
        """
        found = self._opened("code", code)
        if found is None:
            return None
        used = self._folder / "used"
        used.mkdir(mode=0o700, exist_ok=True)
        self._forget(used)
        name = hashlib.sha256(found.id.encode()).hexdigest()
        try:
            os.close(os.open(used / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return None
        end = self._now() + COOKIE_SECONDS
        return self._sealed("cookie", Pass(secrets.token_urlsafe(12), found.person, found.role, end))

    def visitor(self, cookie: str) -> Pass | None:
        """Whom the cookie was made for; None when it is not ours, or has ended."""
        return self._opened("cookie", cookie)

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

    def revoke(self) -> None:
        """Make a new key: every code and cookie ends."""
        self._make_folder()
        self._make_key(replace=True)

    def _forget(self, used: Path) -> None:
        """Delete the marks of codes that have ended by themselves."""
        for file in used.iterdir():
            with suppress(OSError):
                if file.stat().st_mtime < self._now() - 2 * CODE_SECONDS:
                    file.unlink()

    def _sealed(self, purpose: Purpose, given: Pass) -> str:
        text = json.dumps([given.id, given.person, given.role, given.end]).encode()
        return f"{_text(text)}.{_text(self._mac(purpose, text))}"

    def _opened(self, purpose: Purpose, sealed: str) -> Pass | None:
        first, _, second = sealed.partition(".")
        try:
            text, mac = _bytes(first), _bytes(second)
        except ValueError:
            return None
        if not hmac.compare_digest(mac, self._mac(purpose, text)):
            return None
        name, person, role, end = json.loads(text)
        found = Pass(str(name), str(person), cast(Role, role), float(end))
        return found if self._now() < found.end else None

    def _mac(self, purpose: Purpose, text: bytes) -> bytes:
        return hmac.digest(self._current_key(), f"team-lifecycle web {purpose} ".encode() + text, "sha256")

    def _current_key(self) -> bytes:
        """The key as the file has it now; made when there is none. Raises UsageError when others could read or plant it."""
        with self._lock:
            descriptor = self._open_key()
            try:
                found = os.fstat(descriptor)
                self._check_private(found)
                version = (found.st_ino, found.st_mtime_ns, found.st_size)
                if version != self._read:
                    self._make_folder()
                    self._key = os.read(descriptor, KEY_BYTES)
                    self._read = version
            finally:
                os.close(descriptor)
            return self._key

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
        found = self._folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o022 or found.st_uid != os.getuid():
            raise UsageError(
                "the folder of the web server's key is not private",
                why=f"others may write in {self._folder}, or it is a link",
                fix=f"remove it, or name another folder in {STATE_FOLDER}",
            )

    def _check_private(self, key: os.stat_result) -> None:
        """Raises UsageError."""
        whole = stat.S_ISREG(key.st_mode) and key.st_size == KEY_BYTES
        if key.st_mode & 0o077 or key.st_uid != os.getuid() or not whole:
            raise UsageError(
                "the key of the web server is not private",
                why=f"{self._path} has mode {key.st_mode & 0o777:o}, {key.st_size} bytes, and belongs to user {key.st_uid}",
                fix="`lifecycle serve --revoke` makes a new one",
            )

    def _make_key(self, *, replace: bool = False) -> None:
        """A new key, whole at every moment: written beside the old one, then put in its place."""
        beside = self._folder / f"key.{secrets.token_hex(6)}"
        with os.fdopen(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
        try:
            if replace:
                beside.replace(self._path)
            else:
                with suppress(FileExistsError):  # another process was faster: its key is the key
                    os.link(beside, self._path)
        finally:
            beside.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        return self._folder / "key"


def _masked(text: bytes, mask: bytes) -> bytes:
    return bytes(one ^ other for one, other in zip(text, mask, strict=True))


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    """Raises ValueError."""
    raw = text.encode("ascii")
    return base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True)
