"""Reads a request's body: to a limit, within a time, and without keeping what nobody may send."""

from __future__ import annotations

from collections.abc import Mapping

import anyio
from starlette.types import Receive

BODY_LIMIT = 2 * 1024 * 1024  # bytes
OPEN_LIMIT = 16 * 1024  # bytes, where nobody has to have entered: a code
BODY_SECONDS = 30.0  # for the whole of it


class TooLarge(Exception):
    """The body is beyond the limit."""


async def read(headers: Mapping[str, list[str]], receive: Receive, limit: int, *, keep: bool) -> bytes:
    """The whole body; nothing of it where it is not to be kept, but its size is checked. Raises TooLarge, TimeoutError."""
    length = headers.get("content-length", [])
    if not length and "transfer-encoding" not in headers:
        return b""
    if length and (len(length) > 1 or not _is_size(length[0]) or int(length[0]) > limit):
        raise TooLarge
    parts: list[bytes] = []
    size, more = 0, True
    with anyio.fail_after(BODY_SECONDS):
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            part = message.get("body", b"")
            size += len(part)
            if size > limit:
                raise TooLarge
            if keep:
                parts.append(part)
            more = message.get("more_body", False)
    return b"".join(parts)


def _is_size(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20
