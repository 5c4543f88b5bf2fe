"""What we make is its owner's alone; what a user's own program makes for us is as the user wants it."""

from __future__ import annotations

import os

_of_user: list[int] = []


def remember(mask: int) -> None:
    """Keep the mask that this process was started with; the first one counts."""
    _of_user[:] = _of_user[:1] or [mask]


def of_user() -> int:
    """The mask that the user's shell had, for programs of theirs."""
    if _of_user:
        return _of_user[0]
    mask = os.umask(0o077)  # the system tells it only while it sets another one
    os.umask(mask)
    return mask
