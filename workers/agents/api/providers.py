"""The providers of model APIs that are known, and who is asked in one call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

SECRET_LENGTH = 8  # a shorter key is a placeholder such as "EMPTY": masking it would maim answers
MASK = "[key]"


@dataclass(frozen=True, slots=True)
class Provider:
    library: Literal["anthropic", "openai", "google.genai"]  # the vendor's package that speaks its API
    name: str  # what pydantic-ai calls it
    url: str | None = None  # None: a base URL has to be given
    keys: tuple[str, ...] = ()  # variables that usually hold its key; the first that is set counts
    keyless: bool = False  # served by oneself: a key may be set, and need not be


_OPENAI = ("https://api.openai.com/v1", ("OPENAI_API_KEY",))
_GEMINI = ("https://generativelanguage.googleapis.com", ("GEMINI_API_KEY", "GOOGLE_API_KEY"))
PROVIDERS = {
    "anthropic": Provider("anthropic", "anthropic", "https://api.anthropic.com", ("ANTHROPIC_API_KEY",)),
    "openai": Provider("openai", "openai-responses", *_OPENAI),
    "openai-responses": Provider("openai", "openai-responses", *_OPENAI),
    "openai-chat": Provider("openai", "openai-chat", *_OPENAI),
    "gemini": Provider("google.genai", "google", *_GEMINI),
    "google": Provider("google.genai", "google", *_GEMINI),
    "openrouter": Provider("openai", "openrouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "ollama": Provider("openai", "ollama", "http://127.0.0.1:11434/v1", ("OLLAMA_API_KEY",), keyless=True),
    "vllm": Provider("openai", "vllm", None, ("VLLM_API_KEY",), keyless=True),
    "openai-compatible": Provider("openai", "openai-compatible", None, (), keyless=True),
}


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
