"""A user's words, as they are stored."""

from __future__ import annotations

from orchestrator.domain import secrets
from orchestrator.domain.errors import UsageError

LIMIT = 100_000  # characters


def check_words(text: str) -> str:
    """A user's text, limited in length and with secrets masked. Raises UsageError."""
    if len(text) > LIMIT:
        raise UsageError(
            "the text is too long", why=f"{len(text)} characters, at most {LIMIT}", fix="shorten it"
        )
    return secrets.mask(
        text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}").strip()
    )
