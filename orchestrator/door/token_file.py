"""The file with the token that a machine elsewhere shows its server."""

from __future__ import annotations

from pathlib import Path

from orchestrator.domain.errors import UsageError


def read_token(file: Path, command: str) -> str:
    """The token in a file; `command` prints one. Raises UsageError."""
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            "the token cannot be read", why=str(error), fix="name the file that has it"
        ) from error
    if not token or len(token.split()) != 1 or not token.isascii():
        raise UsageError(
            f"{file} has no token",
            why="it must hold nothing else",
            fix=f"store what `{command}` printed",
        )
    return token
