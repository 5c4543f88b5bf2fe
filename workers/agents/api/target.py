"""Who is asked in one call of a model API."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from orchestrator.domain.dataclass import dataclass, field
from orchestrator.domain.model_providers import Provider

SECRET_LENGTH = 8  # a shorter key is a placeholder such as "EMPTY": masking it would maim answers
MASK = "[key]"


@dataclass(frozen=True, slots=True)
class Target:
    """Who is asked: everything a call needs, found and checked before the library is loaded."""

    agent: str
    provider: Provider
    model: str
    url: str
    key: str = field(repr=False)
    effort: Literal["low", "medium", "high"] | None = None

    @property
    def origin(self) -> str:
        """The base URL as it may be shown: a user name, a password or a query in it may be a secret."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")

    def masked(self, text: str) -> str:
        return text.replace(self.key, MASK) if len(self.key) >= SECRET_LENGTH else text
