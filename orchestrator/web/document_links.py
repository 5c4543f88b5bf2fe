"""Where a link of a document may lead: to the session's documents, or elsewhere with its host shown; else nowhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection
from urllib.parse import unquote, urlsplit

from orchestrator.domain.dataclass import dataclass
from orchestrator.domain.patterns import expression

LONGEST = 2_000  # characters of an address
_HOST = expression(r"[a-z0-9._-]+|[0-9a-f:.]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Target:
    href: str
    host: str = ""  # of another site, or the address of a letter


@dataclass(frozen=True, slots=True)
class LinkRules:
    """For one document: which others there are, and under which address each is shown."""

    path: str
    known: Collection[str]
    address: Callable[[str], str]

    def target(self, href: str) -> Target | None:
        """Where it leads; None where it must not be a link."""
        if len(href) > LONGEST or any(ord(char) < 33 or char == "\\" for char in href):
            return None
        try:
            parts = urlsplit(href)
            host = parts.hostname or ""
            _ = parts.port  # raises for what is none
        except ValueError:
            return None
        scheme = parts.scheme.lower()
        if scheme in ("http", "https"):
            return Target(href, host) if _HOST.fullmatch(host) else None
        if scheme == "mailto":
            return Target(href, unquote(parts.path)) if "@" in parts.path else None
        if scheme or parts.netloc or href.startswith("/"):
            return None
        return self._document(parts.path, parts.fragment)

    def _document(self, path: str, fragment: str) -> Target | None:
        anchor = f"#doc-{fragment}" if fragment else ""
        if not path:
            return Target(anchor) if anchor else None
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), unquote(path)))
        return Target(self.address(wanted) + anchor) if wanted in self.known else None
