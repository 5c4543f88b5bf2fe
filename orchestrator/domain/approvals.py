"""Answers are bound to what was shown: its digest, and the token that names it (docs/domain.md, section 4).

An approval is valid only for what was shown. Each pause reason says which folders it is about
(`states.PAUSES`); the digest of what is in them is kept with the pause. Who approves something newer names it by a token:
the number of the pause's message in the session's log, and the beginning of the digest.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.errors import UsageError
from orchestrator.domain.json_types import Json
from orchestrator.domain.patterns import expression

TOKEN_DIGITS = 16  # hexadecimal ones of a digest in a token: 64 bits, not to be hit by trying
_TOKEN = expression(rf"(\d{{1,9}})\.([0-9a-f]{{{TOKEN_DIGITS},64}})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """What a user has seen: the pause, and the beginning of the digest of what would be approved."""

    pause: int
    digest: str

    def __str__(self) -> str:
        return f"{self.pause}.{self.digest[:TOKEN_DIGITS]}"

    def names(self, digest: str) -> bool:
        return digest.startswith(self.digest)


def parse_token(text: str) -> Token:
    """The parsed token. Raises UsageError for invalid text."""
    found = _TOKEN.fullmatch(text.strip().lower())
    if found is None:
        raise UsageError(
            "--expect needs a token",
            why=f"a token is the number of the pause, a dot, and {TOKEN_DIGITS} or more digits of what is answered",
            fix="`lifecycle check` shows it while the session is paused",
        )
    return Token(int(found[1]), found[2])


def digest_of(folders: tuple[str, ...], artifacts: Mapping[str, str]) -> str:
    """One digest over paths and digests of the artifacts in `folders`."""
    lines = [f"{path} {artifacts[path]}" for path in sorted(artifacts) if path.startswith(folders)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def pause_digest(reason: str, detail: Mapping[str, Json]) -> str:
    """Of a pause that asks for no approval: why the session waits, and what it asks."""
    body = json.dumps([reason, detail], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(body.encode()).hexdigest()
