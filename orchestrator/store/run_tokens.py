"""Tokens that prove which run an agent works for: an HMAC over the run's id with a secret of the project.

The secret is a file in `.workflow` that its owner alone may read; no token is stored. A token ends with its run,
since whoever shows it must hold the run as well (`claims.assert_lease`). Those for the door of the server are others
(`agent_tokens`).
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from pathlib import Path

from orchestrator.domain.errors import StoreError

SECRET = "mcp.secret"  # noqa: S105 - the name of its file, below .workflow
SECRET_BYTES = 32
_PURPOSE = b"team-lifecycle mcp run "


def token_for(workflow: Path, run: str) -> str:
    """The token of a run; makes the project's secret when there is none yet. Raises StoreError."""
    return _token(_secret(workflow, create=True), run)


def fits(workflow: Path, run: str, token: str) -> bool:
    """Whether `token` is that run's, compared in constant time. Raises StoreError for a secret that others can read."""
    if not (workflow / SECRET).exists():
        return False  # nobody was ever given one
    expected = _token(_secret(workflow, create=False), run)
    return hmac.compare_digest(expected.encode(), token.encode("utf-8", "surrogatepass"))


def _token(secret: bytes, run: str) -> str:
    return hmac.digest(secret, _PURPOSE + run.encode("utf-8", "surrogatepass"), "sha256").hex()


def _secret(workflow: Path, *, create: bool) -> bytes:
    file = workflow / SECRET
    if create and not file.exists():
        _make(file)
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        found = os.fstat(handle)
        private = stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
        body = os.read(handle, SECRET_BYTES + 1) if private else b""
    finally:
        os.close(handle)
    if len(body) != SECRET_BYTES:
        raise StoreError(
            "the secret of the MCP server cannot be used",
            why=f"{file} must be a file of {SECRET_BYTES} bytes that you alone may read",
            fix="remove it: a new one is made with the next run",
        )
    return body


def _make(file: Path) -> None:
    """Written whole under another name first, so that of two makers one wins and nobody reads half a secret."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(secrets.token_bytes(SECRET_BYTES))
            out.flush()
            os.fsync(out.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return  # the other maker's is as good
    finally:
        draft.unlink()
